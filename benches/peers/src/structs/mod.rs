//! Structs: the shoot-out: a message, three fields of sixty-three and a DNS cache entry, in the shape that suits each serializer.
//!
//! In: nothing. Out: cases to time and to count. A case is made only if its answer is right.

use std::hint::black_box;
use std::time::{Duration, Instant};

mod cases;
pub mod dns;
pub mod message;
pub mod partial;
mod records;

pub use cases::cases;

/// One serializer at one task.
pub struct Case {
    pub group: &'static str,
    pub name: &'static str,
    /// The bytes that it writes or reads, a mean where messages differ.
    pub bytes: f64,
    run: Box<dyn Run>,
}

impl Case {
    fn new<T>(group: &'static str, name: &'static str, bytes: f64, run: impl FnMut() -> T + 'static) -> Case {
        Case { group, name, bytes, run: Box::new(run) }
    }

    pub fn once(&mut self) {
        self.run.once();
    }

    /// The time of so many runs.
    pub fn time(&mut self, iterations: u64) -> Duration {
        self.run.time(iterations)
    }
}

/// A closure with its own loop, so that no run pays for a call that a user does not make.
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
