//! Editing: packets filtered into a sink or as pieces, and a value overwritten or replaced behind all others.

use std::hint::black_box;

use y3::edit::{self, Filter, Piece};
use y3::{PathSet, SliceSink, path};

use super::{Cases, GROWING, Growth, Memory, SIZES};
use crate::by_hand::packet;

/// A packet that is kept or removed, and its sibling.
const WATCHED: [u8; 3] = [0x02, 0x01, 0x07];
const OTHER: [u8; 3] = [0x03, 0x01, 0x08];

pub fn cases(cases: &mut Cases) {
    const CHILD: PathSet<1> = PathSet::new([path!(0x01, 0x02)]);
    const GRANDCHILD: PathSet<1> = PathSet::new([path!(0x01, 0x04, 0x02)]);
    // Every second packet stays: as many pieces as packets.
    let flat = |parts: &[[u8; 3]], size: usize| packet(0x81, &parts.concat().repeat(size / 6));
    filtered(cases, "edit, kept and removed in turn", &CHILD, flat);
    // Every node gets another header.
    let nodes = |parts: &[[u8; 3]], size: usize| packet(0x81, &packet(0x84, &parts.concat()).repeat(size / 8));
    filtered(cases, "edit, nodes on the path", &GRANDCHILD, nodes);
    overwritten(cases, "edit, behind many packets");
}

/// `make` makes a packet of about a size of these parts, again and again.
fn filtered(cases: &mut Cases, family: &'static str, paths: &PathSet<1>, make: impl Fn(&[[u8; 3]], usize) -> Vec<u8>) {
    let ways = [
        ("project", "project, pieces", "project, Vec", Filter::project(paths), WATCHED),
        ("remove", "remove, pieces", "remove, Vec", Filter::remove(paths), OTHER),
    ];
    for (to_slice, in_pieces, to_vec, filter, kept) in ways {
        for &size in SIZES {
            let (input, want) = (make(&[WATCHED, OTHER], size), make(&[kept], size));
            let mut slice = vec![0; want.len()];
            cases.case((family, to_slice), (Growth::Linear, Memory::NONE), input.len(), &Ok(want.len()), || {
                filter.write(black_box(&input), &mut SliceSink::new(&mut slice))
            });
            assert!(slice == want, "{family}, {to_slice}, {size}");
        }
        for &size in SIZES {
            let (input, want) = (make(&[WATCHED, OTHER], size), make(&[kept], size));
            let mut storage = vec![Piece::EMPTY; size];
            cases.case((family, in_pieces), (Growth::Linear, Memory::NONE), input.len(), &Ok(want.len()), || {
                let pieces = filter.pieces(black_box(&input), &mut storage);
                pieces.map(|pieces| pieces.iter().map(|piece| piece.as_bytes().len()).sum())
            });
        }
        for &size in SIZES {
            let (input, want) = (make(&[WATCHED, OTHER], size), make(&[kept], size));
            cases.case((family, to_vec), (Growth::Linear, GROWING), input.len(), &Ok(want), || {
                let mut out = Vec::new();
                filter.write(black_box(&input), &mut out).map(|_| out)
            });
        }
    }
}

fn overwritten(cases: &mut Cases, family: &'static str) {
    const LAST: y3::Path = path!(0x01, 0x02);
    let make = |value: u8, size: usize| packet(0x81, &[OTHER.repeat(size / 3), vec![0x02, 0x01, value]].concat());
    for &size in SIZES {
        let (mut bytes, want) = (make(0x07, size), make(0x09, size));
        cases.case((family, "patch"), (Growth::Linear, Memory::NONE), want.len(), &Ok(()), || {
            edit::patch(black_box(&mut bytes), LAST, 9i32)
        });
        assert!(bytes == want, "{family}, {size}");
    }
    for &size in SIZES {
        let (bytes, want) = (make(0x07, size), make(0x09, size));
        let mut slice = vec![0; want.len()];
        cases.case((family, "replace"), (Growth::Linear, Memory::NONE), want.len(), &Ok(want.len()), || {
            edit::replace(black_box(&bytes), LAST, (2, 9i32), &mut SliceSink::new(&mut slice))
        });
        assert!(slice == want, "{family}, {size}");
    }
}
