//! First only equals oracle: slices, slots, hints and every stream reader, with and without limits, return the first
//! packets that a naive reader returns, which is made from the docs of `FirstOnly`.
//!
//! The bytes are used as in `chunked_equals_whole`. The input is accepted if there is a first hit and another hit that
//! is not the first.

use arbitrary::Unstructured;
use y3::{Limits, Paths, Reader};

use super::chunked_equals_whole::{Parts, parts};
use crate::chunks::{self, Slow, expected, expected_first, first, read};
use crate::hinted;
use crate::oracle::{self, TOP, same};

pub fn property(bytes: &[u8]) -> bool {
    let Ok(Parts { limits, paths, sizes, input }) = parts(&mut Unstructured::new(bytes)) else { return false };
    let hits = same_first(&input, &paths, &sizes);
    same_limited(&input, &paths, limits, &sizes);
    0 < hits && hits < expected(&input, &paths, Limits::NONE).0.len()
}

/// Compares every reader of first packets with the naive one. Returns the number of its hits and errors.
pub fn same_first(input: &[u8], paths: &[Vec<u8>], sizes: &[usize]) -> usize {
    let set = chunks::set(paths).first_only();
    let expected = expected_first(input, paths, Limits::NONE);
    assert_eq!(first(input, &set), expected, "{paths:02x?} in {input:02x?}");
    let items: Vec<_> = set.watch(input).collect();
    let owned: Paths = same::paths(paths).into_iter().collect();
    let owned = owned.first_only();
    assert_eq!(same::items(input, owned.watch(input)), same::items(input, items.iter().copied()), "an owned set");
    let mut hint = y3::hint::Hint::new(&set);
    (0..3).for_each(|_| hinted::same(&mut hint, input, &items, usize::MAX));
    same_slots(input, paths);
    chunks::same_as(&expected, input, &set, sizes);
    chunks::same_read_as(&expected, input, &set, sizes);
    expected.0.len()
}

/// The slots of a packet are the first hits of each path, up to the first error.
fn same_slots(input: &[u8], paths: &[Vec<u8>]) {
    let set = chunks::set(paths).first_only();
    let mut slots = [None; 8];
    for packet in y3::packets(input).map_while(Result::ok) {
        let (items, then) = oracle::first_items(packet.as_bytes(), TOP, paths, Limits::NONE);
        let mut expected = [None; 8];
        let error = items.into_iter().chain(then.map(Err)).try_for_each(|item| {
            let (path, seen) = item?;
            expected[path].get_or_insert(packet.offset() + seen.offset as u64);
            Ok(())
        });
        let error = error.map_err(|error: y3::Error| (error.kind(), error.offset() + packet.offset()));
        let filled = set.fill(packet, &mut slots).map_err(|error| (error.kind(), error.offset()));
        assert_eq!((filled, slots.map(|slot| slot.map(|packet| packet.offset()))), (error, expected), "slots");
    }
}

fn same_limited(input: &[u8], paths: &[Vec<u8>], limits: Limits, sizes: &[usize]) {
    let set = chunks::set(paths).first_only();
    let (set, expected) = (&set, expected_first(input, paths, limits));
    assert_eq!(chunks::watched(input, set, limits, sizes), expected, "{limits:?}, in chunks of {sizes:?}");
    assert_eq!(chunks::collected(input, set, limits, sizes), expected, "{limits:?}, collected from {sizes:?}");
    let source = || Slow::new(input, sizes);
    assert_eq!(read(Reader::new(source(), set, limits)), expected, "{limits:?}, read {sizes:?} at a time");
    assert_eq!(read(Reader::seeking(source(), set, limits)), expected, "{limits:?}, sought {sizes:?} at a time");
}
