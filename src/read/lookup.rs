//! Lookup: which packets of a level the paths of a set end at, and which they lead into.
//!
//! In: a set of paths, and where a reader is in the tree. Out: for a level, one word with the keys that matter; for a
//! packet, whether it is a hit, is entered, or is jumped over.

use super::compiled::{CompiledIn, Search, Special, Storage};
use super::found::Found;
use super::keys::KeySet;
use super::path::Path;
use crate::error::ErrorKind;
use crate::wire::key::Key;
use crate::wire::tag::Tag;

/// A set of watched paths: a [`PathSet`](crate::PathSet), the owned `Paths` (feature `alloc`), [`Patterns`](crate::Patterns)
/// with `**`, or a reference to one.
///
/// Readers of streams take any of them. With a reference they borrow the set. With `Paths` they own it, so a function can
/// return the reader. The trait is sealed: no other type implements it.
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

    /// The compiled form of a set, and what readers ask it. All is looked up where it is needed, so that a decision loads no
    /// more than it takes.
    pub trait Lookup: Sized + Unpin {
        type Storage: Storage;

        fn compiled(&self) -> &CompiledIn<Self::Storage>;

        /// What readers remember of the levels around.
        type Found: Found;

        /// Whether paths may lead deeper than [`Path::MAX_LEN`] keys.
        const ANY_DEPTH: bool = false;

        /// The set without references to it: readers that go on from call to call load it once.
        #[inline(always)]
        fn set(&self) -> impl super::WatchedPaths {
            self
        }

        fn search(&self) -> Search;

        #[inline(always)]
        fn special(&self) -> Special {
            self.compiled().special
        }

        /// The first path that is not before this one.
        #[inline(always)]
        fn first_from(&self, path: Path) -> usize {
            self.compiled().sorted().partition_point(|other| *other < path)
        }

        /// Whether the set may be read as [`Plain`].
        #[inline(always)]
        fn is_plain(&self) -> bool {
            match self.search() {
                Search::One => self.special().entered == 0,
                Search::Plain => true,
                Search::Special => false,
            }
        }

        /// Whether the first path has more than that many keys, or any number of them.
        #[inline(always)]
        fn is_longer_than(&self, keys: usize) -> bool {
            Self::ANY_DEPTH || self.compiled().given().first().is_some_and(|path| path.len() > keys)
        }

        /// The keys that matter at the level that `prefix` leads to.
        #[inline(always)]
        fn keys_at(&self, prefix: Prefix) -> KeySet {
            match self.search() {
                Search::One => self.compiled().keys_from(0, prefix.depth),
                // All paths begin with the empty prefix: no search at the top level.
                Search::Plain if prefix.depth == 0 => self.compiled().keys_from(0, 0),
                Search::Plain => self.compiled().keys_from(self.first_from(prefix.path), prefix.depth),
                Search::Special => self.find_special(prefix, true).1,
            }
        }

        /// The keys that are wanted at the level that `prefix` leads to, after a packet in it of which the keys `inside` are missing.
        #[inline(always)]
        fn keys_after(&self, found: &impl Found, prefix: Prefix, inside: KeySet) -> KeySet {
            found.after(prefix.depth, inside).unwrap_or_else(|| self.keys_at(prefix))
        }

        /// Like [`select`](Self::select), with what the reader remembers of the levels around.
        #[inline(always)]
        fn select_in(&self, _found: &impl Found, prefix: Prefix, keys: KeySet, tag: Tag) -> Selection {
            self.select(prefix, keys, tag)
        }

        /// Decides about a packet of the level that `prefix` leads to, where `keys` are the keys that matter: whether the
        /// packet is a hit, is entered, or is jumped over. All readers and edits ask here. The limit on the length of watched
        /// values is checked by streams.
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

        /// No search: the path ends with this key, or it continues.
        #[inline(always)]
        fn select_one(&self, prefix: Prefix, tag: Tag) -> Selection {
            let depth = prefix.depth + 1;
            let keys = self.compiled().keys_from(0, depth);
            let path_index = if keys.is_empty() { self.compiled().first_index() } else { None };
            Selection { path_index, prefix: Prefix { depth, ..prefix }, keys, is_node: tag.is_node() }
        }

        /// The keys that lead to a hit. With a single path no keys are kept: it is that path.
        #[inline(always)]
        fn path_of(&self, hit: &Selection) -> Path {
            if self.search() == Search::One {
                return self.compiled().only();
            }
            hit.prefix.path.ending(hit.prefix.depth)
        }

        /// Some path enters embedded packets or has any key: those that lead into a node and those that lead into a primitive differ.
        // Two words are returned in registers. A larger result would be kept in memory, for other sets too.
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

        /// The least index of a path equal to these steps, and the keys that follow them. A path may have `*` in place of any of the keys.
        /// One search for each choice: 2 to the power of the number of depths at which paths have any key.
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

        /// The keys of a prefix, or no path if they are not known: of a single path only their number is kept, and it may have
        /// any key.
        #[cold]
        fn keys_to(&self, _found: &impl Found, prefix: Prefix) -> Path {
            let only = self.compiled().only();
            let path = if self.search() == Search::One { only } else { prefix.path }.prefix(prefix.depth);
            if path.steps().all(|step| step.key.is_some()) { path } else { Path::EMPTY }
        }

        /// How many steps lead into the innermost primitive around the level that `prefix` leads to.
        #[inline(always)]
        fn embedded_depth(&self, prefix: Prefix) -> Option<usize> {
            if self.special().entered == 0 {
                return None;
            }
            let only = self.compiled().only();
            let steps = if self.search() == Search::One { only } else { prefix.path };
            steps.prefix(prefix.depth).innermost_entered()
        }

        /// What a packet is that ends after the level that `prefix` leads to. Embedded top-level packets have no parent: they are an
        /// input of their own.
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
        fn find_special(&self, prefix: Prefix, is_node: bool) -> (u64, KeySet) {
            (**self).find_special(prefix, is_node)
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

/// A set in which no path enters embedded packets and, if there are several, none has any key. A loop over this type is compiled
/// without the code for other sets. If they shared the loop, it would keep less in registers (measured: a fifth more instructions).
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

/// The first steps of a path, which lead to the level that is being read. They have the keys of the input, and enter
/// embedded packets where a reader did. With at most one path, only their number is kept.
#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    path: Path,
    depth: usize,
}

impl Prefix {
    pub(crate) const ROOT: Prefix = Prefix { path: Path::EMPTY, depth: 0 };

    /// The first `depth` steps of a path that has no others.
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

    /// The prefix whose last step enters embedded packets.
    #[inline(always)]
    fn entering(self) -> Prefix {
        Prefix { path: self.path.entering(self.depth), ..self }
    }

    /// The prefix without its last step; `None` if it has no step.
    #[inline(always)]
    pub(crate) fn parent(self) -> Option<Prefix> {
        let depth = self.depth.checked_sub(1)?;
        Some(Prefix { path: self.path.prefix(depth), depth })
    }
}

/// The decision of [`select`](sealed::Lookup::select) about a packet. A packet that is neither a hit nor entered is jumped over.
#[derive(Clone, Copy, Debug)]
pub struct Selection {
    /// The packet is a hit if a path ends with it: the index of that path.
    pub(crate) path_index: Option<u32>,
    /// The prefix that leads into the packet, if it is entered.
    pub(crate) prefix: Prefix,
    /// The keys that matter inside the packet; empty if no path continues there.
    pub(crate) keys: KeySet,
    is_node: bool,
}

impl Selection {
    /// The decision for a packet whose keys, its own last, lead to a level that is `depth` deep.
    pub(super) const fn at_any_depth(
        path_index: Option<u32>,
        (path, depth): (Path, usize),
        keys: KeySet,
        is_node: bool,
    ) -> Self {
        Self { path_index, prefix: Prefix { path, depth }, keys, is_node }
    }

    /// Whether the packet is entered, and lies in that many nodes or more.
    #[inline(always)]
    pub(crate) fn is_too_deep<P: sealed::Lookup>(&self, paths: &P, max_depth: usize) -> bool {
        P::ANY_DEPTH && self.prefix.depth > max_depth && self.enters(paths)
    }

    /// Whether to read the packets inside: a path continues in a node, or in a primitive whose embedded packets it enters.
    // A method, not a field: computed where it is needed, it costs a stream fewer instructions.
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
