//! Parallel: runs the four scenarios with one thread and with one thread per core. Each thread does the same work.
//!
//! The result is the run time divided by the extractions of all threads, so two independent threads halve it.

use std::thread;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use kit::bench::{in_threads, standard};
use kit::readers;
use kit::regime::Regime;
use kit::watched::{C03K02, C16K08, C32K16, C63K32, Watched};

fn scenario<W: Watched>(criterion: &mut Criterion) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let messages = readers::messages::<W>(Regime::Rotating);
    let mut group = criterion.benchmark_group(format!("parallel/rotating/{}", W::NAME));
    group.throughput(Throughput::Elements(1)).sampling_mode(SamplingMode::Flat);
    for (threads, shown) in [(1, "one thread"), (cores, "all cores")] {
        let name = format!("y3 watch, {shown}");
        in_threads(&mut group, &name, threads, Regime::Rotating, &messages, readers::y3_watch::<W>);
    }
    group.finish();
}

criterion_group!(
    name = parallel; config = standard();
    targets = scenario::<C63K32>, scenario::<C32K16>, scenario::<C16K08>, scenario::<C03K02>
);
criterion_main!(parallel);
