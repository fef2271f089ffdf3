//! Terminal: the lines that show progress, log lines beside them, and the keys that end a program.
//!
//! Lines are drawn on standard error and only if it is a terminal. All of them are known here, so that a log line or a line of
//! the result takes its place above them and tears none.

use std::io::{self, Write};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tokio::signal::unix::{Signal, SignalKind, signal};

static LINES: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Between two looks at what a server counts.
const LOOK: Duration = Duration::from_millis(500);

/// A line at the bottom of a terminal; nothing where there is none. It goes away when it is dropped.
#[derive(Clone, Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A line that says what goes on, and for how long.
    #[must_use]
    pub fn new(what: &str) -> Progress {
        let progress = Progress::still();
        progress.tick_each(Duration::from_millis(100));
        progress.show(what);
        progress
    }

    /// A line for so many rows, with a bar and the time that is left.
    #[must_use]
    pub fn rows(rows: usize) -> Progress {
        let progress = Progress::of(ProgressBar::new(rows as u64), "{pos}/{len} {wide_bar} {msg} {eta}");
        progress.tick_each(Duration::from_millis(250));
        progress
    }

    /// A line that is drawn when it says something and at no other time.
    #[must_use]
    pub fn still() -> Progress {
        Progress::of(ProgressBar::new_spinner(), "{spinner} {msg} ({elapsed})")
    }

    fn of(bar: ProgressBar, template: &str) -> Progress {
        let bar = LINES.add(bar);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress(bar)
    }

    /// Draws in a thread, which is worth it only if somebody sees it.
    fn tick_each(&self, time: Duration) {
        if !self.is_hidden() {
            self.0.enable_steady_tick(time);
        }
    }

    /// Whether nobody sees it.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.0.is_hidden()
    }

    /// Says something else.
    pub fn show(&self, what: &str) {
        self.0.set_message(what.to_owned());
        self.0.tick();
    }

    /// One row more is done.
    pub fn done(&self) {
        self.0.inc(1);
    }

    /// Prints a line of the result, above.
    pub fn print(&self, line: &str) {
        LINES.suspend(|| println!("{line}"));
    }

    /// Takes the line away and prints the last words.
    pub fn end(&self, summary: &str) {
        self.0.finish_and_clear();
        println!("{summary}");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Shows what `line` says twice a second until the future is dropped; `line` is not asked where there is no terminal.
pub async fn watch(mut line: impl FnMut() -> String) {
    let progress = Progress::still();
    if progress.is_hidden() {
        return std::future::pending().await;
    }
    loop {
        progress.show(&line());
        tokio::time::sleep(LOOK).await;
    }
}

/// Turns a count that grows into a rate.
#[derive(Debug)]
pub struct Rate {
    count: Option<u64>,
    at: Instant,
}

impl Default for Rate {
    fn default() -> Rate {
        Rate { count: None, at: Instant::now() }
    }
}

impl Rate {
    /// By how much the count grew each second since it was told the last time; 0 the first time.
    pub fn of(&mut self, count: u64) -> f64 {
        let before = self.count.replace(count).unwrap_or(count);
        let seconds = std::mem::replace(&mut self.at, Instant::now()).elapsed().as_secs_f64();
        count.saturating_sub(before) as f64 / seconds.max(1e-3)
    }
}

/// Prints a line to standard error, above all lines of progress.
pub fn say(line: &str) {
    LINES.suspend(|| eprintln!("{line}"));
}

/// Standard error for logs: what is written takes its place above all lines of progress.
#[derive(Clone, Copy, Debug)]
pub struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.suspend(|| io::stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Ctrl-C, and the signal with which others ask a program to end. From here on they do not kill it.
#[derive(Debug)]
pub struct Interrupt {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupt {
    /// Listens from now on.
    ///
    /// # Errors
    /// The system has no room for a handler.
    pub fn listen() -> io::Result<Interrupt> {
        Ok(Interrupt { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for one of them. Cancel safe.
    pub async fn came(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_growth_over_time_and_never_negative() {
        let mut rate = Rate::default();
        assert_eq!(rate.of(500).to_bits(), 0.0_f64.to_bits(), "nothing is known of the time before");
        std::thread::sleep(Duration::from_millis(20));
        let grown = rate.of(1500);
        assert!(grown > 0.0 && grown <= 1000.0 / 0.02, "{grown}");
        assert_eq!(rate.of(10).to_bits(), 0.0_f64.to_bits(), "a backend that left took its count along");
    }

    #[tokio::test]
    async fn without_a_terminal_nobody_is_asked_for_a_line() {
        // Tests may run on a terminal too.
        if Progress::still().is_hidden() {
            let watching = watch(|| panic!("nobody would see it"));
            assert!(tokio::time::timeout(Duration::from_millis(50), watching).await.is_err());
        }
    }
}
