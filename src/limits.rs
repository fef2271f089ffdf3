//! Limits: how much of an input that cannot be trusted is taken.
//!
//! In: what a caller is ready to wait for and to store. Out: three numbers that are looked at as soon as a header is there.

use crate::wire::header::Header;

/// The maximum nesting depth that readers of whole trees accept: 64 nodes.
///
/// [`walk`](crate::walk), [`check`](crate::check), [`KeySet::search`](crate::KeySet::search), the checked codec, records and
/// serde stop there. Each has a `with_max_depth` for a lower limit. Source: SPEC §8
pub const MAX_DEPTH: usize = 64;

/// Steps of recursion that are no nodes, in records and serde: at most so many on the way to a value. Two for each of 64 nodes.
#[cfg(any(feature = "derive", feature = "serde"))]
pub(crate) const MAX_STEPS: u8 = 128;

/// What a reader of a stream accepts; more is [`ErrorKind::SizeLimit`](crate::ErrorKind::SizeLimit), found in the header
/// that says so, before anything of the packet is stored.
///
/// Lengths are what the sender declares, so a limit is no amount of memory kept ready: memory grows with bytes that have come.
/// How deep a watcher goes is limited by its paths, at most [`Path::MAX_LEN`](crate::Path::MAX_LEN) nodes.
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
/// Source: SPEC §8, §10
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    packet_len: usize,
    value_len: usize,
    depth: usize,
}

impl Limits {
    /// Packets of 64 MiB, watched values of 16 MiB, 64 nodes one in another.
    pub const DEFAULT: Limits = Limits { packet_len: 64 << 20, value_len: 16 << 20, depth: MAX_DEPTH };
    /// Whatever the format can say: a sender can make a reader wait for, and a joining reader store, 2 GiB.
    pub const NONE: Limits = Limits { packet_len: usize::MAX, value_len: usize::MAX, depth: MAX_DEPTH };

    /// The same with another longest outermost packet, header included, watched or not.
    ///
    /// Not below 6, the longest header: less is taken as 6.
    #[must_use]
    pub const fn with_max_packet_len(self, bytes: usize) -> Limits {
        Limits { packet_len: if bytes < Header::MAX_SIZE { Header::MAX_SIZE } else { bytes }, ..self }
    }

    /// The same with another longest watched value, joined or not.
    #[must_use]
    pub const fn with_max_value_len(self, bytes: usize) -> Limits {
        Limits { value_len: bytes, ..self }
    }

    /// The same with another number of nodes one in another, for readers that check a packet at every depth. Not above
    /// [`MAX_DEPTH`]: more is taken as that.
    #[must_use]
    pub const fn with_max_depth(self, nodes: usize) -> Limits {
        Limits { depth: if nodes > MAX_DEPTH { MAX_DEPTH } else { nodes }, ..self }
    }

    /// The longest outermost packet, header included.
    #[must_use]
    pub const fn max_packet_len(&self) -> usize {
        self.packet_len
    }

    /// The longest watched value.
    #[must_use]
    pub const fn max_value_len(&self) -> usize {
        self.value_len
    }

    /// How many nodes may lie one in another where every depth is checked.
    #[must_use]
    pub const fn max_depth(&self) -> usize {
        self.depth
    }
}

/// [`Limits::DEFAULT`].
impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}
