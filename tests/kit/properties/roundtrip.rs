//! Round trip: trees do not change when they are written and read back, and their bytes are those of the naive writer.
//! A sink does not change if a tree does not fit or is too deep.
//!
//! The first bytes choose how much space is missing; the others describe trees. The input is accepted if there are
//! trees.

use arbitrary::{Result, Unstructured};
use y3::{Encoder, ErrorKind, SliceSink};

use crate::input;
use crate::oracle::trees::{self, Tree};
use crate::oracle::written::{assert_round_trip, assert_same, before_too_deep, write};

pub fn property(bytes: &[u8]) -> bool {
    parts(&mut Unstructured::new(bytes)).is_ok_and(|(short, mut trees)| {
        // Every form of the packets is read as the same trees.
        let input = trees::encode(&trees);
        assert_same(y3::packets(&input), &trees);

        trees::canonical(&mut trees, false);
        assert_round_trip(&trees);
        too_small(before_too_deep(&trees), short);
        !trees.is_empty()
    })
}

fn parts(u: &mut Unstructured<'_>) -> Result<(usize, Vec<Tree>)> {
    Ok((u.arbitrary::<u16>()?.into(), input::trees(u)?))
}

/// Writes each tree to a sink that holds `before` and has too little space.
fn too_small(trees: &[Tree], short: usize) {
    let before = [0xa5, 0x00];
    for tree in trees {
        let tree = std::slice::from_ref(tree);
        let needed = trees::encode(tree).len();
        for missing in [1, 1 + short % needed] {
            let mut buffer = vec![0xee; before.len() + needed - missing];
            let mut sink = SliceSink::new(&mut buffer);
            Encoder::new(&mut sink).put(0x25, [0u8; 0]).unwrap();
            let held = sink.written().to_vec();
            let error = write(&mut Encoder::new(&mut sink), tree).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BufferTooSmall, "{missing} bytes short of {needed}");
            let range = held.len() as u64..(held.len() + needed) as u64;
            assert!(range.contains(&error.offset()), "{error}, but the packet is {range:?}");
            assert_eq!(sink.written(), held, "part of a packet is left");
        }
    }
}
