//! Remembers which packets were found, for sets that select only the first packet at each path.
//!
//! A level consists of the packets directly inside one node or primitive. The top-level packets are a level too. This
//! module stores which keys the reader still looks for in each level.

use core::fmt;

use super::keys::KeySet;
use super::path::Path;
use crate::wire::key::Key;

/// Stores what a reader knows about the enclosing levels of a packet. For a set of paths that selects all packets, the
/// reader stores nothing.
pub trait Found: Copy + Default + fmt::Debug + Unpin {
    /// True if the set selects only the first packet at each path.
    const FIRST_ONLY: bool;

    /// A set of levels, with one bit for each level.
    type Levels: Levels;

    /// The reader calls this method when it enters a packet with this key. `keys` are the keys that the reader looks
    /// for in the level of the packet.
    fn enter(&mut self, depth: usize, keys: KeySet, key: Key);

    /// The reader calls this method after a packet in the level at `_depth`. Returns the keys that the reader still
    /// looks for in this level, or `None` if the set selects all packets. `_inside` has the watched keys that the
    /// reader did not find inside the packet.
    #[inline(always)]
    fn after(&self, _depth: usize, _inside: KeySet) -> Option<KeySet> {
        None
    }

    /// Returns the keys of the entered packets. The result is empty if the state does not store keys.
    #[inline(always)]
    fn keys(&self, _depth: usize) -> &[Key] {
        &[]
    }

    /// Returns the state of a level. Returns `None` for paths: a path has few levels, and the reader stores them
    /// itself.
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

/// Marks a set that selects only the first packet at each path. [`Set::first_only`](crate::Set::first_only) returns
/// such a set.
///
/// In each node, the reader looks for each watched key until a packet with this key is *found*. The reader skips later
/// packets with the key. If no path continues inside a packet, the packet is found when the reader reaches it. If a
/// path continues inside a packet, the packet is found when the reader has found all watched packets inside. A packet
/// with an error in its embedded packets is never found.
///
/// When all watched keys of a node are found, the reader skips the rest of the node. In a node where a path has the
/// step `*`, all 64 keys are watched, so the reader reads this node to its end. The reader reads every top-level
/// packet.
///
/// With `FirstOnly`, a reader notices neither duplicate packets nor errors in the bytes that it skips. Use `FirstOnly`
/// if the sender writes each field once per packet. If the watched fields come first in a packet, reading a
/// stream with `FirstOnly` takes only a small part of the time. Edits ignore `FirstOnly`: they select all packets at a path.
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
// One entry for each level below the top level: the keys that are still wanted, and the key of the entered packet.
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
