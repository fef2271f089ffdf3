//! Stream: the readers of bytes that arrive in chunks, each called in the simplest way.

use std::io::{Cursor, Read};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::codec::Decoder;
use y3::bytes::BytesHit;
use y3::hint::Hint;
use y3::{
    AsyncReader, Collector, Error, ErrorKind, Event, Limits, PacketCodec, Path, PathSet, ReadError, Reader,
    WatchedPaths, Watcher,
};

/// The answer of a reader: the number of items, and the error that ended them with its offset.
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

    /// Counts the items of a reader until its end or the first error.
    #[inline(always)]
    pub fn counted(read: impl FnOnce(&mut usize) -> Result<(), ReadError>) -> Answer {
        let mut items = 0;
        match read(&mut items) {
            Ok(()) => Answer::items(items),
            Err(ReadError::Packet(error)) => Answer::fault(items, error.kind(), error.offset()),
            Err(error) => panic!("slices can be read: {error}"),
        }
    }

    #[inline(always)]
    pub fn of<T>(mut source: impl Iterator<Item = Result<T, Error>>) -> Answer {
        Answer::counted(|items| Ok(source.try_for_each(|item| item.map(|_| *items += 1))?))
    }
}

pub fn watcher<P: WatchedPaths>(stream: &[u8], chunk: usize, paths: &P) -> Answer {
    Answer::counted(|items| {
        let mut watcher = Watcher::new(paths, Limits::NONE);
        for chunk in stream.chunks(chunk) {
            for event in watcher.feed(chunk) {
                *items += usize::from(matches!(event?, Event::Hit(_) | Event::End { .. }));
            }
        }
        Ok(watcher.finish()?)
    })
}

/// Resumes after each error. Hits and errors count as items.
pub fn resuming<const N: usize>(stream: &[u8], chunk: usize, paths: &PathSet<N>) -> Answer {
    Answer::counted(|items| {
        let mut watcher = Watcher::new(paths, Limits::NONE);
        for chunk in stream.chunks(chunk) {
            let mut events = watcher.feed(chunk);
            while let Some(event) = events.next() {
                match event {
                    Ok(Event::Hit(_) | Event::End { .. }) => *items += 1,
                    Ok(_) => {}
                    Err(_) if events.resume() => *items += 1,
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(watcher.finish()?)
    })
}

pub fn collector_resuming<const N: usize>(stream: &[u8], chunk: usize, paths: &PathSet<N>) -> Answer {
    Answer::counted(|items| {
        let mut collector = Collector::new(paths, Limits::NONE);
        for chunk in stream.chunks(chunk) {
            let mut hits = collector.feed(chunk);
            while let Some(fault) = hits.next_hit().map(Result::err) {
                match fault {
                    Some(error) if !hits.resume() => return Err(error.into()),
                    _ => *items += 1,
                }
            }
        }
        Ok(())
    })
}

/// Counts the hits of a source until its end or the first error.
macro_rules! count {
    ($items:ident, $source:expr, |$hit:ident| $number:expr) => {{
        let mut source = $source;
        while let Some(hit) = source.next_hit() {
            let $hit = hit?;
            *$items += $number;
        }
    }};
    ($items:ident, $source:expr) => {
        count!($items, $source, |_hit| 1)
    };
}

pub fn collector<const N: usize>(stream: &[u8], chunk: usize, paths: &PathSet<N>) -> Answer {
    Answer::counted(|items| {
        let mut collector = Collector::new(paths, Limits::NONE);
        for chunk in stream.chunks(chunk) {
            count!(items, collector.feed(chunk));
        }
        count!(items, collector.finish());
        Ok(())
    })
}

/// Reads top-level packets, and watches each with a hint.
pub fn collector_and_hint<const N: usize>(stream: &[u8], chunk: usize, paths: &PathSet<N>) -> Answer {
    const TOP: PathSet<1> = PathSet::new([Path::ANY]);
    Answer::counted(|items| {
        let (mut collector, mut hint) = (Collector::new(&TOP, Limits::NONE), Hint::new(paths));
        for chunk in stream.chunks(chunk) {
            count!(items, collector.feed(chunk), |hit| hint.watch(hit.packet().as_bytes()).flatten().count());
        }
        Ok(())
    })
}

/// The chunks are parts of one allocation, as in a network buffer.
pub fn collector_bytes<const N: usize>(
    stream: &[u8],
    chunk: usize,
    paths: &PathSet<N>,
    mut keep: impl FnMut(BytesHit),
) -> Answer {
    Answer::counted(|items| {
        let (mut collector, mut rest) = (Collector::new(paths, Limits::NONE), Bytes::copy_from_slice(stream));
        while !rest.is_empty() {
            let chunk = rest.split_to(chunk.min(rest.len()));
            count!(items, collector.feed(&chunk), |hit| {
                keep(hit.to_bytes(&chunk)?);
                1
            });
        }
        count!(items, collector.finish());
        Ok(())
    })
}

/// A source that returns at most `most` bytes at a time.
struct Drip<'a> {
    rest: &'a [u8],
    most: usize,
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

pub fn reader<const N: usize>(stream: &[u8], most: usize, paths: &PathSet<N>) -> Answer {
    Answer::counted(|items| {
        count!(items, Reader::new(Drip { rest: stream, most }, paths, Limits::NONE));
        Ok(())
    })
}

pub fn seeking<const N: usize>(file: &[u8], paths: &PathSet<N>) -> Answer {
    Answer::counted(|items| {
        count!(items, Reader::seeking(Cursor::new(file), paths, Limits::NONE));
        Ok(())
    })
}

pub fn async_reader<const N: usize>(
    stream: &[u8],
    most: usize,
    paths: &PathSet<N>,
    mut keep: impl FnMut(BytesHit),
) -> Answer {
    Answer::counted(|items| {
        let mut reader = AsyncReader::new(Drip { rest: stream, most }, paths, Limits::NONE);
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(Some(hit)) = pin!(reader.next_hit()).poll(&mut context) {
            keep(hit?);
            *items += 1;
        }
        Ok(())
    })
}

pub fn codec(stream: &[u8], chunk: usize) -> Answer {
    Answer::counted(|items| {
        let (mut codec, mut buffer) = (PacketCodec::new(Limits::NONE), BytesMut::new());
        for chunk in stream.chunks(chunk) {
            buffer.extend_from_slice(chunk);
            while let Some(packet) = codec.decode(&mut buffer)? {
                y3::check(&packet)?;
                *items += 1;
            }
        }
        codec.decode_eof(&mut buffer).map(drop)
    })
}
