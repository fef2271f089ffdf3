//! Progress: what is being done, for a person who waits.
//!
//! In: steps that begin and end. Out: on a terminal a line that is overwritten, otherwise a plain line now and then.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

pub struct Progress {
    /// On a terminal.
    bar: Option<ProgressBar>,
    total: u64,
    done: u64,
    began: Instant,
    /// When a line was last written.
    shown: Option<Instant>,
}

impl Progress {
    /// A step whose parts are not counted: building.
    pub fn building() -> Progress {
        Progress::with("{spinner} {pos} crates, {elapsed}: {wide_msg}", 0)
    }

    pub fn new(total: usize) -> Progress {
        Progress::with("{bar:20} {pos} of {len} measurements, {elapsed}, {eta} left: {wide_msg}", total as u64)
    }

    fn with(template: &str, total: u64) -> Progress {
        let bar = if total == 0 { ProgressBar::new_spinner() } else { ProgressBar::new(total) };
        // indicatif writes nothing where a line cannot be overwritten: there are plain lines then.
        let bar = (!bar.is_hidden()).then_some(bar);
        if let Some(bar) = &bar {
            // A template that indicatif cannot read is shown in its own style.
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Progress { bar, total, done: 0, began: Instant::now(), shown: None }
    }

    /// Shows a step; without a terminal on a line of its own.
    pub fn step(&mut self, name: &str) {
        self.shown = None;
        self.doing(name);
    }

    /// Shows what is being done now.
    pub fn doing(&mut self, name: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(name.to_owned());
        } else if self.shown.is_none_or(|shown| shown.elapsed() >= Duration::from_secs(10)) {
            let seconds = self.began.elapsed().as_secs();
            let of = if self.total == 0 { String::new() } else { format!(" of {}", self.total) };
            eprintln!("{:5}{of} done, {}:{:02} elapsed: {name}", self.done, seconds / 60, seconds % 60);
            self.shown = Some(Instant::now());
        }
    }

    pub fn done(&mut self) {
        self.done += 1;
        // What is measured again was not announced.
        if self.total > 0 {
            self.total = self.total.max(self.done);
        }
        if let Some(bar) = &self.bar {
            if self.total > 0 {
                bar.set_length(self.total);
            }
            bar.inc(1);
        }
    }
}

impl Drop for Progress {
    /// The next message, error or not, gets a line of its own.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }
}
