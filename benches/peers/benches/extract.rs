//! Extract: one value out of a message and the 63 pairs into bytes, all codecs side by side.
//!
//! Groups `extract/<regime>/<scenario>` and `encode/<regime>/C63`, benches `<codec> <mode>`. Every answer of every message is
//! asserted before it is timed.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use peers::extract::scenario::{Scenario, Shape};
use peers::extract::{reader_of, readers, writers};

fn extract(criterion: &mut Criterion) {
    for scenario in Scenario::ALL {
        for regime in scenario.regimes() {
            let models = scenario.models(*regime);
            let answers: Vec<Option<u64>> = models.iter().map(|model| Some(scenario.shape().answer(model))).collect();
            let mut group = criterion.benchmark_group(format!("extract/{}/{}", regime.name(), scenario.name()));
            group.throughput(Throughput::Elements(1));
            for mut reader in readers(scenario.shape()) {
                let name = format!("{} {}", reader.codec, reader.mode);
                // Made when first needed, so that a run of a few benches does not make the messages of all others.
                let mut inputs = None;
                group.bench_function(&name, |bencher| {
                    let inputs = inputs.get_or_insert_with(|| {
                        let inputs = reader.inputs(*regime, &models);
                        let messages: Vec<&[u8]> = inputs.slices().collect();
                        assert_eq!(reader.read_all(&messages), answers, "{name}, {}", scenario.name());
                        inputs
                    });
                    bencher.iter_custom(|iterations| reader.time(inputs, iterations));
                });
            }
            group.finish();
        }
    }
}

fn encode(criterion: &mut Criterion) {
    for regime in Scenario::C63K32.regimes() {
        let models = Scenario::C63K32.models(*regime);
        let mut group = criterion.benchmark_group(format!("encode/{}/C63", regime.name()));
        group.throughput(Throughput::Elements(1));
        for writer in writers() {
            let name = format!("{} {}", writer.codec, writer.mode);
            let mut reader = reader_of(writer.codec);
            for (model, message) in models.iter().zip(writer.inputs(*regime, &models).slices()) {
                assert_eq!(reader.read(message), Some(Shape::C63.answer(model)), "{name}");
            }
            let mut messages = writer.prepare(&models);
            group.bench_function(name, |bencher| bencher.iter_custom(|iterations| messages.time(*regime, iterations)));
        }
        group.finish();
    }
}

criterion_group! {
    name = extracts;
    config = kit::bench::criterion(50, 200, 20);
    targets = extract, encode
}
criterion_main!(extracts);
