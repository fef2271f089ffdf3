//! First only: a set of paths of which only the first packet counts, and what readers remember of it.
//!
//! In: what was found at a level. Out: the keys that are still wanted there.

use core::fmt;

use super::keys::KeySet;
use super::lookup::sealed::Lookup;
use super::lookup::{Prefix, WatchedPaths};
use super::path::Path;
use super::set::set_methods;
use crate::wire::key::Key;

/// A set of paths of which only the first packet counts: readers leave a node as soon as everything that is watched in it was found.
///
/// In each node below a top-level packet, the first packet at a path is the only one; a node on the way counts as found once
/// everything watched inside it was found. When nothing is missing any more, the reader jumps to the end of the node, and so
/// to the end of the top-level packet. With a step `*`, the first packet of each key counts, and the node is read to its end.
///
/// The price: duplicates and faults after the last of these packets are not seen. Use it for senders whose packets have each
/// field once. Where the watched fields come first it saves most of the time of a stream. Slices and streams, by reference or not,
/// give the same hits; edits see all packets.
///
/// # Examples
/// ```
/// use y3::{FirstOnly, PathSet, path};
///
/// const READING: FirstOnly<PathSet<2>> = FirstOnly(PathSet::new([path!(0x01, 0x11), path!(0x01, 0x13)]));
///
/// // The second 0x11, and a fault at byte 11, are after the first 0x11 and 0x13.
/// let bytes = [0x81, 0x0b, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61, 0x11, 0x00, 0x02, 0x7f, 0x00, 0x81, 0x02, 0x11, 0x00];
/// let hits: Result<Vec<_>, _> = READING.watch(&bytes).map(|hit| Ok(hit?.offset())).collect();
/// assert_eq!(hits, Ok::<_, y3::Error>(vec![2, 5, 15]));
/// ```
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FirstOnly<P>(pub P);

impl<P: WatchedPaths> FirstOnly<P> {
    set_methods!();
}

impl<P: Lookup> Lookup for FirstOnly<P> {
    type Base = P;
    type Found = Levels;

    #[inline(always)]
    fn base(&self) -> &P {
        &self.0
    }
}

/// What of the levels around was found. Nothing is kept for sets of which all packets count.
pub trait Found: Copy + Default + fmt::Debug + Unpin {
    /// Whether only the first packet at each path counts.
    const FIRST_ONLY: bool;

    /// Enters a packet with this key, of the level at `depth`, where these keys are wanted.
    fn enter(&mut self, depth: usize, keys: KeySet, key: Key);

    /// The keys that are wanted at the level that `prefix` leads to, after a packet in it of which the keys `inside` are missing.
    fn after(&self, paths: &impl Lookup, prefix: Prefix, inside: KeySet) -> KeySet;
}

impl Found for () {
    const FIRST_ONLY: bool = false;

    #[inline(always)]
    fn enter(&mut self, _: usize, _: KeySet, _: Key) {}

    #[inline(always)]
    fn after(&self, paths: &impl Lookup, prefix: Prefix, _: KeySet) -> KeySet {
        paths.keys_at(prefix)
    }
}

/// For each level below the top-level packets the keys that are wanted, and the key that was entered.
#[derive(Clone, Copy, Debug)]
pub struct Levels([(KeySet, Key); Path::MAX_LEN - 1]);

impl Default for Levels {
    fn default() -> Self {
        Self([(KeySet::EMPTY, Key::ROOT); Path::MAX_LEN - 1])
    }
}

impl Found for Levels {
    const FIRST_ONLY: bool = true;

    #[inline(always)]
    fn enter(&mut self, depth: usize, keys: KeySet, key: Key) {
        if let Some(level) = depth.checked_sub(1).and_then(|level| self.0.get_mut(level)) {
            *level = (keys, key);
        }
    }

    #[inline(always)]
    fn after(&self, paths: &impl Lookup, prefix: Prefix, inside: KeySet) -> KeySet {
        match prefix.depth().checked_sub(1).and_then(|level| self.0.get(level)) {
            Some((keys, key)) if inside.is_empty() => keys.without(*key),
            Some((keys, _)) => *keys,
            None => paths.keys_at(prefix),
        }
    }
}
