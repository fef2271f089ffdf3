//! Lookup: which packets of a level the paths of a set end at, and which they lead into.
//!
//! In: a set of paths and the place of a reader in the tree. Out: for a level, one word with the keys that matter; for a
//! packet, whether it is a hit, is entered, or is jumped over.

use super::keys::KeySet;
use super::packet::Packet;
use super::path::Path;
use super::set::set_methods;
use crate::wire::key::Key;
use crate::wire::tag::Tag;

/// A set of watched paths: a [`PathSet`](crate::PathSet), the owned `Paths` (feature `alloc`), [`FirstOnly`] around either, or a
/// reference to one.
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
pub trait WatchedPaths: sealed::Lookup {
    /// The paths in the order given, duplicates included: a hit's `path_index` is an index of this slice.
    fn as_slice(&self) -> &[Path];
}

impl<P: WatchedPaths> WatchedPaths for &P {
    fn as_slice(&self) -> &[Path] {
        (**self).as_slice()
    }
}

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

impl<P: WatchedPaths> WatchedPaths for FirstOnly<P> {
    fn as_slice(&self) -> &[Path] {
        self.0.as_slice()
    }
}

impl<P: WatchedPaths> sealed::Lookup for FirstOnly<P> {
    type Slots<'a> = P::Slots<'a>;
    type Set = Self;
    type Base = P;
    type Found = Levels;

    fn slots<'a>(&self) -> Self::Slots<'a> {
        self.0.slots()
    }

    #[inline(always)]
    fn set(&self) -> &Self {
        self
    }

    #[inline(always)]
    fn base(&self) -> &P {
        &self.0
    }
}

/// What of the levels around was found. Nothing is kept for sets of which all packets count.
pub trait Found: Copy + Default + core::fmt::Debug + Unpin {
    /// Whether only the first packet at each path counts.
    const FIRST_ONLY: bool;

    /// Enters a packet with this key, of the level at `depth`, where these keys are wanted.
    fn enter(&mut self, depth: usize, keys: KeySet, key: Key);

    /// The keys that are wanted at the level at `depth` after a packet in it, of which the keys `inside` are missing. `None`: all.
    fn after(&self, depth: usize, inside: KeySet) -> Option<KeySet>;
}

impl Found for () {
    const FIRST_ONLY: bool = false;

    #[inline(always)]
    fn enter(&mut self, _: usize, _: KeySet, _: Key) {}

    #[inline(always)]
    fn after(&self, _: usize, _: KeySet) -> Option<KeySet> {
        None
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
    fn after(&self, depth: usize, inside: KeySet) -> Option<KeySet> {
        let (keys, key) = self.0.get(depth.checked_sub(1)?)?;
        Some(if inside.is_empty() { keys.without(*key) } else { *keys })
    }
}

pub(crate) mod sealed {
    use super::{Found, KeySet, Keys, Mode, Packet, Path, Prefix, Selection, Special, Tag};

    /// The compiled form of a set, and what readers ask it. All is looked up where it is needed, so that a decision loads no
    /// more than it takes.
    pub trait Lookup: Unpin {
        /// A place for a packet for each path.
        type Slots<'a>: AsRef<[Option<Packet<'a>>]> + AsMut<[Option<Packet<'a>>]> + Clone;

        /// Empty places.
        fn slots<'a>(&self) -> Self::Slots<'a>;

        /// The set without references to it: readers that go on from call to call load it once.
        type Set: super::WatchedPaths;

        fn set(&self) -> &Self::Set;

        /// The set that this one is made of, or itself.
        type Base: Lookup;

        fn base(&self) -> &Self::Base;

        /// What readers remember of the levels around.
        type Found: Found;

        /// The paths in order, equal ones in the order given; [`Path::NONE`] may follow.
        #[inline(always)]
        fn sorted(&self) -> &[Path] {
            self.base().sorted()
        }

        /// For each of these its index as given; at least as many.
        #[inline(always)]
        fn indices(&self) -> &[u32] {
            self.base().indices()
        }

        /// For each prefix of a path the keys that follow it, stored at the first path with that prefix; at least as many.
        #[inline(always)]
        fn keys(&self) -> &[Keys] {
            self.base().keys()
        }

        #[inline(always)]
        fn special(&self) -> Special {
            self.base().special()
        }

        #[inline(always)]
        fn mode(&self) -> Mode {
            self.base().mode()
        }

        /// The first path that is not before this one.
        #[inline(always)]
        fn first_from(&self, path: Path) -> usize {
            self.sorted().partition_point(|other| *other < path)
        }

        /// Whether the set may be read as [`Plain`].
        #[inline(always)]
        fn is_plain(&self) -> bool {
            match self.mode() {
                Mode::One => self.special().entered == 0,
                Mode::Plain => true,
                Mode::Special => false,
            }
        }

        /// The keys that matter at the level that `prefix` leads to.
        #[inline(always)]
        fn keys_at(&self, prefix: Prefix) -> KeySet {
            match self.mode() {
                Mode::One => self.keys_from(0, prefix.depth),
                Mode::Plain => self.keys_from(self.first_from(prefix.path), prefix.depth),
                Mode::Special => self.find_special(prefix, true).1,
            }
        }

        /// Decides about a packet of the level that `prefix` leads to, where `keys` are the keys that matter: whether the
        /// packet is a hit, is entered, or is jumped over. All readers and edits ask here. The limit on the length of watched
        /// values is checked by streams.
        #[inline(always)]
        fn select(&self, prefix: Prefix, keys: KeySet, tag: Tag) -> Selection {
            if !keys.contains(tag.key()) {
                return Selection { path_index: None, prefix, keys: KeySet::EMPTY, is_node: false };
            }
            match self.mode() {
                Mode::One => self.select_one(prefix, tag),
                Mode::Plain => {
                    let prefix = prefix.then(tag.key());
                    let first = self.first_from(prefix.path);
                    let (path_index, keys) = (self.index_of(first, prefix.path), self.keys_from(first, prefix.depth));
                    Selection { path_index, prefix, keys, is_node: tag.is_node() }
                }
                Mode::Special => {
                    let prefix = prefix.then(tag.key());
                    let (path_index, keys) = self.find_special(prefix, tag.is_node());
                    let prefix = if tag.is_node() { prefix } else { prefix.crossing() };
                    Selection { path_index: u32::try_from(path_index).ok(), prefix, keys, is_node: true }
                }
            }
        }

        /// No search: the path ends with this key, or it continues.
        #[inline(always)]
        fn select_one(&self, prefix: Prefix, tag: Tag) -> Selection {
            let depth = prefix.depth + 1;
            let keys = self.keys_from(0, depth);
            let path_index = if keys.is_empty() { self.indices().first().copied() } else { None };
            Selection { path_index, prefix: Prefix { depth, ..prefix }, keys, is_node: tag.is_node() }
        }

        /// The keys that lead to a hit; a single path itself, of which no keys are kept.
        #[inline(always)]
        fn keys_of(&self, hit: &Selection) -> Path {
            if self.mode() == Mode::One {
                return self.sorted().first().copied().unwrap_or(Path::EMPTY);
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
                let crosses = self.special().crosses(prefix.depth - 1);
                keys = if crosses { self.find_any(prefix.crossing()).1 } else { KeySet::EMPTY };
            }
            (path_index.map_or(u64::MAX, u64::from), keys)
        }

        /// The least index of a path that is these steps, and the keys that follow them, where a path may have any key in
        /// place of each key. One search for each choice: 2 to the power of the number of depths at which paths have any key.
        fn find_any(&self, Prefix { path, depth }: Prefix) -> (Option<u32>, KeySet) {
            let depths = u32::from(self.special().any) & !(u32::MAX << depth);
            let (mut least, mut keys, mut chosen) = (None, KeySet::EMPTY, depths);
            loop {
                let any = (0..depth).filter(|depth| chosen >> depth & 1 != 0);
                let steps = any.fold(path, Path::with_any);
                let first = self.first_from(steps);
                if self.sorted().get(first).is_some_and(|found| found.prefix(depth) == steps) {
                    keys |= self.keys_from(first, depth);
                    least = self.index_of(first, steps).into_iter().chain(least).min();
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
        fn keys_to(&self, prefix: Prefix) -> Path {
            let only = self.sorted().first().copied().unwrap_or(Path::EMPTY);
            let path = if self.mode() == Mode::One { only } else { prefix.path }.prefix(prefix.depth);
            if path.steps().all(|step| step.key.is_some()) { path } else { Path::EMPTY }
        }

        /// How many steps lead into the innermost primitive around the level that `prefix` leads to.
        #[inline(always)]
        fn embedded_depth(&self, prefix: Prefix) -> Option<usize> {
            if self.special().entered == 0 {
                return None;
            }
            let only = self.sorted().first().copied().unwrap_or(Path::EMPTY);
            let steps = if self.mode() == Mode::One { only } else { prefix.path };
            steps.prefix(prefix.depth).innermost_entered()
        }

        /// The first index of a path, if `first` is where it would be.
        #[inline(always)]
        fn index_of(&self, first: usize, path: Path) -> Option<u32> {
            let is_watched = self.sorted().get(first).is_some_and(|found| *found == path);
            if is_watched { self.indices().get(first).copied() } else { None }
        }

        #[inline(always)]
        fn keys_from(&self, first: usize, depth: usize) -> KeySet {
            self.keys().get(first).and_then(|keys| keys.get(depth)).copied().unwrap_or_default()
        }
    }

    impl<P: Lookup> Lookup for &P {
        type Slots<'a> = P::Slots<'a>;
        type Set = P::Set;
        type Base = P;
        type Found = P::Found;

        fn slots<'a>(&self) -> Self::Slots<'a> {
            (**self).slots()
        }

        #[inline(always)]
        fn set(&self) -> &P::Set {
            (**self).set()
        }

        #[inline(always)]
        fn base(&self) -> &P {
            self
        }

        #[inline(always)]
        fn find_special(&self, prefix: Prefix, is_node: bool) -> (u64, KeySet) {
            (**self).find_special(prefix, is_node)
        }
    }
}

/// A set in which no path enters embedded packets and, if there are several, none has any key. A loop over this type is compiled without the
/// code for other sets. If they shared the loop, it would keep less in registers (measured: a fifth more instructions).
pub struct Plain<'p, P>(pub(crate) &'p P);

impl<P: sealed::Lookup> sealed::Lookup for Plain<'_, P> {
    type Slots<'a> = P::Slots<'a>;
    type Set = P::Set;
    type Base = P;
    type Found = P::Found;

    fn slots<'a>(&self) -> Self::Slots<'a> {
        self.0.slots()
    }

    #[inline(always)]
    fn set(&self) -> &P::Set {
        self.0.set()
    }

    #[inline(always)]
    fn base(&self) -> &P {
        self.0
    }

    #[inline(always)]
    fn special(&self) -> Special {
        Special::NONE
    }

    #[inline(always)]
    fn mode(&self) -> Mode {
        if self.0.mode() == Mode::One { Mode::One } else { Mode::Plain }
    }
}

/// How the paths of a set are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// There is at most one path.
    One,
    /// No path enters embedded packets or has any key.
    Plain,
    Special,
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
                special = special.with(depth, step.key.is_none(), step.crosses);
            }
            depth += 1;
        }
        at += 1;
    }
    special
}

impl Special {
    pub(super) const NONE: Self = Self { any: 0, entered: 0 };

    /// The same for one path.
    pub(super) fn of(path: Path) -> Self {
        (0..)
            .zip(path.steps())
            .fold(Self::NONE, |special, (depth, step)| special.with(depth, step.key.is_none(), step.crosses))
    }

    const fn crosses(self, depth: usize) -> bool {
        self.entered >> depth & 1 != 0
    }

    /// How a set of `len` paths is looked up.
    #[cfg(feature = "alloc")]
    pub(super) const fn mode(self, len: usize) -> Mode {
        match (len, self) {
            (0 | 1, _) => Mode::One,
            (_, Self { any: 0, entered: 0 }) => Mode::Plain,
            _ => Mode::Special,
        }
    }

    const fn with(self, depth: usize, any: bool, crosses: bool) -> Self {
        let [depth, ..] = depth.to_le_bytes();
        Self { any: self.any | (any as u8) << (depth & 7), entered: self.entered | (crosses as u8) << (depth & 7) }
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
    fn crossing(self) -> Prefix {
        Prefix { path: self.path.crossing(self.depth), ..self }
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
    /// Whether to read the packets inside: a path continues in a node, or in a primitive whose embedded packets it enters.
    // A method, not a field: computed where it is needed, it costs a stream fewer instructions.
    #[inline(always)]
    pub(crate) fn enters(&self, paths: &impl sealed::Lookup) -> bool {
        !self.keys.is_empty()
            && if let Mode::One = paths.mode() {
                self.is_node != paths.special().crosses(self.prefix.depth - 1)
            } else {
                self.is_node
            }
    }
}
