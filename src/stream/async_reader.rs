//! Watches packets from any source that tokio can read.
//!
//! The hits borrow nothing. Unwatched packets are not stored.

use core::pin::Pin;
use core::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes, BytesMut};
use futures_core::Stream;
use tokio::io::AsyncRead;
use tokio_util::io::poll_read_buf;

use super::bytes::BytesHit;
use super::collect::Collector;
use super::error::ReadError;
use super::reader::BUFFER;
use crate::error::Error;
use crate::limits::Limits;
use crate::read::lookup::WatchedPaths;

/// If the buffer has less free space than this, it gets new memory before the next read.
const ROOM: usize = 4 << 10;

/// Watches paths in any source that implements `AsyncRead`. The reader is a [`Stream`] of [`BytesHit`]s. The method
/// [`next_hit`](Self::next_hit) returns one hit at a time.
///
/// Hits share the memory of the read buffer, which has at most 64 KiB. The reader reuses this memory when no hit shares
/// it any more. The reader skips unwatched packets as they arrive. The errors are those of [`Reader`](crate::Reader).
///
/// # Examples
/// ```
/// use y3::{AsyncReader, Limits, PathSet, path};
///
/// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let source: &[u8] = &[0x81, 0x06, 0x10, 0x01, 0xff, 0x11, 0x01, 0x07];
/// let mut reader = AsyncReader::new(source, &WATCHED, Limits::DEFAULT);
/// while let Some(hit) = reader.next_hit().await {
///     assert_eq!(hit?.decode::<i32>()?, 7);
/// }
/// # Ok::<(), y3::ReadError>(())
/// # }).unwrap();
/// ```
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
#[derive(Debug)]
pub struct AsyncReader<R, P: WatchedPaths> {
    source: R,
    collector: Collector<P>,
    /// Free memory for the next read.
    buffer: BytesMut,
    /// Bytes that were read from the source but not parsed yet.
    chunk: Bytes,
    ended: bool,
}

impl<R, P: WatchedPaths> AsyncReader<R, P> {
    /// Makes a reader that starts at the current position of the source. Offsets count from that position.
    #[must_use]
    pub fn new(source: R, paths: P, limits: Limits) -> Self {
        let (buffer, chunk) = (BytesMut::new(), Bytes::new());
        Self { source, collector: Collector::new(paths, limits), buffer, chunk, ended: false }
    }

    stream_methods!(collector, source: R);
}

impl<R: AsyncRead + Unpin, P: WatchedPaths> AsyncReader<R, P> {
    /// Returns the next hit.
    ///
    /// This call is cancel safe: if you drop its future, no bytes or hits are lost. The next call continues where this
    /// call stopped.
    ///
    /// # Errors
    /// Returns the errors of [`Reader::next_hit`](crate::Reader::next_hit).
    pub async fn next_hit(&mut self) -> Option<Result<BytesHit, ReadError>> {
        core::future::poll_fn(|context| self.poll_hit(context)).await
    }

    fn poll_hit(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<BytesHit, ReadError>>> {
        loop {
            if let Some(hit) = self.collector.find_bytes(&mut self.chunk) {
                return Poll::Ready(Some(hit.map_err(ReadError::from)));
            }
            if self.ended || self.error().is_some() {
                return Poll::Ready(None);
            }
            // Lets the buffer reuse the memory of the last chunk, unless a hit shares this memory.
            self.chunk = Bytes::new();
            if self.buffer.capacity() < ROOM {
                self.buffer.reserve(BUFFER);
            }
            match ready!(poll_read_buf(Pin::new(&mut self.source), context, &mut self.buffer)) {
                Ok(0) => {
                    self.ended = true;
                    self.collector.end();
                }
                Ok(_) => self.chunk = self.buffer.split().freeze(),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Some(Err(error.into()))),
            }
        }
    }
}

impl<P: WatchedPaths> Collector<P> {
    /// Finds the next hit in a chunk. Removes the bytes that it has read from the front of the chunk.
    fn find_bytes(&mut self, chunk: &mut Bytes) -> Option<Result<BytesHit, Error>> {
        let mut cursor = self.watcher.machine.cursor(chunk);
        let found = self.find(&mut cursor);
        let hit = found.map(|found| self.hit(found?)?.to_bytes(chunk));
        let left = self.watcher.machine.leave(cursor).len();
        chunk.advance(chunk.len() - left);
        hit
    }
}

impl<R: AsyncRead + Unpin, P: WatchedPaths> Stream for AsyncReader<R, P> {
    type Item = Result<BytesHit, ReadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_hit(context)
    }
}
