//! Decides from a set of paths which packets are hits and which packets a reader enters.
//!
//! For each level, a set returns the keys that a path can match there, as one word. For each packet, a set tells
//! whether the packet is a hit, and whether the reader enters it or skips it.

use super::compiled::{CompiledIn, Search, Special, Storage};
use super::found::Found;
use super::keys::KeySet;
use super::path::Path;
use crate::error::ErrorKind;
use crate::wire::key::Key;
use crate::wire::tag::Tag;

/// A set of watched paths: a [`PathSet`](crate::PathSet), the owned `Paths` (feature `alloc`),
/// [`Patterns`](crate::Patterns) with `**`, or a reference to such a set.
///
/// Stream readers accept all of these types. A reader made with a reference borrows the set. A reader made with `Paths`
/// owns the set, so a function can return the reader. The trait is sealed: other crates cannot implement it.
///
/// # Examples
/// ```
/// use y3::{Limits, PathSet, Watcher, path};
///
/// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
///
/// let borrowed: Watcher<&PathSet<1>> = Watcher::new(&WATCHED, Limits::DEFAULT);
/// let owned: Watcher<PathSet<1>> = Watcher::new(WATCHED, Limits::DEFAULT);
/// ```
pub trait WatchedPaths: sealed::Lookup {}

impl<P: sealed::Lookup> WatchedPaths for P {}

pub(crate) mod sealed {
    use super::{CompiledIn, ErrorKind, Found, KeySet, Path, Prefix, Search, Selection, Special, Storage, Tag};

    /// A compiled set, with the methods that readers use to look up packets.
    pub trait Lookup: Sized + Unpin {
        type Storage: Storage;

        fn compiled(&self) -> &CompiledIn<Self::Storage>;

        /// Stores what a reader knows about the enclosing levels of a packet.
        type Found: Found;

        /// True if paths of the set can have more keys than [`Path::MAX_LEN`].
        const ANY_DEPTH: bool = false;

        /// Returns the set itself if `self` is a reference to a set. The iterator of a hint then follows the reference
        /// only once.
        #[inline(always)]
        fn set(&self) -> impl super::WatchedPaths {
            self
        }

        fn search(&self) -> Search;

        #[inline(always)]
        fn special(&self) -> Special {
            self.compiled().special
        }

        /// Returns the index of the first path in the sorted set that is equal to `path` or sorts after it.
        #[inline(always)]
        fn first_from(&self, path: Path) -> usize {
            self.compiled().sorted().partition_point(|other| *other < path)
        }

        /// True if a reader can treat the set as [`Plain`].
        #[inline(always)]
        fn is_plain(&self) -> bool {
            match self.search() {
                Search::One => self.special().entered == 0,
                Search::Plain => true,
                Search::Special => false,
            }
        }

        /// True if the first path has more than `keys` keys, or if the set has patterns.
        #[inline(always)]
        fn is_longer_than(&self, keys: usize) -> bool {
            Self::ANY_DEPTH || self.compiled().given().first().is_some_and(|path| path.len() > keys)
        }

        /// Returns the keys that a path can match in the level at `prefix`.
        #[inline(always)]
        fn keys_at(&self, prefix: Prefix) -> KeySet {
            match self.search() {
                Search::One => self.compiled().keys_from(0, prefix.depth),
                // The empty prefix is a prefix of all paths, so the top level needs no search.
                Search::Plain if prefix.depth == 0 => self.compiled().keys_from(0, 0),
                Search::Plain => self.compiled().keys_from(self.first_from(prefix.path), prefix.depth),
                Search::Special => self.find_special(prefix, true).1,
            }
        }

        /// Readers call this method after a packet in the level at `prefix`. Returns the keys that the reader still
        /// looks for in this level. `inside` are the watched keys that the reader did not find inside the packet.
        #[inline(always)]
        fn keys_after(&self, found: &impl Found, prefix: Prefix, inside: KeySet) -> KeySet {
            found.after(prefix.depth, inside).unwrap_or_else(|| self.keys_at(prefix))
        }

        /// Does the same as [`select`](Self::select). Patterns also use `found`, because they depend on the keys of all
        /// enclosing packets.
        #[inline(always)]
        fn select_in(&self, _found: &impl Found, prefix: Prefix, keys: KeySet, tag: Tag) -> Selection {
            self.select(prefix, keys, tag)
        }

        /// Decides whether a packet is a hit, and whether the reader enters it or skips it. `prefix` leads to the level
        /// of the packet. `keys` are the keys that a path can match at this level. All readers and edits call this
        /// method. Stream readers check the length limit of watched values, not this method.
        #[inline(always)]
        fn select(&self, prefix: Prefix, keys: KeySet, tag: Tag) -> Selection {
            if !keys.contains(tag.key()) {
                return Selection { path_index: None, prefix, keys: KeySet::EMPTY, is_node: false };
            }
            match self.search() {
                Search::One => self.select_one(prefix, tag),
                Search::Plain => {
                    let prefix = prefix.then(tag.key());
                    let first = self.first_from(prefix.path);
                    let (path_index, keys) =
                        (self.compiled().index_of(first, prefix.path), self.compiled().keys_from(first, prefix.depth));
                    Selection { path_index, prefix, keys, is_node: tag.is_node() }
                }
                Search::Special => {
                    let prefix = prefix.then(tag.key());
                    let (path_index, keys) = self.find_special(prefix, tag.is_node());
                    let prefix = if tag.is_node() { prefix } else { prefix.entering() };
                    Selection { path_index: u32::try_from(path_index).ok(), prefix, keys, is_node: true }
                }
            }
        }

        /// Makes the decision for a set of one path, without a search.
        #[inline(always)]
        fn select_one(&self, prefix: Prefix, tag: Tag) -> Selection {
            let depth = prefix.depth + 1;
            let keys = self.compiled().keys_from(0, depth);
            let path_index = if keys.is_empty() { self.compiled().first_index() } else { None };
            Selection { path_index, prefix: Prefix { depth, ..prefix }, keys, is_node: tag.is_node() }
        }

        /// Returns the keys that lead to a hit. For a set of one path, the result is this path.
        #[inline(always)]
        fn path_of(&self, hit: &Selection) -> Path {
            if self.search() == Search::One {
                return self.compiled().only();
            }
            hit.prefix.path.ending(hit.prefix.depth)
        }

        /// Looks up a packet in a set whose paths have `*` or enter embedded packets.
        // A result of two words is returned in registers. A larger result would be returned in memory, even for other
        // sets.
        #[cold]
        #[inline(never)]
        fn find_special(&self, prefix: Prefix, is_node: bool) -> (u64, KeySet) {
            let (path_index, mut keys) = self.find_any(prefix);
            if !is_node {
                let enters = self.special().enters(prefix.depth - 1);
                keys = if enters { self.find_any(prefix.entering()).1 } else { KeySet::EMPTY };
            }
            (path_index.map_or(u64::MAX, u64::from), keys)
        }

        /// Returns the lowest index of a path that matches these steps, and the keys that follow these steps. At each
        /// depth where a path has `*`, the method searches both for the key and for `*`. With `*` at `k` depths, the
        /// method makes 2^k searches.
        fn find_any(&self, Prefix { path, depth }: Prefix) -> (Option<u32>, KeySet) {
            let depths = u32::from(self.special().any) & !(u32::MAX << depth);
            let (mut least, mut keys, mut chosen) = (None, KeySet::EMPTY, depths);
            loop {
                let any = (0..depth).filter(|depth| chosen >> depth & 1 != 0);
                let steps = any.fold(path, Path::with_any);
                let first = self.first_from(steps);
                if self.compiled().sorted().get(first).is_some_and(|found| found.prefix(depth) == steps) {
                    keys = keys.or(self.compiled().keys_from(first, depth));
                    least = self.compiled().index_of(first, steps).into_iter().chain(least).min();
                }
                if chosen == 0 {
                    return (least, keys);
                }
                chosen = (chosen - 1) & depths;
            }
        }

        /// Returns the keys of a prefix, or the empty path if the keys are unknown. For a set of one path, a prefix
        /// stores only the number of keys. If this path contains `*`, the keys are therefore unknown.
        #[cold]
        fn keys_to(&self, _found: &impl Found, prefix: Prefix) -> Path {
            let only = self.compiled().only();
            let path = if self.search() == Search::One { only } else { prefix.path }.prefix(prefix.depth);
            if path.steps().all(|step| step.key.is_some()) { path } else { Path::EMPTY }
        }

        /// Returns the number of steps that lead to the innermost primitive that `prefix` enters. Returns `None` if
        /// `prefix` enters no primitive.
        #[inline(always)]
        fn embedded_depth(&self, prefix: Prefix) -> Option<usize> {
            if self.special().entered == 0 {
                return None;
            }
            let only = self.compiled().only();
            let steps = if self.search() == Search::One { only } else { prefix.path };
            steps.prefix(prefix.depth).innermost_entered()
        }

        /// Returns the kind of error for a packet that extends past the end of its level. The kind depends on the
        /// level: the packets directly inside a primitive are a separate input and have no parent node.
        fn overrun(&self, prefix: Prefix) -> ErrorKind {
            let is_top_level = self.embedded_depth(prefix) == Some(prefix.depth);
            if is_top_level { ErrorKind::UnexpectedEnd } else { ErrorKind::Overrun }
        }
    }

    impl<P: Lookup> Lookup for &P {
        type Storage = P::Storage;
        type Found = P::Found;
        const ANY_DEPTH: bool = P::ANY_DEPTH;

        #[inline(always)]
        fn compiled(&self) -> &CompiledIn<P::Storage> {
            (**self).compiled()
        }

        #[inline(always)]
        fn search(&self) -> Search {
            (**self).search()
        }

        #[inline(always)]
        fn set(&self) -> impl super::WatchedPaths {
            (**self).set()
        }

        #[inline(always)]
        fn keys_at(&self, prefix: Prefix) -> KeySet {
            (**self).keys_at(prefix)
        }

        #[inline(always)]
        fn keys_after(&self, found: &impl Found, prefix: Prefix, inside: KeySet) -> KeySet {
            (**self).keys_after(found, prefix, inside)
        }

        #[inline(always)]
        fn select_in(&self, found: &impl Found, prefix: Prefix, keys: KeySet, tag: Tag) -> Selection {
            (**self).select_in(found, prefix, keys, tag)
        }

        fn keys_to(&self, found: &impl Found, prefix: Prefix) -> Path {
            (**self).keys_to(found, prefix)
        }
    }
}

/// A set without embedded packets. If the set has several paths, no path contains `*` either. Loops that are generic
/// over the set are compiled separately for this type, without the code for other sets. A single loop for all sets
/// would keep fewer values in registers (measured: 20 % more instructions).
pub struct Plain<'p, P>(pub(crate) &'p P);

impl<P: sealed::Lookup> sealed::Lookup for Plain<'_, P> {
    type Storage = P::Storage;
    type Found = P::Found;

    #[inline(always)]
    fn compiled(&self) -> &CompiledIn<P::Storage> {
        self.0.compiled()
    }

    #[inline(always)]
    fn special(&self) -> Special {
        Special::NONE
    }

    #[inline(always)]
    fn search(&self) -> Search {
        if self.0.search() == Search::One { Search::One } else { Search::Plain }
    }
}

/// The steps that lead to the level that is being read. A prefix stores the number of steps. For a set of several
/// paths, a prefix also stores the key of each step, and which steps enter embedded packets.
#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    path: Path,
    depth: usize,
}

impl Prefix {
    pub(crate) const ROOT: Prefix = Prefix { path: Path::EMPTY, depth: 0 };

    /// Makes a prefix of all steps of `path`. `depth` must be the number of these steps.
    #[inline(always)]
    pub(crate) const fn of(path: Path, depth: usize) -> Prefix {
        Prefix { path, depth }
    }

    #[inline(always)]
    pub(crate) const fn depth(self) -> usize {
        self.depth
    }

    #[inline(always)]
    fn then(self, key: Key) -> Prefix {
        Prefix { path: self.path.then_key(self.depth, key), depth: self.depth + 1 }
    }

    /// Makes the last step enter embedded packets.
    #[inline(always)]
    fn entering(self) -> Prefix {
        Prefix { path: self.path.entering(self.depth), ..self }
    }

    /// Returns the prefix without its last step, or `None` for the empty prefix.
    #[inline(always)]
    pub(crate) fn parent(self) -> Option<Prefix> {
        let depth = self.depth.checked_sub(1)?;
        Some(Prefix { path: self.path.prefix(depth), depth })
    }
}

/// The decision of [`select`](sealed::Lookup::select) about a packet. If the reader neither reports nor enters a
/// packet, it skips the packet.
#[derive(Clone, Copy, Debug)]
pub struct Selection {
    /// The index of the path that ends at the packet. `None` if the packet is not a hit.
    pub(crate) path_index: Option<u32>,
    /// The prefix of the level inside the packet, if the reader enters the packet.
    pub(crate) prefix: Prefix,
    /// The keys that a path can match inside the packet. The set is empty if no path continues there.
    pub(crate) keys: KeySet,
    is_node: bool,
}

impl Selection {
    /// Makes a decision about a packet at any depth. `path` contains the keys of the enclosing packets, and the key of
    /// the packet as its last key. `depth` is the number of these keys.
    pub(super) const fn at_any_depth(
        path_index: Option<u32>,
        (path, depth): (Path, usize),
        keys: KeySet,
        is_node: bool,
    ) -> Self {
        Self { path_index, prefix: Prefix { path, depth }, keys, is_node }
    }

    /// True if the reader would enter the packet, but `max_depth` or more nodes are around it.
    #[inline(always)]
    pub(crate) fn is_too_deep<P: sealed::Lookup>(&self, paths: &P, max_depth: usize) -> bool {
        P::ANY_DEPTH && self.prefix.depth > max_depth && self.enters(paths)
    }

    /// True if the reader enters the packet: a path continues in the node, or in the packets embedded in the primitive.
    // A method instead of a field, because a stream needs fewer instructions if the value is computed only when needed.
    #[inline(always)]
    pub(crate) fn enters(&self, paths: &impl sealed::Lookup) -> bool {
        !self.keys.is_empty()
            && if let Search::One = paths.search() {
                self.is_node != paths.special().enters(self.prefix.depth - 1)
            } else {
                self.is_node
            }
    }
}
