//! Hinted: packets of shapes that a hint does not know yet, from ordinary senders and from hostile ones.
//!
//! The table has two rows for each sender: a watch and a hint of the same paths. If a hint replaced a known shape at
//! once or never, these rows would show higher costs.

use std::hint::black_box;
use std::iter::repeat_n;

use kit::bench::{Cases, Throughput};
use kit::by_hand::packet;
use kit::readers;
use kit::regime::Regime;
use kit::watched::{C03K02, C16K08, C63K32, Watched};
use y3::hint::Hint;
use y3::{Error, Hit, PathSet, path};

/// The number of packets in a row of the table.
const PACKETS: usize = 65_536;

const FIRST: PathSet<1> = PathSet::new([path!(0x01, 0x01)]);
const LAST: PathSet<1> = PathSet::new([path!(0x01, 0x3f)]);

pub fn cases(cases: &mut impl Cases) {
    cases.group("hinted", Throughput::Elements(PACKETS as u64));
    rotating::<C63K32>(cases);
    rotating::<C16K08>(cases);
    rotating::<C03K02>(cases);

    // All packets of a sender have the same length. They differ in the bytes that a hint compares last.
    let (front, value) = (packet(0x01, b"v"), packet(0x3f, b"v"));
    let fields = |count: usize, size: usize, key: u8| {
        let last = packet(key, &vec![0; size]);
        [packet(0x02, &vec![0; size]).repeat(count - 1), last].concat()
    };
    let sent = |inside: &dyn Fn(u8) -> [Vec<u8>; 2]| -> Vec<Vec<u8>> {
        (3..0x3f).map(|key| packet(0x81, &inside(key).concat())).collect()
    };
    for (name, set, known, packets) in [
        ("3 fields", &LAST, 8, sent(&|key| [fields(3, 1, key), value.clone()])),
        ("60 values of 64 bytes", &LAST, 8, sent(&|key| [fields(60, 64, key), value.clone()])),
        ("a hit, then 800 headers", &FIRST, 100, sent(&|key| [front.clone(), fields(800, 0, key)])),
    ] {
        rows(cases, &format!("{name}, all new"), set, packets.iter().map(Vec::as_slice));
        // A known packet is repeated `known` times, followed by a new one.
        let earning = packets.iter().flat_map(|packet| repeat_n(&packets[0], known).chain([packet]));
        rows(cases, &format!("{name}, {known} known to 1 new"), set, earning.map(Vec::as_slice));
    }

    // A second sender's packets have the same length. The shape of its packets replaces the shape of the first
    // sender's.
    let one = packet(0x81, &[fields(60, 1, 3), value.clone()].concat());
    let other = packet(0x81, &[value, fields(60, 1, 4)].concat());
    let mut hint = Hint::new(black_box(&LAST));
    for packet in repeat_n(&one, 2).chain(repeat_n(&other, 300)) {
        assert_eq!(hint.watch(packet).count(), 1);
    }
    cases.case("60 fields, after another sender, Hint::watch", &1, || hint.watch(black_box(&other)).count());
}

fn rotating<W: Watched>(cases: &mut impl Cases) {
    let messages = readers::messages::<W>(Regime::Rotating);
    let visits = Regime::Rotating.visits(messages.len());
    let inputs = visits.iter().map(|visit| messages[usize::from(*visit)]);
    rows(cases, &format!("{} rotating", W::NAME), const { &W::SET }, inputs);
}

/// Reads the first hit of each packet. Both readers get the set at run time only.
fn rows<'a>(
    cases: &mut impl Cases,
    name: &str,
    set: &'static PathSet<1>,
    packets: impl Iterator<Item = &'a [u8]> + Clone,
) {
    let inputs: Vec<&[u8]> = packets.cycle().take(PACKETS).collect();
    let (set, first) =
        (black_box(set), |hit: Option<Result<Hit<'_>, Error>>| usize::from(hit.is_some_and(|hit| hit.is_ok())));
    cases.case(format!("{name}, PathSet::watch"), &PACKETS, || {
        inputs.iter().map(|bytes| first(set.watch(black_box(bytes)).next())).sum::<usize>()
    });
    let mut hint = Hint::new(set);
    cases.case(format!("{name}, Hint::watch"), &PACKETS, || {
        inputs.iter().map(|bytes| first(hint.watch(black_box(bytes)).next())).sum::<usize>()
    });
}
