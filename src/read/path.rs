//! Path: the keys from the outermost node to a packet; and a set of paths, compiled for watching.
//!
//! In: paths, known at compile time or as text. Out: for each node on a path, one word with the keys that matter inside it.

use core::fmt;
use core::str::FromStr;

use super::keys::KeySet;
use crate::error::{Error, ErrorKind};
use crate::wire::key::Key;
use crate::wire::tag::Tag;

/// The keys from the outermost packet to a watched one: 1 to 8 keys.
///
/// Make it with [`path!`](crate::path), checked at compile time, or parse it from text.
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
///
/// # Examples
/// ```
/// const NOISE: y3::Path = y3::path!(0x01, 0x10, 0x11);
///
/// assert_eq!(NOISE.to_string(), "0x01/0x10/0x11");
/// assert_eq!("01/10/11".parse(), Ok(NOISE));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(
    /// One byte per key, the outermost highest, with [`USED`] set; zero after the last. So paths sort in the order of the
    /// wire.
    u64,
);

/// The bit that marks a used byte, so that key 0 differs from an unused byte.
const USED: u8 = 0x80;

impl Path {
    /// The longest path, in keys. To go deeper, watch the packets inside a hit: [`PathSet::watch_packets`].
    pub const MAX_LEN: usize = 8;

    /// The path with these keys, or `None` if one is above 63 or there are none or more than 8.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::Path::new(&[0x01, 0x10]), Some(y3::path!(0x01, 0x10)));
    /// assert_eq!(y3::Path::new(&[]), None);
    /// assert_eq!(y3::Path::new(&[0x40]), None);
    /// ```
    #[must_use]
    pub const fn new(keys: &[u8]) -> Option<Path> {
        if keys.is_empty() || keys.len() > Self::MAX_LEN {
            return None;
        }
        let mut path = Path(0);
        let mut left = keys;
        let mut depth = 0;
        while let [number, others @ ..] = left {
            let Some(key) = Key::new(*number) else { return None };
            path = path.then(depth, key);
            depth += 1;
            left = others;
        }
        Some(path)
    }

    /// The number of keys: 1..=8.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::path!(0x01, 0x10, 0x11).depth(), 3);
    /// ```
    #[must_use]
    pub const fn depth(self) -> usize {
        Self::MAX_LEN - self.0.trailing_zeros() as usize / 8
    }

    /// The keys, the outermost first.
    ///
    /// # Examples
    /// ```
    /// assert!(y3::path!(0x01, 0x10).keys().eq([0x01, 0x10].map(|key| y3::Key::new(key).unwrap())));
    /// ```
    pub fn keys(self) -> impl Iterator<Item = Key> {
        self.0.to_be_bytes().into_iter().take_while(|&byte| byte != 0).map(Key::of_tag)
    }

    /// The path with a key added at `depth`, which must be below 8 and unused.
    #[inline(always)]
    const fn then(self, depth: usize, key: Key) -> Path {
        Path(self.0 | ((USED | key.get()) as u64) << shift(depth))
    }

    /// The first `depth` keys; for 0 the empty prefix, which every path begins with.
    #[inline(always)]
    const fn prefix(self, depth: usize) -> Path {
        if depth == 0 { Path(0) } else { Path(self.0 & u64::MAX << shift(depth - 1)) }
    }

    const fn key_at(self, depth: usize) -> Option<Key> {
        let [byte, ..] = (self.0 >> shift(depth)).to_le_bytes();
        if byte & USED == 0 { None } else { Some(Key::of_tag(byte)) }
    }
}

/// The number of bits by which the key at that depth is shifted.
#[inline(always)]
const fn shift(depth: usize) -> u32 {
    let [depth, ..] = depth.to_le_bytes();
    (56 - 8 * (depth & 7)) as u32
}

/// A [`Path`] of constant keys, checked at compile time.
///
/// # Examples
/// ```
/// const PATH: y3::Path = y3::path!(0x01, 0x10, 0x11);
/// assert_eq!(PATH.depth(), 3);
/// ```
/// ```compile_fail
/// let too_high = y3::path!(0x01, 0x40);
/// ```
#[macro_export]
macro_rules! path {
    ($($key:expr),+ $(,)?) => {
        const {
            match $crate::Path::new(&[$($key),+]) {
                Some(path) => path,
                None => panic!("a path is 1 to 8 keys, none above 63"),
            }
        }
    };
}

/// Parses keys separated by `/`, each one or two hexadecimal digits with or without the prefix `0x`: `0x01/0x10/0x11`,
/// `01/10/11`.
///
/// # Errors
/// Offsets count in the text. [`ErrorKind::InvalidPath`] at its start if it is empty, and where a ninth key begins;
/// [`ErrorKind::InvalidKey`] at the wrong character of a key, as in [`Key`]'s own `from_str`.
///
/// # Examples
/// ```
/// use y3::{ErrorKind, Path};
///
/// let error = "0x01/0x1g".parse::<Path>().unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidKey, 8));
/// ```
impl FromStr for Path {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text.is_empty() {
            return Err(Error::new(ErrorKind::InvalidPath, 0));
        }
        let mut path = Path(0);
        let mut offset = 0;
        for (depth, part) in text.split('/').enumerate() {
            if depth == Self::MAX_LEN {
                return Err(Error::new(ErrorKind::InvalidPath, offset));
            }
            path = path.then(depth, part.parse().map_err(|error: Error| error.rebased(offset))?);
            offset += part.len() as u64 + 1;
        }
        Ok(path)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, key) in self.keys().enumerate() {
            write!(f, "{}{key}", if depth == 0 { "" } else { "/" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}

/// A set of up to `N` paths, compiled for watching; in a `const` at compile time.
///
/// Cost: 81 bytes per path; at most O(N²) to make it; when watching, a binary search for each node on a path.
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
///
/// # Examples
/// ```
/// use y3::{PathSet, path};
///
/// const WATCHED: PathSet<2> = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x13)]);
///
/// let bytes = [0x81, 0x08, 0x11, 0x02, 0x3e, 0x80, 0x12, 0x00, 0x13, 0x00];
/// let mut watch = WATCHED.watch(&bytes);
/// assert_eq!(watch.next().unwrap()?.decode::<f32>()?, 0.25);
/// assert_eq!(watch.next().unwrap()?.path_index(), 1);
/// assert!(watch.next().is_none());
/// # Ok::<(), y3::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PathSet<const N: usize> {
    /// The paths in order; [`NONE`] fills the rest.
    sorted: [Path; N],
    /// For each of these its index in `given`.
    indices: [u8; N],
    /// For each prefix of a path, by its length, the keys that follow it, stored at the index of the first path with that
    /// prefix.
    keys: [[KeySet; Path::MAX_LEN]; N],
    /// The paths as they were given; [`NONE`] fills the rest.
    given: [Path; N],
}

/// No path. It sorts after every path and shares no prefix with one.
const NONE: Path = Path(u64::MAX);

impl<const N: usize> PathSet<N> {
    /// The set of these paths. [`Hit::path_index`](crate::Hit::path_index) is the index of the path in this array; for
    /// duplicates it is the first index. `N` is at most 256, checked at compile time.
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01, 0x10, 0x11)]);
    /// ```
    #[must_use]
    pub const fn new(paths: [Path; N]) -> Self {
        Self::of_slice(&paths)
    }

    /// The set of paths known only at run time, or `None` if there are more than `N`.
    ///
    /// # Examples
    /// ```
    /// let paths = [y3::path!(0x01), y3::path!(0x02, 0x03)];
    /// assert!(y3::PathSet::<8>::from_slice(&paths).is_some());
    /// assert!(y3::PathSet::<1>::from_slice(&paths).is_none());
    /// ```
    #[must_use]
    pub const fn from_slice(paths: &[Path]) -> Option<Self> {
        if paths.len() <= N { Some(Self::of_slice(paths)) } else { None }
    }

    /// The path at an index, as given: `get(hit.path_index())` is the path of a hit. `None` for an index without a path.
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<2> = y3::PathSet::new([y3::path!(0x02), y3::path!(0x01)]);
    ///
    /// let hit = WATCHED.watch(&[0x01, 0x00]).next().unwrap()?;
    /// assert_eq!(WATCHED.get(hit.path_index()), Some(y3::path!(0x01)));
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Path> {
        self.given().get(index).copied()
    }

    /// The number of paths given, duplicates included. Every [`Hit::path_index`](crate::Hit::path_index) is below it.
    ///
    /// # Examples
    /// ```
    /// let set = y3::PathSet::<8>::from_slice(&[y3::path!(0x01), y3::path!(0x02)]).unwrap();
    /// assert_eq!(set.len(), 2);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.given().len()
    }

    /// Whether no path was given.
    ///
    /// # Examples
    /// ```
    /// assert!(y3::PathSet::<8>::default().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.given().is_empty()
    }

    /// The paths in the order given, duplicates included.
    ///
    /// # Examples
    /// ```
    /// let paths = [y3::path!(0x02), y3::path!(0x01)];
    /// assert!(y3::PathSet::new(paths).iter().eq(paths));
    /// ```
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Path> + Clone {
        self.given().iter().copied()
    }

    fn given(&self) -> &[Path] {
        self.given.get(..self.given.partition_point(|path| path.0 != NONE.0)).unwrap_or_default()
    }

    /// `given` must hold at most `N` paths.
    #[allow(clippy::indexing_slicing, reason = "const: every index is below N")]
    #[allow(clippy::cast_possible_truncation, reason = "const: N is at most 256")]
    const fn of_slice(given: &[Path]) -> Self {
        const { assert!(N <= 256, "a PathSet holds at most 256 paths") }
        let keys = [[KeySet::EMPTY; Path::MAX_LEN]; N];
        let mut set = Self { sorted: [NONE; N], indices: [0; N], keys, given: [NONE; N] };
        let mut index = 0;
        while index < given.len() {
            // After equal paths, so that a search finds the first of them first.
            let mut at = index;
            while at > 0 && set.sorted[at - 1].0 > given[index].0 {
                set.sorted[at] = set.sorted[at - 1];
                set.indices[at] = set.indices[at - 1];
                at -= 1;
            }
            set.sorted[at] = given[index];
            set.indices[at] = index as u8;
            set.given[index] = given[index];
            index += 1;
        }
        let mut first = [0; Path::MAX_LEN];
        let mut at = 0;
        while at < given.len() {
            let path = set.sorted[at];
            let mut depth = 0;
            while depth < Path::MAX_LEN {
                if at > 0 && path.prefix(depth).0 != set.sorted[at - 1].prefix(depth).0 {
                    first[depth] = at;
                }
                if let Some(key) = path.key_at(depth) {
                    set.keys[first[depth]][depth] = set.keys[first[depth]][depth].with(key);
                }
                depth += 1;
            }
            at += 1;
        }
        set
    }

    /// The set of one path that is known only at run time, made without an index that could be out of bounds.
    pub(crate) fn single(path: Path) -> PathSet<1> {
        let mut keys = [KeySet::EMPTY; Path::MAX_LEN];
        for (set, key) in keys.iter_mut().zip(path.keys()) {
            *set = key.into();
        }
        PathSet { sorted: [path], indices: [0], keys: [keys], given: [path] }
    }

    /// The keys that matter in the node that `prefix` leads to.
    #[inline(always)]
    pub(crate) fn keys_at(&self, prefix: Prefix) -> KeySet {
        self.keys_from(if N == 1 { 0 } else { self.first_from(prefix.path) }, prefix.depth)
    }

    /// Decides about a packet of the node that `prefix` leads to, where `keys` are the keys that matter: whether the packet
    /// is a hit, is entered, or is jumped over. Slice watchers and stream watchers both call this. The limit on the length
    /// of watched values is checked by streams.
    #[inline(always)]
    pub(crate) fn select(&self, prefix: Prefix, keys: KeySet, tag: Tag) -> Selection {
        if !keys.contains(tag.key()) {
            return Selection { path_index: None, prefix, keys: KeySet::EMPTY, is_node: false };
        }
        let Step { prefix, watched, keys } = self.step(prefix, tag.key());
        Selection { path_index: watched, prefix, keys, is_node: tag.is_node() }
    }

    /// The paths through a packet with that key, which must be one of [`keys_at`](Self::keys_at).
    #[inline(always)]
    pub(crate) fn step(&self, prefix: Prefix, key: Key) -> Step {
        let depth = prefix.depth + 1;
        if N == 1 {
            // With one path, no search: it ends with this key, or it continues.
            let keys = self.keys_from(0, depth);
            let watched = if keys.is_empty() { self.indices.first().copied() } else { None };
            return Step { prefix: Prefix { depth, ..prefix }, watched, keys };
        }
        let path = prefix.path.then(prefix.depth, key);
        let first = self.first_from(path);
        let watched = self.sorted.get(first).is_some_and(|found| found.0 == path.0);
        Step {
            prefix: Prefix { path, depth: prefix.depth + 1 },
            watched: if watched { self.indices.get(first).copied() } else { None },
            keys: self.keys_from(first, prefix.depth + 1),
        }
    }

    #[inline(always)]
    fn first_from(&self, path: Path) -> usize {
        self.sorted.partition_point(|other| other.0 < path.0)
    }

    #[inline(always)]
    fn keys_from(&self, first: usize, depth: usize) -> KeySet {
        self.keys.get(first).and_then(|keys| keys.get(depth)).copied().unwrap_or_default()
    }
}

/// The empty set: no hits.
impl<const N: usize> Default for PathSet<N> {
    fn default() -> Self {
        Self::of_slice(&[])
    }
}

/// The first keys of a path, which lead to the node that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefix {
    path: Path,
    depth: usize,
}

impl Prefix {
    pub(crate) const ROOT: Prefix = Prefix { path: Path(0), depth: 0 };

    #[inline(always)]
    pub(crate) const fn depth(self) -> usize {
        self.depth
    }

    /// The prefix without its last key; `None` if it has no key.
    #[inline(always)]
    pub(crate) fn parent(self) -> Option<Prefix> {
        let depth = self.depth.checked_sub(1)?;
        Some(Prefix { path: self.path.prefix(depth), depth })
    }
}

/// The decision of [`PathSet::select`] about a packet. A packet that is neither a hit nor entered is jumped over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection {
    /// The packet is a hit if a path ends with it: the index of that path.
    pub(crate) path_index: Option<u8>,
    /// The prefix that leads into the packet, if it is entered.
    pub(crate) prefix: Prefix,
    /// The keys that matter inside the packet; empty if no path continues there.
    pub(crate) keys: KeySet,
    is_node: bool,
}

impl Selection {
    /// Whether to read the packets inside: the packet is a node, and a path continues in it.
    // A method, not a field: computed where it is needed, it costs a stream fewer instructions.
    #[inline(always)]
    pub(crate) const fn enters(&self) -> bool {
        self.is_node && !self.keys.is_empty()
    }
}

/// The paths through a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The prefix that leads into the packet.
    pub(crate) prefix: Prefix,
    /// The index of the path that ends here.
    pub(crate) watched: Option<u8>,
    /// The keys that matter inside; empty if no path continues.
    pub(crate) keys: KeySet,
}
