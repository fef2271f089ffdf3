//! Case: one serializer at one task, in a loop of its own.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// One serializer at one task.
pub struct Case {
    pub group: &'static str,
    pub name: &'static str,
    /// The number of bytes written or read; a mean where messages differ.
    pub bytes: f64,
    run: Box<dyn Run>,
}

impl Case {
    pub fn new<T>(group: &'static str, name: &'static str, bytes: f64, run: impl FnMut() -> T + 'static) -> Case {
        Case { group, name, bytes, run: Box::new(run) }
    }

    pub fn once(&mut self) {
        self.run.once();
    }

    /// The time of that many runs.
    pub fn time(&mut self, iterations: u64) -> Duration {
        self.run.time(iterations)
    }
}

/// A closure in its own loop, so that no run has the cost of a call that a user does not make.
trait Run {
    fn once(&mut self);
    fn time(&mut self, iterations: u64) -> Duration;
}

impl<T, F: FnMut() -> T> Run for F {
    fn once(&mut self) {
        black_box(self());
    }

    fn time(&mut self, iterations: u64) -> Duration {
        let start = Instant::now();
        for _ in 0..iterations {
            black_box(self());
        }
        start.elapsed()
    }
}
