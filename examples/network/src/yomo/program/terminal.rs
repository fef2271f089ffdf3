//! Terminal: the line that shows progress, and the keys that end a program.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// A line at the bottom of a terminal; nothing where there is none.
#[derive(Clone)]
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(what: &str) -> Self {
        let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
        let bar = ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(100));
        let progress = Self(bar);
        progress.show(what);
        progress
    }

    pub(super) fn show(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    /// Prints a line of the result, above.
    pub(super) fn print(&self, line: &str) {
        self.0.suspend(|| println!("{line}"));
    }

    /// Takes the line away and prints the last words.
    pub(super) fn end(&self, summary: &str) {
        self.0.finish_and_clear();
        println!("{summary}");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Ctrl-C, and the signal with which others ask a program to end. From here on they do not kill it.
pub(super) struct Interrupt {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupt {
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for one of them. Cancel safe.
    pub(super) async fn came(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
