//! A hint beside the watch of its paths: the same hits, errors and offsets, whatever it remembers.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use y3::{Error, Hit, Path, PathSet, path};

use testkit::hinted::{Change, same, same_after_any_history};
use testkit::oracle::same::path;
use testkit::oracle::trees::{self, byte, config};
use testkit::oracle::{self, TOP};

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let bits = prop_oneof![(0..8).prop_map(|bit| 1u8 << bit), any::<u8>()];
    let taken = prop_oneof![Just(usize::MAX), 0..4usize];
    let change = (any::<Index>(), bits, taken, any::<bool>());
    vec(change, 0..12).prop_map(|changes| {
        let change = |(place, bits, taken, to_first): (Index, _, _, _)| Change {
            place: place.index(1 << 16),
            bits,
            taken,
            to_first,
        };
        changes.into_iter().map(change).collect()
    })
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn yields_what_a_watch_yields_after_any_history(
        trees in trees::trees(30),
        chosen in vec(any::<Index>(), 1..6),
        crossed in any::<u8>(),
        any in prop_oneof![Just(0), any::<u8>()],
        changes in changes(),
    ) {
        let input = trees::encode(&trees);
        let seen = oracle::walk(&input, TOP, 8, &|_| true).0;
        let step = |(depth, key): (usize, &u8)| key | (crossed >> depth & 1) << 6 | (any >> depth & 1) << 7;
        let steps = |index: &Index| match seen.as_slice() {
            [] => path!(1),
            seen => path(&index.get(seen).path.iter().take(8).enumerate().map(step).collect::<Vec<u8>>()),
        };
        let paths: Vec<Path> = chosen.iter().map(steps).collect();
        same_after_any_history(&paths, &input, &changes);
    }

    #[test]
    fn yields_what_a_watch_yields_on_random_bytes(input in vec(byte(), 0..80), changes in changes()) {
        same_after_any_history(&[path!(1), path!(1, 1), path!(1 => 2), path!(2, *)], &input, &changes);
        same_after_any_history(&[path!(*)], &input, &changes);
    }
}

/// `01{key: value}` with these values, and their keys from 1 on.
fn node(values: &[&[u8]]) -> Vec<u8> {
    let field = |(key, value): (u8, &&[u8])| [&[key, u8::try_from(value.len()).unwrap()], *value].concat();
    let body: Vec<u8> = (1..).zip(values).flat_map(field).collect();
    let len = body.len();
    let field = if len < 64 { vec![len] } else { vec![0x80 | len >> 7, len & 0x7f] };
    [0x81].into_iter().chain(field.iter().map(|byte| u8::try_from(*byte).unwrap())).chain(body).collect()
}

const WATCHED: PathSet<2> = PathSet::new([path!(1, 3), path!(1, 5)]);

/// Every byte of a packet that the hint knows is changed in every bit, each time with the packet itself before and behind it.
#[test]
fn no_changed_bit_of_a_known_packet_is_overlooked() {
    for value in [0, 1, 2, 7, 30, 63] {
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

/// The watch takes this long: a hint must not go on from a place of another length.
#[test]
fn packets_of_lengths_that_share_a_slot_are_told_apart() {
    let mut hint = WATCHED.hint();
    for _ in 0..3 {
        for more in 0..8 {
            let packet = node(&[b"a", b"b", b"c", b"d", &vec![0x62; 1 + 16 * more / 2]]);
            let want = WATCHED.watch(&packet).collect();
            same(&mut hint, &packet, &want, usize::MAX);
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
            let mut hint = MANY.hint();
            for _ in 0..3 {
                let want: Vec<Result<Hit<'_>, Error>> = MANY.watch(&packets).collect();
                assert_eq!(want.len(), count);
                same(&mut hint, &packets, &want, usize::MAX);
            }
        }
    }
}

/// A sender that never repeats itself suspends the hint, which goes on yielding what a watch yields.
#[test]
fn a_suspended_hint_yields_the_same() {
    let mut hint = WATCHED.hint();
    for round in 0..4000usize {
        let values: Vec<Vec<u8>> = (0..6).map(|field| vec![0x61; (round >> (field * 2)) % 4]).collect();
        let packet = node(&values.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let want = WATCHED.watch(&packet).collect();
        same(&mut hint, &packet, &want, usize::MAX);
    }
}

#[test]
fn a_hint_is_as_large_as_its_docs_say() {
    assert!(size_of::<y3::Hint<&PathSet<2>>>() <= 16 << 10, "{}", size_of::<y3::Hint<&PathSet<2>>>());
    let _: y3::Hint<&PathSet<2>> = WATCHED.hint();
}

#[cfg(feature = "alloc")]
#[test]
fn a_hint_can_own_its_paths() {
    fn hint() -> y3::Hint<y3::Paths> {
        y3::Hint::new(y3::Paths::new(WATCHED.iter()))
    }
    let (mut hint, packet) = (hint(), node(&[b"a", b"b", b"c"]));
    for _ in 0..3 {
        assert_eq!(hint.watch(&packet).next().unwrap().unwrap().offset(), 8);
    }
}
