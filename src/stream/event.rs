//! Event: an item that a watcher yields for a chunk.
//!
//! In: packets that the machine found. Out: a hit, or the start, the parts and the end of a packet that spans several chunks.

use crate::read::watch::Hit;
use crate::wire::header::Header;
use crate::wire::tag::Tag;

/// An item that a [`Watcher`](crate::Watcher) yields for a chunk.
///
/// Within a chunk, a packet comes before the packets inside it, with all of its bytes in that chunk. So if one watched
/// path leads through another, `Data` of the outer packet also covers the inner packets, in one piece per chunk. Its
/// `End` follows if its last byte is in the chunk, and then the inner packets. Hits and starts come in wire order. At
/// most one packet of each path is open at any time; a [`Pattern`](crate::Pattern) with `**` may have several, one
/// inside another. Such packets get their `Data` in each chunk from the outside in, one piece each. An `End` belongs to
/// the packet whose bytes are complete.
///
/// An error in embedded packets comes as `Err` among the events, and the watch continues after their primitive. Packets
/// that are then open still get their remaining bytes and their `End`.
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
        /// Tag and length. With the data that follow they are the whole packet; [`Header::encode`] returns their bytes as sent.
        /// The length is within the limits, but the sender may never send that many bytes, so do not reserve memory for them.
        header: Header,
    },
    /// The next part of the value of a started packet: all of it that is in this chunk, never empty.
    Data {
        /// The path of the packet, as in its `Start`.
        path_index: usize,
        /// The bytes, borrowed from the chunk.
        bytes: &'c [u8],
    },
    /// The end of a started packet, which only now is a hit.
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
