//! Threads: how long it takes several threads to do the same work at once.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// Runs `work` in `count` threads at once and returns the time from the first start to the last end.
///
/// `work` prepares the thread and returns the function that is timed.
pub fn together<T: FnOnce()>(count: usize, work: impl Fn() -> T + Sync) -> Duration {
    let (barrier, work) = (&Barrier::new(count), &work);
    let thread = move || {
        let timed = work();
        barrier.wait();
        let start = Instant::now();
        timed();
        (start, Instant::now())
    };
    let spans: Vec<(Instant, Instant)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(thread)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    let (first, last) = (spans.iter().map(|span| span.0).min(), spans.iter().map(|span| span.1).max());
    last.zip(first).map_or(Duration::ZERO, |(last, first)| last - first)
}
