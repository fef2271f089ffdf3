//! Streams that are read on after their faults: every reader beside a naive one.
//!
//! In: bytes, paths, limits, and where to cut. Out: nothing, or a panic that says what differs. It needs `chunks` and
//! `oracle` beside it.

use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use futures_core::Stream;
use y3::{AsyncReader, Collector, Error, ErrorKind, Event, Limits, PathSet, ReadError, Reader, Watcher};

use super::chunks::{Row, Slow, cut, row, set};
use super::oracle::{self, TOP};

/// What a reader gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Hit(Row),
    Fault(Error),
}

/// What is to come of an input that is read on after each fault, and of each top-level packet that is cut where it begins.
///
/// The top-level packets are taken one by one: what is wrong inside one is nothing to the next.
pub fn expected(input: &[u8], paths: &[Vec<u8>], limits: Limits) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = 0;
    while at < input.len() {
        let rest = &input[at..];
        let len = declared_len(rest).unwrap_or(rest.len() as u64);
        let part = &rest[..usize::try_from(len).unwrap_or(usize::MAX).min(rest.len())];
        let (found, then) = oracle::watch_items(part, TOP, paths, limits);
        items.extend(found.into_iter().chain(then.map(Err)).map(|item| match item {
            Ok((path, seen)) => {
                Item::Hit((path, (at + seen.offset) as u64, part[seen.offset..seen.value.end].to_vec()))
            }
            Err(error) => Item::Fault(Error::new(error.kind(), error.offset() + at as u64)),
        }));
        if declared_len(rest).is_none() {
            break;
        }
        at += part.len();
    }
    items
}

/// Tag, length field and value of the packet at the front, if its header is good.
fn declared_len(bytes: &[u8]) -> Option<u64> {
    match oracle::read_length(bytes.get(1..)?) {
        oracle::Length::Is { length, size } => Some(1 + size as u64 + length),
        _ => None,
    }
}

/// What a reader has given so far, and whether it could go on after the last fault.
#[derive(Debug, Default)]
struct Given {
    items: Vec<Item>,
    resumed: Option<bool>,
}

impl Given {
    fn fault(&mut self, error: Error, resumed: bool) {
        assert_ne!(self.resumed, Some(false), "something comes after a fault that cannot be passed");
        self.items.push(Item::Fault(error));
        self.resumed = Some(resumed);
    }

    fn hit(&mut self, row: Row) {
        assert_ne!(self.resumed, Some(false), "something comes after a fault that cannot be passed");
        self.items.push(Item::Hit(row));
    }

    /// A top-level packet that holds a fault and is cut is one fault for the naive reader. For others it is two where it
    /// was resumed.
    fn check(mut self, expected: &[Item], how: &str) {
        if let [.., Item::Fault(inside), Item::Fault(end)] = &self.items[..] {
            let is_one = end.kind() == ErrorKind::UnexpectedEnd && end.offset() <= inside.offset();
            if is_one && expected.last() == Some(&Item::Fault(*inside)) {
                self.items.pop();
            }
        }
        assert_eq!(self.items, expected, "{how}");
    }
}

/// The events of a watcher, asked to resume before each chunk and at each fault.
fn watched(input: &[u8], set: &PathSet<8>, limits: Limits, sizes: &[usize]) -> Given {
    let mut watcher = Watcher::new(set, limits);
    let mut given = Given::default();
    // The items, and of each that has begun how much is missing.
    let mut open: Vec<(usize, usize, usize)> = Vec::new();
    let mut fed = 0;
    'chunks: for chunk in cut(input, sizes) {
        assert_eq!(watcher.resume(), watcher.error().is_none(), "a fault is passed before it is out");
        fed += chunk.len() as u64;
        let mut events = watcher.feed(chunk);
        while let Some(event) = events.next() {
            match event {
                Ok(Event::Hit(hit)) => given.hit(row(&hit)),
                Ok(Event::Start { path_index, offset, header }) => {
                    open.push((path_index, given.items.len(), header.value_len()));
                    given.hit((path_index, offset, header.encode(&mut [0; 6]).to_vec()));
                }
                Ok(Event::Data { path_index, bytes }) => {
                    let (_, place, missing) = open.iter_mut().find(|part| part.0 == path_index).unwrap();
                    let Item::Hit(row) = &mut given.items[*place] else { unreachable!() };
                    row.2.extend_from_slice(bytes);
                    *missing -= bytes.len();
                }
                Ok(Event::End { path_index }) => {
                    let place = open.iter().position(|part| part.0 == path_index).unwrap();
                    assert_eq!(open.remove(place).2, 0);
                }
                Ok(other) => panic!("{other:?}"),
                Err(error) => {
                    let is_embedded = events.error().is_none();
                    assert!(is_embedded || open.is_empty(), "a fault comes after what is open around it");
                    given.fault(error, events.resume());
                    if given.resumed == Some(false) {
                        assert!(events.next().is_none());
                        break 'chunks;
                    }
                }
            }
        }
        drop(events);
        assert_eq!(watcher.offset(), fed);
    }
    for part in open.iter().rev() {
        given.items.remove(part.1);
    }
    if given.resumed != Some(false) {
        if let Err(error) = watcher.finish() {
            given.fault(error, false);
        }
    }
    given
}

/// Asks for the hits of one chunk.
macro_rules! drain {
    ($given:ident, $hits:expr, $next:ident, $row:expr) => {
        let mut hits = $hits;
        while let Some(hit) = hits.$next() {
            match hit {
                Ok(hit) => $given.hit($row(hit)),
                Err(error) => {
                    let resumed = hits.resume();
                    $given.fault(error, resumed);
                }
            }
            if $given.resumed == Some(false) {
                return $given;
            }
        }
    };
}

fn collected(input: &[u8], set: &PathSet<8>, limits: Limits, sizes: &[usize]) -> Given {
    let mut collector = Collector::new(set, limits);
    let mut given = Given::default();
    for chunk in cut(input, sizes) {
        drain!(given, collector.feed(chunk), next_hit, |hit| row(&hit));
    }
    drain!(given, collector.finish(), next_hit, |hit| row(&hit));
    given
}

fn owned(hit: y3::bytes::BytesHit) -> Row {
    (hit.path_index(), hit.offset(), hit.into_bytes().to_vec())
}

fn read<R: io::Read>(mut reader: Reader<R, &PathSet<8>>) -> Given {
    let mut given = Given::default();
    while let Some(hit) = reader.next_hit() {
        match hit {
            Ok(hit) => given.hit(row(&hit)),
            Err(ReadError::Io(error)) => assert_eq!(error.kind(), io::ErrorKind::TimedOut),
            Err(ReadError::Packet(error)) => {
                let resumed = reader.resume();
                given.fault(error, resumed);
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(reader.next_hit().is_none());
    given
}

/// Each call is dropped as soon as it has to wait, and every other one asks as a stream.
fn read_async(input: &[u8], set: &PathSet<8>, limits: Limits, sizes: &[usize]) -> Given {
    let mut reader = AsyncReader::new(Slow::new(input, sizes), set, limits);
    let mut context = Context::from_waker(Waker::noop());
    let mut given = Given::default();
    for turn in 0.. {
        let polled = if turn % 2 == 0 {
            pin!(reader.next_hit()).poll(&mut context)
        } else {
            Pin::new(&mut reader).poll_next(&mut context)
        };
        match polled {
            Poll::Pending => {}
            Poll::Ready(Some(Ok(hit))) => given.hit(owned(hit)),
            Poll::Ready(Some(Err(ReadError::Io(error)))) => assert_eq!(error.kind(), io::ErrorKind::TimedOut),
            Poll::Ready(Some(Err(ReadError::Packet(error)))) => given.fault(error, reader.resume()),
            Poll::Ready(Some(Err(error))) => panic!("{error}"),
            Poll::Ready(None) => break,
        }
    }
    given
}

/// Every reader that can go on after a fault beside the naive one, at one way of cutting. `true` if there were several
/// faults.
pub fn same(input: &[u8], paths: &[Vec<u8>], limits: Limits, sizes: &[usize]) -> bool {
    let (set, expected) = (set(paths), expected(input, paths, limits));
    let how = |reader| format!("{reader}, {limits:?}, {sizes:?} at a time");
    watched(input, &set, limits, sizes).check(&expected, &how("watched"));
    collected(input, &set, limits, sizes).check(&expected, &how("collected"));
    read(Reader::new(Slow::new(input, sizes), &set, limits)).check(&expected, &how("read"));
    read(Reader::seeking(Slow::new(input, sizes), &set, limits)).check(&expected, &how("sought"));
    read_async(input, &set, limits, sizes).check(&expected, &how("read async"));
    expected.iter().filter(|item| matches!(item, Item::Fault(_))).count() > 1
}
