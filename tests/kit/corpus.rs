//! The seeds of the fuzz targets, and cheap mutations of them that are the same in every run.

use std::fs;
use std::path::{Path, PathBuf};

pub fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

/// The seeds of a target with their names, sorted by name.
pub fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
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

/// Pseudo-random numbers that are the same in every run (Knuth's MMIX constants).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }
}

/// Bytes with a special meaning in a header.
pub const TELLING: [u8; 16] =
    [0x00, 0x01, 0x02, 0x03, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0x82, 0x87, 0x88, 0xbf, 0xc0, 0xc1, 0xff];

/// A seed with one to three changes: a byte is set, inserted or removed, the end is cut off, or the end of another seed
/// is appended.
pub fn mutated(seed: &[u8], other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
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
