//! Event: an item that a watcher yields for a chunk.
//!
//! In: packets that the machine found. Out: a hit, or the start, the parts and the end of a packet that spans several chunks.

use crate::read::watch::Hit;
use crate::wire::header::Header;
use crate::wire::tag::Tag;

/// An item that a [`Watcher`](crate::Watcher) yields for a chunk.
///
/// Hits and starts come in wire order. If one watched packet is inside another, each chunk first yields its part of the
/// outer packet in one `Data`, the inner packet's bytes included. Then comes the outer `End`, if the outer packet ends
/// in this chunk, and then the inner packet. At most one packet of each path is open at any time. Only a
/// [`Pattern`](crate::Pattern) with `**` may have several, one inside another. In each chunk these yield one `Data`
/// each, the outer ones first. An `End` belongs to the packet whose bytes are complete.
///
/// An error in embedded packets comes as `Err` among the events, and the watch continues after their primitive. Packets
/// that are open at the error still get their remaining bytes and their `End`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'c> {
    /// A watched packet that lies in the chunk from its tag to its last byte.
    Hit(Hit<'c>),
    /// The start of a watched packet that is only partly in the chunk.
    Start {
        /// The index of the packet's path; see [`Hit::path_index`].
        path_index: usize,
        /// The offset of the tag: bytes from the first byte fed.
        offset: u64,
        /// Tag and length. Header and data together are the whole packet; [`Header::encode`] returns the header's bytes as sent.
        /// The length is within the limits, but the sender may never send that many bytes, so do not reserve memory for them.
        header: Header,
    },
    /// The next part of a started packet's value: all of its bytes in this chunk, at least one.
    Data {
        /// The path of the packet, as in its `Start`.
        path_index: usize,
        /// The bytes, borrowed from the chunk.
        bytes: &'c [u8],
    },
    /// The end of a started packet. Only now the packet is a hit.
    End {
        /// The path of the packet, as in its `Start`.
        path_index: usize,
    },
}

/// The first bytes of a header, perhaps all of them.
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

    pub(super) fn tag(self) -> Option<Tag> {
        self.bytes.first().filter(|_| self.len > 0).map(|byte| Tag::from(*byte))
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}
