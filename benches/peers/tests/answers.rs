//! Answers: every reader of every codec finds the watched value, and reads the output of the writers of its codec.
//!
//! The benches assert this for every message before they time it; this test uses a few messages of each regime.

use std::collections::HashSet;

use peers::extract::scenario::{Regime, Scenario};
use peers::extract::shape::Shape;
use peers::extract::{reader_of, readers, writers};
use peers::structs::cases;

#[test]
fn every_reader_finds_the_watched_value() {
    for scenario in Scenario::ALL {
        for regime in scenario.regimes {
            let models: Vec<_> = scenario.models(*regime).into_iter().take(8).collect();
            let mut names = HashSet::new();
            for mut reader in readers(scenario.shape) {
                let inputs = reader.inputs(Regime::OneBuffer, &models);
                let want: Vec<_> = models.iter().map(|model| Some(scenario.shape.answer(model))).collect();
                let each: Vec<_> = inputs.slices().map(|message| reader.read(message)).collect();
                assert_eq!(each, want, "{}, {}", reader.name(), scenario.name);
                assert_eq!(reader.read_all(&inputs), want, "{}, {}, all", reader.name(), scenario.name);
                assert!(names.insert(reader.name()), "no two have the name {}", reader.name());
            }
        }
    }
}

#[test]
fn every_writer_is_read_back() {
    let models: Vec<_> = Scenario::C63K32.models(Regime::Rotating).into_iter().take(8).collect();
    let want: Vec<_> = models.iter().map(|model| Some(Shape::C63.answer(model))).collect();
    for writer in writers() {
        let inputs = writer.inputs(Regime::OneBuffer, &models);
        assert_eq!(reader_of(writer.codec).read_all(&inputs), want, "{} {}", writer.codec, writer.mode);
    }
}

/// A case is made only if its answer is right.
#[test]
fn every_struct_is_written_and_read_back() {
    let mut names = HashSet::new();
    assert!(cases().iter().all(|case| names.insert((case.group, case.name))), "no two have the same name");
}
