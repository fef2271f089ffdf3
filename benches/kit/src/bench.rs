//! Bench: the cases that several packages run, the settings of criterion, and the cases of all readers of one value.

use std::fmt::{Debug, Display};
use std::hint::black_box;
use std::iter::repeat_with;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion};
use y3::hint::Hint;

pub use criterion::Throughput;

use crate::Sum;
use crate::readers;
use crate::regime::Regime;
use crate::watched::{Watched, assert_is_the_reports};

pub type Group<'c> = BenchmarkGroup<'c, WallTime>;

/// Runs cases: criterion times them, and the package `counts` counts their instructions or times them in turns with
/// another commit.
pub trait Cases {
    /// Begins a group for the next cases. `size` is the amount that one call reads or writes.
    fn group(&mut self, name: impl Into<String>, size: Throughput);

    /// Runs a case. Each call must return `want`.
    fn case<T: PartialEq + Debug>(&mut self, name: impl Display, want: &T, run: impl FnMut() -> T);
}

/// Cases timed by criterion.
pub struct Timed {
    criterion: Criterion,
    group: String,
    size: Throughput,
}

impl Cases for Timed {
    fn group(&mut self, name: impl Into<String>, size: Throughput) {
        (self.group, self.size) = (name.into(), size);
    }

    fn case<T: PartialEq + Debug>(&mut self, name: impl Display, want: &T, mut run: impl FnMut() -> T) {
        let mut group = self.criterion.benchmark_group(&self.group);
        group.throughput(self.size.clone());
        group.bench_function(name.to_string(), |bencher| bencher.iter_custom(|calls| timed(calls, want, &mut run)));
    }
}

/// The time of a number of calls. The last call must return `want`. There is only one call of the function in the code,
/// so the compiler can inline it.
pub fn timed<T: PartialEq + Debug>(calls: u64, want: &T, run: &mut impl FnMut() -> T) -> Duration {
    let (mut answer, begin) = (None, Instant::now());
    for _ in 0..calls {
        answer = Some(black_box(run()));
    }
    let time = begin.elapsed();
    assert!(answer.as_ref().is_none_or(|answer| answer == want), "{answer:?} instead of {want:?}");
    time
}

/// Settings with short times, so that hundreds of benches take only minutes. The times are in milliseconds. Arguments
/// after `--` override the settings.
pub fn criterion(warm_up: u64, measurement: u64, samples: usize) -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(warm_up))
        .measurement_time(Duration::from_millis(measurement))
        .sample_size(samples)
        .nresamples(1000)
        .without_plots()
        .configure_from_args()
}

/// The settings of the crate's own benches, except for streams.
pub fn standard() -> Criterion {
    criterion(400, 1200, 50)
}

/// Times the cases of a bench.
pub fn main(criterion: Criterion, cases: impl FnOnce(&mut Timed)) {
    let mut timed = Timed { criterion, group: String::new(), size: Throughput::Elements(1) };
    cases(&mut timed);
    timed.criterion.final_summary();
}

/// Times a reader in several threads at once, from the first start to the last end. The result is the time divided by
/// the extractions of all threads, so two independent threads halve it.
pub fn in_threads<'i, T>(
    group: &mut Group<'_>,
    name: &str,
    threads: usize,
    regime: Regime,
    inputs: &[&'i [u8]],
    read: impl Fn(&'i [u8]) -> T + Copy + Sync,
) {
    let barrier = &Barrier::new(threads);
    let thread = |extractions: u64| {
        let mut next = regime.feed(inputs);
        barrier.wait();
        let begin = Instant::now();
        for _ in 0..extractions {
            black_box(read(next()));
        }
        (begin, Instant::now())
    };
    let all = |extractions: u64| {
        let spans: Vec<(Instant, Instant)> = thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(move || thread(extractions))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
        });
        let (first, last) = (spans.iter().map(|span| span.0).min(), spans.iter().map(|span| span.1).max());
        last.zip(first).map_or(Duration::ZERO, |(last, first)| last - first)
    };
    let share = u32::try_from(threads).expect("fewer threads than that");
    group.bench_function(name, |bencher| bencher.iter_custom(|extractions| all(extractions) / share));
}

/// A scenario of the report: reads one value of a message, and of each message of a batch.
pub fn report<W: Watched>(cases: &mut impl Cases, regime: Regime) {
    assert_is_the_reports::<W>();
    extract::<W>(cases, "extract", regime);
    batches::<W>(cases);
}

/// The readers of one value. Each call gets the next message of the regime.
pub fn extract<W: Watched>(cases: &mut impl Cases, bench: &str, regime: Regime) {
    let messages = readers::messages::<W>(regime);
    let hits = messages.first().map_or(0, |message| const { &W::SET }.watch(message).count());
    cases.group(format!("{bench}/{}/{}", regime.name(), W::NAME), Throughput::Elements(1));
    // A macro, because a large reader passed as a function would not be inlined.
    macro_rules! readers {
        ($($name:literal: $reader:ident($($hint:expr,)?);)*) => {$({
            let mut next = regime.feed(&messages);
            cases.case($name, &hits, || usize::from(black_box(readers::$reader::<W>($($hint,)? next())).is_some()));
        })*};
    }
    readers! {
        "hand": hand();
        "y3 find": y3_find();
        "y3 keys": y3_keys();
        "y3 watch": y3_watch();
        "y3 watch to": y3_watch_to();
        "y3 nom": y3_nom();
    }
    // A hint remembers the previous message.
    let mut hint = Hint::new(const { &W::SET });
    for message in &messages {
        assert_eq!(readers::y3_hint::<W>(&mut hint, message), readers::hand::<W>(message), "{}", W::NAME);
        assert_eq!(hint.watch(message).count(), hits, "{}", W::NAME);
    }
    readers!("y3 hint": y3_hint(&mut hint,););
    let mut next = regime.feed(&messages);
    cases.case("y3 watch, all hits", &hits, || const { &W::SET }.watch(next()).count());
    cases.case("y3 hint, all hits", &hits, || hint.watch(next()).count());
}

/// Reads the first value or every value of each message of a batch.
pub fn batches<W: Watched>(cases: &mut impl Cases) {
    const BATCH: usize = 256;
    let messages = readers::messages::<W>(Regime::Rotating);
    cases.group(format!("batches/rotating/{}", W::NAME), Throughput::Elements(BATCH as u64));
    let right: Sum = messages.iter().cycle().take(BATCH).filter_map(|message| readers::hand::<W>(message)).collect();
    macro_rules! ways {
        ($($name:literal: |$batch:ident| $sum:expr;)*) => {$({
            let $batch = messages.iter().cycle().take(BATCH).map(AsRef::as_ref);
            assert_eq!($sum, right, "{}: {}", W::NAME, $name);
            let mut next = Regime::Rotating.feed(&messages);
            cases.case($name, &BATCH, || {
                let $batch = repeat_with(&mut next).take(BATCH);
                black_box($sum).values
            });
        })*};
    }
    ways! {
        "one by one, first hit": |batch| Sum::of_hits(batch.filter_map(|packet| const { &W::SET }.watch(packet).next()));
        "one by one, every hit": |batch| Sum::of_hits(batch.flat_map(|packet| const { &W::SET }.watch(packet)));
        "first_each": |batch| {
            let mut sum = Sum::default();
            y3::batch::first_each(const { &W::SET }, batch, |_, hit| sum.add(hit.expect("a hit").expect("no faults").value()));
            sum
        };
    }
}

/// Cases that write into a reused buffer, with their expected output. Each case runs with a vector and with a slice.
#[macro_export]
macro_rules! written {
    ($cases:ident; $($name:literal: $want:expr, |$sink:ident| $write:expr;)*) => {$({
        let want: &[u8] = $want;
        // The slice is longer than the packet, as buffers are. The encoder stores whole words where they fit.
        let (mut vec, mut slice) = (Vec::new(), vec![0; want.len() + 16]);
        $cases.case(concat!($name, ", Vec"), &Ok(want.len()), || {
            vec.clear();
            let $sink = &mut vec;
            $write.map(|()| std::hint::black_box(&vec).len())
        });
        assert_eq!(vec, want, "{}", $name);
        $cases.case(concat!($name, ", SliceSink"), &Ok(want.len()), || {
            let $sink = &mut y3::SliceSink::new(&mut slice);
            $write.map(|()| std::hint::black_box($sink.written()).len())
        });
        assert_eq!(slice[..want.len()], *want, "{}", $name);
    })*};
}
