//! The keys on the way from a top-level packet to a packet inside it.
//!
//! A path is made from constants or from text, and stored as one `u64`. A step of a path has one key or the wildcard
//! `*`. A step can enter a primitive.

use core::fmt;
use core::str::FromStr;

pub(crate) use super::step::Step;
use super::step::{ANY, ANY_DEPTH, ENTERS, KEY};
use crate::error::{Error, ErrorKind};
use crate::wire::key::Key;

/// The steps from a top-level packet to a watched packet. A path has 1 to 8 steps. Each step is a key or the wildcard
/// `*`.
///
/// Make a path with [`path!`](crate::path), which checks the path at compile time, or parse it from text. Each step
/// except the last enters a node or a primitive. A step that *enters embedded packets* enters a primitive: the reader
/// reads the bytes of the primitive as packets. Write `=>` after such a step in [`path!`](crate::path), and `:` in
/// text. A step `*` matches every key at one level.
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
///
/// # Examples
/// ```
/// const NOISE: y3::Path = y3::path!(0x3f, 0x02 => 0x01, 0x10, 0x11);
///
/// assert_eq!(NOISE.to_string(), "0x3f/0x02:0x01/0x10/0x11");
/// assert_eq!("3f/02:01/10/11".parse(), Ok(NOISE));
/// assert_eq!("01/*/11".parse(), Ok(y3::path!(0x01, *, 0x11)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(
    /// One byte per step. The first step is the highest byte. The bytes after the last step are zero.
    u64,
);

/// The bit `ENTERS` in the bytes of all steps.
const ALL_ENTERED: u64 = u64::from_be_bytes([ENTERS; Path::MAX_LEN]);

impl Path {
    /// The maximum number of steps in a path. To reach deeper packets, pass a hit to
    /// [`PathSet::watch_packets`](crate::PathSet::watch_packets).
    pub const MAX_LEN: usize = 8;

    /// The path `*`. Every top-level packet matches it.
    pub const ANY: Path = Self::EMPTY.then(0, ANY);

    /// The path without steps, a prefix of every path.
    pub(crate) const EMPTY: Path = Path(0);

    /// A placeholder. It sorts after every path, and no path has a prefix in common with it.
    pub(super) const NONE: Path = Path(u64::MAX);

    /// Makes a path of these keys. Returns `None` if a key is above 63, if there are no keys, or if there are more than
    /// 8 keys.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::Path::new(&[0x01, 0x10]), Some(y3::path!(0x01, 0x10)));
    /// assert_eq!(y3::Path::new(&[]), None);
    /// assert_eq!(y3::Path::new(&[0x40]), None);
    /// ```
    #[must_use]
    pub const fn new(keys: &[u8]) -> Option<Path> {
        let (mut path, mut left) = (Self::EMPTY, keys);
        while let [key, others @ ..] = left {
            let Some(longer) = path.longer(Some(*key), false) else { return None };
            (path, left) = (longer, others);
        }
        if keys.is_empty() { None } else { Some(path) }
    }

    /// Appends the steps of `inside`. `self` is the path of a node, and `inside` is a path inside this node. Returns
    /// `None` if the result has more than 8 steps.
    #[must_use]
    pub const fn join(self, inside: Path) -> Option<Path> {
        if self.len() + inside.len() > Self::MAX_LEN {
            return None;
        }
        Some(Path(self.0 | inside.0 >> (8 * self.len())))
    }

    /// Appends the steps of `inside`. `self` is the path of a primitive, and `inside` is a path in its embedded
    /// packets. Returns `None` if the result has more than 8 steps.
    ///
    /// # Examples
    /// ```
    /// use y3::path;
    ///
    /// assert_eq!(path!(0x3f, 0x02).enter(path!(0x11)), Some(path!(0x3f, 0x02 => 0x11)));
    /// ```
    #[must_use]
    pub const fn enter(self, inside: Path) -> Option<Path> {
        let Some(path) = self.join(inside) else { return None };
        Some(path.then(self.len() - 1, ENTERS))
    }

    /// Makes the path for [`path!`](crate::path). Each step is a pair: the key (`None` for `*`), and true if the step
    /// enters embedded packets.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_steps(steps: &[(Option<u8>, bool)]) -> Option<Path> {
        let (mut path, mut left) = (Self::EMPTY, steps);
        while let [(key, enters), others @ ..] = left {
            let Some(longer) = path.longer(*key, *enters) else { return None };
            (path, left) = (longer, others);
        }
        if steps.is_empty() { None } else { Some(path) }
    }

    const fn longer(self, key: Option<u8>, enters: bool) -> Option<Path> {
        let step = match key {
            Some(key @ 0..=0x3f) => KEY | key,
            Some(_) => return None,
            None => ANY,
        };
        let depth = self.len();
        if depth == Self::MAX_LEN { None } else { Some(self.then(depth, if enters { step | ENTERS } else { step })) }
    }

    /// True if this path matches a packet. `keys` is the path of the packet, as [`Hit::path`](crate::Hit::path) returns
    /// it. Each step of this path must be `*` or have the same key as the step of `keys` at the same position. Both
    /// paths must enter embedded packets at the same steps.
    ///
    /// If several paths match one packet, a watch returns one hit with the lowest path index. Use this method to find
    /// the other paths.
    ///
    /// # Examples
    /// ```
    /// use y3::{PathSet, path};
    ///
    /// const WATCHED: PathSet<3> = PathSet::new([path!(0x01, 0x11), path!(0x01, *), path!(*, 0x13)]);
    ///
    /// let hit = WATCHED.watch(&[0x81, 0x03, 0x11, 0x01, 0x07]).next().unwrap()?;
    /// assert_eq!(hit.path(), Some(path!(0x01, 0x11)));
    /// let here = WATCHED.iter().map(|path| hit.path().is_some_and(|keys| path.matches(keys)));
    /// assert_eq!(here.collect::<Vec<_>>(), [true, true, false]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn matches(self, keys: Path) -> bool {
        self.len() == keys.len()
            && self
                .steps()
                .zip(keys.steps())
                .all(|(step, found)| step.enters == found.enters && step.key.is_none_or(|key| found.key == Some(key)))
    }

    /// Iterates over the keys of the steps. The key of a step `*` is `None`.
    pub fn keys(self) -> impl Iterator<Item = Option<Key>> + Clone {
        self.steps().map(|step| step.key)
    }

    /// Returns the number of steps, 1 to 8.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a path has a step")]
    pub const fn len(self) -> usize {
        Self::MAX_LEN - self.0.trailing_zeros() as usize / 8
    }

    /// Sets the bits of `step` in the step at `depth`. `depth` must be below 8.
    #[inline(always)]
    const fn then(self, depth: usize, step: u8) -> Path {
        Path(self.0 | (step as u64) << shift(depth))
    }

    /// Adds a key at `depth`. `depth` must be below 8, and the path must have no step there.
    #[inline(always)]
    pub(crate) const fn then_key(self, depth: usize, key: Key) -> Path {
        self.then(depth, KEY | key.get())
    }

    /// Sets the bit `ENTERS` in the last of the `depth` steps.
    #[inline(always)]
    pub(crate) const fn entering(self, depth: usize) -> Path {
        self.then(depth - 1, ENTERS)
    }

    /// Clears the bit `ENTERS` in the last of the `depth` steps.
    #[inline(always)]
    pub(super) const fn ending(self, depth: usize) -> Path {
        Path(self.0 & !((ENTERS as u64) << shift(depth.saturating_sub(1))))
    }

    /// Replaces the key at `depth` by `*`. `depth` must be below 8.
    pub(super) const fn with_any(self, depth: usize) -> Path {
        Path(self.0 & !(((KEY | Key::MAX.get()) as u64) << shift(depth))).then(depth, ANY)
    }

    /// Returns the first `depth` steps of the path.
    #[inline(always)]
    pub(super) const fn prefix(self, depth: usize) -> Path {
        if depth == 0 { Self::EMPTY } else { Path(self.0 & u64::MAX << shift(depth - 1)) }
    }

    /// A mask of the bits to compare: a packet matches this path if the path of the packet has the same bits there. The
    /// mask leaves out the keys of steps `*`.
    pub(crate) const fn fixed(self) -> u64 {
        let any = self.0 & !(self.0 >> KEY.trailing_zeros()) & u64::from_be_bytes([ANY; Self::MAX_LEN]);
        !(any * (KEY | Key::MAX.get() | ANY) as u64)
    }

    /// A mask of the first `depth` steps, without the bit `ENTERS` of the last of these steps.
    #[inline(always)]
    pub(crate) const fn first_bits(depth: usize) -> u64 {
        if depth == 0 { 0 } else { (u64::MAX << shift(depth - 1)) & !((ENTERS as u64) << shift(depth - 1)) }
    }

    /// A mask of the first `depth` steps.
    pub(crate) const fn all_bits(depth: usize) -> u64 {
        Path(u64::MAX).prefix(depth).0
    }

    /// True if the step at `depth` enters embedded packets.
    #[inline(always)]
    pub(crate) const fn enters_at(self, depth: usize) -> bool {
        self.0 >> shift(depth) & ENTERS as u64 != 0
    }

    /// True if both paths are equal in these bits.
    #[inline(always)]
    pub(crate) const fn shares(self, other: Path, bits: u64) -> bool {
        (self.0 ^ other.0) & bits == 0
    }

    pub(super) const fn is_before(self, other: Path) -> bool {
        self.0 < other.0
    }

    pub(super) const fn is(self, other: Path) -> bool {
        self.0 == other.0
    }

    /// Returns the step at `depth`, or `None` if the path has no such step.
    pub(crate) const fn step_at(self, depth: usize) -> Option<Step> {
        let [byte, ..] = (self.0 >> shift(depth)).to_le_bytes();
        Step::of_byte(byte)
    }

    #[inline]
    pub(crate) fn steps(self) -> impl Iterator<Item = Step> + Clone {
        self.0.to_be_bytes().into_iter().map_while(Step::of_byte)
    }

    /// Parses a path or, if `is_pattern` is true, a pattern. A pattern can contain `**` but does not enter embedded
    /// packets.
    pub(super) fn parse(text: &str, is_pattern: bool) -> Result<Self, Error> {
        if text.is_empty() {
            return Err(Error::new(ErrorKind::InvalidPath, 0));
        }
        let separators: &[char] = if is_pattern { &['/'] } else { &['/', ':'] };
        let (mut path, mut rest) = (Self::EMPTY, text);
        for depth in 0..Self::MAX_LEN {
            let offset = (text.len() - rest.len()) as u64;
            // Never `None`, because a character begins at that position. `split_at` would leave a panic in the program.
            let Some((part, after)) = rest.split_at_checked(rest.find(separators).unwrap_or(rest.len())) else { break };
            path = match part {
                "*" => path.then(depth, ANY),
                "**" if is_pattern => path.then(depth, ANY_DEPTH),
                "**" => return Err(Error::new(ErrorKind::AnyDepth, offset)),
                key => path.then_key(depth, key.parse().map_err(|error: Error| error.rebased(offset))?),
            };
            if after.is_empty() {
                return Ok(path);
            }
            if let Some(inside) = after.strip_prefix(':') {
                (path, rest) = (path.then(depth, ENTERS), inside);
            } else {
                rest = after.get(1..).unwrap_or_default();
            }
        }
        Err(Error::new(ErrorKind::InvalidPath, (text.len() - rest.len()) as u64))
    }

    /// Returns the number of steps up to and including the last step that enters embedded packets. Returns `None` if
    /// there is no such step.
    pub(super) const fn innermost_entered(self) -> Option<usize> {
        let entered = Path(self.0 & ALL_ENTERED);
        if entered.0 == 0 { None } else { Some(entered.len()) }
    }
}

/// Returns how many bits the step at `depth` is shifted.
#[inline(always)]
const fn shift(depth: usize) -> u32 {
    let [depth, ..] = depth.to_le_bytes();
    (56 - 8 * (depth & 7)) as u32
}

/// Makes a [`Path`] of constant keys and checks it at compile time.
///
/// A key is a number or the name of a constant. `*` matches every key. If the path continues in the embedded packets of
/// a primitive, write `=>` instead of the comma after the key of the primitive.
///
/// # Examples
/// ```
/// const NOISE: u8 = 0x11;
/// const PATH: y3::Path = y3::path!(0x01, 0x10, NOISE);
/// assert_eq!(PATH.len(), 3);
/// assert_eq!(y3::path!(0x3f, 0x02 => 0x01, *).to_string(), "0x3f/0x02:0x01/*");
/// ```
/// ```compile_fail
/// let too_high = y3::path!(0x01, 0x40);
/// ```
/// ```compile_fail
/// let nine = y3::path!(1, 2, 3, 4, 5, 6, 7, 8, 9);
/// ```
/// ```compile_fail
/// let text = y3::path!(0x3f / 0x02);
/// ```
/// ```compile_fail
/// let text = y3::path!(0x01 : 0x02);
/// ```
/// ```compile_fail
/// let no_end = y3::path!(0x01 =>);
/// ```
#[macro_export]
macro_rules! path {
    // A constant item instead of a constant block, so that `cargo check` evaluates it too.
    (@ $steps:tt) => {{
        const __Y3_PATH: $crate::Path = match $crate::Path::of_steps(&$steps) {
            Some(path) => path,
            None => panic!("a path has 1 to 8 keys, none above 63"),
        };
        __Y3_PATH
    }};
    (@ [$($steps:tt)*] * $(,)?) => { $crate::path!(@ [$($steps)* (None, false)]) };
    (@ [$($steps:tt)*] *, $($rest:tt)+) => { $crate::path!(@ [$($steps)* (None, false),] $($rest)+) };
    (@ [$($steps:tt)*] * => $($rest:tt)+) => { $crate::path!(@ [$($steps)* (None, true),] $($rest)+) };
    (@ [$($steps:tt)*] $key:tt $(,)?) => { $crate::path!(@ [$($steps)* (Some($key), false)]) };
    (@ [$($steps:tt)*] $key:tt, $($rest:tt)+) => { $crate::path!(@ [$($steps)* (Some($key), false),] $($rest)+) };
    (@ [$($steps:tt)*] $key:tt => $($rest:tt)+) => { $crate::path!(@ [$($steps)* (Some($key), true),] $($rest)+) };
    (@ $steps:tt $key:tt / $($rest:tt)*) => { compile_error!("`/` separates keys only in text: write a comma") };
    (@ $steps:tt $key:tt : $($rest:tt)*) => { compile_error!("`:` enters embedded packets only in text: write `=>`") };
    (@ $steps:tt $key:tt =>) => { compile_error!("a key follows `=>`: a path ends with a key or `*`") };
    (@ [$($steps:tt)*] $key:path $(,)?) => { $crate::path!(@ [$($steps)* (Some($key), false)]) };
    (@ [$($steps:tt)*] $key:path, $($rest:tt)+) => { $crate::path!(@ [$($steps)* (Some($key), false),] $($rest)+) };
    (@ [$($steps:tt)*] $key:path => $($rest:tt)+) => { $crate::path!(@ [$($steps)* (Some($key), true),] $($rest)+) };
    (@ $($steps:tt)*) => { compile_error!("a path is a list of keys: numbers, names of constants or `*`") };
    ($($steps:tt)*) => { $crate::path!(@ [] $($steps)*) };
}

/// Parses a path. `/` separates the steps. If the path continues inside a primitive, write `:` instead of `/`. A step
/// is `*`, or a key of one or two hexadecimal digits. The prefix `0x` is optional. Examples: `0x01/0x10/0x11`,
/// `3f/02:01/*`.
///
/// # Errors
/// The offset of an error is a position in the text. Returns [`ErrorKind::InvalidPath`] at the start of an empty text,
/// or where a ninth step begins. Returns [`ErrorKind::InvalidKey`] at the wrong character of a key, as when parsing a
/// [`Key`]. Returns [`ErrorKind::AnyDepth`] at a step `**`.
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
        Self::parse(text, false)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for step in self.steps() {
            match step.key {
                Some(key) => write!(f, "{separator}{key}")?,
                None => write!(f, "{separator}{}", if step.any_depth { "**" } else { "*" })?,
            }
            separator = if step.enters { ":" } else { "/" };
        }
        Ok(())
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}
