//! Parallel: the four scenarios with one thread and with one thread a core, each doing the same work.
//!
//! Times are per extraction, all threads counted: two threads that do not disturb each other halve them.

#[allow(dead_code, reason = "each bench uses its part")]
mod support;

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use support::watched::{C03K02, C16K08, C32K16, C63K32, Watched};
use support::{Group, OneBuffer, Regime, Rotating, readers};

/// Threads that wait for work, do it all at once, and wait again.
struct Crew {
    /// Extractions to do for each thread; none: go home.
    work: AtomicU64,
    /// Passed before work and after it, by the threads and by the one that leads them.
    barrier: Barrier,
    /// When each thread began and ended its last work.
    spans: Mutex<Vec<(Instant, Instant)>>,
}

impl Crew {
    fn new(threads: usize) -> Crew {
        Crew { work: AtomicU64::new(0), barrier: Barrier::new(threads + 1), spans: Mutex::new(Vec::new()) }
    }

    /// A thread's life.
    fn join<'i, R: Regime, T>(&self, inputs: &[&'i [u8]], read: impl Fn(&'i [u8]) -> T) {
        let mut next = R::feed(inputs);
        loop {
            self.barrier.wait();
            let work = self.work.load(Ordering::Relaxed);
            if work == 0 {
                return;
            }
            let begin = Instant::now();
            for _ in 0..work {
                black_box(read(next()));
            }
            let span = (begin, Instant::now());
            self.spans.lock().expect("nobody panics").push(span);
            self.barrier.wait();
        }
    }

    /// From the first thread's beginning to the last one's end.
    fn run(&self, work: u64) -> Duration {
        self.work.store(work, Ordering::Relaxed);
        self.barrier.wait();
        self.barrier.wait();
        let spans = std::mem::take(&mut *self.spans.lock().expect("nobody panics"));
        let (first, last) = (spans.iter().map(|span| span.0).min(), spans.iter().map(|span| span.1).max());
        last.zip(first).map_or(Duration::ZERO, |(last, first)| last - first)
    }

    fn dismiss(&self) {
        self.work.store(0, Ordering::Relaxed);
        self.barrier.wait();
    }
}

fn time<'i, R: Regime, T>(
    group: &mut Group<'_>,
    name: &str,
    threads: usize,
    inputs: &[&'i [u8]],
    read: impl Fn(&'i [u8]) -> T + Copy + Sync,
) {
    let crew = Crew::new(threads);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| crew.join::<R, T>(inputs, read));
        }
        let share = u32::try_from(threads).expect("fewer threads than that");
        group.bench_function(name, |bencher| bencher.iter_custom(|work| crew.run(work) / share));
        crew.dismiss();
    });
}

fn regime<W: Watched, R: Regime>(criterion: &mut Criterion) {
    let pairs = W::pairs::<R>();
    let y3: Vec<&[u8]> = pairs.iter().map(|pair| &*pair.y3).collect();
    let json: Vec<&[u8]> = pairs.iter().map(|pair| &*pair.json).collect();
    let cores = thread::available_parallelism().map_or(1, usize::from);

    let mut group = criterion.benchmark_group(format!("parallel/{}/{}", R::NAME, W::NAME));
    group.throughput(Throughput::Elements(1)).sampling_mode(SamplingMode::Flat);
    time::<R, _>(&mut group, "y3 watch, one thread", 1, &y3, readers::y3_watch::<W>);
    time::<R, _>(&mut group, "y3 watch, all cores", cores, &y3, readers::y3_watch::<W>);
    time::<R, _>(&mut group, "serde_json Value, one thread", 1, &json, readers::json_value::<W>);
    time::<R, _>(&mut group, "serde_json Value, all cores", cores, &json, readers::json_value::<W>);
    group.finish();
}

fn scenario<W: Watched>(criterion: &mut Criterion) {
    regime::<W, OneBuffer>(criterion);
    regime::<W, Rotating>(criterion);
}

criterion_group! {
    name = parallel;
    config = support::criterion();
    targets = scenario::<C63K32>, scenario::<C32K16>, scenario::<C16K08>, scenario::<C03K02>
}
criterion_main!(parallel);
