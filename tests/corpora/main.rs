//! The fuzz targets as ordinary tests: each property of fuzz/ over its seeds, over inputs that once failed, over a fixed number of
//! cheap mutations of them, and over random inputs, half of which describe trees.
//!
//! In: fuzz/seeds. Out: no property is violated; and the seeds of a target hold what it takes and what it refuses.
#![cfg(all(feature = "arbitrary", feature = "codec", feature = "derive", feature = "serde", not(miri)))]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use testkit::oracle::trees::config;
use testkit::properties;

type Property = fn(&[u8]) -> bool;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

/// A target's seeds with their names, in the order of these.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = fuzz().join("seeds").join(target);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds: Vec<_> = files
        .map(|file| {
            let path = file.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
        })
        .collect();
    seeds.sort();
    seeds
}

/// Says which input it was when the property panics.
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

/// The same numbers every time (Knuth's MMIX constants).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }
}

/// Bytes that decide something in a header.
const TELLING: [u8; 16] =
    [0x00, 0x01, 0x02, 0x03, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0x82, 0x87, 0x88, 0xbf, 0xc0, 0xc1, 0xff];

/// A seed with one to three changes: a byte set, put in or taken out, the end cut off, or the end of another put after.
fn mutated(seed: &[u8], other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut input = seed.to_vec();
    for _ in 0..=numbers.below(3) {
        let (place, byte) = (numbers.below(input.len()), TELLING[numbers.below(TELLING.len())]);
        match numbers.below(6) {
            0 => input.insert(place, byte),
            1 => input.truncate(place),
            2 => input.extend_from_slice(&other[numbers.below(other.len())..]),
            _ if input.is_empty() => {}
            3 => drop(input.remove(place)),
            4 => input[place] ^= 1 << numbers.below(8),
            _ => input[place] = byte,
        }
    }
    input
}

/// A property over the seeds of its target and so many mutations of them.
fn replay(target: &str, property: Property, mutations: usize) {
    let seeds = seeds(target);
    let taken = seeds.iter().filter(|(name, seed)| holds(property, name, seed)).count();
    assert!(0 < taken && taken < seeds.len(), "{taken} of {} seeds are taken: one-sided", seeds.len());

    let mut numbers = Numbers(0);
    let mut taken = 0;
    for turn in 0..mutations {
        let (name, seed) = &seeds[turn % seeds.len()];
        let other = &seeds[numbers.below(seeds.len())].1;
        taken += usize::from(holds(property, name, &mutated(seed, other, &mut numbers)));
    }
    assert!(0 < taken && taken < mutations, "{taken} of {mutations} mutations are taken: one-sided");
}

/// A property over random inputs, the same every time; proptest makes one that fails small.
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

/// No target is forgotten here, and no seeds are there for none.
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

/// A few words at most in each seed, so that a run begins at once.
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
