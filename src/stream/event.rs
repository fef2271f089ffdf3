//! Event: an item that a watcher yields for a chunk.
//!
//! In: packets that the machine found. Out: a hit. For a packet that spans several chunks, its start, its parts and its
//! end.

use crate::read::watch::Hit;
use crate::wire::header::Header;
use crate::wire::tag::Tag;

/// An item that a [`Watcher`](crate::Watcher) yields for a chunk.
///
/// Hits and starts come in wire order. If a watched packet that spans several chunks contains another watched packet,
/// each chunk first yields one `Data` for the outer packet. The bytes in this `Data` include those of the inner packet.
/// If the outer packet ends in this chunk, its `End` comes next. The events of the inner packet follow. A packet is
/// *open* from its `Start` to its `End`. At most one packet of each path is open at any time. However, a
/// [`Pattern`](crate::Pattern) with `**` may have several open packets, each inside the one before. In each chunk, each
/// of these packets yields one `Data`, the outermost first. An `End` belongs to the open packet whose bytes are now
/// complete.
///
/// An error in embedded packets is an `Err` among the events. The watch continues after the primitive that contains
/// these packets. If packets are open when the error occurs, their remaining `Data` and their `End` still follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'c> {
    /// A watched packet that lies completely in the chunk.
    Hit(Hit<'c>),
    /// The start of a watched packet that is only partly in the chunk.
    Start {
        /// The index of the packet's path; see [`Hit::path_index`].
        path_index: usize,
        /// The offset of the tag, in bytes from the first byte of the stream.
        offset: u64,
        /// The tag and the length. The header and the data together are the whole packet. [`Header::encode`] returns
        /// the bytes of the header as sent. The length is within the limits. The sender may send fewer bytes than that,
        /// so do not reserve memory for the declared length.
        header: Header,
    },
    /// The next part of the value of an open packet: all bytes of that value that lie in this chunk, at least one.
    Data {
        /// The path index of the packet, as in its `Start`.
        path_index: usize,
        /// The bytes of the part, borrowed from the chunk.
        bytes: &'c [u8],
    },
    /// The end of an open packet, which is now a complete hit.
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
