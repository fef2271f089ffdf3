//! Bench: the settings of criterion, and the benches of all readers of one value.

use std::fmt::Debug;
use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};

use crate::readers;
use crate::regime::Regime;
use crate::threads::together;
use crate::watched::Watched;

pub type Group<'c> = BenchmarkGroup<'c, WallTime>;

/// Short times, so that hundreds of benches take minutes: warm-up and measurement in milliseconds, and the number of
/// samples. Arguments after `--` override them.
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

/// Asserts the answer of a reader, and times it.
pub fn time<T: PartialEq + Debug + Copy>(
    group: &mut Group<'_>,
    name: &str,
    input: &[u8],
    want: T,
    read: impl Fn(&[u8]) -> T,
) {
    assert_eq!(read(input), want, "{name}");
    group.throughput(Throughput::Bytes(input.len() as u64));
    group.bench_function(name, |bencher| bencher.iter(|| read(black_box(input))));
}

/// Times a reader of inputs in several threads at once, for one extraction over all threads: two independent threads halve it.
pub fn in_threads<'i, T>(
    group: &mut Group<'_>,
    name: &str,
    threads: usize,
    regime: Regime,
    inputs: &[&'i [u8]],
    read: impl Fn(&'i [u8]) -> T + Copy + Sync,
) {
    let share = u32::try_from(threads).expect("fewer threads than that");
    let work = |extractions: u64| {
        together(threads, || {
            let mut next = regime.feed(inputs);
            move || {
                for _ in 0..extractions {
                    black_box(read(next()));
                }
            }
        })
    };
    group.bench_function(name, |bencher| bencher.iter_custom(|extractions| work(extractions) / share));
}

/// Times all readers of one value in both regimes.
pub fn all_readers<W: Watched>(criterion: &mut Criterion, bench: &str) {
    for regime in Regime::BOTH {
        let pairs = readers::pairs::<W>(regime);
        let y3: Vec<&[u8]> = pairs.iter().map(|pair| &*pair.y3).collect();
        let json: Vec<&[u8]> = pairs.iter().map(|pair| &*pair.json).collect();
        let mut group = criterion.benchmark_group(format!("{bench}/{}/{}", regime.name(), W::NAME));
        group.throughput(Throughput::Elements(1));
        // A macro, since a large reader passed as a function would not be inlined.
        macro_rules! time {
            ($($name:literal: $reader:ident($inputs:ident);)*) => {$(
                group.bench_function($name, |bencher| {
                    let mut next = regime.feed(&$inputs);
                    bencher.iter(|| readers::$reader::<W>(next()));
                });
            )*};
        }
        time! {
            "hand": hand(y3);
            "y3 find": y3_find(y3);
            "y3 keys": y3_keys(y3);
            "y3 watch": y3_watch(y3);
            "y3 watch to": y3_watch_to(y3);
            "y3 nom": y3_nom(y3);
            "serde_json Value": json_value(json);
            "serde_json typed": json_typed(json);
            "serde_json RawValue": json_raw(json);
        }
        group.bench_function("y3 hint", |bencher| {
            let (mut next, mut hint) = (regime.feed(&y3), y3::hint::Hint::new(const { &W::SET }));
            bencher.iter(|| readers::y3_hint::<W>(&mut hint, next()));
        });
        group.finish();
    }
}
