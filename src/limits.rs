//! Limits: how much of an untrusted input a reader accepts.
//!
//! In: the longest packet and value that the caller accepts, and the maximum depth. Out: three limits, which are
//! checked as soon as a header is read.

use crate::error::{Error, ErrorKind, Wanted};
use crate::wire::header::Header;
pub use crate::wire::mode::MAX_DEPTH;

/// The recursion limit in serde for values without a node, such as options. It allows two such values for each of 64
/// nodes.
#[cfg(feature = "serde")]
pub(crate) const MAX_STEPS: u8 = 128;

/// The limits of a stream reader. A packet that exceeds a length limit is an
/// [`ErrorKind::SizeLimit`](crate::ErrorKind::SizeLimit). The reader reports it once the header of the packet is read,
/// before it stores any of the value.
///
/// A length limit applies to the length that the sender declares. It reserves no memory: memory grows with the bytes
/// that have arrived. The depth limit applies to readers of [`Patterns`](crate::Patterns), which report a deeper node
/// as an error. A watcher of paths enters at most [`Path::MAX_LEN`](crate::Path::MAX_LEN) nodes anyway.
///
/// # Examples
/// ```
/// use y3::{ErrorKind, Event, Limits, PathSet, Watcher, path};
///
/// const WATCHED: PathSet<1> = PathSet::new([path!(0x01)]);
/// const STRICT: Limits = Limits::DEFAULT.with_max_value_len(1024);
///
/// let mut watcher = Watcher::new(&WATCHED, STRICT);
/// let error = watcher.feed(&[0x01, 0xbf, 0x7f]).next().unwrap().unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (ErrorKind::SizeLimit, 0));
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits), [SPEC §10](crate::spec#10-security)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    packet_len: usize,
    value_len: usize,
    depth: usize,
}

impl Limits {
    /// The default limits: packets of 64 MiB, watched values of 16 MiB, 64 nested nodes.
    pub const DEFAULT: Limits = Limits { packet_len: 64 << 20, value_len: 16 << 20, depth: MAX_DEPTH };
    /// No limits except those of the format and [`MAX_DEPTH`]. A sender can then make a reader wait for 2 GiB. A reader
    /// that joins split values may have to store 2 GiB.
    pub const NONE: Limits = Limits { packet_len: usize::MAX, value_len: usize::MAX, depth: MAX_DEPTH };

    /// Sets the maximum length of a top-level packet in bytes, header included. The limit applies to watched and to
    /// unwatched packets.
    ///
    /// The minimum is 6, the size of the longest header. Smaller numbers become 6.
    #[must_use]
    pub const fn with_max_packet_len(self, bytes: usize) -> Limits {
        Limits { packet_len: if bytes < Header::MAX_SIZE { Header::MAX_SIZE } else { bytes }, ..self }
    }

    /// Sets the maximum length of a watched value in bytes, whether the value is joined or not.
    #[must_use]
    pub const fn with_max_value_len(self, bytes: usize) -> Limits {
        Limits { value_len: bytes, ..self }
    }

    /// Sets the maximum nesting depth for readers that check packets at every depth, and for those that watch patterns.
    /// The highest possible depth is [`MAX_DEPTH`]: larger numbers become that number.
    #[must_use]
    pub const fn with_max_depth(self, nodes: usize) -> Limits {
        Limits { depth: if nodes > MAX_DEPTH { MAX_DEPTH } else { nodes }, ..self }
    }

    /// The maximum length of a top-level packet in bytes, header included.
    #[must_use]
    pub const fn max_packet_len(&self) -> usize {
        self.packet_len
    }

    /// The maximum length of a watched value in bytes.
    #[must_use]
    pub const fn max_value_len(&self) -> usize {
        self.value_len
    }

    /// The maximum nesting depth for readers that check packets at every depth, and for those that watch patterns.
    #[must_use]
    pub const fn max_depth(&self) -> usize {
        self.depth
    }

    /// Returns an error if a top-level packet at `offset` is longer than the limit.
    #[inline(always)]
    pub(crate) fn refuse_packet(&self, len: usize, offset: u64) -> Option<Error> {
        if len > self.packet_len {
            Some(Error::naming(ErrorKind::SizeLimit, offset, Wanted::PACKET, self.packet_len))
        } else {
            None
        }
    }

    /// Returns an error if a watched value is longer than the limit. The packet of the value is at `offset`.
    #[inline(always)]
    pub(crate) fn refuse_value(&self, len: usize, offset: u64) -> Option<Error> {
        if len > self.value_len {
            Some(Error::naming(ErrorKind::SizeLimit, offset, Wanted::VALUE, self.value_len))
        } else {
            None
        }
    }
}

/// Returns [`Limits::DEFAULT`].
impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}
