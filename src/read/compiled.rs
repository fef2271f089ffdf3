//! Compiled: a set of paths in the form in which it is looked up.
//!
//! In: paths in order. Out: for each prefix of a path the keys that follow it, and which of three ways of looking up the set needs.

use core::fmt;
use core::hash::{Hash, Hasher};

use super::keys::KeySet;
use super::lookup::sealed::Lookup;
use super::path::Path;

/// How the paths of a set are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// There is at most one path.
    One,
    /// No path enters embedded packets or has any key.
    Plain,
    Special,
}

/// A set in the form in which it is looked up. `P`, `I` and `K` hold paths, numbers and keys: arrays, or boxed slices.
#[derive(Clone, Copy)]
pub struct Compiled<P, I, K> {
    /// The number of paths in `given`, and in `sorted`, which has [`Path::NONE`] after them.
    pub(super) len: usize,
    pub(super) given: P,
    pub(super) sorted: P,
    pub(super) indices: I,
    pub(super) keys: K,
    pub(super) special: Special,
    pub(super) mode: Mode,
}

impl<P, I, K> Lookup for Compiled<P, I, K>
where
    P: AsRef<[Path]> + Unpin,
    I: AsRef<[u32]> + Unpin,
    K: AsRef<[Keys]> + Unpin,
{
    type Base = Self;
    type Found = ();

    #[inline(always)]
    fn base(&self) -> &Self {
        self
    }

    #[inline(always)]
    fn given(&self) -> &[Path] {
        self.given.as_ref().get(..self.len).unwrap_or_default()
    }

    #[inline(always)]
    fn sorted(&self) -> &[Path] {
        self.sorted.as_ref()
    }

    #[inline(always)]
    fn indices(&self) -> &[u32] {
        self.indices.as_ref()
    }

    #[inline(always)]
    fn keys(&self) -> &[Keys] {
        self.keys.as_ref()
    }

    #[inline(always)]
    fn special(&self) -> Special {
        self.special
    }

    #[inline(always)]
    fn mode(&self) -> Mode {
        self.mode
    }
}

/// Two sets are equal if the same paths were given in the same order.
impl<P: AsRef<[Path]>, I, K> PartialEq for Compiled<P, I, K> {
    fn eq(&self, other: &Self) -> bool {
        self.given.as_ref().get(..self.len) == other.given.as_ref().get(..other.len)
    }
}

impl<P: AsRef<[Path]>, I, K> Eq for Compiled<P, I, K> {}

impl<P: AsRef<[Path]>, I, K> Hash for Compiled<P, I, K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.given.as_ref().get(..self.len).hash(state);
    }
}

/// The paths as they were given.
impl<P: AsRef<[Path]>, I, K> fmt::Debug for Compiled<P, I, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.given.as_ref().iter().take(self.len)).finish()
    }
}

/// The keys that follow a path's prefixes, by the length of the prefix.
pub type Keys = [KeySet; Path::MAX_LEN];

/// The steps at which any path of a set has what most paths do not have: a bit for each depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Special {
    /// Any key.
    pub(super) any: u8,
    /// A primitive whose embedded packets are entered.
    pub(super) entered: u8,
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

    /// How a set with room for so many paths is looked up.
    pub(super) const fn mode(self, room: usize) -> Mode {
        match (room, self) {
            (0 | 1, _) => Mode::One,
            (_, Self { any: 0, entered: 0 }) => Mode::Plain,
            _ => Mode::Special,
        }
    }

    const fn with(self, depth: usize, any: bool, enters: bool) -> Self {
        let [depth, ..] = depth.to_le_bytes();
        Self { any: self.any | (any as u8) << (depth & 7), entered: self.entered | (enters as u8) << (depth & 7) }
    }
}
