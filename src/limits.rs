//! How much of an untrusted input a reader accepts.
//!
//! A reader checks the limits as soon as it has read a header.

use crate::error::{Error, ErrorKind, Wanted};
use crate::wire::header::Header;
pub use crate::wire::mode::MAX_DEPTH;

/// The recursion limit in serde for values that have no node, such as options. For each of 64 nested nodes, two such
/// values are allowed.
#[cfg(feature = "serde")]
pub(crate) const MAX_STEPS: u8 = 128;

/// The limits of a stream reader. If a packet exceeds a length limit, the reader returns
/// [`ErrorKind::SizeLimit`](crate::ErrorKind::SizeLimit). It checks the limit as soon as it has read the header of the
/// packet, before it stores any byte of the value.
///
/// A length limit applies to the length that the sender declares. A high limit costs no memory: a reader allocates
/// memory only for bytes that have arrived. The depth limit applies to readers of [`Patterns`](crate::Patterns): these
/// readers return an error for a node that is nested too deep. Other watchers enter at most
/// [`Path::MAX_LEN`](crate::Path::MAX_LEN) nested nodes and ignore the depth limit.
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
    /// The default limits: packets of at most 64 MiB, watched values of at most 16 MiB, and at most 64 nested nodes.
    pub const DEFAULT: Limits = Limits { packet_len: 64 << 20, value_len: 16 << 20, depth: MAX_DEPTH };
    /// No limits except those of the format and [`MAX_DEPTH`]. With these limits, a sender can make a reader wait for a
    /// packet of 2 GiB. A reader that joins split values may have to store 2 GiB.
    pub const NONE: Limits = Limits { packet_len: usize::MAX, value_len: usize::MAX, depth: MAX_DEPTH };

    /// Sets the maximum length of a top-level packet in bytes, header included. The limit applies to all packets,
    /// watched or not.
    ///
    /// The minimum is 6, the size of the longest header. Smaller arguments become 6.
    #[must_use]
    pub const fn with_max_packet_len(self, bytes: usize) -> Limits {
        Limits { packet_len: if bytes < Header::MAX_SIZE { Header::MAX_SIZE } else { bytes }, ..self }
    }

    /// Sets the maximum length of a watched value in bytes. The limit applies even if the reader does not join values.
    #[must_use]
    pub const fn with_max_value_len(self, bytes: usize) -> Limits {
        Limits { value_len: bytes, ..self }
    }

    /// Sets the maximum nesting depth that a reader accepts when it watches [`Patterns`](crate::Patterns). Arguments
    /// above [`MAX_DEPTH`] become [`MAX_DEPTH`].
    #[must_use]
    pub const fn with_max_depth(self, nodes: usize) -> Limits {
        Limits { depth: if nodes > MAX_DEPTH { MAX_DEPTH } else { nodes }, ..self }
    }

    /// Returns the maximum length of a top-level packet in bytes, header included.
    #[must_use]
    pub const fn max_packet_len(&self) -> usize {
        self.packet_len
    }

    /// Returns the maximum length of a watched value in bytes.
    #[must_use]
    pub const fn max_value_len(&self) -> usize {
        self.value_len
    }

    /// Returns the maximum nesting depth that a reader accepts when it watches [`Patterns`](crate::Patterns).
    #[must_use]
    pub const fn max_depth(&self) -> usize {
        self.depth
    }

    /// Returns an error if the length of a top-level packet exceeds the limit. The packet is at `offset`.
    #[inline(always)]
    pub(crate) fn refuse_packet(&self, len: usize, offset: u64) -> Option<Error> {
        if len > self.packet_len {
            Some(Error::naming(ErrorKind::SizeLimit, offset, Wanted::PACKET, self.packet_len))
        } else {
            None
        }
    }

    /// Returns an error if the length of a watched value exceeds the limit. The packet of the value is at `offset`.
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
