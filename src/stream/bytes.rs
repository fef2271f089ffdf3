//! Bytes: hits that can be kept, since they borrow nothing.
//!
//! In: a hit, and the chunk that may contain it. Out: the hit as `Bytes`. If the hit lies in the chunk, they share its
//! memory. Any other hit is copied.

use alloc::vec::Vec;

use bytes::Bytes;

use crate::error::{Error, ErrorKind, Wanted};
use crate::read::packet::Packet;
use crate::read::parser::next_header;
use crate::read::path::Path;
use crate::read::slice_ref::slice_ref;
use crate::read::watch::Hit;
use crate::value::Decode;
use crate::wire::header::Header;

/// A hit that can be kept, made by [`Hit::to_bytes`]. It shares the memory of its chunk or owns a copy.
///
/// You can send a `BytesHit` to another thread. If it shares the memory of its chunk, the whole chunk stays allocated.
/// To keep a small value for a long time, copy the value, so that a large chunk is freed.
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
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
/// let hit = collector.feed(&chunk).next_hit().unwrap()?.to_bytes(&chunk)?;
/// assert_eq!((hit.path_index(), hit.offset(), hit.decode::<i32>()?), (0, 2, 7));
/// assert_eq!(hit.value().as_ptr(), chunk[4..].as_ptr());
/// # Ok::<(), y3::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BytesHit {
    bytes: Bytes,
    header: Header,
    offset: u64,
    path: Option<Path>,
    path_index: usize,
}

impl BytesHit {
    /// The index of the packet's path in the array given to [`PathSet::new`](crate::PathSet::new).
    #[must_use]
    pub const fn path_index(&self) -> usize {
        self.path_index
    }

    /// The keys that lead to the packet; see [`Hit::path`].
    #[must_use]
    pub const fn path(&self) -> Option<Path> {
        self.path
    }

    /// The offset of the tag, in bytes from the first byte of the stream or slice.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The packet, borrowed from this hit.
    #[must_use]
    pub fn packet(&self) -> Packet<'_> {
        let value = self.bytes.get(self.header.size()..).unwrap_or_default();
        Packet::new(self.header.tag(), &self.bytes, value, &[]).at(self.offset)
    }

    /// The bytes of the value. They share the memory of this hit.
    #[must_use]
    pub fn value(&self) -> Bytes {
        slice_ref(&self.bytes, self.packet().value()).unwrap_or_default()
    }

    /// Decodes the value as a type; see [`Packet::decode`].
    ///
    /// # Errors
    /// The errors of [`Packet::decode`].
    pub fn decode<'a, T: Decode<'a>>(&'a self) -> Result<T, Error> {
        self.packet().decode()
    }

    /// The bytes of the whole packet, tag and length included.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

impl Hit<'_> {
    /// Returns the hit in a form that can be kept. If the hit lies in `chunk`, the result shares the memory of `chunk`.
    /// Otherwise the hit is copied.
    ///
    /// Pass the chunk that was watched or fed. A hit that a [`Collector`](crate::Collector) joined lies in no chunk, so
    /// it is copied.
    ///
    /// # Errors
    /// [`SizeLimit`](crate::ErrorKind::SizeLimit) if there is no memory for a copy.
    pub fn to_bytes(&self, chunk: &Bytes) -> Result<BytesHit, Error> {
        let packet = self.packet().as_bytes();
        let bytes = slice_ref(chunk, packet).or_else(|| copy(packet));
        let header = next_header(packet).ok();
        let parts = bytes
            .zip(header)
            .ok_or_else(|| Error::naming(ErrorKind::SizeLimit, self.offset(), Wanted::MEMORY, packet.len()));
        parts.map(|(bytes, (_, header))| BytesHit {
            bytes,
            header,
            offset: self.offset(),
            path: self.path(),
            path_index: self.path_index(),
        })
    }
}

/// Copies the bytes. Returns `None` if there is no memory for the copy.
fn copy(bytes: &[u8]) -> Option<Bytes> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).ok()?;
    copy.extend_from_slice(bytes);
    Some(copy.into())
}
