//! Threads: how long it takes several threads to do the same work at once.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// Runs `work` in `count` threads at once: the time from the first thread's start to the last one's end.
///
/// `work` begins with its preparation and gives the part that is timed.
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
