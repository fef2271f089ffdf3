//! The items that a watcher yields for a chunk.
//!
//! An item is a hit, or the start, a part or the end of a packet that spans several chunks.

use crate::read::watch::Hit;
use crate::wire::header::Header;
use crate::wire::tag::Tag;

/// An item that a [`Watcher`](crate::Watcher) yields for a chunk.
///
/// Hits and starts come in the order of the input. A packet is *open* from its `Start` to its `End`. An `End` ends the
/// open packet whose last byte has just arrived.
///
/// A watched packet that spans several chunks can contain another watched packet. Each chunk then yields the events of
/// the outer packet before the events of the inner packet. The `Data` of the outer packet includes the bytes of the
/// inner packet.
///
/// Each path has at most one open packet. A [`Pattern`](crate::Pattern) with `**` can have several open packets, which
/// are inside each other. For each chunk, each of these packets then yields one `Data`, the outermost packet first.
///
/// An error in embedded packets is an `Err` among the events. The watch continues after the primitive that contains
/// these packets. If packets are open when the error occurs, the rest of their `Data` and their `End` still follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'c> {
    /// A watched packet that is completely in the chunk.
    Hit(Hit<'c>),
    /// The start of a watched packet that is only partly in the chunk.
    Start {
        /// The path index of the packet. See [`Hit::path_index`].
        path_index: usize,
        /// The offset of the tag in bytes from the start of the stream.
        offset: u64,
        /// The tag and the length. The header and the data together are the whole packet. [`Header::encode`] returns
        /// the bytes of the header as they were sent. The length is within the limits. Do not reserve memory for this
        /// length, because the sender can send fewer bytes.
        header: Header,
    },
    /// The next part of the value of an open packet: all bytes of the value that are in this chunk, at least one byte.
    Data {
        /// The path index of the packet, as in its `Start`.
        path_index: usize,
        /// The bytes of the part, borrowed from the chunk.
        bytes: &'c [u8],
    },
    /// The end of an open packet. The packet is now a complete hit.
    End {
        /// The path index of the packet, as in its `Start`.
        path_index: usize,
    },
}

/// The first bytes of a header, or the whole header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HeaderBytes {
    bytes: [u8; Header::MAX_SIZE],
    len: u8,
}

impl HeaderBytes {
    pub(super) fn with(mut self, byte: u8) -> Self {
        if let Some(next) = self.bytes.get_mut(usize::from(self.len)) {
            *next = byte;
            self.len += 1;
        }
        self
    }

    pub(super) const fn len(self) -> u8 {
        self.len
    }

    /// The first byte as a tag. There must be a byte.
    pub(super) fn tag(self) -> Tag {
        let [tag, ..] = self.bytes;
        Tag::from(tag)
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}
