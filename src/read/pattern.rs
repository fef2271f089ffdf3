//! Pattern: a path with steps of any depth, and the search for packets that match.
//!
//! In: text, and packets. Out: the packets at any depth whose keys match a pattern.

use core::fmt;
use core::iter::{Copied, FusedIterator};
use core::slice;
use core::str::FromStr;

use super::path::Path;
use super::walk::{Walk, walk};
use super::watch::Hit;
use crate::error::Error;
use crate::limits::MAX_DEPTH;
use crate::wire::key::Key;

/// The keys that lead to a packet, with `*` for any one key and `**` for any number of keys, none included: 1 to 8 steps.
///
/// Parse it from text: `**/11`, `01/**/13`, `01/*/11`. [`Patterns::search`] finds the packets that match, in a slice. A pattern
/// leads through nodes only; [`Patterns::search_walk`] searches embedded packets. Streams watch a [`Path`](crate::Path), which
/// has no `**`: their memory does not depend on the depth of the input.
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pattern {
    path: Path,
    /// A bit for each step that is `**`.
    any_depth: u16,
}

impl Pattern {
    /// The longest pattern, in steps.
    pub const MAX_LEN: usize = Path::MAX_LEN;

    /// Whether the keys that lead to a packet match, and whether those of packets inside may. Cost: O(keys).
    fn matches(&self, keys: &[Key]) -> (bool, bool) {
        let whole = 1 << self.path.depth();
        // Bit n: the first n steps match the keys so far.
        let mut reached = self.with_any_depth(1);
        for key in keys {
            let (mut next, mut left) = (reached & self.any_depth, reached & !(self.any_depth | whole));
            while left != 0 {
                let step = left & left.wrapping_neg();
                let fits = self.path.step_at(step.trailing_zeros() as usize).is_some_and(|step| step.is(*key));
                if fits {
                    next |= step << 1;
                }
                left &= !step;
            }
            reached = self.with_any_depth(next);
        }
        (reached & whole != 0, reached & !whole != 0)
    }

    /// Adds the steps after each `**` that is reached, since it may have no key.
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

/// Parses steps separated by `/`: `*`, `**`, or a key of one or two hexadecimal digits with or without the prefix `0x`.
///
/// # Errors
/// Those of a [`Path`]'s own `from_str`, except for `**`.
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

/// Patterns to search for: an array, a slice or a `Vec` of them.
///
/// # Examples
/// ```
/// let patterns = y3::Patterns(["**/13".parse()?, "01/*".parse()?]);
/// let bytes = [0x81, 0x04, 0x13, 0x00, 0x11, 0x00, 0x13, 0x00];
/// let found: Result<Vec<_>, _> = patterns.search(&bytes).map(|hit| Ok((hit?.offset(), hit?.path_index()))).collect();
/// assert_eq!(found, Ok::<_, y3::Error>(vec![(2, 0), (4, 1), (6, 0)]));
/// # Ok::<(), y3::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Patterns<T>(pub T);

impl<T: AsRef<[Pattern]>> Patterns<T> {
    /// Iterates over the patterns.
    pub fn iter(&self) -> Copied<slice::Iter<'_, Pattern>> {
        self.0.as_ref().iter().copied()
    }

    /// Iterates over the packets at any depth that match a pattern, in the order of the wire, a node before the packets inside it.
    ///
    /// A packet that several patterns match is one hit, with the least index. Nodes in which no pattern can match are jumped
    /// over. If no pattern has `**`, a [`PathSet`](crate::PathSet) of the same paths is faster.
    /// Cost: one header for each packet of the nodes entered, and O(depth) steps for each of these and each pattern; allocates
    /// never.
    ///
    /// # Errors
    /// Those of [`walk`](crate::walk), for the nodes entered: at most [`MAX_DEPTH`] of them, one inside another. After an
    /// error it yields `None`.
    pub fn search<'a>(&self, bytes: &'a [u8]) -> impl FusedIterator<Item = Result<Hit<'a>, Error>> + Clone {
        self.search_walk(walk(bytes))
    }

    /// Like [`search`](Self::search), for embedded packets or to a lower depth. Keys count from the top-level packets of the walk.
    /// Do not call [`Walk::next`] before.
    ///
    /// # Examples
    /// ```
    /// use y3::iter::Walk;
    /// use y3::{Packet, Patterns};
    ///
    /// let frame = Packet::from_slice(&[0xbf, 0x07, 0x02, 0x05, 0x81, 0x03, 0x11, 0x01, 0x07])?;
    /// let embedded = Walk::new(frame.find(0x02)?.unwrap().embedded()).with_max_depth(1);
    /// assert_eq!(Patterns(["**/11".parse()?]).search_walk(embedded).next().unwrap()?.offset(), 6);
    /// # Ok::<(), y3::Error>(())
    /// ```
    pub fn search_walk<'a>(&self, mut walk: Walk<'a>) -> impl FusedIterator<Item = Result<Hit<'a>, Error>> + Clone {
        // The keys from the top-level packet to the packet returned last.
        let (patterns, mut keys) = (self.0.as_ref(), [Key::ROOT; MAX_DEPTH + 1]);
        let next = move || {
            loop {
                let packet = match walk.next()? {
                    Ok(packet) => packet,
                    Err(error) => return Some(Err(error)),
                };
                *keys.get_mut(walk.depth())? = packet.key();
                let keys = keys.get(..=walk.depth())?;
                let (mut found, mut goes_on) = (None, false);
                for (index, pattern) in (0..).zip(patterns) {
                    let (is_whole, inside) = pattern.matches(keys);
                    goes_on |= inside;
                    found = found.or(is_whole.then_some(index));
                }
                if !goes_on {
                    walk.skip_children();
                }
                if let Some(index) = found {
                    let steps = if keys.len() > Path::MAX_LEN { &[] } else { keys };
                    let path = (0..).zip(steps).fold(Path::EMPTY, |path, (depth, key)| path.then_key(depth, *key));
                    return Some(Ok(Hit::new(packet, path, index)));
                }
            }
        };
        core::iter::from_fn(next).fuse()
    }
}

/// Iterates over the patterns.
impl<'p, T: AsRef<[Pattern]>> IntoIterator for &'p Patterns<T> {
    type Item = Pattern;
    type IntoIter = Copied<slice::Iter<'p, Pattern>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
