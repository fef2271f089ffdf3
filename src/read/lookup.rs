//! Lookup: decides from the paths of a set which packets are hits, and which packets a reader enters.
//!
//! In: a set of paths, and the position of the reader in the tree. Out: for a level, the keys that a path can match
//! there, as one word. For a packet, whether it is a hit, and whether the reader enters it or jumps over it.

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
/// Stream readers accept any of these types. With a reference, the reader borrows the set. With `Paths`, the reader
/// owns the set, so a function can return the reader. The trait is sealed: no other type can implement it.
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

    /// The compiled form of a set, and the methods with which readers look up packets. Each look-up is a separate
    /// method, so a decision loads only the data that it needs.
    pub trait Lookup: Sized + Unpin {
        type Storage: Storage;

        fn compiled(&self) -> &CompiledIn<Self::Storage>;

        /// The state that readers store about the enclosing levels.
        type Found: Found;

        /// Whether the paths of the set may have more keys than [`Path::MAX_LEN`].
        const ANY_DEPTH: bool = false;

        /// Returns the set without any references around it. The iterator of a hint then loads the set only once, not
        /// in each call.
        #[inline(always)]
        fn set(&self) -> impl super::WatchedPaths {
            self
        }

        fn search(&self) -> Search;

        #[inline(always)]
        fn special(&self) -> Special {
            self.compiled().special
        }

        /// The index of the first path in the sorted set that does not come before `path`.
        #[inline(always)]
        fn first_from(&self, path: Path) -> usize {
            self.compiled().sorted().partition_point(|other| *other < path)
        }

        /// Whether a reader may treat the set as [`Plain`].
        #[inline(always)]
        fn is_plain(&self) -> bool {
            match self.search() {
                Search::One => self.special().entered == 0,
                Search::Plain => true,
                Search::Special => false,
            }
        }

        /// Whether the first path has more than `keys` keys, or has a step `**`.
        #[inline(always)]
        fn is_longer_than(&self, keys: usize) -> bool {
            Self::ANY_DEPTH || self.compiled().given().first().is_some_and(|path| path.len() > keys)
        }

        /// The keys that a path can match at the level that `prefix` leads to.
        #[inline(always)]
        fn keys_at(&self, prefix: Prefix) -> KeySet {
            match self.search() {
                Search::One => self.compiled().keys_from(0, prefix.depth),
                // All paths begin with the empty prefix, so the top level needs no search.
                Search::Plain if prefix.depth == 0 => self.compiled().keys_from(0, 0),
                Search::Plain => self.compiled().keys_from(self.first_from(prefix.path), prefix.depth),
                Search::Special => self.find_special(prefix, true).1,
            }
        }

        /// The keys for which the level at `prefix` is still searched after a packet was read. `inside` are the watched
        /// keys that were not found inside that packet.
        #[inline(always)]
        fn keys_after(&self, found: &impl Found, prefix: Prefix, inside: KeySet) -> KeySet {
            found.after(prefix.depth, inside).unwrap_or_else(|| self.keys_at(prefix))
        }

        /// Like [`select`](Self::select), but also uses the state that the reader stores about the enclosing levels.
        #[inline(always)]
        fn select_in(&self, _found: &impl Found, prefix: Prefix, keys: KeySet, tag: Tag) -> Selection {
            self.select(prefix, keys, tag)
        }

        /// Decides whether a packet is a hit, and whether the reader enters it or jumps over it. `prefix` leads to the
        /// level of the packet. `keys` are the keys that a path can match at that level. All readers and edits call
        /// this method. It does not check the limit on the length of watched values: stream readers do.
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

        /// Decides about a packet without a search. The only path of the set either ends with the key of this packet or
        /// continues.
        #[inline(always)]
        fn select_one(&self, prefix: Prefix, tag: Tag) -> Selection {
            let depth = prefix.depth + 1;
            let keys = self.compiled().keys_from(0, depth);
            let path_index = if keys.is_empty() { self.compiled().first_index() } else { None };
            Selection { path_index, prefix: Prefix { depth, ..prefix }, keys, is_node: tag.is_node() }
        }

        /// The keys that lead to a hit. For a set with a single path the keys are not stored, so the result is this
        /// path itself.
        #[inline(always)]
        fn path_of(&self, hit: &Selection) -> Path {
            if self.search() == Search::One {
                return self.compiled().only();
            }
            hit.prefix.path.ending(hit.prefix.depth)
        }

        /// Finds a packet in a set with embedded packets or `*`. In such a set, a path into a node and a path into a
        /// primitive with the same key are different paths.
        // A result of two words is returned in registers. A larger result would go through memory, for other sets too.
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

        /// Returns the least index of a path that matches these steps, and the keys that follow these steps. A path may
        /// have `*` in place of any key, so `k` depths with `*` take 2 to the power of `k` searches.
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

        /// The keys of a prefix, or the empty path if the keys are unknown. For a single path, a prefix stores only the
        /// number of keys, so the keys are unknown if that path contains `*`.
        #[cold]
        fn keys_to(&self, _found: &impl Found, prefix: Prefix) -> Path {
            let only = self.compiled().only();
            let path = if self.search() == Search::One { only } else { prefix.path }.prefix(prefix.depth);
            if path.steps().all(|step| step.key.is_some()) { path } else { Path::EMPTY }
        }

        /// How many steps lead into the innermost primitive that encloses the level at `prefix`. Returns `None` if no
        /// primitive encloses it.
        #[inline(always)]
        fn embedded_depth(&self, prefix: Prefix) -> Option<usize> {
            if self.special().entered == 0 {
                return None;
            }
            let only = self.compiled().only();
            let steps = if self.search() == Search::One { only } else { prefix.path };
            steps.prefix(prefix.depth).innermost_entered()
        }

        /// The error for a packet that reaches past the end of the level at `prefix`. The outermost embedded packets of
        /// a primitive have no parent: they are a separate input.
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

/// A set without embedded packets. If it has several paths, they do not contain `*` either. A loop that is generic over
/// the set is compiled separately for this type, without the code for other sets. One loop for all sets would keep
/// fewer values in registers (measured: a fifth more instructions).
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

/// The first steps of a path: those that lead to the level being read. A prefix stores the number of its steps. If the
/// set has several paths, a prefix also stores the keys that the reader found, and which steps enter embedded packets.
#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    path: Path,
    depth: usize,
}

impl Prefix {
    pub(crate) const ROOT: Prefix = Prefix { path: Path::EMPTY, depth: 0 };

    /// All steps of `path`, as a prefix. `depth` must be the number of these steps.
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

    /// The same prefix, but its last step enters embedded packets.
    #[inline(always)]
    fn entering(self) -> Prefix {
        Prefix { path: self.path.entering(self.depth), ..self }
    }

    /// The prefix without its last step. Returns `None` for the empty prefix.
    #[inline(always)]
    pub(crate) fn parent(self) -> Option<Prefix> {
        let depth = self.depth.checked_sub(1)?;
        Some(Prefix { path: self.path.prefix(depth), depth })
    }
}

/// What [`select`](sealed::Lookup::select) decides about a packet. A reader jumps over a packet that is neither a hit
/// nor entered.
#[derive(Clone, Copy, Debug)]
pub struct Selection {
    /// The index of the path that ends at the packet, if the packet is a hit.
    pub(crate) path_index: Option<u32>,
    /// The prefix that leads into the packet, if the reader enters it.
    pub(crate) prefix: Prefix,
    /// The keys that a path can match inside the packet. Empty if no path continues there.
    pub(crate) keys: KeySet,
    is_node: bool,
}

impl Selection {
    /// Makes the decision about a packet at any depth. `path` has the keys that lead to the packet and, last, the
    /// packet's own key. `depth` is the number of these keys.
    pub(super) const fn at_any_depth(
        path_index: Option<u32>,
        (path, depth): (Path, usize),
        keys: KeySet,
        is_node: bool,
    ) -> Self {
        Self { path_index, prefix: Prefix { path, depth }, keys, is_node }
    }

    /// Whether the reader enters the packet although `max_depth` or more nodes enclose it.
    #[inline(always)]
    pub(crate) fn is_too_deep<P: sealed::Lookup>(&self, paths: &P, max_depth: usize) -> bool {
        P::ANY_DEPTH && self.prefix.depth > max_depth && self.enters(paths)
    }

    /// Whether the reader enters the packet. It does so if a path continues in the node, or in the embedded packets of
    /// the primitive.
    // A method and not a field: computing it on demand costs a stream fewer instructions.
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
