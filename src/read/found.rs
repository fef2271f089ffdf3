//! Found: remembers the packets found at the enclosing levels, for sets that want only the first packet at each path.
//!
//! In: the packets found at a level. Out: the keys that are still wanted there.

use core::fmt;

use super::keys::KeySet;
use super::path::Path;
use crate::wire::key::Key;

/// Remembers the packets found at the enclosing levels. Sets that want all packets store nothing.
pub trait Found: Copy + Default + fmt::Debug + Unpin {
    /// Whether only the first packet at each path counts.
    const FIRST_ONLY: bool;

    /// A bit for each level.
    type Levels: Levels;

    /// Enters a packet with this key. Its level is at `depth`, and `keys` are wanted there.
    fn enter(&mut self, depth: usize, keys: KeySet, key: Key);

    /// Returns the keys still wanted at the level at `depth`, after a packet in which the watched keys `inside` were
    /// not found. `None` if the set wants all packets there.
    fn after(&self, depth: usize, inside: KeySet) -> Option<KeySet>;

    /// The keys of the entered packets, if the type stores them.
    #[inline(always)]
    fn keys(&self, _depth: usize) -> &[Key] {
        &[]
    }

    /// The state of a level, for sets whose levels may exceed the reader's own storage.
    #[inline(always)]
    fn level(&self, _depth: usize) -> Option<&Level> {
        None
    }

    #[inline(always)]
    fn level_mut(&mut self, _depth: usize) -> Option<&mut Level> {
        None
    }
}

/// The end of a level, and the path index of the packet around it.
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

    #[inline(always)]
    fn after(&self, _: usize, _: KeySet) -> Option<KeySet> {
        None
    }
}

/// Marks a set in which only the first packet at each path counts; made by [`Set::first_only`](crate::Set::first_only).
/// Readers leave a node as soon as they have found everything watched in it.
///
/// In each node below a top-level packet, a key is wanted until a packet with that key is found. A packet at the end of
/// a path is found at once if no path continues inside. A packet in which paths continue is found once everything
/// watched inside is found; an error in embedded packets leaves it missing. Later packets with that key are jumped
/// over. When all watched keys of a node are found, the reader jumps to the node's end. It leaves the top-level packet
/// in the same way. A step `*` wants all 64 keys, so the node is read to its end.
///
/// In exchange, a reader misses duplicates, and faults after the last wanted packet. Use it for senders whose packets
/// have each field once. If the watched fields come first, it saves most of the time that a stream takes. The hits are
/// the same in slices and streams, and with sets passed by reference. Edits see all packets.
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
