//! Batches: packets watched in turns, beside a loop over them.
//!
//! In: nothing. Out: rows of `paths.md`: instructions for a whole batch. In turns they are not fewer, but wait for less.

use std::hint::black_box;

use kit::regime::Regime;
use kit::watched::{C03K02, C16K08, C63K32, Nested, Values100, Watched};
use y3::{PathSet, path};

use crate::by_hand::packet;
use crate::paths::Names;
use crate::tables::{ONE_BYTE, TWO_BYTES};

const LAST: PathSet<1> = PathSet::new([path!(0x01, 0x3f)]);

pub fn cases(names: &mut Names) {
    rotating::<C63K32>(names);
    rotating::<C16K08>(names);
    rotating::<C03K02>(names);
    rotating::<Values100>(names);
    rotating::<Nested>(names);

    // Jumps without a branch take the same instructions over lengths of one byte and of two.
    for (name, size) in [(ONE_BYTE, 40), (TWO_BYTES, 100)] {
        let fields = [packet(0x02, &vec![0; size]).repeat(62), packet(0x3f, &vec![0; size])].concat();
        let packets = vec![packet(0x81, &fields); 60];
        names.case(format!("60 packets of 63 values, first_each{name}"), &60, || first_each(&LAST, &packets));
    }
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
    names.case(name("all hits in a loop"), &len, || {
        black_box(&packets).iter().map(|bytes| set.watch(bytes).flatten().count()).sum::<usize>()
    });
    names.case(name("watch_each"), &len, || {
        let mut hits = 0;
        set.watch_each(black_box(&packets), |_, hit| hits += usize::from(hit.is_ok()));
        hits
    });
}

fn first_each(set: &PathSet<1>, packets: &[Vec<u8>]) -> usize {
    let mut hits = 0;
    set.first_each(black_box(packets), |_, hit| hits += usize::from(hit.is_some_and(|hit| hit.is_ok())));
    hits
}
