//! Bytes: hits that own their memory without copying it.
//!
//! In: chunks as `Bytes`, cut anywhere. Out: whole hits as `Bytes` that share a chunk's memory. Only hits that span several
//! chunks are copied.

use alloc::vec::Vec;

use bytes::{Buf, Bytes};

use super::collect::Collector;
use super::join::{Found, HitSpan, Joiner};
use crate::error::{Error, ErrorKind};
use crate::fault::Fault;
use crate::read::lookup::PathLookup;
use crate::read::packet::Packet;
use crate::read::slice_ref::slice_ref;
use crate::read::watch::Hit;
use crate::value::Decode;
use crate::wire::header::Header;

/// A packet at the end of a watched path that owns its memory or shares that of its chunk.
///
/// It can be kept and sent to another thread. It keeps the memory of the whole chunk: to keep a few small values out of
/// large chunks for long, copy them. Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
///
/// # Examples
/// ```
/// use bytes::Bytes;
/// use y3::{Collector, Limits, PathSet, path};
///
/// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
///
/// let mut collector = Collector::new(&WATCHED, Limits::DEFAULT);
/// let chunk = Bytes::from_static(&[0x81, 0x03, 0x11, 0x01, 0x07]);
/// let hit = collector.feed_bytes(chunk.clone()).next().unwrap()?;
/// assert_eq!((hit.path_index(), hit.offset(), hit.decode::<i32>()?), (0, 2, 7));
/// assert_eq!(hit.value().as_ptr(), chunk[4..].as_ptr());
/// # Ok::<(), y3::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BytesHit {
    bytes: Bytes,
    header: Header,
    offset: u64,
    path_index: usize,
}

impl BytesHit {
    /// The index of the packet's path in the array given to [`PathSet::new`](crate::PathSet::new).
    #[must_use]
    pub const fn path_index(&self) -> usize {
        self.path_index
    }

    /// The offset of the tag: bytes from the first byte fed.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The packet, borrowed.
    #[must_use]
    pub fn packet(&self) -> Packet<'_> {
        let value = self.bytes.get(self.header.size()..).unwrap_or_default();
        Packet::new(self.header, &self.bytes, value).at(self.offset)
    }

    /// The value's bytes.
    #[must_use]
    pub fn value(&self) -> Bytes {
        slice_ref(&self.bytes, self.packet().value()).unwrap_or_default()
    }

    /// The value as a type; see [`Packet::decode`].
    ///
    /// # Errors
    /// Those of [`Packet::decode`].
    pub fn decode<'a, T: Decode<'a>>(&'a self) -> Result<T, Error> {
        self.packet().decode()
    }

    /// The whole packet's bytes, tag and length included.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }

    /// A hit whose packet is `bytes`.
    fn new(hit: &Hit<'_>, bytes: Bytes) -> Option<Self> {
        let (header, _) = Header::split(&bytes)?;
        Some(Self { bytes, header, offset: hit.offset(), path_index: hit.path_index() })
    }
}

impl<P: PathLookup> Collector<P> {
    /// Feeds a chunk as [`feed`](Self::feed) does, and returns hits that share the chunk's memory.
    ///
    /// A hit that spans several chunks is copied once more, out of the buffer in which it was joined.
    pub fn feed_bytes(&mut self, chunk: Bytes) -> BytesHits<'_, P> {
        self.joiner.machine.emit_again();
        BytesHits { collector: self, chunk }
    }

    /// Ends the stream as [`finish`](Self::finish) does, and returns hits that own their memory.
    pub fn finish_bytes(&mut self) -> BytesHits<'_, P> {
        self.joiner.end();
        self.joiner.machine.emit_again();
        BytesHits { collector: self, chunk: Bytes::new() }
    }
}

impl Joiner {
    /// Finds the next hit as [`find`](Self::find) does, and removes the bytes that were read from the front of the chunk.
    pub(super) fn find_bytes<P: PathLookup>(
        &mut self,
        paths: &P,
        chunk: &mut Bytes,
    ) -> Option<Result<BytesHit, Error>> {
        loop {
            let mut cursor = self.machine.cursor(chunk);
            let found = self.find(paths, &mut cursor);
            let taken = chunk.len() - self.machine.leave(cursor).len();
            let hit = match found {
                Some(Ok(Found::InChunk(hit))) => {
                    slice_ref(chunk, hit.packet().as_bytes()).and_then(|bytes| BytesHit::new(&hit, bytes)).map(Ok)
                }
                Some(Ok(Found::Joined(span))) => {
                    let Some(hit) = self.copied(paths, &span) else {
                        chunk.advance(taken);
                        continue;
                    };
                    Some(Ok(hit))
                }
                Some(Err(error)) => Some(Err(error)),
                None => None,
            };
            chunk.advance(taken);
            return hit;
        }
    }

    /// A copy of a hit in the buffer, which will be reused. If there is no memory for the copy, the packet is refused.
    fn copied<P: PathLookup>(&mut self, paths: &P, span: &HitSpan) -> Option<BytesHit> {
        let hit = span.hit(&self.joined)?;
        let packet = hit.packet().as_bytes();
        let copy = copy(packet).and_then(|bytes| BytesHit::new(&hit, bytes));
        if copy.is_none() {
            self.machine.refuse(paths, ErrorKind::SizeLimit, hit.offset(), packet.len());
        }
        copy
    }
}

/// A copy of the bytes; `None` if there is no memory for it.
fn copy(bytes: &[u8]) -> Option<Bytes> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).ok()?;
    copy.extend_from_slice(bytes);
    Some(copy.into())
}

/// The hits of a chunk, made by [`Collector::feed_bytes`].
///
/// After an error it yields `None` until [`resume`](Self::resume), so it does not implement `FusedIterator`.
#[derive(Debug)]
pub struct BytesHits<'h, P: PathLookup> {
    collector: &'h mut Collector<P>,
    chunk: Bytes,
}

impl<P: PathLookup> BytesHits<'_, P> {
    /// After an error, skips to the end of the outermost packet that has it; see [`Watcher::resume`](crate::Watcher::resume).
    pub fn resume(&mut self) -> bool {
        self.collector.resume()
    }

    /// Where an error of this stream is; see [`Watcher::explain`](crate::Watcher::explain).
    #[must_use]
    pub fn explain(&self, error: Error) -> Fault {
        self.collector.explain(error)
    }

    /// The error that ended the watch; `None` after an error in the value of a primitive that a path crosses, behind which the
    /// watch goes on.
    #[must_use]
    pub fn error(&self) -> Option<Error> {
        self.collector.error()
    }
}

impl<P: PathLookup> Iterator for BytesHits<'_, P> {
    type Item = Result<BytesHit, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let Collector { paths, joiner } = &mut *self.collector;
        joiner.find_bytes(paths, &mut self.chunk)
    }
}

/// Consumes the rest of the chunk.
impl<P: PathLookup> Drop for BytesHits<'_, P> {
    fn drop(&mut self) {
        while self.next().is_some() {}
        let Collector { joiner, .. } = &mut *self.collector;
        let cursor = joiner.machine.cursor(&self.chunk);
        joiner.drop_rest(cursor);
    }
}
