//! Borrowed, not copied: every slice that a reader returns is in the memory of the input, at the offset it says.
//!
//! In: inputs inside a larger buffer. Out: pointers into the input alone.

use proptest::collection::vec;
use proptest::prelude::*;
use y3::parser::{Parser, header, packet};
use y3::{Error, KeySet, Packet, Path, PathSet, check, packets, walk};

use testkit::oracle::trees::{self, config, damage};

/// Whether a part is in the memory of the input; an empty part has a place there too.
fn assert_inside(input: &[u8], part: &[u8], offset: usize) {
    assert_eq!(part.as_ptr(), input.as_ptr().wrapping_add(offset), "a part that says it is at {offset}");
    assert!(offset + part.len() <= input.len());
}

/// Packet, value and typed values are where the packet's offset says.
fn assert_borrowed(input: &[u8], packet: &Packet<'_>) {
    let offset = usize::try_from(packet.offset()).unwrap();
    let value = offset + packet.as_bytes().len() - packet.value().len();
    assert_inside(input, packet.as_bytes(), offset);
    assert_inside(input, packet.value(), value);
    if let Ok(bytes) = packet.decode::<&[u8]>() {
        assert_inside(input, bytes, value);
    }
    if let Ok(text) = packet.decode::<&str>() {
        assert_inside(input, text.as_bytes(), value);
    }
}

/// The items before the first error.
fn good<T>(items: impl Iterator<Item = Result<T, Error>>) -> impl Iterator<Item = T> {
    items.map_while(Result::ok)
}

/// Everything that can be read from an input.
fn assert_all_borrowed(input: &[u8], paths: &[Path], keys: KeySet) {
    let paths = PathSet::<8>::from_slice(paths).unwrap();
    let mut siblings = packets(input);
    loop {
        let rest = siblings.remainder();
        assert_inside(input, rest, usize::try_from(siblings.offset()).unwrap());
        if let Ok((after, header)) = header::<y3::ErrorKind>().parse(rest) {
            assert_inside(rest, after, header.size());
        }
        if let Ok((after, packet)) = packet::<y3::ErrorKind>().parse(rest) {
            // This packet counts from the bytes given here.
            assert_borrowed(rest, &packet);
            assert_inside(rest, after, packet.as_bytes().len());
        }
        let Some(Ok(packet)) = siblings.next() else { break };
        assert_borrowed(input, &packet);
        assert_borrowed(packet.as_bytes(), &Packet::from_slice(packet.as_bytes()).unwrap());
    }
    for packet in good(walk(input)) {
        assert_borrowed(input, &packet);
        for inner in good(packet.children()).chain(good(packet.embedded())) {
            assert_borrowed(input, &inner);
            assert_inside(
                packet.value(),
                inner.as_bytes(),
                usize::try_from(inner.offset()).unwrap() - value_at(&packet),
            );
        }
        for key in [0, 1, 2, 3, 63] {
            if let Ok(Some(found)) = packet.find(key) {
                assert_borrowed(input, &found);
            }
        }
        let inside = [paths.watch_packets(packet.children()), paths.watch_packets(packet.embedded())];
        for hit in inside.into_iter().flat_map(good) {
            assert_borrowed(input, &hit.packet());
        }
    }
    let everywhere = y3::Patterns(["**".parse().unwrap()]);
    for packet in good(packets(input).watch(keys)).chain(good(everywhere.watch(input)).map(|hit| hit.packet())) {
        assert_borrowed(input, &packet);
    }
    for hit in good(paths.watch(input)) {
        assert_borrowed(input, &hit.packet());
        assert_eq!(hit.value().as_ptr_range(), hit.packet().value().as_ptr_range());
    }
}

fn value_at(packet: &Packet<'_>) -> usize {
    usize::try_from(packet.offset()).unwrap() + packet.as_bytes().len() - packet.value().len()
}

fn paths() -> impl Strategy<Value = Vec<Path>> {
    vec(vec(trees::key(), 1..4).prop_map(|keys| Path::new(&keys).unwrap()), 1..=6)
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn every_slice_that_is_read_lies_in_the_input(
        trees in trees::trees(24),
        damage in damage(),
        paths in paths(),
        keys in vec(trees::key(), 0..4),
    ) {
        let mut input = trees::encode(&trees);
        for damage in damage {
            damage.apply(&mut input);
        }
        // More packets lie on both sides, so a reader that went too far would find some.
        let buffer = [&[0x01, 0x00, 0x81, 0x7f][..], &input, &[0x00; 64]].concat();
        let inside = &buffer[4..4 + input.len()];
        assert_all_borrowed(inside, &paths, KeySet::new(&keys).unwrap());
        prop_assert_eq!(check(inside), check(&input), "what lies around the input is of no concern");
    }
}

#[cfg(feature = "bytes")]
mod slice_ref {
    use bytes::{Bytes, BytesMut};
    use y3::bytes::slice_ref;

    use super::*;

    #[test]
    fn a_part_shares_the_memory_of_its_source() {
        let input = vec![0x81, 0x05, 0x02, 0x01, 0xff, 0x03, 0x00, 0x04, 0x02, 0xaa, 0xbb];
        let mut grown = BytesMut::with_capacity(64);
        grown.extend_from_slice(&input);
        for source in [
            Bytes::from(input.clone()),
            grown.freeze(),
            Bytes::from(input.clone()).slice(0..),
            Bytes::from_owner(input),
        ] {
            for packet in walk(&source).map(Result::unwrap) {
                for part in [packet.as_bytes(), packet.value()] {
                    let shared = slice_ref(&source, part).unwrap();
                    assert_eq!(shared, part);
                    if !part.is_empty() {
                        assert_eq!(shared.as_ptr_range(), part.as_ptr_range());
                    }
                }
            }
        }
    }

    #[test]
    fn a_part_outlives_its_source() {
        let source = Bytes::from(vec![0x01, 0x02, 0xaa, 0xbb]);
        let shared = slice_ref(&source, packets(&source).next().unwrap().unwrap().value()).unwrap();
        drop(source);
        assert_eq!(shared[..], [0xaa, 0xbb]);
    }

    #[test]
    fn a_part_of_other_memory_is_none() {
        let all = Bytes::from(vec![0x01, 0x02, 0xaa, 0xbb, 0x02, 0x00]);
        let source = all.slice(1..5);
        assert_eq!(slice_ref(&source, &[0xaa, 0xbb]), None);
        assert_eq!(slice_ref(&source, all.clone().as_ref()), None);
        // Over the edge by one byte on each side, and beside it.
        assert_eq!(slice_ref(&source, &all[0..3]), None);
        assert_eq!(slice_ref(&source, &all[0..1]), None);
        assert_eq!(slice_ref(&source, &all[4..6]), None);
        assert_eq!(slice_ref(&source, &all[5..6]), None);
        // The edges themselves are inside.
        assert_eq!(slice_ref(&source, &all[1..5]).as_deref(), Some(&all[1..5]));
        assert_eq!(slice_ref(&source, &all[1..2]).as_deref(), Some(&all[1..2]));
        assert_eq!(slice_ref(&source, &all[4..5]).as_deref(), Some(&all[4..5]));
        assert_eq!(slice_ref(&Bytes::new(), &all), None);
    }

    #[test]
    fn an_empty_part_is_empty() {
        let source = Bytes::from(vec![0x01, 0x00]);
        let value = packets(&source).next().unwrap().unwrap().value();
        for empty in [value, &[], &source[1..1]] {
            assert_eq!(slice_ref(&source, empty), Some(Bytes::new()));
        }
        assert_eq!(slice_ref(&Bytes::new(), &[]), Some(Bytes::new()));
    }
}
