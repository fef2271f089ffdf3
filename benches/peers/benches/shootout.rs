//! The shoot-out: y3 compared with other serializers, for whole structs.

use criterion::{Criterion, criterion_group, criterion_main};
use peers::structs::cases;

fn shootout(criterion: &mut Criterion) {
    for mut case in cases() {
        let mut group = criterion.benchmark_group(case.group);
        group.bench_function(case.name, |bencher| bencher.iter_custom(|iterations| case.time(iterations)));
        group.finish();
    }
}

criterion_group! {
    name = structs;
    config = kit::bench::criterion(300, 1000, 50);
    targets = shootout
}
criterion_main!(structs);
