//! Stream: the readers of bytes that arrive in pieces, each called in the simplest way.
//!
//! In: a stream, the size of its pieces, the paths. Out: how many hits, and the error that ends them, if any.

use std::io::Read;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::codec::Decoder;
use y3::{
    AsyncReader, Collector, Error, ErrorKind, Event, Limits, PacketCodec, Path, PathSet, ReadError, Reader,
    WatchedPaths, Watcher,
};

/// The answer of any reader: how many items, and the error after them with its offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub items: usize,
    pub fault: Option<(ErrorKind, u64)>,
}

impl Answer {
    pub const fn items(items: usize) -> Answer {
        Answer { items, fault: None }
    }

    pub const fn fault(items: usize, kind: ErrorKind, offset: u64) -> Answer {
        Answer { items, fault: Some((kind, offset)) }
    }

    /// Counts items until the end or the first error.
    pub fn of<T>(mut items: impl Iterator<Item = Result<T, Error>>) -> Answer {
        let mut answer = Answer::default();
        let fault = items.try_for_each(|item| item.map(|_| answer.items += 1));
        answer.ending(fault)
    }

    /// The same answer with the error after the items.
    pub fn ending(self, end: Result<(), Error>) -> Answer {
        Answer { fault: self.fault.or(end.err().map(|error| (error.kind(), error.offset()))), ..self }
    }
}

pub fn watcher<P: WatchedPaths>(stream: &[u8], chunk: usize, paths: &P) -> Answer {
    let mut watcher = Watcher::new(paths, Limits::NONE);
    let mut answer = Answer::default();
    for chunk in stream.chunks(chunk) {
        for event in watcher.feed(chunk) {
            match event {
                Ok(Event::Hit(_) | Event::End { .. }) => answer.items += 1,
                Ok(_) => {}
                Err(error) => return answer.ending(Err(error)),
            }
        }
    }
    answer.ending(watcher.finish())
}

/// Resumes after each error: hits and errors are items.
pub fn resuming<const N: usize>(stream: &[u8], chunk: usize, paths: &PathSet<N>) -> Answer {
    let mut watcher = Watcher::new(paths, Limits::NONE);
    let mut items = 0;
    for chunk in stream.chunks(chunk) {
        let mut events = watcher.feed(chunk);
        while let Some(event) = events.next() {
            match event {
                Ok(Event::Hit(_) | Event::End { .. }) => items += 1,
                Ok(_) => {}
                Err(error) if events.resume() => drop((items += 1, error)),
                Err(error) => return Answer::items(items).ending(Err(error)),
            }
        }
    }
    Answer::items(items).ending(watcher.finish())
}

pub fn collector_resuming<const N: usize>(stream: &[u8], chunk: usize, paths: &PathSet<N>) -> Answer {
    let mut collector = Collector::new(paths, Limits::NONE);
    let mut items = 0;
    for chunk in stream.chunks(chunk) {
        let mut hits = collector.feed(chunk);
        while let Some(fault) = hits.next_hit().map(Result::err) {
            match fault {
                Some(error) if !hits.resume() => return Answer::items(items).ending(Err(error)),
                _ => items += 1,
            }
        }
    }
    Answer::items(items)
}

/// Counts the hits of a source until its end or the first error.
macro_rules! count_hits {
    ($source:expr, $answer:ident, |$error:ident| $fault:expr) => {{
        let mut source = $source;
        while let Some(hit) = source.next_hit() {
            match hit {
                Ok(_) => $answer.items += 1,
                Err($error) => return $fault,
            }
        }
    }};
}

pub fn collector<const N: usize>(stream: &[u8], chunk: usize, paths: &PathSet<N>) -> Answer {
    let mut collector = Collector::new(paths, Limits::NONE);
    let mut answer = Answer::default();
    for chunk in stream.chunks(chunk) {
        count_hits!(collector.feed(chunk), answer, |error| answer.ending(Err(error)));
    }
    count_hits!(collector.finish(), answer, |error| answer.ending(Err(error)));
    answer
}

/// Top-level packets, each watched by a hint.
pub fn collector_and_hint<const N: usize>(stream: &[u8], chunk: usize, paths: &PathSet<N>) -> Answer {
    const TOP: PathSet<1> = PathSet::new([Path::ANY]);
    let mut collector = Collector::new(&TOP, Limits::NONE);
    let mut hint = y3::hint::Hint::new(paths);
    let mut items = 0;
    for chunk in stream.chunks(chunk) {
        let mut packets = collector.feed(chunk);
        while let Some(packet) = packets.next_hit() {
            match packet {
                Ok(packet) => items += hint.watch(packet.packet().as_bytes()).flatten().count(),
                Err(error) => return Answer::items(items).ending(Err(error)),
            }
        }
    }
    Answer::items(items)
}

/// The chunks are parts of one allocation, as those of a network buffer.
pub fn collector_bytes<const N: usize>(stream: &Bytes, chunk: usize, paths: &PathSet<N>) -> Answer {
    let mut collector = Collector::new(paths, Limits::NONE);
    let mut answer = Answer::default();
    let mut rest = stream.clone();
    while !rest.is_empty() {
        let chunk = rest.split_to(chunk.min(rest.len()));
        let mut hits = collector.feed(&chunk);
        while let Some(hit) = hits.next_hit() {
            match hit.and_then(|hit| hit.to_bytes(&chunk)) {
                Ok(_) => answer.items += 1,
                Err(error) => return answer.ending(Err(error)),
            }
        }
    }
    count_hits!(collector.finish(), answer, |error| answer.ending(Err(error)));
    answer
}

/// A source that returns at most that many bytes at a time.
pub struct Drip<'a> {
    pub rest: &'a [u8],
    pub most: usize,
}

impl Drip<'_> {
    fn next(&mut self, room: usize) -> &[u8] {
        let (piece, rest) = self.rest.split_at(self.most.min(room).min(self.rest.len()));
        self.rest = rest;
        piece
    }
}

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let piece = self.next(buffer.len());
        buffer[..piece.len()].copy_from_slice(piece);
        Ok(piece.len())
    }
}

impl AsyncRead for Drip<'_> {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        let piece = self.next(buffer.remaining());
        buffer.put_slice(piece);
        Poll::Ready(Ok(()))
    }
}

fn faulty(answer: Answer, error: ReadError) -> Answer {
    match error {
        ReadError::Packet(error) => answer.ending(Err(error)),
        error => panic!("slices can be read: {error}"),
    }
}

pub fn reader<const N: usize>(stream: &[u8], most: usize, paths: &PathSet<N>) -> Answer {
    let mut answer = Answer::default();
    count_hits!(Reader::new(Drip { rest: stream, most }, paths, Limits::NONE), answer, |error| faulty(answer, error));
    answer
}

pub fn seeking<const N: usize>(file: &[u8], paths: &PathSet<N>) -> Answer {
    let mut answer = Answer::default();
    count_hits!(Reader::seeking(std::io::Cursor::new(file), paths, Limits::NONE), answer, |error| faulty(
        answer, error
    ));
    answer
}

/// Each hit is dropped as it arrives.
pub fn async_reader<const N: usize>(
    stream: &[u8],
    most: usize,
    paths: &PathSet<N>,
    mut keep: impl FnMut(y3::bytes::BytesHit),
) -> Answer {
    let mut reader = AsyncReader::new(Drip { rest: stream, most }, paths, Limits::NONE);
    let mut answer = Answer::default();
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Ready(Some(hit)) = pin!(reader.next_hit()).poll(&mut context) {
        match hit {
            Ok(hit) => keep(hit),
            Err(error) => return faulty(answer, error),
        }
        answer.items += 1;
    }
    answer
}

pub fn codec(stream: &[u8], chunk: usize) -> Answer {
    let (mut codec, mut buffer) = (PacketCodec::new(Limits::NONE), BytesMut::new());
    let mut answer = Answer::default();
    for chunk in stream.chunks(chunk) {
        buffer.extend_from_slice(chunk);
        loop {
            match codec.decode(&mut buffer) {
                Ok(Some(packet)) => match y3::check(&packet) {
                    Ok(()) => answer.items += 1,
                    Err(error) => return answer.ending(Err(error)),
                },
                Ok(None) => break,
                Err(error) => return faulty(answer, error),
            }
        }
    }
    match codec.decode_eof(&mut buffer) {
        Ok(_) => answer,
        Err(error) => faulty(answer, error),
    }
}
