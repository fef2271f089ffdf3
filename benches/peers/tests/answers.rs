//! Answers: every reader of every codec finds the watched value, and reads the output of the writers of its codec.
//!
//! The benches assert this for every message before they time it; this test uses a few messages of each regime.

use peers::extract::scenario::{Regime, Scenario, Shape};
use peers::extract::{reader_of, readers, writers};
use peers::structs::cases;

#[test]
fn every_reader_finds_the_watched_value() {
    for scenario in Scenario::ALL {
        for regime in scenario.regimes() {
            let models: Vec<_> = scenario.models(*regime).into_iter().take(8).collect();
            for mut reader in readers(scenario.shape()) {
                let inputs = reader.inputs(Regime::OneBuffer, &models);
                let (mode, messages) = (reader.mode, inputs.slices().collect::<Vec<&[u8]>>());
                let want: Vec<_> = models.iter().map(|model| Some(scenario.shape().answer(model))).collect();
                let each: Vec<_> = messages.iter().map(|message| reader.read(message)).collect();
                assert_eq!(each, want, "{} {mode}, {}", reader.codec, scenario.name());
                assert_eq!(reader.read_all(&messages), want, "{} {mode}, {}, all", reader.codec, scenario.name());
            }
        }
    }
}

#[test]
fn every_writer_is_read_back() {
    let models: Vec<_> = Scenario::C63K32.models(Regime::Rotating).into_iter().take(8).collect();
    for writer in writers() {
        let mut reader = reader_of(writer.codec);
        for (model, message) in models.iter().zip(writer.inputs(Regime::OneBuffer, &models).slices()) {
            assert_eq!(reader.read(message), Some(Shape::C63.answer(model)), "{} {}", writer.codec, writer.mode);
        }
    }
}

/// A case is made only if its answer is right.
#[test]
fn every_struct_is_written_and_read_back() {
    let mut names: Vec<_> = cases().iter().map(|case| (case.group, case.name)).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
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
