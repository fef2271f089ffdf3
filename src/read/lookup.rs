//! Lookup: which packets of a level the paths of a set end at, and which they lead into.
//!
//! In: a set of paths and the place of a reader in the tree. Out: for a level, one word with the keys that matter; for a
//! packet, whether it is a hit, is entered, or is jumped over.

use super::keys::KeySet;
use super::packet::Packet;
use super::path::Path;
use crate::wire::tag::Tag;

/// A set of watched paths: a [`PathSet`](crate::PathSet), the owned `Paths` (feature `alloc`), or a reference to either.
///
/// Readers of streams take any of them. With a reference they borrow the set. With `Paths` they own it, so a function can
/// return the reader. The trait is sealed: no other type implements it.
///
/// # Examples
/// ```
/// use y3::{Limits, PathLookup, PathSet, Watcher, path};
///
/// fn watcher<P: PathLookup>(paths: P) -> Watcher<P> {
///     assert!(!paths.as_slice().is_empty());
///     Watcher::new(paths, Limits::DEFAULT)
/// }
///
/// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
/// let borrowed: Watcher<&PathSet<1>> = watcher(&WATCHED);
/// let owned: Watcher<PathSet<1>> = watcher(WATCHED);
/// ```
pub trait PathLookup: sealed::Lookup {
    /// The paths in the order given, duplicates included: a hit's `path_index` is an index of this slice.
    fn as_slice(&self) -> &[Path];
}

impl<P: PathLookup> PathLookup for &P {
    fn as_slice(&self) -> &[Path] {
        (**self).as_slice()
    }
}

pub(crate) mod sealed {
    use super::{Packet, Table};

    /// What readers ask a set for.
    pub trait Lookup: Unpin {
        /// A place for a packet for each path.
        type Slots<'a>: AsRef<[Option<Packet<'a>>]> + AsMut<[Option<Packet<'a>>]> + Clone;

        /// The compiled paths. Called for each decision, so that a reader that makes none loads nothing.
        fn table(&self) -> Table<'_>;

        /// Empty places.
        fn slots<'a>(&self) -> Self::Slots<'a>;
    }

    impl<P: Lookup> Lookup for &P {
        type Slots<'a> = P::Slots<'a>;

        #[inline(always)]
        fn table(&self) -> Table<'_> {
            (**self).table()
        }

        fn slots<'a>(&self) -> Self::Slots<'a> {
            (**self).slots()
        }
    }
}

/// The keys that follow a path's prefixes, by the length of the prefix.
pub(super) type Keys = [KeySet; Path::MAX_LEN];

/// The steps at which any path of a set has what most paths do not have: a bit for each depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Special {
    /// Any key.
    any: u8,
    /// A primitive that is crossed.
    crossings: u8,
}

/// Compiled paths, borrowed from a set. `sorted` is as long as there are paths, the others at least.
#[derive(Clone, Copy, Debug)]
pub struct Table<'s> {
    /// The paths in order, equal ones in the order given.
    pub(super) sorted: &'s [Path],
    /// For each of these its index as given.
    pub(super) indices: &'s [u32],
    /// For each prefix of a path the keys that follow it, stored at the first path with that prefix.
    pub(super) keys: &'s [Keys],
    pub(super) special: Special,
    /// Whether there is at most one path.
    pub(super) is_one: bool,
}

/// Fills `keys` for paths in order; there must be at least as many.
#[allow(clippy::indexing_slicing, reason = "const: every index is below the number of paths, or a depth")]
pub(super) const fn compile(sorted: &[Path], keys: &mut [Keys]) -> Special {
    let mut special = Special::NONE;
    let mut first = [0; Path::MAX_LEN];
    let mut at = 0;
    while at < sorted.len() {
        let path = sorted[at];
        let mut depth = 0;
        while depth < Path::MAX_LEN {
            if at > 0 && !path.prefix(depth).is(sorted[at - 1].prefix(depth)) {
                first[depth] = at;
            }
            if let Some(step) = path.step_at(depth) {
                let inside = &mut keys[first[depth]][depth];
                *inside = match step.key {
                    Some(key) => inside.with(key),
                    None => KeySet::ALL,
                };
                special = special.with(depth, step.key.is_none(), step.crosses);
            }
            depth += 1;
        }
        at += 1;
    }
    special
}

impl Special {
    pub(super) const NONE: Self = Self { any: 0, crossings: 0 };

    /// The same for one path.
    pub(super) fn of(path: Path) -> Self {
        (0..)
            .zip(path.steps())
            .fold(Self::NONE, |special, (depth, step)| special.with(depth, step.key.is_none(), step.crosses))
    }

    const fn with(self, depth: usize, any: bool, crosses: bool) -> Self {
        let [depth, ..] = depth.to_le_bytes();
        Self { any: self.any | (any as u8) << (depth & 7), crossings: self.crossings | (crosses as u8) << (depth & 7) }
    }
}

impl Table<'_> {
    /// The keys that matter at the level that `prefix` leads to.
    #[inline(always)]
    pub(crate) fn keys_at(self, prefix: Prefix) -> KeySet {
        if self.is_one {
            return self.keys_from(0, prefix.depth);
        }
        if self.special.any != 0 {
            return self.find_any(prefix).1;
        }
        self.keys_from(self.first_from(prefix.path), prefix.depth)
    }

    /// Decides about a packet of the level that `prefix` leads to, where `keys` are the keys that matter: whether the packet
    /// is a hit, is entered, or is jumped over. All readers and edits ask here. The limit on the length of watched values is
    /// checked by streams.
    #[inline(always)]
    pub(crate) fn select(self, prefix: Prefix, keys: KeySet, tag: Tag) -> Selection {
        if !keys.contains(tag.key()) {
            return Selection { path_index: None, prefix, keys: KeySet::EMPTY, opens: false };
        }
        let (path, depth) = (prefix.path.then_key(prefix.depth, tag.key()), prefix.depth + 1);
        if self.is_one {
            // No search: the path ends with this key, or it continues.
            let keys = self.keys_from(0, depth);
            let path_index = if keys.is_empty() { self.indices.first().copied() } else { None };
            let opens = tag.is_node() != (self.special.crossings >> prefix.depth & 1 != 0);
            return Selection { path_index, prefix: Prefix { depth, ..prefix }, keys, opens };
        }
        if self.special != Special::NONE {
            return self.select_special(path, depth, tag);
        }
        let first = self.first_from(path);
        Selection {
            path_index: self.index_of(first, path),
            prefix: Prefix { path, depth },
            keys: self.keys_from(first, depth),
            opens: tag.is_node(),
        }
    }

    /// Decides where paths cross primitives or have any key: those that lead into a node and those that lead into a
    /// primitive differ.
    fn select_special(self, path: Path, depth: usize, tag: Tag) -> Selection {
        let (path_index, mut keys) = self.find_any(Prefix { path, depth });
        let mut prefix = Prefix { path, depth };
        if !tag.is_node() {
            prefix.path = path.crossing(depth);
            let crosses = self.special.crossings >> (depth - 1) & 1 != 0;
            keys = if crosses { self.find_any(prefix).1 } else { KeySet::EMPTY };
        }
        Selection { path_index, prefix, keys, opens: true }
    }

    /// The least index of a path that is these steps, and the keys that follow them, where a path may have any key in place
    /// of each key. One search for each choice: 2 to the power of the number of depths at which paths have any key.
    fn find_any(self, Prefix { path, depth }: Prefix) -> (Option<u32>, KeySet) {
        let depths = u32::from(self.special.any) & !(u32::MAX << depth);
        let (mut least, mut keys, mut chosen) = (None, KeySet::EMPTY, depths);
        loop {
            let any = (0..depth).filter(|depth| chosen >> depth & 1 != 0);
            let steps = any.fold(path, Path::with_any);
            let first = self.first_from(steps);
            if self.sorted.get(first).is_some_and(|found| found.prefix(depth) == steps) {
                keys |= self.keys_from(first, depth);
                least = self.index_of(first, steps).into_iter().chain(least).min();
            }
            if chosen == 0 {
                return (least, keys);
            }
            chosen = (chosen - 1) & depths;
        }
    }

    /// How many steps lead into the innermost primitive around the level that `prefix` leads to.
    #[inline(always)]
    pub(crate) fn payload(self, prefix: Prefix) -> Option<usize> {
        if self.special.crossings == 0 {
            return None;
        }
        let steps = if self.is_one { self.sorted.first().copied().unwrap_or(Path::EMPTY) } else { prefix.path };
        steps.prefix(prefix.depth).innermost_crossing()
    }

    #[inline(always)]
    fn first_from(self, path: Path) -> usize {
        self.sorted.partition_point(|other| *other < path)
    }

    /// The first index of a path, if `first` is where it would be.
    #[inline(always)]
    fn index_of(self, first: usize, path: Path) -> Option<u32> {
        let is_watched = self.sorted.get(first).is_some_and(|found| *found == path);
        if is_watched { self.indices.get(first).copied() } else { None }
    }

    #[inline(always)]
    fn keys_from(self, first: usize, depth: usize) -> KeySet {
        self.keys.get(first).and_then(|keys| keys.get(depth)).copied().unwrap_or_default()
    }
}

/// The first steps of a path, which lead to the level that is being read. They have the keys of the input, and cross where
/// the input was crossed. With at most one path, only their number is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefix {
    path: Path,
    depth: usize,
}

impl Prefix {
    pub(crate) const ROOT: Prefix = Prefix { path: Path::EMPTY, depth: 0 };

    #[inline(always)]
    pub(crate) const fn depth(self) -> usize {
        self.depth
    }

    /// The prefix without its last step; `None` if it has no step.
    #[inline(always)]
    pub(crate) fn parent(self) -> Option<Prefix> {
        let depth = self.depth.checked_sub(1)?;
        Some(Prefix { path: self.path.prefix(depth), depth })
    }
}

/// The decision of [`Table::select`] about a packet. A packet that is neither a hit nor entered is jumped over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection {
    /// The packet is a hit if a path ends with it: the index of that path.
    pub(crate) path_index: Option<u32>,
    /// The prefix that leads into the packet, if it is entered.
    pub(crate) prefix: Prefix,
    /// The keys that matter inside the packet; empty if no path continues there.
    pub(crate) keys: KeySet,
    /// Whether the packet is of the kind that paths with these keys continue in.
    opens: bool,
}

impl Selection {
    /// Whether to read the packets inside: a path continues in a node, or in the value of a primitive that it crosses.
    // A method, not a field: computed where it is needed, it costs a stream fewer instructions.
    #[inline(always)]
    pub(crate) const fn enters(&self) -> bool {
        self.opens && !self.keys.is_empty()
    }
}
