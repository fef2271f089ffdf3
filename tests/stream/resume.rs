//! Streams that are read on after their errors.

use std::cell::Cell;
use std::io;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use y3::{Collector, Error, ErrorKind, Event, Limits, Path, PathSet, ReadError, Reader, Watcher, path};

use testkit::input::packets;
use testkit::oracle::packed;
use testkit::oracle::trees::{self, config, key};
use testkit::resume;

const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
const BOTH: PathSet<2> = PathSet::new([path!(0x01), path!(0x01, 0x11)]);

/// `FAULT` is a packet of five bytes with a negative length at byte 3. `GOOD` has a hit at byte 2.
const FAULT: [u8; 5] = [0x81, 0x03, 0x11, 0x7f, 0x07];
const GOOD: [u8; 5] = [0x81, 0x03, 0x11, 0x01, 0x08];

/// A top-level node with a correct length, whatever is inside.
fn node(key: u8, inside: &[u8]) -> Vec<u8> {
    packed(0x80 | key, inside)
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn every_fault_is_reported_once_and_only_its_outermost_packet_is_lost(
        parts in vec((key(), prop::option::of(key()), trees::case(100, packets)), 1..8),
        end in any::<Index>(),
        cut in prop::bool::weighted(0.3),
        others in vec(vec(key(), 1..=4), 0..=2),
        sizes in vec(prop_oneof![1 => Just(0), 4 => 1..4usize, 3 => 1..20usize, 1 => 1..9000usize], 1..30),
        longest in prop_oneof![3 => Just(usize::MAX), 1 => 6..200usize],
        widest in prop_oneof![3 => Just(usize::MAX), 1 => 0..40usize],
    ) {
        // The top-level packet has a correct length, and so has the node around its content if there is one.
        let (mut input, mut paths) = (Vec::new(), others);
        for (outer, inner, case) in parts {
            let inside = inner.map_or(case.input.clone(), |inner| node(inner, &case.input));
            input.extend(node(outer, &inside));
            let around = [outer].into_iter().chain(inner);
            paths.extend(case.paths.iter().take(2).map(|path| around.clone().chain(path.iter().copied()).collect()));
        }
        paths.retain(|path: &Vec<u8>| path.len() <= Path::MAX_LEN);
        paths.truncate(8);
        if cut {
            input.truncate(end.index(input.len() + 1));
        }
        let limits = Limits::NONE.with_max_packet_len(longest).with_max_value_len(widest);
        resume::same(&input, &paths, limits, &sizes);
    }
}

#[test]
fn resume_is_refused_while_a_watched_packet_is_open() {
    let mut watcher = Watcher::new(&BOTH, Limits::DEFAULT);
    assert!(watcher.feed(&FAULT[..4]).all(|event| event.is_ok()), "the error waits for the node around it");
    let fault = Error::new(ErrorKind::NegativeLength, 3);
    assert_eq!(watcher.error(), Some(fault));
    assert!(!watcher.resume());
    let mut events = watcher.feed(&FAULT[4..]);
    assert_eq!(events.next(), Some(Ok(Event::Data { path_index: 0, bytes: &[0x07] })));
    assert_eq!(events.next(), Some(Ok(Event::End { path_index: 0 })));
    assert_eq!(events.next(), Some(Err(fault)));
    assert!(events.resume());
    drop(events);
    assert!(matches!(watcher.feed(&GOOD).next(), Some(Ok(Event::Hit(hit))) if hit.offset() == 5));
}

/// The chunk ends inside the faulty packet. If the chunk were not consumed, the reader would skip the wrong bytes.
#[test]
fn hits_that_are_dropped_after_a_fault_take_the_rest_of_the_chunk() {
    let (chunk, rest) = FAULT.split_at(4);
    let rest = [rest, &GOOD].concat();
    let fault = Error::new(ErrorKind::NegativeLength, 3);
    let check = |mut collector: Collector<&PathSet<1>>| {
        assert_eq!(collector.offset(), 4);
        let mut hits = collector.feed(&rest);
        assert_eq!(hits.next_hit(), Some(Err(fault)), "the error is repeated until the reader resumes");
        assert!(hits.resume());
        assert_eq!(hits.next_hit().unwrap().unwrap().offset(), 7);
    };
    let mut collector = Collector::new(&WATCHED, Limits::DEFAULT);
    assert_eq!(collector.feed(chunk).next_hit(), Some(Err(fault)));
    check(collector);
    // Resumed, but not asked for another hit.
    let mut collector = Collector::new(&WATCHED, Limits::DEFAULT);
    let mut hits = collector.feed(chunk);
    assert!(hits.next_hit().unwrap().is_err() && hits.next_hit().is_none());
    assert!(hits.resume());
    drop(hits);
    assert_eq!(collector.feed(&rest).next_hit().unwrap().unwrap().offset(), 7);
    let (most, last) = GOOD.split_at(3);
    let mut collector = Collector::new(&WATCHED, Limits::DEFAULT);
    let both = [&FAULT[..], most].concat();
    let mut hits = collector.feed(&both);
    assert!(hits.next_hit().unwrap().is_err() && hits.next_hit().is_none() && hits.resume());
    drop(hits);
    assert_eq!(collector.feed(last).next_hit().unwrap().unwrap().offset(), 7);
    // An error with more bytes after it in the chunk.
    let mut collector = Collector::new(&WATCHED, Limits::DEFAULT);
    assert_eq!(collector.feed(&[&FAULT[..], &GOOD].concat()).next_hit(), Some(Err(fault)));
    assert_eq!(collector.offset(), 10);
    let mut hits = collector.feed(&GOOD);
    assert_eq!(hits.next_hit(), Some(Err(fault)));
    assert_eq!(hits.next_hit(), None, "the error is repeated once per chunk");
}

/// Fails to seek this many times.
struct Failing<'a> {
    file: io::Cursor<&'a [u8]>,
    failures: &'a Cell<usize>,
}

impl io::Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl io::Seek for Failing<'_> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        match self.failures.get().checked_sub(1) {
            Some(left) => {
                self.failures.set(left);
                Err(io::Error::other("stuck"))
            }
            None => self.file.seek(to),
        }
    }
}

#[test]
fn a_seek_that_fails_passes_over_nothing() {
    let file = [&node(0x02, &vec![0; 1 << 16])[..], &GOOD].concat();
    let failures = Cell::new(2);
    let source = Failing { file: io::Cursor::new(&file), failures: &failures };
    let mut reader = Reader::seeking(source, &WATCHED, Limits::DEFAULT);
    let start = {
        assert!(matches!(reader.next_hit(), Some(Err(ReadError::Io(_)))));
        reader.offset()
    };
    assert!(matches!(reader.next_hit(), Some(Err(ReadError::Io(_)))));
    assert_eq!((reader.offset(), reader.get_ref().file.position()), (start, start));
    let hit = reader.next_hit().unwrap().unwrap();
    assert_eq!((hit.offset(), hit.value()), (file.len() as u64 - 3, &[0x08][..]));
    assert!(reader.next_hit().is_none());
    assert_eq!(reader.offset(), file.len() as u64);
}

#[test]
fn an_unexpected_end_stays() {
    let end = Error::new(ErrorKind::UnexpectedEnd, 0);
    let mut collector = Collector::new(&WATCHED, Limits::DEFAULT);
    collector.feed(&GOOD[..4]);
    assert_eq!(collector.finish().next_hit(), Some(Err(end)));
    assert_eq!(collector.error(), Some(end));
    let mut hits = collector.feed(&GOOD[4..]);
    assert_eq!(hits.next_hit(), Some(Err(end)), "the stream has ended");
    assert!(!hits.resume() && hits.next_hit().is_none());
    drop(hits);
    assert_eq!(collector.finish().next_hit(), Some(Err(end)));

    // The same for a cut packet that was to be joined.
    let mut collector = Collector::new(&BOTH, Limits::DEFAULT);
    collector.feed(&GOOD[..4]);
    assert_eq!(collector.finish().next_hit(), Some(Err(end)));
    assert_eq!(collector.feed(&[]).next_hit(), Some(Err(end)), "the collector does not wait for more");

    let mut reader = Reader::new(&GOOD[..4], &WATCHED, Limits::DEFAULT);
    assert!(matches!(reader.next_hit(), Some(Err(ReadError::Packet(error))) if error == end));
    assert!(!reader.resume() && reader.next_hit().is_none());
}
