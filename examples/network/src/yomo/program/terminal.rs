//! Terminal: the line that shows progress, and the keys that end a program.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

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

/// Waits for Ctrl-C, or for the signal with which others ask a program to end.
pub(super) async fn interrupted() {
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => signal.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminated => {}
    }
}
