//! Support: the same data in Y3 and in JSON, the two buffer regimes, and the readers that are timed.
//!
//! In: a model of keys and values. Out: packets of both codecs that say the same, visited in a regime's order.

pub mod data;
pub mod hand;
pub mod readers;
pub mod watched;

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use data::{Node, Random};
use watched::Watched;

/// Short times, so that a full `cargo bench` is done in minutes; arguments behind `--` override them.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(400))
        .measurement_time(Duration::from_millis(1200))
        .sample_size(50)
        .nresamples(10_000)
        .without_plots()
        .configure_from_args()
}

/// Which packets a bench reads, and in which order.
pub trait Regime {
    /// How the names of groups call it.
    const NAME: &'static str;

    /// The models to read, made from the one that describes the scenario.
    fn models(model: Node) -> Vec<Node>;

    /// Gives the next of these inputs, for ever, in a way that no compiler sees through.
    fn feed<T: Copy + Send + Sync>(inputs: &[T]) -> impl FnMut() -> T + Send;
}

/// One buffer again and again, as the published report does: caches and branch predictors know it by heart.
pub struct OneBuffer;

impl Regime for OneBuffer {
    const NAME: &'static str = "one-buffer";

    fn models(model: Node) -> Vec<Node> {
        vec![model]
    }

    fn feed<T: Copy + Send + Sync>(inputs: &[T]) -> impl FnMut() -> T + Send {
        let [input] = *inputs else { panic!("one buffer, not {}", inputs.len()) };
        move || black_box(input)
    }
}

/// 256 buffers with shuffled keys and texts of varied lengths, visited in a random order: nothing is known by heart.
pub struct Rotating;

impl Regime for Rotating {
    const NAME: &'static str = "rotating";

    fn models(model: Node) -> Vec<Node> {
        let mut random = Random::new(3);
        (0..256).map(|_| model.varied(&mut random)).collect()
    }

    fn feed<T: Copy + Send + Sync>(inputs: &[T]) -> impl FnMut() -> T + Send {
        // Long enough that no branch predictor learns the order (8,192 are not: three pairs then take a third of the time that they
        // take in any other order); a byte each, so that it stays out of the data's way.
        const VISITS: usize = 65_536;
        let mut random = Random::new(4);
        let inputs: [T; 256] = inputs.try_into().expect("as many as `models` makes");
        let visits: Vec<u8> = (0..VISITS).map(|_| random.byte()).collect();
        let visits: Box<[u8; VISITS]> = visits.try_into().expect("so many were made");
        let mut visit = 0;
        move || {
            visit = (visit + 1) % VISITS;
            black_box(inputs[usize::from(visits[visit])])
        }
    }
}

pub type Group<'c> = BenchmarkGroup<'c, WallTime>;

/// Times all readers of one value side by side.
pub fn peers<W: Watched, R: Regime>(criterion: &mut Criterion, bench: &str) {
    let pairs = W::pairs::<R>();
    let y3: Vec<&[u8]> = pairs.iter().map(|pair| &*pair.y3).collect();
    let json: Vec<&[u8]> = pairs.iter().map(|pair| &*pair.json).collect();

    let mut group = criterion.benchmark_group(format!("{bench}/{}/{}", R::NAME, W::NAME));
    group.throughput(Throughput::Elements(1));
    // A macro, since a reader handed over as a function is called and not inlined once it is large: none shall pay for that.
    macro_rules! time {
        ($($name:literal: $reader:ident($inputs:ident);)*) => {$(
            group.bench_function($name, |bencher| {
                let mut next = R::feed(&$inputs);
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
    group.finish();
}
