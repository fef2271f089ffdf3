//! Batches: packets watched in turns, beside a loop over them.
//!
//! In: nothing. Out: rows of `paths.md`: instructions for a whole batch. In turns they are not fewer, but wait for less.

use std::hint::black_box;

use kit::regime::Regime;
use kit::watched::{C03K02, C16K08, C63K32, Nested, Values100, Watched};
use y3::PathSet;

use crate::names::Names;

pub fn cases(names: &mut Names) {
    rotating::<C63K32>(names);
    rotating::<C16K08>(names);
    rotating::<C03K02>(names);
    rotating::<Values100>(names);
    rotating::<Nested>(names);
}

fn rotating<W: Watched>(names: &mut Names) {
    let packets: Vec<Vec<u8>> = W::pairs(Regime::Rotating).into_iter().map(|pair| pair.y3).collect();
    let (set, len) = (const { &W::SET }, packets.len());
    let name = |reader| format!("{len} packets of {} rotating, {reader}", W::NAME);
    names.case(name("first hits in a loop"), &len, || {
        let first = |bytes: &Vec<u8>| usize::from(set.watch(bytes).next().is_some_and(|hit| hit.is_ok()));
        black_box(&packets).iter().map(first).sum::<usize>()
    });
    names.case(name("first_each"), &len, || first_each(set, &packets));
}

fn first_each(set: &PathSet<1>, packets: &[Vec<u8>]) -> usize {
    let mut hits = 0;
    y3::batch::first_each(set, black_box(packets), |_, hit| hits += usize::from(hit.is_some_and(|hit| hit.is_ok())));
    hits
}
