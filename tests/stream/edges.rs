//! What stream readers report about themselves and request from their source. `cuts` and `resume` test their hits.

use std::collections::VecDeque;
use std::error::Error as _;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, ReadBuf};
use y3::{AsyncReader, Collector, Error, ErrorKind, Limits, PathSet, ReadError, Reader, Watcher, path};

const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);

/// A source that does these steps one after the other, then ends. It records how much space it was given for each.
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

/// The result of a future that never waits.
fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the future waits"),
    }
}

#[test]
fn a_source_is_given_room_worth_a_read() {
    let part = [0x02, 0x00].repeat(15_000);
    let source = Steps { steps: (0..7).map(|_| Ok(part.clone())).collect(), room: Vec::new() };
    let mut reader = AsyncReader::new(source, &WATCHED, Limits::DEFAULT);
    assert!(now(reader.next_hit()).is_none());
    assert_eq!(reader.offset(), 7 * 30_000);
    let room = reader.into_inner().room;
    assert!(room.len() >= 8 && room.iter().all(|&room| (4 << 10..=64 << 10).contains(&room)), "{room:?}");
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
        panic!("the reader seeks")
    }
}

#[test]
fn a_reader_reads_more_and_more_up_to_its_buffer() {
    let source = || Steps::new([Ok(&[0x02, 0x00].repeat(1 << 19))]);
    let mut reader = Reader::new(source(), &WATCHED, Limits::DEFAULT);
    assert!(reader.next_hit().is_none());
    assert_eq!(reader.offset(), 1 << 20);
    assert!(reader.get_ref().room.iter().all(|&room| room == 64 << 10));
    // A reader that seeks reads little at first, since a seek may follow.
    let mut reader = Reader::seeking(source(), &WATCHED, Limits::DEFAULT);
    assert!(reader.next_hit().is_none());
    assert_eq!(reader.offset(), 1 << 20);
    assert_eq!(reader.into_inner().room[..6], [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 64 << 10]);
}

/// Only an interrupted read is repeated silently.
#[test]
fn an_error_of_the_source_is_reported_once_and_loses_nothing() {
    let packet = [0x81, 0x03, 0x11, 0x01, 0x07];
    for kind in [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut, io::ErrorKind::BrokenPipe] {
        let source = || {
            Steps::new([Ok(&packet[..3]), Err(io::ErrorKind::Interrupted.into()), Err(kind.into()), Ok(&packet[3..])])
        };
        let is_reported = |error: ReadError| matches!(error, ReadError::Io(error) if error.kind() == kind);

        let mut reader = Reader::new(source(), &WATCHED, Limits::DEFAULT);
        assert!(is_reported(reader.next_hit().unwrap().unwrap_err()));
        assert_eq!(reader.next_hit().unwrap().unwrap().value(), [0x07]);
        assert!(reader.next_hit().is_none());

        let mut reader = AsyncReader::new(source(), &WATCHED, Limits::DEFAULT);
        assert!(is_reported(now(reader.next_hit()).unwrap().unwrap_err()));
        let hit = now(reader.next_hit()).unwrap().unwrap();
        assert_eq!((hit.path().unwrap().to_string(), &hit.value()[..]), ("0x01/0x11".to_owned(), &[0x07][..]));
        assert!(now(reader.next_hit()).is_none());
    }
}
