//! Compares a hint with the watch of its paths: the same hits, errors and offsets, whatever the hint remembers.

use testkit::hinted::{Change, same, same_after_any_history};
use y3::hint::Hint;
use y3::{Error, Hit, PathSet, path};

/// `01{key: value}` with these values and keys from 1 on.
fn node(values: &[&[u8]]) -> Vec<u8> {
    let field = |(key, value): (u8, &&[u8])| [&[key, u8::try_from(value.len()).unwrap()], *value].concat();
    let body: Vec<u8> = (1..).zip(values).flat_map(field).collect();
    testkit::oracle::packed(0x81, &body)
}

const WATCHED: PathSet<2> = PathSet::new([path!(1, 3), path!(1, 5)]);

/// Flips every bit of a packet that the hint knows. Each changed packet comes between two unchanged ones.
#[test]
fn no_changed_bit_of_a_known_packet_is_overlooked() {
    for value in [7, 8, 15, 30, 63] {
        let value = vec![0x61u8; value];
        let packet = node(&[&*value; 6]);
        for place in 0..packet.len() {
            for bit in 0..8 {
                let change = Change { place, bits: 1 << bit, taken: usize::MAX, to_first: true };
                same_after_any_history(&[path!(1, 3), path!(1, 5)], &packet, &[change]);
                same_after_any_history(&[path!(1, 3)], &packet, &[Change { taken: 1, ..change }]);
            }
        }
    }
}

/// Packets with the same headers, then more packets or none.
#[test]
fn packets_of_other_lengths_are_never_taken_for_a_known_one() {
    const TOP: PathSet<1> = PathSet::new([path!(1)]);
    let known = [&[0x01, 0x01, 0x07, 0x02, 0x2d][..], &[0; 45]].concat();
    for more in 0..40 {
        let longer = [&known[..], &[0x02, more], &vec![0; usize::from(more)], &[0x01, 0x01, 0x08]].concat();
        let mut hint = Hint::new(&TOP);
        for packet in [&known, &known, &longer, &known, &longer] {
            same(&mut hint, packet, &TOP.watch(packet).collect(), usize::MAX);
        }
    }
}

/// Packets of one length that differ in their hits, their headers or the position of an error. Each is
/// read after each other one, often enough that the hint forgets the one before.
#[test]
fn a_shape_that_replaces_another_keeps_nothing_of_it() {
    const SET: PathSet<2> = PathSet::new([path!(1, 3), path!(1, 5)]);
    let of = |fields: &[(u8, u8)]| {
        let fields: Vec<u8> =
            fields.iter().flat_map(|(key, len)| [&[*key, *len], &*vec![*key; usize::from(*len)]].concat()).collect();
        let mut packet = [&[0x81, 62][..], &fields].concat();
        assert!(packet.len() <= 64);
        let rest = u8::try_from(64usize.saturating_sub(packet.len() + 2)).unwrap();
        if packet.len() < 64 {
            packet.extend([&[0x02, rest], &*vec![0x05; usize::from(rest)]].concat());
        }
        packet
    };
    let mut packets = vec![
        of(&[(3, 1), (5, 1)]),
        of(&[(3, 4), (5, 8), (3, 2), (5, 1), (3, 7)]),
        of(&[(5, 1), (4, 9), (3, 1)]),
        of(&[(4, 3), (6, 20), (3, 5)]),
        of(&[(7, 60)]),
        of(&[(3, 0); 31]),
        of(&[(4, 0); 30]),
    ];
    // The error is after a hit, between hits, or before any hit.
    for (packet, place) in [(1, 19), (0, 6), (4, 2)] {
        let mut faulty = packets[packet].clone();
        faulty[place + 1] = 0x7f;
        packets.push(faulty);
    }
    for first in &packets {
        for second in packets.iter().filter(|packet| *packet != first) {
            let mut hint = Hint::new(&SET);
            let want = [first, second].map(|packet| SET.watch(packet).collect::<Vec<_>>());
            for (packet, want, times) in [(first, &want[0], 2), (second, &want[1], 262), (first, &want[0], 1)] {
                for _ in 0..times {
                    same(&mut hint, packet, want, usize::MAX);
                }
            }
            // The second packet gets one byte of the first. The hint must not use what it remembers of the first.
            for place in 0..64 {
                let mut mixed = second.clone();
                mixed[place] = first[place];
                same(&mut hint, &mixed, &SET.watch(&mixed).collect(), usize::MAX);
            }
        }
    }
}

/// More hits than a shape holds, and more headers than its windows hold.
#[test]
fn hits_and_headers_beyond_a_shape_are_found() {
    const MANY: PathSet<1> = PathSet::new([path!(*)]);
    for count in [7, 8, 9, 63, 64, 65, 66, 200] {
        for size in [0, 1, 40] {
            let packets: Vec<u8> =
                (0..count).flat_map(|_| [&[0x01, size], &*vec![0; usize::from(size)]].concat()).collect();
            let mut hint = Hint::new(&MANY);
            for _ in 0..3 {
                let want: Vec<Result<Hit<'_>, Error>> = MANY.watch(&packets).collect();
                assert_eq!(want.len(), count);
                same(&mut hint, &packets, &want, usize::MAX);
            }
        }
    }
}

#[test]
fn a_hint_is_as_large_as_its_docs_say() {
    assert!(size_of::<Hint<&PathSet<2>>>() <= 11 << 10, "{}", size_of::<Hint<&PathSet<2>>>());
    let _: Hint<&PathSet<2>> = Hint::new(&WATCHED);
}

#[cfg(feature = "alloc")]
#[test]
fn a_hint_can_own_its_paths() {
    fn hint() -> Hint<y3::Paths> {
        Hint::new(y3::Paths::new(WATCHED.iter()))
    }
    let (mut hint, packet) = (hint(), node(&[b"a", b"b", b"c"]));
    for _ in 0..3 {
        assert_eq!(hint.watch(&packet).next().unwrap().unwrap().offset(), 8);
    }
}

#[test]
fn a_hint_shows_its_paths_for_debugging() {
    const SET: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x02)]);
    assert_eq!(format!("{:?}", y3::hint::Hint::new(&SET)), "Hint { paths: [Path(0x02)], .. }");
}
