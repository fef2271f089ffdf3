//! Compiled: a set of paths in the form that lookups use.
//!
//! In: paths in ascending order. Out: the keys that follow each prefix of a path, and one of three ways to look up
//! packets in the set.

use super::keys::KeySet;
use super::path::Path;

/// The way in which packets are looked up in a set of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// The set has at most one path.
    One,
    /// The set has several paths. None enters embedded packets or contains `*`.
    Plain,
    Special,
}

/// A set in the form that lookups use. `P`, `I` and `K` are arrays or boxed slices of paths, indices and sets of keys.
// A trie was tried instead (2026-11-23, AMD EPYC): each decision is then one step from the node before. In slices 64
// paths took 0.71 of the time and 1,000 paths 0.35 to 0.42; in streams 1,000 paths took 0.40 to 0.48; three of 63 took
// as long as here. But a constant set would take 128 bytes a path in addition to these 84, since `*` and embedded
// packets still need a search. The same steps within these tables made three of 63 slower (1.05).
#[derive(Clone, Copy, Debug)]
pub struct Compiled<P, I, K> {
    /// The number of paths in `given`, which is also the number in `sorted`. [`Path::NONE`] fills the rest of `sorted`.
    pub(super) len: usize,
    pub(super) given: P,
    pub(super) sorted: P,
    pub(super) indices: I,
    pub(super) keys: K,
    pub(super) special: Special,
    pub(super) search: Search,
}

impl<P: AsRef<[Path]>, I: AsRef<[u32]>, K: AsRef<[NextKeys]>> Compiled<P, I, K> {
    /// The paths in the order given.
    #[inline(always)]
    pub(super) fn given(&self) -> &[Path] {
        self.given.as_ref().get(..self.len).unwrap_or_default()
    }

    /// The paths in ascending order. Equal paths are in the order given. [`Path::NONE`] may follow the last path.
    #[inline(always)]
    pub(super) fn sorted(&self) -> &[Path] {
        self.sorted.as_ref()
    }

    /// The path of a set with one path. For an empty set, a placeholder.
    #[inline(always)]
    pub(super) fn only(&self) -> Path {
        self.sorted().first().copied().unwrap_or(Path::EMPTY)
    }

    /// The least index of `path`, or `None` if the set does not have this path. The caller has found `first`, the only
    /// position in the sorted paths where `path` can be.
    #[inline(always)]
    pub(super) fn index_of(&self, first: usize, path: Path) -> Option<u32> {
        let is_watched = self.sorted().get(first).is_some_and(|found| *found == path);
        if is_watched { self.indices.as_ref().get(first).copied() } else { None }
    }

    /// The index of the first path. It is always 0, but with a constant, streams take 4 to 12 % more instructions.
    #[inline(always)]
    pub(super) fn first_index(&self) -> Option<u32> {
        self.indices.as_ref().first().copied()
    }

    /// The keys that follow the first `depth` steps of the path at the position `first`. No earlier path may begin with
    /// these steps.
    #[inline(always)]
    pub(super) fn keys_from(&self, first: usize, depth: usize) -> KeySet {
        self.keys.as_ref().get(first).and_then(|keys| keys.get(depth)).copied().unwrap_or_default()
    }
}

/// Where the compiled form of a set is stored: in the set itself, or in memory shared with the clones of the set.
pub trait Storage: Unpin {
    type Paths: AsRef<[Path]>;
    type Indices: AsRef<[u32]>;
    type Keys: AsRef<[NextKeys]>;

    fn compiled(&self) -> &Compiled<Self::Paths, Self::Indices, Self::Keys>;

    /// The way in which packets are looked up in the set.
    #[inline(always)]
    fn search(&self) -> Search {
        self.compiled().search
    }
}

/// The compiled form of a set with the storage `S`.
pub type CompiledIn<S> = Compiled<<S as Storage>::Paths, <S as Storage>::Indices, <S as Storage>::Keys>;

/// For each prefix of a path, the keys that follow it. The index is the length of the prefix.
pub type NextKeys = [KeySet; Path::MAX_LEN];

/// Marks the depths at which a path of the set has `*` or enters embedded packets. Each mark is one bit per depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Special {
    /// Depths with a step `*`.
    pub(super) any: u8,
    /// Depths with a step that enters embedded packets.
    pub(super) entered: u8,
}

/// Fills `keys` for these sorted paths. `keys` must be at least as long as `sorted`.
#[allow(clippy::indexing_slicing, reason = "const: every index is below the number of paths, or a depth")]
pub(super) const fn compile(sorted: &[Path], keys: &mut [NextKeys]) -> Special {
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
                special = special.with(depth, step.key.is_none(), step.enters);
            }
            depth += 1;
        }
        at += 1;
    }
    special
}

impl Special {
    pub(super) const NONE: Self = Self { any: 0, entered: 0 };

    pub(super) const fn enters(self, depth: usize) -> bool {
        self.entered >> depth & 1 != 0
    }

    /// Returns the way in which packets are looked up in a set with capacity for `room` paths.
    pub(super) const fn search(self, room: usize) -> Search {
        match (room, self) {
            (0 | 1, _) => Search::One,
            (_, Self { any: 0, entered: 0 }) => Search::Plain,
            _ => Search::Special,
        }
    }

    const fn with(self, depth: usize, any: bool, enters: bool) -> Self {
        let [depth, ..] = depth.to_le_bytes();
        Self { any: self.any | (any as u8) << (depth & 7), entered: self.entered | (enters as u8) << (depth & 7) }
    }
}
