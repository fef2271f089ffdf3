//! Limits: how much of an untrusted input a reader accepts.
//!
//! In: how long a caller will wait, and how much it will store. Out: three limits, checked as soon as a header is read.

use crate::error::{Error, ErrorKind, Wanted};
use crate::wire::header::Header;
pub use crate::wire::mode::MAX_DEPTH;

/// The recursion limit in serde for steps that are not nodes: two for each of 64 nodes.
#[cfg(feature = "serde")]
pub(crate) const MAX_STEPS: u8 = 128;

/// The limits of a stream's reader. A packet beyond a limit is [`ErrorKind::SizeLimit`](crate::ErrorKind::SizeLimit),
/// reported once its header is read, before any of its value is stored.
///
/// A limit applies to the length that the sender declares; it reserves no memory. Memory grows with the bytes that have
/// arrived. A watcher of paths enters at most [`Path::MAX_LEN`](crate::Path::MAX_LEN) nodes. A watcher of
/// [`Patterns`](crate::Patterns) reports a node beyond the maximum depth.
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
    /// Packets of 64 MiB, watched values of 16 MiB, 64 nested nodes.
    pub const DEFAULT: Limits = Limits { packet_len: 64 << 20, value_len: 16 << 20, depth: MAX_DEPTH };
    /// Only the limits of the format. A sender can then make a reader wait for 2 GiB, and make a reader that joins values store 2 GiB.
    pub const NONE: Limits = Limits { packet_len: usize::MAX, value_len: usize::MAX, depth: MAX_DEPTH };

    /// Sets the length of the longest top-level packet, header included, watched or not.
    ///
    /// The minimum is 6, the longest header; smaller numbers become 6.
    #[must_use]
    pub const fn with_max_packet_len(self, bytes: usize) -> Limits {
        Limits { packet_len: if bytes < Header::MAX_SIZE { Header::MAX_SIZE } else { bytes }, ..self }
    }

    /// Sets the length of the longest watched value, joined or not.
    #[must_use]
    pub const fn with_max_value_len(self, bytes: usize) -> Limits {
        Limits { value_len: bytes, ..self }
    }

    /// Sets the maximum nesting depth for readers that check packets at every depth or watch patterns. Larger numbers
    /// become [`MAX_DEPTH`].
    #[must_use]
    pub const fn with_max_depth(self, nodes: usize) -> Limits {
        Limits { depth: if nodes > MAX_DEPTH { MAX_DEPTH } else { nodes }, ..self }
    }

    /// The length of the longest top-level packet, header included.
    #[must_use]
    pub const fn max_packet_len(&self) -> usize {
        self.packet_len
    }

    /// The length of the longest watched value.
    #[must_use]
    pub const fn max_value_len(&self) -> usize {
        self.value_len
    }

    /// The maximum nesting depth for checking every depth and for watching patterns.
    #[must_use]
    pub const fn max_depth(&self) -> usize {
        self.depth
    }

    /// Returns an error if a top-level packet of that length at `offset` is too long.
    #[inline(always)]
    pub(crate) fn refuse_packet(&self, len: usize, offset: u64) -> Option<Error> {
        if len > self.packet_len {
            Some(Error::naming(ErrorKind::SizeLimit, offset, Wanted::PACKET, self.packet_len))
        } else {
            None
        }
    }

    /// Returns an error if a watched value of that length, in the packet at `offset`, is too long.
    #[inline(always)]
    pub(crate) fn refuse_value(&self, len: usize, offset: u64) -> Option<Error> {
        if len > self.value_len {
            Some(Error::naming(ErrorKind::SizeLimit, offset, Wanted::VALUE, self.value_len))
        } else {
            None
        }
    }
}

/// [`Limits::DEFAULT`].
impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}
