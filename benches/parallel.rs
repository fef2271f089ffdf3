//! Parallel: the four scenarios with one thread and with one thread per core, each doing the same work.
//!
//! Times are per extraction over all threads: two independent threads halve them.

use std::thread;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use kit::bench::{in_threads, standard};
use kit::readers;
use kit::regime::Regime;
use kit::watched::{C03K02, C16K08, C32K16, C63K32, Watched};

fn scenario<W: Watched>(criterion: &mut Criterion) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    for regime in Regime::BOTH {
        let pairs = readers::pairs::<W>(regime);
        let y3: Vec<&[u8]> = pairs.iter().map(|pair| &*pair.y3).collect();
        let json: Vec<&[u8]> = pairs.iter().map(|pair| &*pair.json).collect();
        let mut group = criterion.benchmark_group(format!("parallel/{}/{}", regime.name(), W::NAME));
        group.throughput(Throughput::Elements(1)).sampling_mode(SamplingMode::Flat);
        for (threads, shown) in [(1, "one thread"), (cores, "all cores")] {
            in_threads(&mut group, &format!("y3 watch, {shown}"), threads, regime, &y3, readers::y3_watch::<W>);
            let name = format!("serde_json Value, {shown}");
            in_threads(&mut group, &name, threads, regime, &json, readers::json_value::<W>);
        }
        group.finish();
    }
}

criterion_group!(
    name = parallel; config = standard();
    targets = scenario::<C63K32>, scenario::<C32K16>, scenario::<C16K08>, scenario::<C03K02>
);
criterion_main!(parallel);
