//! Progress: how many of the measurements are done, for a person who waits.
//!
//! In: steps that begin and end. Out: on a terminal one line that is overwritten, otherwise a plain line now and then.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

pub struct Progress {
    total: usize,
    done: usize,
    began: Instant,
    terminal: bool,
    /// When a line was last written.
    shown: Option<Instant>,
}

impl Progress {
    pub fn new(total: usize) -> Progress {
        Progress { total, done: 0, began: Instant::now(), terminal: stderr().is_terminal(), shown: None }
    }

    /// Prints a step on a line of its own.
    pub fn step(&mut self, name: &str) {
        self.show(name);
    }

    /// Prints what is being measured.
    pub fn doing(&mut self, name: &str) {
        let rest = Duration::from_millis(if self.terminal { 100 } else { 10_000 });
        if self.shown.is_none_or(|shown| shown.elapsed() >= rest) {
            self.show(name);
        }
    }

    pub fn done(&mut self) {
        self.done += 1;
    }

    fn show(&mut self, name: &str) {
        let (done, total, seconds) = (self.done, self.total, self.began.elapsed().as_secs());
        let (minutes, seconds) = (seconds / 60, seconds % 60);
        let line = format!("{done:5} of {total} measurements, {minutes}:{seconds:02} elapsed: {name}");
        if self.terminal {
            let short: String = line.chars().take(100).collect();
            eprint!("\r\x1b[2K{short}");
            // Measuring continues if the terminal is closed.
            stderr().flush().unwrap_or_default();
        } else {
            eprintln!("{line}");
        }
        self.shown = Some(Instant::now());
    }
}

impl Drop for Progress {
    /// The next message, error or not, gets a line of its own.
    fn drop(&mut self) {
        if self.terminal {
            eprintln!();
        }
    }
}
