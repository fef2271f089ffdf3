//! Hits that borrow nothing, so a program can keep them.
//!
//! A hit that is inside its chunk shares the memory of the chunk. Any other hit is copied.

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

/// A hit that borrows nothing, returned by [`Hit::to_bytes`]. It shares the memory of its chunk or owns a copy of the
/// packet.
///
/// A program can keep a `BytesHit` or send it to another thread. As long as the hit shares the memory of its chunk, the
/// whole chunk stays allocated. To keep a small value for a long time, copy the value, so that the chunk can be freed.
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
    /// Returns the index of the matching path in the array given to [`PathSet::new`](crate::PathSet::new).
    #[must_use]
    pub const fn path_index(&self) -> usize {
        self.path_index
    }

    /// Returns the keys that lead to the packet. See [`Hit::path`].
    #[must_use]
    pub const fn path(&self) -> Option<Path> {
        self.path
    }

    /// Returns the offset of the tag in bytes from the start of the stream or slice.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the packet, borrowed from this hit.
    #[must_use]
    pub fn packet(&self) -> Packet<'_> {
        let value = self.bytes.get(self.header.size()..).unwrap_or_default();
        Packet::new(self.header.tag(), &self.bytes, value, &[]).at(self.offset)
    }

    /// Returns the bytes of the value. They share the memory of this hit.
    #[must_use]
    pub fn value(&self) -> Bytes {
        slice_ref(&self.bytes, self.packet().value()).unwrap_or_default()
    }

    /// Decodes the value as a type. See [`Packet::decode`].
    ///
    /// # Errors
    /// Returns the errors of [`Packet::decode`].
    pub fn decode<'a, T: Decode<'a>>(&'a self) -> Result<T, Error> {
        self.packet().decode()
    }

    /// Returns the bytes of the whole packet, including tag and length.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

impl Hit<'_> {
    /// Returns the hit in a form that borrows nothing. If the hit is inside `chunk`, the result shares the memory of
    /// `chunk`. Otherwise the hit is copied.
    ///
    /// Pass the chunk that was watched or fed. A hit that a [`Collector`](crate::Collector) joined from several chunks
    /// is copied.
    ///
    /// # Errors
    /// Returns [`SizeLimit`](crate::ErrorKind::SizeLimit) if there is no memory for a copy.
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

fn copy(bytes: &[u8]) -> Option<Bytes> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).ok()?;
    copy.extend_from_slice(bytes);
    Some(copy.into())
}
