//! Editing: keeps or removes packets, writes into a sink or as pieces, overwrites a value, and sets a value after all
//! others.

use std::hint::black_box;

use kit::by_hand::packet;
use y3::edit::{self, Edit, Piece, Rule};
use y3::{Packet, Path, path};

use super::case::{Cases, Memory, SIZES};

/// A packet that is kept or removed, followed by its sibling.
const WATCHED: [u8; 3] = [0x02, 0x01, 0x07];
const OTHER: [u8; 3] = [0x03, 0x01, 0x08];

pub fn cases(cases: &mut Cases) {
    const CHILD: Path = path!(0x01, 0x02);
    const GRANDCHILD: Path = path!(0x01, 0x04, 0x02);
    // Every second packet is kept, so there are as many pieces as packets.
    let flat = |parts: &[[u8; 3]], size: usize| packet(0x81, &parts.concat().repeat(size / 6));
    filtered(cases, "edit, kept and removed in turn", CHILD, flat);
    // The header of every node changes.
    let nodes = |parts: &[[u8; 3]], size: usize| packet(0x81, &packet(0x84, &parts.concat()).repeat(size / 8));
    filtered(cases, "edit, nodes on the path", GRANDCHILD, nodes);
    overwritten(cases, "edit, after many packets");
    many_rules(cases, "16, 64, 256 and 1024 rules, the input always the same");
}

/// Packets and many rules. All rules but one watch a sibling; one rule watches the packet itself.
fn many_rules(cases: &mut Cases, family: &'static str) {
    let input = packet(0x81, &packet(0x84, &[WATCHED, OTHER].concat()).repeat(64));
    let keys = (0..=u8::MAX).flat_map(|at| (0..5).map(move |key| [0x01, 0x10 + at % 40, 0x04 + at / 40, key]));
    let others: Vec<Path> = keys.filter_map(|keys| Path::new(&keys)).collect();
    let keep: fn(Path) -> Rule<'static> = Rule::keep;
    for (name, rule, kept) in [("Edit::keep", keep, WATCHED), ("Edit, remove", Rule::remove, OTHER)] {
        let want = packet(0x81, &packet(0x84, &kept).repeat(64));
        for rules in [16, 64, 256, 1024] {
            let paths = others.iter().copied().take(rules - 1).chain([path!(0x01, 0x04, 0x02)]);
            let edit: Edit<'_> = paths.map(rule).collect();
            cases.slice((family, name), rules, &want, |sink| edit.apply(black_box(&input), sink));
        }
    }
}

/// `make` repeats these parts up to a size.
fn filtered(cases: &mut Cases, family: &'static str, path: Path, make: impl Fn(&[[u8; 3]], usize) -> Vec<u8>) {
    let ways = [
        ("keep", "keep, pieces", "keep, Vec", [Rule::keep(path)], WATCHED),
        ("remove", "remove, pieces", "remove, Vec", [Rule::remove(path)], OTHER),
    ];
    for (to_slice, in_pieces, to_vec, rules, kept) in ways {
        let edit = Edit::from_rules(&rules);
        for &size in SIZES {
            let (input, want) = (make(&[WATCHED, OTHER], size), make(&[kept], size));
            let mut storage = vec![Piece::EMPTY; size];
            cases.slice((family, to_slice), input.len(), &want, |sink| edit.apply(black_box(&input), sink));
            cases.case((family, in_pieces), Memory::NONE, input.len(), &Ok(want.len()), || {
                let pieces = edit.pieces_in(black_box(&input), &mut storage);
                pieces.map(|pieces| pieces.iter().map(|piece| piece.as_bytes().len()).sum())
            });
            cases.vec((family, to_vec), input.len(), want, |out| edit.apply(black_box(&input), out));
        }
    }
}

fn overwritten(cases: &mut Cases, family: &'static str) {
    const LAST: y3::Path = path!(0x01, 0x02);
    let make = |value: u8, size: usize| packet(0x81, &[OTHER.repeat(size / 3), vec![0x02, 0x01, value]].concat());
    for &size in SIZES {
        let (mut bytes, want) = (make(0x07, size), make(0x09, size));
        cases.slice((family, "set"), want.len(), &want, |sink| {
            let rules = [Rule::set(LAST, Packet::from_slice(&[0x02, 0x01, 0x09])?)];
            Edit::from_rules(&rules).apply(black_box(&bytes), sink)
        });
        cases.case((family, "patch"), Memory::NONE, want.len(), &Ok(()), || {
            edit::patch(black_box(&mut bytes), LAST, 9i32)
        });
        assert!(bytes == want, "{family}, {size}");
    }
}
