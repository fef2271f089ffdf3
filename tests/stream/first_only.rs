//! Sets of which only the first packets count, cut anywhere; beside a naive reader in `first_only_equals_oracle`.

use y3::{Collector, ErrorKind, FirstOnly, Limits, PathSet, WatchedPaths, path};

type Rows = Vec<(usize, u64)>;

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

const READING: PathSet<2, FirstOnly> = PathSet::new([path!(0x01, 0x10, 0x11), path!(0x01, 0x10, 0x13)]).first_only();

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
