//! Extract: one value out of a message and the 63 pairs into bytes, all codecs side by side.
//!
//! Groups `extract/<regime>/<scenario>` and `encode/<regime>/C63`, benches `<codec> <mode>`. Every answer of every message is
//! asserted before it is timed.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use peers::extract::mode::Inputs;
use peers::extract::scenario::{Regime, Scenario, Shape};
use peers::extract::{readers, writers};

fn extract(criterion: &mut Criterion) {
    for scenario in Scenario::ALL {
        for regime in scenario.regimes() {
            let models = scenario.models(*regime);
            let answers: Vec<u64> = models.iter().map(|model| scenario.shape().answer(model)).collect();
            let mut group = criterion.benchmark_group(format!("extract/{}/{}", regime.name(), scenario.name()));
            group.throughput(Throughput::Elements(1));
            for mut reader in readers(scenario.shape()) {
                let name = format!("{} {}", reader.codec, reader.mode);
                // Made when first asked for, so that a run of a few benches does not wait for all the others' messages.
                let mut inputs = None;
                group.bench_function(&name, |bencher| {
                    let inputs = inputs.get_or_insert_with(|| {
                        let messages: Vec<Vec<u8>> = models.iter().map(|model| reader.encode(model)).collect();
                        let inputs = Inputs::new(*regime, &messages);
                        for (answer, message) in answers.iter().zip(inputs.slices()) {
                            assert_eq!(reader.read(message), Some(*answer), "{name}, {}", scenario.name());
                        }
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
            let mut messages = writer.prepare(&models);
            let mut reader =
                readers(Shape::C63).into_iter().find(|reader| reader.codec == writer.codec).expect("one each");
            let name = format!("{} {}", writer.codec, writer.mode);
            for (place, model) in models.iter().enumerate() {
                let mut out = Vec::new();
                messages.write(place, &mut out);
                // Where every codec can read it in place.
                let inputs = Inputs::new(Regime::OneBuffer, &[out]);
                let written = inputs.slices().next().expect("one");
                assert_eq!(reader.read(written), Some(Shape::C63.answer(model)), "{name}");
            }
            group.bench_function(name, |bencher| bencher.iter_custom(|iterations| messages.time(*regime, iterations)));
        }
        group.finish();
    }
}

/// Short times, so that hundreds of benches are done in minutes; arguments behind `--` override them.
fn short() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(200))
        .sample_size(20)
        .nresamples(1000)
        .without_plots()
        .configure_from_args()
}

criterion_group! {
    name = extracts;
    config = short();
    targets = extract, encode
}
criterion_main!(extracts);
