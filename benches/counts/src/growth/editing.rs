//! Editing: packets kept or removed, into a sink or as pieces, and a value overwritten or set after all others.

use std::hint::black_box;

use y3::edit::{self, Edit, Piece, Rule};
use y3::{Packet, Path, SliceSink, path};

use super::case::{Cases, GROWING, Memory, SIZES};
use crate::by_hand::packet;

/// A packet that is kept or removed, and its sibling.
const WATCHED: [u8; 3] = [0x02, 0x01, 0x07];
const OTHER: [u8; 3] = [0x03, 0x01, 0x08];

pub fn cases(cases: &mut Cases) {
    const CHILD: Path = path!(0x01, 0x02);
    const GRANDCHILD: Path = path!(0x01, 0x04, 0x02);
    // Every second packet stays: as many pieces as packets.
    let flat = |parts: &[[u8; 3]], size: usize| packet(0x81, &parts.concat().repeat(size / 6));
    filtered(cases, "edit, kept and removed in turn", CHILD, flat);
    // Every node gets another header.
    let nodes = |parts: &[[u8; 3]], size: usize| packet(0x81, &packet(0x84, &parts.concat()).repeat(size / 8));
    filtered(cases, "edit, nodes on the path", GRANDCHILD, nodes);
    overwritten(cases, "edit, after many packets");
    many_rules(cases, "16, 64, 256 and 1024 rules, the input always the same");
}

/// Packets of which all of many rules watch a sibling, and one rule the packet itself.
fn many_rules(cases: &mut Cases, family: &'static str) {
    let input = packet(0x81, &packet(0x84, &[WATCHED, OTHER].concat()).repeat(64));
    let paths = |rules: usize| -> Vec<Path> {
        let keys = (0..=u8::MAX).flat_map(|at| (0..5).map(move |key| [0x01, 0x10 + at % 40, 0x04 + at / 40, key]));
        let others = keys.filter_map(|keys| Path::new(&keys)).take(rules - 1);
        others.chain([path!(0x01, 0x04, 0x02)]).collect()
    };
    let ways = [("Edit::keep", true, WATCHED), ("Edit, remove", false, OTHER)];
    for (name, keeps, kept) in ways {
        let want = packet(0x81, &packet(0x84, &kept).repeat(64));
        for rules in [16, 64, 256, 1024] {
            let rule = if keeps { Rule::keep } else { Rule::remove };
            let edit: Edit<'_> = paths(rules).into_iter().map(rule).collect();
            let mut slice = vec![0; want.len()];
            cases.case((family, name), Memory::NONE, rules, &Ok(want.len()), || {
                edit.apply(black_box(&input), &mut SliceSink::new(&mut slice))
            });
            assert!(slice == want, "{family}, {name}, {rules}");
        }
    }
}

/// `make` makes a packet of about a size of these parts, again and again.
fn filtered(cases: &mut Cases, family: &'static str, path: Path, make: impl Fn(&[[u8; 3]], usize) -> Vec<u8>) {
    let ways = [
        ("keep", "keep, pieces", "keep, Vec", [Rule::keep(path)], WATCHED),
        ("remove", "remove, pieces", "remove, Vec", [Rule::remove(path)], OTHER),
    ];
    for (to_slice, in_pieces, to_vec, rules, kept) in ways {
        let edit = Edit::from_rules(&rules);
        for &size in SIZES {
            let (input, want) = (make(&[WATCHED, OTHER], size), make(&[kept], size));
            let mut slice = vec![0; want.len()];
            cases.case((family, to_slice), Memory::NONE, input.len(), &Ok(want.len()), || {
                edit.apply(black_box(&input), &mut SliceSink::new(&mut slice))
            });
            assert!(slice == want, "{family}, {to_slice}, {size}");
        }
        for &size in SIZES {
            let (input, want) = (make(&[WATCHED, OTHER], size), make(&[kept], size));
            let mut storage = vec![Piece::EMPTY; size];
            cases.case((family, in_pieces), Memory::NONE, input.len(), &Ok(want.len()), || {
                let pieces = edit.pieces_in(black_box(&input), &mut storage);
                pieces.map(|pieces| pieces.iter().map(|piece| piece.as_bytes().len()).sum())
            });
        }
        for &size in SIZES {
            let (input, want) = (make(&[WATCHED, OTHER], size), make(&[kept], size));
            cases.case((family, to_vec), GROWING, input.len(), &Ok(want), || {
                let mut out = Vec::new();
                edit.apply(black_box(&input), &mut out).map(|_| out)
            });
        }
    }
}

fn overwritten(cases: &mut Cases, family: &'static str) {
    const LAST: y3::Path = path!(0x01, 0x02);
    let make = |value: u8, size: usize| packet(0x81, &[OTHER.repeat(size / 3), vec![0x02, 0x01, value]].concat());
    for &size in SIZES {
        let (mut bytes, want) = (make(0x07, size), make(0x09, size));
        cases.case((family, "patch"), Memory::NONE, want.len(), &Ok(()), || {
            edit::patch(black_box(&mut bytes), LAST, 9i32)
        });
        assert!(bytes == want, "{family}, {size}");
    }
    for &size in SIZES {
        let (bytes, want) = (make(0x07, size), make(0x09, size));
        let mut slice = vec![0; want.len()];
        cases.case((family, "set"), Memory::NONE, want.len(), &Ok(want.len()), || {
            let rules = [Rule::set(LAST, Packet::from_slice(&[0x02, 0x01, 0x09])?)];
            Edit::from_rules(&rules).apply(black_box(&bytes), &mut SliceSink::new(&mut slice))
        });
        assert!(slice == want, "{family}, {size}");
    }
}
