//! Paths that can skip any number of levels, and sets of such paths.
//!
//! A reader stores the keys that lead to a packet. A set compares its patterns with these keys.

use core::fmt;
use core::str::FromStr;

use super::compiled::Search;
use super::found::{Found, Level};
use super::keys::KeySet;
use super::lookup::sealed::Lookup;
use super::lookup::{Prefix, Selection};
use super::packets::{Packets, packets};
use super::path::Path;
use super::path_set::{Array, PathSet};
use super::watch::Watch;
use crate::error::Error;
use crate::limits::MAX_DEPTH;
use crate::wire::key::Key;
use crate::wire::tag::Tag;

/// A path that can skip levels. `*` matches one key, and `**` matches any number of keys, including zero. A pattern has
/// 1 to 8 steps.
///
/// Parse a pattern from text: `**/11`, `01/**/13`, `01/*/11`. A set of [`Patterns`] watches slices and streams, as a
/// [`PathSet`](crate::PathSet) does. A pattern enters only nodes. To watch embedded packets, use
/// [`Patterns::watch_packets`].
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    path: Path,
    /// One bit for each step, set if the step is `**`.
    any_depth: u16,
}

impl Pattern {
    /// Finds how many steps of the pattern these keys match. Because of `**`, there can be several answers: the result
    /// has one bit for each of them. Cost: O(keys).
    fn reached(&self, keys: impl Iterator<Item = Key>) -> u16 {
        keys.fold(self.with_any_depth(1), |reached, key| {
            let (mut next, mut left) = (reached & self.any_depth, reached & !(self.any_depth | self.whole()));
            while left != 0 {
                let step = left.trailing_zeros();
                if self.path.step_at(step as usize).is_some_and(|step| step.is(key)) {
                    next |= 2 << step;
                }
                left &= left - 1;
            }
            self.with_any_depth(next)
        })
    }

    /// Returns the keys that the next step can match. A bit in `reached` is set for each possible number of matched
    /// steps.
    fn keys_after(&self, reached: u16) -> KeySet {
        if reached & self.any_depth != 0 {
            return KeySet::ALL;
        }
        let steps = self.path.steps().enumerate().filter(|(index, _)| reached >> index & 1 != 0);
        steps.fold(KeySet::EMPTY, |keys, (_, step)| keys.or(step.keys()))
    }

    /// The bit that [`reached`](Self::reached) sets if the keys match the whole pattern.
    fn whole(&self) -> u16 {
        1 << self.path.len()
    }

    /// Also sets the bit after each reached `**`, because `**` also matches zero keys.
    fn with_any_depth(&self, mut reached: u16) -> u16 {
        loop {
            let more = reached | (reached & self.any_depth) << 1;
            if more == reached {
                return reached;
            }
            reached = more;
        }
    }
}

/// Parses steps separated by `/`. A step is `*`, `**`, or a key of one or two hexadecimal digits. The prefix `0x` is
/// optional.
///
/// # Errors
/// Returns the same errors as parsing a [`Path`](crate::Path), but accepts `**`.
///
/// # Examples
/// ```
/// use y3::{ErrorKind, Pattern};
///
/// assert_eq!("01/**/0x13".parse::<Pattern>()?.to_string(), "0x01/**/0x13");
/// let error = "01/***".parse::<Pattern>().unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidKey, 3));
/// # Ok::<(), y3::Error>(())
/// ```
impl FromStr for Pattern {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let path = Path::parse(text, true)?;
        let steps = (0..).zip(path.steps()).filter(|(_, step)| step.any_depth);
        Ok(Self { path, any_depth: steps.fold(0, |bits, (depth, _)| bits | 1 << depth) })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(f)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({self})")
    }
}

/// A set of patterns to watch: an array, a slice or a `Vec` of patterns.
///
/// All readers accept `Patterns` instead of a [`PathSet`](crate::PathSet), by value or by reference. A stream reader
/// with patterns stores 1.3 KiB and enters at most [`Limits::max_depth`](crate::Limits::max_depth) nested nodes.
///
/// # Examples
/// ```
/// let patterns = y3::Patterns(["**/13".parse()?, "01/*".parse()?]);
/// let bytes = [0x81, 0x04, 0x13, 0x00, 0x11, 0x00, 0x13, 0x00];
/// let found: Result<Vec<_>, _> = patterns.watch(&bytes).map(|hit| Ok((hit?.offset(), hit?.path_index()))).collect();
/// assert_eq!(found, Ok::<_, y3::Error>(vec![(2, 0), (4, 1), (6, 0)]));
/// # Ok::<(), y3::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Patterns<T>(pub T);

impl<T: AsRef<[Pattern]> + Unpin> Patterns<T> {
    /// Iterates over the packets that match a pattern, at any depth, in the order of the input. A node comes before the
    /// packets inside it.
    ///
    /// If several patterns match a packet, the packet is one hit with the lowest index. The watch skips nodes in which
    /// no pattern can match. If the input ends inside a node, the error comes after the complete hits in that node. If
    /// no pattern has `**`, a [`PathSet`](crate::PathSet) of the same paths is faster. Cost: reads one header for each
    /// packet in an entered node, and compares each packet with each pattern in O(depth) steps. Uses 1.3 KiB of stack.
    /// Never allocates.
    ///
    /// # Errors
    /// Returns the errors of [`PathSet::watch`](crate::PathSet::watch). Also returns
    /// [`DepthLimit`](crate::ErrorKind::DepthLimit) if a node is nested deeper than [`MAX_DEPTH`] nodes. After an error
    /// the iterator yields `None`.
    #[must_use]
    pub fn watch<'a>(&self, bytes: &'a [u8]) -> Watch<'a, &Self> {
        Watch::new(self, packets(bytes))
    }

    /// Watches the packets of a node, the packets embedded in a primitive, or one packet. The first step of a pattern
    /// is compared with the keys of these packets.
    ///
    /// # Examples
    /// ```
    /// use y3::{Packet, Patterns};
    ///
    /// let frame = Packet::from_slice(&[0xbf, 0x07, 0x02, 0x05, 0x81, 0x03, 0x11, 0x01, 0x07])?;
    /// let embedded = frame.find(0x02)?.unwrap().embedded();
    /// assert_eq!(Patterns(["**/11".parse()?]).watch_packets(embedded).next().unwrap()?.offset(), 6);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn watch_packets<'a>(&self, packets: impl Into<Packets<'a>>) -> Watch<'a, &Self> {
        Watch::new(self, packets.into())
    }

    /// Returns the lowest index of a pattern that these keys match. Also returns the keys that can match inside the
    /// packet.
    fn find(&self, keys: &(impl Iterator<Item = Key> + Clone)) -> (Option<u32>, KeySet) {
        let (mut least, mut inside) = (None, KeySet::EMPTY);
        for (index, pattern) in (0..).zip(self.0.as_ref()) {
            let reached = pattern.reached(keys.clone());
            least = least.or((reached & pattern.whole() != 0).then_some(index));
            inside = inside.or(pattern.keys_after(reached));
        }
        (least, inside)
    }
}

/// The keys of the enclosing nodes of a packet, and the state of the level in each node.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    keys: [Key; MAX_DEPTH],
    /// One level for each node, one for the top level, and one for the packet that is being read.
    levels: [Level; MAX_DEPTH + 2],
}

impl Default for Around {
    fn default() -> Self {
        Self { keys: [Key::ROOT; MAX_DEPTH], levels: [Level { end: u64::MAX, path_index: 0 }; MAX_DEPTH + 2] }
    }
}

impl Found for Around {
    const FIRST_ONLY: bool = false;
    type Levels = u128;

    fn enter(&mut self, depth: usize, _: KeySet, key: Key) {
        if let Some(entered) = self.keys.get_mut(depth) {
            *entered = key;
        }
    }

    fn keys(&self, depth: usize) -> &[Key] {
        self.keys.get(..depth).unwrap_or_default()
    }

    fn level(&self, depth: usize) -> Option<&Level> {
        self.levels.get(depth)
    }

    fn level_mut(&mut self, depth: usize) -> Option<&mut Level> {
        self.levels.get_mut(depth)
    }
}

/// Makes a path of these keys. The path is empty if there are more than 8 keys.
fn path_of(keys: &[Key]) -> Path {
    let keys = if keys.len() > Path::MAX_LEN { &[] } else { keys };
    (0..).zip(keys).fold(Path::EMPTY, |path, (depth, key)| path.then_key(depth, *key))
}

/// Patterns have no compiled form. They are compared with the keys that lead to a packet.
static NOTHING: PathSet<0> = PathSet::new([]);

impl<T: AsRef<[Pattern]> + Unpin> Lookup for Patterns<T> {
    type Storage = Array<0>;
    type Found = Around;
    const ANY_DEPTH: bool = true;

    fn compiled(&self) -> &Array<0> {
        NOTHING.storage()
    }

    fn search(&self) -> Search {
        Search::Special
    }

    /// Returns the keys that a pattern can match at the top level. Callers use this method only for the top level.
    fn keys_at(&self, _: Prefix) -> KeySet {
        self.find(&[].into_iter()).1
    }

    fn keys_after(&self, around: &impl Found, prefix: Prefix, _: KeySet) -> KeySet {
        self.find(&around.keys(prefix.depth()).iter().copied()).1
    }

    fn select_in(&self, around: &impl Found, prefix: Prefix, keys: KeySet, tag: Tag) -> Selection {
        let depth = prefix.depth() + 1;
        if !keys.contains(tag.key()) {
            return Selection::at_any_depth(None, (Path::EMPTY, depth), KeySet::EMPTY, false);
        }
        let around = around.keys(prefix.depth());
        let (path_index, keys) = self.find(&around.iter().copied().chain([tag.key()]));
        let path = match path_index {
            Some(_) if depth <= Path::MAX_LEN => path_of(around).then_key(prefix.depth(), tag.key()),
            _ => Path::EMPTY,
        };
        Selection::at_any_depth(path_index, (path, depth), keys, tag.is_node())
    }

    fn keys_to(&self, around: &impl Found, prefix: Prefix) -> Path {
        path_of(around.keys(prefix.depth()))
    }
}
