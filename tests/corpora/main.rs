//! The fuzz targets as ordinary tests. Each property of fuzz/ runs over its seeds, over inputs that once failed, over a
//! fixed number of cheap mutations of them, and over random inputs, half of which describe trees. The seeds of a target
//! must include inputs that it accepts and inputs that it rejects.
#![cfg(all(feature = "arbitrary", feature = "codec", feature = "derive", feature = "serde", not(miri)))]

use std::collections::BTreeSet;
use std::fs;

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use testkit::corpus::{Numbers, fuzz, mutated, seeds};
use testkit::oracle::trees::config;
use testkit::properties;

type Property = fn(&[u8]) -> bool;

/// Prints the input if the property panics.
struct Trial<'a>(&'a str, &'a [u8]);

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the input, which came from seed {}: {:02x?}", self.0, self.1);
        }
    }
}

fn holds(property: Property, seed: &str, input: &[u8]) -> bool {
    let _trial = Trial(seed, input);
    property(input)
}

/// Runs a property over the seeds of its target and over this many mutations of them.
fn replay(target: &str, property: Property, mutations: usize) {
    let seeds = seeds(target);
    let taken = seeds.iter().filter(|(name, seed)| holds(property, name, seed)).count();
    assert!(0 < taken && taken < seeds.len(), "{taken} of {} seeds are accepted", seeds.len());

    let mut numbers = Numbers(0);
    let mut taken = 0;
    for turn in 0..mutations {
        let (name, seed) = &seeds[turn % seeds.len()];
        let other = &seeds[numbers.below(seeds.len())].1;
        taken += usize::from(holds(property, name, &mutated(seed, other, &mut numbers)));
    }
    assert!(0 < taken && taken < mutations, "{taken} of {mutations} mutations are accepted");
}

/// Runs a property over random inputs, the same in every run. Proptest shrinks an input that fails.
fn random(property: Property, cases: u32) {
    let mut runner = TestRunner::new_with_rng(config(cases), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let done = runner.run(&vec(any::<u8>(), 0..300), |input| {
        property(&input);
        Ok(())
    });
    done.unwrap_or_else(|error| panic!("{error}"));
}

macro_rules! targets {
    ($($target:ident: $mutations:expr, $random:expr;)*) => {
        $(
            #[test]
            fn $target() {
                replay(stringify!($target), properties::$target::property, $mutations);
                random(properties::$target::property, $random);
            }
        )*

        const TARGETS: &[&str] = &[$(stringify!($target)),*];
    };
}

targets! {
    parse: 4000, 500;
    skip_equals_parse: 4000, 500;
    watch_equals_oracle: 1000, 1500;
    hint_equals_watch: 4000, 1500;
    first_only_equals_oracle: 2000, 500;
    chunked_equals_whole: 1000, 500;
    batch_equals_watch: 1000, 500;
    nom_equals_packets: 4000, 500;
    roundtrip: 1000, 500;
    canonical: 4000, 500;
    numbers: 4000, 3000;
    records: 2000, 500;
    shapes: 4000, 500;
    edit: 1000, 300;
    dump: 1000, 300;
    text: 4000, 0;
}

#[test]
fn every_target_is_replayed() {
    let names = |folder: &str| -> BTreeSet<String> {
        let files = fs::read_dir(fuzz().join(folder)).unwrap();
        files.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect()
    };
    let expected: BTreeSet<_> = TARGETS.iter().map(|target| (*target).to_owned()).collect();
    assert_eq!(names("fuzz_targets"), expected);
    assert_eq!(names("seeds"), expected);
}

/// A seed has a few words at most, so that a run starts quickly.
#[test]
fn seeds_are_few_and_small() {
    for target in TARGETS {
        let seeds = seeds(target);
        assert!(seeds.len() <= 100, "{target} has {} seeds", seeds.len());
        for (name, seed) in seeds {
            assert!(seed.len() <= 1024, "{target}/{name} has {} bytes", seed.len());
        }
    }
}
