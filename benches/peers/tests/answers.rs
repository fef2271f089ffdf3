//! Answers: every reader of every codec finds the watched value, and reads what the writers of its codec write.
//!
//! The benches assert the same of every message before they time it; here a few of each regime do, quickly.

use peers::extract::mode::Inputs;
use peers::extract::scenario::{Regime, Scenario, Shape};
use peers::extract::{readers, writers};

#[test]
fn every_reader_finds_the_watched_value() {
    for scenario in Scenario::ALL {
        for regime in scenario.regimes() {
            let models: Vec<_> = scenario.models(*regime).into_iter().take(8).collect();
            for mut reader in readers(scenario.shape()) {
                let messages: Vec<Vec<u8>> = models.iter().map(|model| reader.encode(model)).collect();
                let inputs = Inputs::new(Regime::OneBuffer, &messages);
                for (model, message) in models.iter().zip(inputs.slices()) {
                    let (answer, want) = (reader.read(message), scenario.shape().answer(model));
                    assert_eq!(answer, Some(want), "{} {}, {}", reader.codec, reader.mode, scenario.name());
                }
            }
        }
    }
}

#[test]
fn every_writer_is_read_back() {
    let models: Vec<_> = Scenario::C63K32.models(Regime::Rotating).into_iter().take(8).collect();
    for writer in writers() {
        let mut messages = writer.prepare(&models);
        let mut readers = readers(Shape::C63).into_iter();
        let mut reader = readers.find(|reader| reader.codec == writer.codec).expect("each codec that writes reads");
        for (place, model) in models.iter().enumerate() {
            let mut out = Vec::new();
            messages.write(place, &mut out);
            let inputs = Inputs::new(Regime::OneBuffer, &[out]);
            let answer = reader.read(inputs.slices().next().expect("one"));
            assert_eq!(answer, Some(Shape::C63.answer(model)), "{} {}", writer.codec, writer.mode);
        }
    }
}

/// No two benches may have the same name.
#[test]
fn names_differ() {
    for scenario in Scenario::ALL {
        let mut names: Vec<_> = readers(scenario.shape()).iter().map(|reader| (reader.codec, reader.mode)).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{}", scenario.name());
    }
}
