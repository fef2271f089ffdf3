//! Edges of streams: what readers say of themselves, go on with after a fault, and ask of their source.

use std::collections::VecDeque;
use std::error::Error as _;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, ReadBuf};
use y3::{AsyncReader, Collector, Error, ErrorKind, Event, Limits, PathSet, ReadError, Reader, Watcher, path};

use testkit::chunks::same_at_every_cut;

const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);

/// A packet with a fault inside, at byte 3, and a good one after it, with a hit at byte 7.
const FAULT_THEN_HIT: [u8; 10] = [0x81, 0x03, 0x11, 0x7f, 0x07, 0x81, 0x03, 0x11, 0x01, 0x08];

/// A source that does these things one after the other, then ends; and how much room it was given for each.
struct Steps {
    steps: VecDeque<io::Result<Vec<u8>>>,
    room: Vec<usize>,
}

impl Steps {
    fn new<const N: usize>(steps: [io::Result<&[u8]>; N]) -> Self {
        Self { steps: steps.into_iter().map(|step| step.map(<[u8]>::to_vec)).collect(), room: Vec::new() }
    }

    fn step(&mut self, room: usize) -> io::Result<Vec<u8>> {
        self.room.push(room);
        let mut bytes = self.steps.pop_front().unwrap_or(Ok(Vec::new()))?;
        if bytes.len() > room {
            self.steps.push_front(Ok(bytes.split_off(room)));
        }
        Ok(bytes)
    }
}

impl io::Read for Steps {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.step(buffer.len())?;
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

impl AsyncRead for Steps {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let room = buffer.remaining();
        Poll::Ready(self.step(room).map(|bytes| buffer.put_slice(&bytes)))
    }
}

/// Nothing here waits.
fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

fn place(error: &ReadError) -> (ErrorKind, u64) {
    match error {
        ReadError::Packet(error) => (error.kind(), error.offset()),
        error => panic!("{error}"),
    }
}

#[test]
fn a_reader_goes_on_after_a_fault() {
    let mut reader = Reader::new(&FAULT_THEN_HIT[..], &WATCHED, Limits::DEFAULT);
    let error = reader.next_hit().unwrap().unwrap_err();
    assert_eq!(place(&error), (ErrorKind::NegativeLength, 3));
    assert!(reader.next_hit().is_none());
    assert!(reader.resume());
    assert_eq!(reader.next_hit().unwrap().unwrap().offset(), 7);
    assert!(reader.next_hit().is_none());
    assert_eq!((reader.offset(), reader.get_ref().len(), reader.into_inner()), (10, 0, &[][..]));
    // A fault in an outermost header leaves no place to go on from.
    let mut lost = Reader::new(&[0x81, 0x7f, 0x01, 0x00][..], &WATCHED, Limits::DEFAULT);
    assert_eq!(place(&lost.next_hit().unwrap().unwrap_err()), (ErrorKind::NegativeLength, 1));
    assert!(!lost.resume());
}

#[test]
fn an_async_reader_goes_on_after_a_fault() {
    let mut reader = AsyncReader::new(&FAULT_THEN_HIT[..], &WATCHED, Limits::DEFAULT);
    let error = now(reader.next_hit()).unwrap().unwrap_err();
    assert_eq!(place(&error), (ErrorKind::NegativeLength, 3));
    assert!(now(reader.next_hit()).is_none());
    assert!(reader.resume());
    assert_eq!(now(reader.next_hit()).unwrap().unwrap().decode::<i32>().unwrap(), 8);
    assert!(now(reader.next_hit()).is_none());
    assert_eq!((reader.offset(), reader.get_ref().len(), reader.into_inner()), (10, 0, &[][..]));
    let mut lost = AsyncReader::new(&[0x81, 0x7f, 0x01, 0x00][..], &WATCHED, Limits::DEFAULT);
    assert_eq!(place(&now(lost.next_hit()).unwrap().unwrap_err()), (ErrorKind::NegativeLength, 1));
    assert!(!lost.resume());
}

#[test]
fn a_source_is_given_room_worth_a_read() {
    let part = [0x02, 0x00].repeat(15_000);
    let source = Steps { steps: (0..7).map(|_| Ok(part.clone())).collect(), room: Vec::new() };
    let mut reader = AsyncReader::new(source, &WATCHED, Limits::DEFAULT);
    assert!(now(reader.next_hit()).is_none());
    let room = &reader.get_ref().room;
    assert!(room.len() >= 8 && room.iter().all(|&room| (4 << 10..=64 << 10).contains(&room)), "{room:?}");
    assert_eq!(reader.offset(), 7 * 30_000);
}

#[test]
fn an_error_of_a_reader_has_its_source() {
    let cut = ReadError::from(io::Error::other("cable cut"));
    assert_eq!((cut.to_string(), cut.source().unwrap().to_string()), ("i/o failed".into(), "cable cut".into()));
    let fault = ReadError::from(Error::new(ErrorKind::Overrun, 3));
    assert_eq!(fault.to_string(), Error::new(ErrorKind::Overrun, 3).to_string());
    assert!(fault.source().is_none());
}

#[test]
fn a_watcher_and_a_collector_skip_what_they_say() {
    let head = [0x02, 0xbf, 0x7f, 0xaa];
    let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
    watcher.feed(&head);
    assert_eq!((watcher.skip_hint(), watcher.skip(10_000), watcher.offset()), (8190, 8190, 8194));
    let mut collector = Collector::new(&WATCHED, Limits::DEFAULT);
    collector.feed(&head);
    assert_eq!((collector.skip_hint(), collector.skip(90), collector.skip_hint()), (8190, 90, 8100));
    assert_eq!((collector.skip(9000), collector.offset(), collector.capacity()), (8100, 8194, 0));
}

/// Cut anywhere, they come to what they come to in one piece.
#[test]
fn no_cut_enters_what_only_looks_like_packets() {
    let inputs: [(&[u8], &[&[u8]]); 5] = [
        // A node at the end of its path: what is inside may be anything.
        (&[0x81, 0x02, 0x11, 0x7f, 0x02, 0x00], &[&[0x01]]),
        // A primitive where a path goes on.
        (&[0x01, 0x03, 0x11, 0x01, 0x07, 0x02, 0x00], &[&[0x01, 0x11]]),
        (&[0x01, 0x03, 0x11, 0x01, 0x07, 0x02, 0x00], &[&[0x01], &[0x01, 0x11]]),
        (&[0x81, 0x05, 0x02, 0x03, 0x11, 0x01, 0x07], &[&[0x01, 0x02, 0x11], &[0x01]]),
        // Nothing inside, and more after it.
        (&[0x11, 0x00, 0x11, 0x01, 0x07, 0x91, 0x00], &[&[0x11]]),
    ];
    for (input, paths) in inputs {
        same_at_every_cut(input, &paths.iter().map(|path| path.to_vec()).collect::<Vec<_>>());
    }
}

#[test]
fn no_cut_loses_a_hit_below_eight_keys() {
    let mut input = vec![0x08, 0x03, 0x61, 0x62, 0x63, 0x09, 0x00];
    for key in (1..8).rev() {
        let len = u8::try_from(input.len()).unwrap();
        input.splice(..0, [0x80 | key, len]);
    }
    let path: Vec<u8> = (1..=8).collect();
    for paths in [vec![path.clone()], vec![path[..7].to_vec(), path.clone()], vec![vec![1], path.clone()]] {
        same_at_every_cut(&input, &paths);
    }
}

#[test]
fn a_packet_refused_and_passed_over_must_still_come_whole() {
    let limits = Limits::DEFAULT.with_max_packet_len(6);
    let mut watcher = Watcher::new(&WATCHED, limits);
    let mut events = watcher.feed(&[0x02, 0x00, 0x02, 0x05, 1, 2, 3]);
    assert_eq!(events.next().map(Result::unwrap_err), Some(Error::new(ErrorKind::SizeLimit, 2)));
    assert!(events.resume());
    assert!(events.next().is_none());
    drop(events);
    assert_eq!((watcher.error(), watcher.offset()), (None, 7));
    assert_eq!(watcher.finish(), Err(Error::new(ErrorKind::UnexpectedEnd, 2)));
    assert!(watcher.feed(&[4, 5]).next().is_none());
    assert_eq!(watcher.finish(), Ok(()));
}

#[test]
fn a_collector_keeps_room_for_what_it_has_joined() {
    let mut collector = Collector::new(&WATCHED, Limits::DEFAULT);
    collector.feed(&[0x81, 0x12, 0x11, 0x10, 1, 2, 3]);
    let mut hits = collector.feed(&[0; 13]);
    assert_eq!(hits.next_hit().unwrap().unwrap().value().len(), 16);
    drop(hits);
    assert!((18..1024).contains(&collector.capacity()), "{}", collector.capacity());
}

impl io::Seek for Steps {
    fn seek(&mut self, _: io::SeekFrom) -> io::Result<u64> {
        panic!("nothing here is worth a seek")
    }
}

#[test]
fn a_reader_reads_more_and_more_up_to_its_buffer() {
    let source = || Steps::new([Ok(&[0x02, 0x00].repeat(1 << 19))]);
    let mut reader = Reader::new(source(), &WATCHED, Limits::DEFAULT);
    assert!(reader.next_hit().is_none());
    assert_eq!(reader.offset(), 1 << 20);
    assert!(reader.get_ref().room.iter().all(|&room| room == 64 << 10));
    // One that seeks reads little at first, since a seek may follow.
    let mut reader = Reader::seeking(source(), &WATCHED, Limits::DEFAULT);
    assert!(reader.next_hit().is_none());
    assert_eq!(reader.offset(), 1 << 20);
    assert_eq!(reader.get_ref().room[..6], [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 64 << 10]);
}

#[test]
fn an_empty_split_value_ends_before_what_follows_it() {
    const TOP: PathSet<1> = PathSet::new([path!(0x11)]);
    let mut watcher = Watcher::new(&TOP, Limits::DEFAULT);
    assert!(watcher.feed(&[0x11]).next().is_none());
    let mut events = watcher.feed(&[0x00, 0x11, 0x01, 0x07]);
    assert!(matches!(events.next(), Some(Ok(Event::Start { header, .. })) if header.value_len() == 0));
    assert!(matches!(events.next(), Some(Ok(Event::End { path_index: 0 }))));
    assert!(matches!(events.next(), Some(Ok(Event::Hit(hit))) if hit.value() == [0x07]));
    assert!(events.next().is_none());
}
