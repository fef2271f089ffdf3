//! A progress line on the terminal, and a summary if Ctrl-C ends the command.

use std::cell::{Cell, RefCell};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::{self, Failure, INTERRUPTED};

/// Counts the bytes read and the things found, for the progress line and the summary.
pub struct Progress {
    bar: ProgressBar,
    counts: &'static Counts,
    what: &'static str,
    shown: Cell<Instant>,
}

/// The minimum time between two updates of the progress line.
const INTERVAL: Duration = Duration::from_millis(100);

struct Counts {
    bytes: AtomicU64,
    found: AtomicU64,
    is_interrupted: AtomicBool,
    is_writing: AtomicBool,
    is_told: AtomicBool,
}

/// The counts of this process. The Ctrl-C handler reads them.
static COUNTS: Counts = Counts {
    bytes: AtomicU64::new(0),
    found: AtomicU64::new(0),
    is_interrupted: AtomicBool::new(false),
    is_writing: AtomicBool::new(false),
    is_told: AtomicBool::new(false),
};

thread_local! {
    /// The progress line.
    static BAR: RefCell<ProgressBar> = RefCell::new(ProgressBar::hidden());
}

/// After Ctrl-C, the main thread has this long to end by itself. It can be blocked in a read, so the handler then ends
/// the process.
const PATIENCE: Duration = Duration::from_millis(300);

/// Installs a Ctrl-C handler that prints a summary and ends the command, even while opening an input blocks. `what` is
/// the noun for the counted things.
pub fn listen(what: &'static str) {
    // If the handler cannot be installed, Ctrl-C ends the process as usual.
    let _ = ctrlc::set_handler(move || {
        COUNTS.is_interrupted.store(true, Ordering::SeqCst);
        sleep(PATIENCE);
        // The handler waits until the current write ends. It does not wait for ever, since the reader of a pipe can
        // hang.
        for _ in 0..10 {
            if COUNTS.is_writing.load(Ordering::SeqCst) {
                sleep(PATIENCE);
            }
        }
        COUNTS.tell(what);
        process::exit(i32::from(INTERRUPTED));
    });
}

impl Progress {
    /// Shows a progress line if standard error is a terminal. `len` is the length of the input. `what` is the noun for the
    /// counted things.
    pub fn start(len: Option<u64>, what: &'static str) -> Progress {
        let bar = ProgressBar::with_draw_target(len, ProgressDrawTarget::stderr());
        let template = match len {
            Some(_) => "{wide_bar} {bytes} of {total_bytes}, {binary_bytes_per_sec}, {msg}",
            None => "{bytes}, {binary_bytes_per_sec}, {msg}",
        };
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        BAR.set(bar.clone());
        // Each input has its own counts.
        COUNTS.bytes.store(0, Ordering::Relaxed);
        COUNTS.found.store(0, Ordering::Relaxed);
        Progress { bar, counts: &COUNTS, what, shown: Cell::new(Instant::now()) }
    }

    /// Records the number of bytes read so far. Returns an error if Ctrl-C was pressed.
    pub fn read(&self, bytes: u64) -> Result<(), Failure> {
        self.counts.bytes.store(bytes, Ordering::Relaxed);
        if self.counts.is_interrupted.load(Ordering::SeqCst) {
            self.bar.finish_and_clear();
            self.counts.tell(self.what);
            return Err(Failure::Interrupted);
        }
        if !self.bar.is_hidden() && self.shown.get().elapsed() >= INTERVAL {
            self.shown.set(Instant::now());
            self.bar.set_message(format!("{}: {}", self.what, self.count()));
            self.bar.set_position(bytes);
        }
        Ok(())
    }

    /// Removes the progress line. Call this before the last output.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// Counts one thing found.
    pub fn found(&self) {
        // Only this thread writes the counter, so a load and a store suffice. An atomic addition would take longer than
        // the check of a small packet.
        self.counts.found.store(self.count() + 1, Ordering::Relaxed);
    }

    pub fn count(&self) -> u64 {
        self.counts.found.load(Ordering::Relaxed)
    }
}

/// Hides the progress line while `write` writes to standard output.
pub fn while_writing<T>(write: impl FnOnce() -> T) -> T {
    COUNTS.is_writing.store(true, Ordering::SeqCst);
    let result = BAR.with_borrow(|bar| bar.suspend(write));
    COUNTS.is_writing.store(false, Ordering::SeqCst);
    result
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Counts {
    /// Prints the summary, at most once.
    fn tell(&self, what: &str) {
        if !self.is_told.swap(true, Ordering::SeqCst) {
            let (bytes, found) = (self.bytes.load(Ordering::Relaxed), self.found.load(Ordering::Relaxed));
            failure::tell(format_args!("interrupted: {bytes} bytes read, {what}: {found}"));
        }
    }
}
