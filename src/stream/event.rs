//! Event: what a watcher yields for a chunk.
//!
//! In: packets that the machine found. Out: a hit, or the start, the parts and the end of a packet that spans several
//! chunks.

use crate::read::watch::Hit;
use crate::wire::header::Header;
use crate::wire::tag::Tag;

/// What a [`Watcher`](crate::Watcher) yields for a chunk.
///
/// Within a chunk, a packet comes before the packets inside it, with all of its bytes in that chunk. So where one watched
/// path leads through another, `Data` of the outer packet covers the inner packets too, in one piece per chunk; then comes
/// its `End`, if its last byte is in the chunk; then the inner packets. Hits and starts come in the order of the wire. At
/// most one packet of each path is open at any time; of a [`Pattern`](crate::Pattern) with `**` several may be, one inside
/// another. In each chunk these get their `Data` from the outside in, one piece each, and `End` is that of the one whose bytes
/// are all there.
///
/// An error in embedded packets comes as `Err` among the events, and the watch goes on after their primitive. Packets that are open
/// then still get the rest of their bytes and their `End`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'c> {
    /// A watched packet that lies in the chunk from its tag to its last byte.
    Hit(Hit<'c>),
    /// The start of a watched packet that is not wholly in the chunk.
    Start {
        /// The index of the packet's path; see [`Hit::path_index`].
        path_index: usize,
        /// The offset of the tag: bytes from the first byte fed.
        offset: u64,
        /// Tag and length. With the data that follow they are the whole packet; [`Header::encode`] gives their bytes as sent. The
        /// length is within the limits, but its bytes may never arrive, so do not reserve memory for them.
        header: Header,
    },
    /// More of the value of a packet that has started: all of it that is in this chunk, never empty.
    Data {
        /// The path of the packet, as in its `Start`.
        path_index: usize,
        /// The bytes, borrowed from the chunk.
        bytes: &'c [u8],
    },
    /// The end of a packet that has started. Only then is it a hit.
    End {
        /// The path of the packet, as in its `Start`.
        path_index: usize,
    },
}

/// The first bytes of a header, or all of them.
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
