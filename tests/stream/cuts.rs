//! Compares bytes in pieces with the same bytes in one piece, at every cut: vectors, the recording, random packets. The
//! property `chunked_equals_whole` tests chunks of any size.

use proptest::prelude::*;

use testkit::chunks::{self, same, same_at_every_cut};
use testkit::input::packets;
use testkit::oracle::trees::{case, config};
use testkit::oracle::{self, TOP};
use testkit::vectors;

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn no_cut_changes_what_random_packets_give(mut case in case(160, packets)) {
        case.input.truncate(250);
        same_at_every_cut(&case.input, &case.paths);
    }
}

/// The sets of paths to watch: each path that occurs in these packets, and each beginning of one.
fn watches(input: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut paths: Vec<Vec<u8>> = Vec::new();
    for seen in oracle::walk(input, TOP, usize::MAX, &|_| true).0 {
        let path = seen.path[..seen.path.len().min(8)].to_vec();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        paths.push(vec![1]);
    }
    paths.chunks(8).map(<[_]>::to_vec).chain(paths.last().map(|last| vec![last.clone()])).collect()
}

#[test]
fn no_cut_changes_what_a_vector_gives() {
    let files: [&str; 5] = [
        include_str!("../vectors/streams.json"),
        include_str!("../vectors/malformed.json"),
        include_str!("../vectors/nodes.json"),
        include_str!("../vectors/primitives.json"),
        include_str!("../vectors/scenarios.json"),
    ];
    let inputs = vectors::bytes_in(&files);
    assert!(inputs.len() > 500, "{}", inputs.len());
    for input in &inputs {
        for paths in watches(input) {
            if input.len() <= 64 {
                same_at_every_cut(input, &paths);
            } else {
                let set = chunks::set(&paths);
                // Every split in the first and last bytes, and some in between.
                for first in
                    (0..40).chain((40..input.len()).step_by(input.len() / 16 + 1)).chain(input.len() - 8..input.len())
                {
                    same(input, &set, &[first, input.len()]);
                }
                for size in [1, 3, 7, 64] {
                    same(input, &set, &[size]);
                }
            }
        }
    }
}

const RECORDING: &[u8] = include_bytes!("../data/noise.y3");

#[test]
fn no_chunk_size_changes_what_the_recording_gives() {
    let paths = [vec![0x3f, 0x01], vec![0x3f, 0x02], vec![0x3f], vec![0x31, 0x01], vec![0x2e, 0x01]];
    let set = chunks::set(&paths);
    for sizes in [&[1][..], &[2], &[3], &[5], &[16], &[61], &[1024], &[4096], &[65536], &[1, 7, 300, 2, 64]] {
        same(RECORDING, &set, sizes);
        #[cfg(feature = "std")]
        chunks::same_read(RECORDING, &set, sizes);
    }
    assert_eq!(chunks::whole(RECORDING, &set).0.iter().filter(|row| row.0 == 1).count(), 2000);
}

/// Every split in the first frames. The other frames are like them.
#[test]
fn no_cut_of_its_beginning_or_end_changes_what_the_recording_gives() {
    let set = chunks::set(&[vec![0x3f, 0x02], vec![0x3f, 0x01], vec![0x31, 0x01], vec![0x2e]]);
    let (start, end) = (&RECORDING[..400], y3::packets(RECORDING).nth(1995).unwrap().unwrap().offset());
    let end = &RECORDING[usize::try_from(end).unwrap()..];
    for part in [start, end] {
        (0..=part.len()).for_each(|first| same(part, &set, &[first, part.len()]));
    }
}
