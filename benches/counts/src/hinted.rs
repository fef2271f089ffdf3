//! Hinted: packets that a hint does not know, from senders that vary and from those that try to make it slow; and batches watched in
//! turns, beside a loop over them.
//!
//! In: nothing. Out: for each sender two rows of `paths.md`, a watch and a hint of the same paths, after packets that are run before
//! they are counted. A hint that replaced shapes at once, or never, would show in these rows. For a batch the instructions of all of
//! it: in turns they are not fewer, but wait for less.

use std::hint::black_box;

use kit::readers;
use kit::regime::Regime;
use kit::watched::{C03K02, C16K08, C63K32, Nested, Values100, Watched};
use y3::hint::Hint;
use y3::{PathSet, path};

use crate::by_hand::packet;
use crate::measure::Names;

/// The number of packets in a row of the table.
const PACKETS: usize = 65_536;

const FIRST: PathSet<1> = PathSet::new([path!(0x01, 0x01)]);
const LAST: PathSet<1> = PathSet::new([path!(0x01, 0x3f)]);

pub fn cases(names: &mut Names) {
    rotating::<C63K32>(names);
    rotating::<C16K08>(names);
    rotating::<C03K02>(names);

    // All packets of a sender have the same length and are different where it is compared last.
    let (value, front): (_, Vec<u8>) = (packet(0x3f, b"v"), packet(0x01, b"v"));
    let fields = |count: usize, size: usize, key: u8| {
        let last = packet(key, &vec![0; size]);
        [packet(0x02, &vec![0; size]).repeat(count - 1), last].concat()
    };
    let keys = || 3..0x3f;
    let send = |inside: Vec<u8>| packet(0x81, &inside);
    let small: Vec<Vec<u8>> = keys().map(|key| send([fields(3, 1, key), value.clone()].concat())).collect();
    let sparse: Vec<Vec<u8>> = keys().map(|key| send([fields(60, 64, key), value.clone()].concat())).collect();
    let tails: Vec<Vec<u8>> = keys().map(|key| send([front.clone(), fields(800, 0, key)].concat())).collect();
    // A known packet that often, then one that is new.
    let earning = |packets: &[Vec<u8>], times: usize| -> Vec<Vec<u8>> {
        let known = packets.first().expect("there are some");
        packets.iter().flat_map(|packet| (0..times).map(|_| known).chain([packet]).cloned()).collect()
    };
    sender(names, "3 fields, all new", &LAST, &small);
    sender(names, "60 values of 64 bytes, all new", &LAST, &sparse);
    sender(names, "a hit, then 800 headers, all new", &FIRST, &tails);
    sender(names, "3 fields, 8 known to 1 new", &LAST, &earning(&small, 8));
    sender(names, "60 values of 64 bytes, 8 known to 1 new", &LAST, &earning(&sparse, 8));
    sender(names, "a hit, then 800 headers, 100 known to 1 new", &FIRST, &earning(&tails, 100));

    // Another sender, with packets of the same length: its shape takes the place of the one before.
    let (one, other) = (send([fields(60, 1, 3), value.clone()].concat()), send([value, fields(60, 1, 4)].concat()));
    let mut hint = Hint::new(black_box(&LAST));
    for packet in std::iter::repeat_n(&one, 2).chain(std::iter::repeat_n(&other, 300)) {
        assert_eq!(hint.watch(packet).count(), 1);
    }
    names.case("60 fields, after another sender, Hint::watch".to_owned(), &1, || hint.watch(black_box(&other)).count());
}

fn rotating<W: Watched>(names: &mut Names) {
    let packets: Vec<Vec<u8>> = readers::pairs::<W>(Regime::Rotating).into_iter().map(|pair| pair.y3).collect();
    let order = Regime::Rotating.visits(packets.len());
    let inputs: Vec<&[u8]> = order.iter().map(|visit| &*packets[usize::from(*visit)]).collect();
    rows(names, &format!("{} rotating", W::NAME), const { &W::SET }, &inputs);
}

fn sender(names: &mut Names, name: &str, set: &'static PathSet<1>, packets: &[Vec<u8>]) {
    let inputs: Vec<&[u8]> = packets.iter().map(Vec::as_slice).cycle().take(PACKETS).collect();
    rows(names, name, set, &inputs);
}

/// The first hit of each packet. Both readers know the set at run time only.
fn rows(names: &mut Names, name: &str, set: &'static PathSet<1>, inputs: &[&[u8]]) {
    let first = |hit: Option<Result<y3::Hit<'_>, _>>| usize::from(hit.is_some_and(|hit| hit.is_ok()));
    let set = black_box(set);
    names.case(format!("{name}, PathSet::watch"), &inputs.len(), || {
        inputs.iter().map(|bytes| first(set.watch(black_box(bytes)).next())).sum::<usize>()
    });
    let mut hint = Hint::new(set);
    names.case(format!("{name}, Hint::watch"), &inputs.len(), || {
        inputs.iter().map(|bytes| first(hint.watch(black_box(bytes)).next())).sum::<usize>()
    });
}

pub fn batches(names: &mut Names) {
    batch::<C63K32>(names);
    batch::<C16K08>(names);
    batch::<C03K02>(names);
    batch::<Values100>(names);
    batch::<Nested>(names);
}

fn batch<W: Watched>(names: &mut Names) {
    let packets: Vec<Vec<u8>> = readers::pairs::<W>(Regime::Rotating).into_iter().map(|pair| pair.y3).collect();
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
