//! Found: remembers which packets were found at the enclosing levels. This serves sets that select only the first
//! packet at each path.
//!
//! In: the packets found at a level. Out: the keys for which that level is still searched.

use core::fmt;

use super::keys::KeySet;
use super::path::Path;
use crate::wire::key::Key;

/// Remembers which packets were found at the enclosing levels. Sets that select all packets store nothing.
pub trait Found: Copy + Default + fmt::Debug + Unpin {
    /// Whether the set selects only the first packet at each path.
    const FIRST_ONLY: bool;

    /// A set of levels, one bit for each.
    type Levels: Levels;

    /// Enters a packet with this key at the level `depth`. `keys` are the keys for which that level is searched.
    fn enter(&mut self, depth: usize, keys: KeySet, key: Key);

    /// Returns the keys for which the level at a depth is still searched, after a packet inside it was read. The set
    /// has the watched keys that were not found inside that packet. The result is `None` if the set selects all packets
    /// of the level.
    #[inline(always)]
    fn after(&self, _depth: usize, _inside: KeySet) -> Option<KeySet> {
        None
    }

    /// The keys of the entered packets. Empty if the type does not store them.
    #[inline(always)]
    fn keys(&self, _depth: usize) -> &[Key] {
        &[]
    }

    /// The state of a level, if the set stores levels. Only patterns do, since they may have more levels than a reader
    /// can store.
    #[inline(always)]
    fn level(&self, _depth: usize) -> Option<&Level> {
        None
    }

    #[inline(always)]
    fn level_mut(&mut self, _depth: usize) -> Option<&mut Level> {
        None
    }
}

/// The end of a level, and the path index of the packet that contains the level.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    pub(crate) end: u64,
    pub(crate) path_index: u32,
}

/// A set of levels.
pub trait Levels: Copy + Default + PartialEq + fmt::Debug + Unpin {
    fn with(self, level: usize) -> Self;
    fn without(self, level: u8) -> Self;
    fn first(self) -> Option<u8>;
}

macro_rules! levels {
    ($($bits:ty)*) => {$(
        impl Levels for $bits {
            #[inline(always)]
            fn with(self, level: usize) -> Self {
                self | 1 << level
            }

            #[inline(always)]
            fn without(self, level: u8) -> Self {
                self & !(1 << level)
            }

            #[inline(always)]
            fn first(self) -> Option<u8> {
                let [level, ..] = self.trailing_zeros().to_le_bytes();
                (self != 0).then_some(level)
            }
        }
    )*};
}

levels!(u16 u128);

impl Found for () {
    const FIRST_ONLY: bool = false;
    type Levels = u16;

    #[inline(always)]
    fn enter(&mut self, _: usize, _: KeySet, _: Key) {}
}

/// Marks a set that selects only the first packet at each path; made by [`Set::first_only`](crate::Set::first_only).
/// Readers leave a node as soon as they have found all watched packets in it.
///
/// Inside each node, the reader looks for each watched key until a packet with that key counts as found. A packet
/// counts as found at once if no path continues inside it, otherwise once all watched packets inside it are found.
/// After an error in its embedded packets, a packet does not count as found. The reader jumps over later packets with
/// the key of a found packet. Once all watched keys of a node are found, the reader jumps to the end of the node. A
/// step `*` matches all 64 keys, so a node in which a path has the step `*` is read to its end. Top-level packets lie
/// in no node, so each of them is read.
///
/// A reader therefore misses duplicate packets, and it misses faults after the last packet that it needs. Use
/// `FirstOnly` for senders that write each field once per packet. If the watched fields come first, this saves most of
/// the time of reading a stream. The hits are the same in slices and in streams, and for sets passed by value or by
/// reference. Edits ignore `FirstOnly`: they select all packets at a path.
///
/// # Examples
/// ```
/// use y3::{FirstOnly, PathSet, path};
///
/// const READING: PathSet<2, FirstOnly> = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x13)]).first_only();
///
/// // The second 0x11, and a fault at byte 11, are after the first 0x11 and 0x13.
/// let bytes = [0x81, 0x0b, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61, 0x11, 0x00, 0x02, 0x7f, 0x00, 0x81, 0x02, 0x11, 0x00];
/// let hits: Result<Vec<_>, _> = READING.watch(&bytes).map(|hit| Ok(hit?.offset())).collect();
/// assert_eq!(hits, Ok::<_, y3::Error>(vec![2, 5, 15]));
/// ```
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
// For each level below the top-level packets: the keys still wanted, and the key that was entered.
#[derive(Clone, Copy, Debug)]
pub struct FirstOnly([(KeySet, Key); Path::MAX_LEN - 1]);

impl Default for FirstOnly {
    fn default() -> Self {
        Self([(KeySet::EMPTY, Key::ROOT); Path::MAX_LEN - 1])
    }
}

impl Found for FirstOnly {
    const FIRST_ONLY: bool = true;
    type Levels = u16;

    #[inline(always)]
    fn enter(&mut self, depth: usize, keys: KeySet, key: Key) {
        if let Some(level) = depth.checked_sub(1).and_then(|level| self.0.get_mut(level)) {
            *level = (keys, key);
        }
    }

    #[inline(always)]
    fn after(&self, depth: usize, inside: KeySet) -> Option<KeySet> {
        let (keys, key) = self.0.get(depth.checked_sub(1)?)?;
        Some(if inside.is_empty() { keys.without(*key) } else { *keys })
    }
}
