//! Sets of which only the first packets count: a naive reader beside those of slices and streams, cut anywhere.

use proptest::collection::vec;
use proptest::prelude::*;
use y3::{Collector, Error, ErrorKind, FirstOnly, Hit, Limits, Packet, PathSet, Reader, WatchedPaths, path};

use testkit::oracle::same::path_set;
use testkit::oracle::trees::{self, config};

/// The bits of a step that enters a primitive, and of one with any key.
const ENTERS: u8 = 0x40;
const ANY: u8 = 0x80;

type Rows = Vec<(usize, u64)>;

/// Reads a level, where these paths go on at this depth. Returns whether nothing is missing any more.
fn naive<'a>(level: impl Iterator<Item = Packet<'a>>, paths: &[(usize, &[u8])], depth: usize, rows: &mut Rows) -> bool {
    let wants = |key| paths.iter().any(|(_, steps)| steps[depth] & ANY != 0 || steps[depth] & 0x3f == key);
    let mut found = [false; 64];
    for packet in level {
        let key = packet.key().get();
        if found[usize::from(key)] {
            continue;
        }
        let here = paths.iter().filter(|(_, steps)| steps[depth] & ANY != 0 || steps[depth] & 0x3f == key);
        let hit = here.clone().filter(|(_, steps)| steps.len() == depth + 1).map(|(index, _)| *index).min();
        rows.extend(hit.map(|index| (index, packet.offset())));
        let is_entered = |steps: &[u8]| steps.len() > depth + 1 && (steps[depth] & ENTERS == 0) == packet.is_node();
        let inside: Vec<_> = here.filter(|(_, steps)| is_entered(steps)).copied().collect();
        let is_found = match (inside.is_empty(), packet.is_node()) {
            (true, _) => hit.is_some(),
            (_, true) => naive(packet.children().map(Result::unwrap), &inside, depth + 1, rows),
            (_, false) => naive(packet.embedded().map_while(Result::ok), &inside, depth + 1, rows),
        };
        found[usize::from(key)] = is_found && depth > 0;
        if depth > 0 && (0..64).all(|key| found[usize::from(key)] || !wants(key)) {
            return true;
        }
    }
    false
}

fn collected<P: WatchedPaths>(input: &[u8], set: P, size: usize) -> Rows {
    let mut collector = Collector::new(set, Limits::NONE);
    let mut rows = Vec::new();
    for chunk in input.chunks(size) {
        let mut hits = collector.feed(chunk);
        while let Some(hit) = hits.next_hit() {
            let hit = hit.unwrap();
            rows.push((hit.path_index(), hit.offset()));
        }
    }
    assert!(collector.finish().next_hit().is_none());
    assert_eq!(collector.offset(), input.len() as u64);
    rows
}

fn same(input: &[u8], paths: &[Vec<u8>]) {
    let set = path_set(paths);
    // An error in embedded packets ends them, which the naive reader does not.
    if set.watch(input).any(|hit| hit.is_err()) {
        return;
    }
    let mut expected = Vec::new();
    let steps: Vec<_> = paths.iter().map(Vec::as_slice).enumerate().collect();
    naive(y3::packets(input).map(Result::unwrap), &steps, 0, &mut expected);

    let first = FirstOnly(&set);
    let rows: Rows = first.watch(input).map(|hit| hit.map(|hit| (hit.path_index(), hit.offset())).unwrap()).collect();
    assert_eq!(rows, expected, "{paths:02x?} in {input:02x?}");
    let mut hint = y3::hint::Hint::new(first);
    for _ in 0..3 {
        let hits = hint.watch(input).map(|hit| hit.map(|hit| (hit.path_index(), hit.offset())).unwrap());
        assert!(hits.eq(expected.iter().copied()));
    }
    for size in [1, 2, 3, 7, input.len().max(1)] {
        assert_eq!(collected(input, first, size), expected, "chunks of {size}: {paths:02x?} in {input:02x?}");
    }
    let mut reader = Reader::seeking(std::io::Cursor::new(input), first, Limits::NONE);
    for row in &expected {
        let found = reader.next_hit().unwrap().unwrap();
        assert_eq!((found.path_index(), found.offset()), *row);
    }
    assert!(reader.next_hit().is_none());
}

type Item = Result<(usize, u64), Error>;

/// Hits and errors of a slice and of its chunks, faulty or not.
fn same_items(input: &[u8], paths: &[Vec<u8>]) {
    let set = path_set(paths);
    let first = FirstOnly(&set);
    let item = |hit: Result<Hit<'_>, Error>| hit.map(|hit| (hit.path_index(), hit.offset()));
    let expected: Vec<Item> = first.watch(input).map(item).collect();
    for size in [1, 2, 5, input.len().max(1)] {
        let mut collector = Collector::new(first, Limits::NONE);
        let mut items = Vec::new();
        for chunk in input.chunks(size) {
            if collector.error().is_some() {
                break;
            }
            let mut hits = collector.feed(chunk);
            while let Some(hit) = hits.next_hit() {
                items.push(item(hit));
            }
        }
        if collector.error().is_none() {
            let mut hits = collector.finish();
            while let Some(hit) = hits.next_hit() {
                items.push(item(hit));
            }
        }
        assert_eq!(items, expected, "chunks of {size}: {paths:02x?} in {input:02x?}");
    }
}

/// A step of few keys, some with any key, some into a primitive.
fn path() -> impl Strategy<Value = Vec<u8>> {
    let step = prop_oneof![6 => 0u8..4, 1 => (0u8..4).prop_map(|key| key | ENTERS), 1 => Just(ANY)];
    vec(step, 1..=4)
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn slices_and_streams_leave_a_node_after_its_last_packet(
        embedded in trees::embedded(),
        trees in prop_oneof![Just(None), trees::trees(24).prop_map(Some)],
        paths in vec(path(), 1..=5),
    ) {
        match trees {
            Some(trees) => same(&trees::encode(&trees), &paths),
            None => same(&embedded.input, &embedded.paths),
        }
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn slices_and_streams_meet_the_same_faults(
        embedded in trees::embedded(),
        trees in prop_oneof![Just(None), trees::trees(24).prop_map(Some)],
        damage in trees::damage(),
        paths in vec(path(), 1..=5),
    ) {
        let (mut input, paths) = match trees {
            Some(trees) => (trees::encode(&trees), paths),
            None => (embedded.input, embedded.paths),
        };
        for damage in damage {
            damage.apply(&mut input);
        }
        same_items(&input, &paths);
    }
}

const READING: FirstOnly<PathSet<2>> = FirstOnly(PathSet::new([path!(0x01, 0x10, 0x11), path!(0x01, 0x10, 0x13)]));

/// Nothing after the last packet is read: no duplicate, and no fault.
#[test]
fn what_comes_after_the_last_packet_is_not_seen() {
    let inside = [0x11, 0x01, 0x07, 0x13, 0x00, 0x11, 0x01, 0x08, 0x02, 0x7f];
    let packet = [&[0x81, 0x10, 0x90, 0x0a][..], &inside, &[0x90, 0x02, 0x11, 0x00]].concat();
    assert_eq!(y3::check(&packet).unwrap_err().kind(), ErrorKind::NegativeLength);
    same_rows(&packet.repeat(2), &[(0, 4), (1, 7), (0, 22), (1, 25)]);
    // One of them is missing: all is read, up to the fault.
    let without_13: Vec<u8> = packet.iter().map(|byte| if *byte == 0x13 { 0x14 } else { *byte }).collect();
    let hits: Vec<_> = READING.watch(&without_13).collect();
    assert!(matches!(hits[..], [Ok(_), Err(_)]), "{hits:?}");
}

fn same_rows(input: &[u8], expected: &[(usize, u64)]) {
    for size in 1..=input.len() {
        assert_eq!(collected(input, READING, size), expected, "chunks of {size}");
    }
    let rows: Rows = READING.watch(input).map(|hit| hit.map(|hit| (hit.path_index(), hit.offset())).unwrap()).collect();
    assert_eq!(rows, expected);
}

/// The end of a packet that is cut is an error, also where nothing of it is wanted any more.
#[test]
fn a_packet_cut_after_its_last_needed_hit_is_an_error() {
    let packet = [0x81, 0x0c, 0x90, 0x05, 0x11, 0x01, 0x07, 0x13, 0x00, 0x02, 0x01, 0x07, 0x02];
    for cut in 9..packet.len() {
        let mut watch = READING.watch(&packet[..cut]);
        assert_eq!(watch.by_ref().flatten().count(), 2);
        let mut collector = Collector::new(READING, Limits::NONE);
        collector.feed(&packet[..cut]);
        let error = collector.finish().next_hit().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::UnexpectedEnd, 0));
        let last = READING.watch(&packet[..cut]).last().unwrap().unwrap_err();
        assert_eq!(last, error, "cut at {cut}");
    }
}
