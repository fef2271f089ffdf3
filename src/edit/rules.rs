//! Rules: the rule set of an edit.
//!
//! In: rules, or paths and values to write there. Out: a rule set that `apply` runs over packets.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

#[cfg(feature = "alloc")]
use super::rule::Action;
use super::rule::{Content, Rule, Top};
use crate::error::{Error, ErrorKind};
#[cfg(feature = "alloc")]
use crate::read::packet::Packet;
#[cfg(feature = "alloc")]
use crate::read::path::Path;
#[cfg(feature = "alloc")]
use crate::value::Encode;
#[cfg(feature = "alloc")]
use crate::wire::key::Key;
use crate::wire::tag::Tag;
#[cfg(feature = "alloc")]
use crate::write::encoder::Encoder;

/// A set of rules that change encoded packets: applied in one pass to a slice ([`apply`](Self::apply)), as pieces for a
/// vectored write ([`pieces_in`](Self::pieces_in)), or to a stream (`stream`, feature `alloc`).
///
/// | rule | changes | if there is none |
/// |---|---|---|
/// | `keep` | drops all packets but those at these paths and the packets around them | all are dropped |
/// | `remove` | drops every packet at the path; fails closed | nothing to do |
/// | `rename` | gives every packet at the path another key | nothing to do |
/// | `set` | writes a value to the first packet at the path, in the first node that the path leads to | the packet is added at the end of that node; `NotFound` without such a node |
/// | `replace` | writes a packet in place of the first one at the path | `NotFound` |
/// | `insert` | writes a packet before the first one at the path | `NotFound` |
/// | `append` | writes a packet at the end of the first node at the path | `NotFound` |
///
/// With an allocator rules are added one by one, as below. Without one they stand in an array: [`Edit::of`].
///
/// # Several rules
///
/// All paths are those of the input: no rule reads what another one writes. `keep` comes first, and the other rules see what is
/// left. For one packet then hold, in this order:
/// 1. `insert` writes before it, in the order of the rules.
/// 2. `remove` drops it, whatever else would change it.
/// 3. `set` and `replace` write another packet in its place, the last rule wins.
/// 4. `rename` gives it another key, the last rule wins. The rules for packets inside it name its old key.
/// 5. `append` writes at its end, in the order of the rules.
///
/// A rule for something inside a packet that is removed or replaced finds nothing there.
///
/// # What is copied
///
/// Packets are copied byte for byte, except where a rule drops, renames or writes a packet: the nodes around that place, and the
/// primitives whose embedded packets the path enters, keep their tags and get minimal lengths. A packet in which no rule changes
/// anything keeps its bytes, a padded length included. A node that becomes empty stays, unless `keep` finds nothing in it. What
/// a rule writes or renames gets a minimal length, and key 0 if it is an item of a slice.
///
/// Cost: one pass over the levels that paths lead through. For each packet on the way to the end of a path one comparison per rule;
/// with an allocator, five paths or more to keep or to remove cost a binary search instead, as watched ones do. At most 64 rules write packets
/// (`set`, `replace`, `insert`, `append`). Recurses at most 8 levels, one per key of a path.
///
/// # Examples
/// ```
/// # #[cfg(feature = "alloc")] {
/// use y3::{edit::Edit, path};
///
/// let bytes = [0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61];
/// let edit = Edit::new().remove(path!(0x01, 0x13)).set(path!(0x01, 0x11), 300i32);
/// let mut out = Vec::new();
/// edit.apply(&bytes, &mut out)?;
/// assert_eq!(out, [0x81, 0x04, 0x11, 0x02, 0x01, 0x2c]);
///
/// let edit = Edit::new().insert(path!(0x01, 0x11), 0x10, true).replace(path!(0x01, 0x13), 0x14, "b");
/// let edit = edit.append(path!(0x01), 0x15, 8).rename(path!(0x01), 0x02);
/// out.clear();
/// edit.apply(&bytes, &mut out)?;
/// assert_eq!(out, [0x82, 0x0c, 0x10, 0x01, 0x01, 0x11, 0x01, 0x07, 0x14, 0x01, 0x62, 0x15, 0x01, 0x08]);
/// # }
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: docs/spec/editing.md
#[derive(Clone, Debug)]
pub struct Edit<'a> {
    rules: Rules<'a>,
    /// The packets that the rules write, unless they borrow them.
    #[cfg(feature = "alloc")]
    bytes: Vec<u8>,
    /// The paths that are kept and removed, if they do not stand among the rules.
    pub(super) kept: Option<Compiled>,
    pub(super) removed: Option<Compiled>,
    pub(super) top: Top,
    pub(super) skips_absent: bool,
    /// Why a rule could not be made.
    error: Option<Error>,
}

/// Any number of paths, looked up as those of watched packets are. Without an allocator there are none.
#[cfg(feature = "alloc")]
pub(super) type Compiled = crate::read::paths::Paths;
#[cfg(not(feature = "alloc"))]
pub(super) type Compiled = crate::read::path_set::PathSet<0>;

#[cfg(feature = "alloc")]
type Rules<'a> = alloc::borrow::Cow<'a, [Rule<'a>]>;
#[cfg(not(feature = "alloc"))]
type Rules<'a> = &'a [Rule<'a>];

impl<'a> Edit<'a> {
    /// The edit of these rules.
    #[must_use]
    pub const fn of(rules: &'a [Rule<'a>]) -> Self {
        let top = Top::of(rules);
        #[cfg(feature = "alloc")]
        let rules = Rules::Borrowed(rules);
        Self {
            rules,
            #[cfg(feature = "alloc")]
            bytes: Vec::new(),
            kept: None,
            removed: None,
            top,
            skips_absent: false,
            error: None,
        }
    }

    /// Leaves out a rule that finds no packet, where it would be an error: for streams of different packets.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// use y3::{edit::Edit, path};
    ///
    /// let edit = Edit::new().set(path!(0x01, 0x11), true).skip_absent();
    /// let mut out = Vec::new();
    /// edit.apply(&[0x82, 0x00], &mut out)?;
    /// assert_eq!(out, [0x82, 0x00]);
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub const fn skip_absent(mut self) -> Self {
        self.skips_absent = true;
        self
    }

    /// The rules in the order given, checked.
    pub(super) fn rules(&self) -> Result<&[Rule<'a>], Error> {
        match self.error {
            Some(error) => Err(error),
            None if self.top.is_full => Err(Error::new(ErrorKind::SizeLimit, 0)),
            None => Ok(self.rules.iter().as_slice()),
        }
    }

    /// The tag and the value of the packet that a rule writes, if it writes one.
    #[cfg_attr(
        not(feature = "alloc"),
        allow(clippy::unused_self, reason = "without an allocator a rule borrows its packet")
    )]
    pub(super) fn content(&self, rule: &Rule<'a>) -> Option<(Tag, &[u8])> {
        let packet = match rule.content {
            Content::None => None,
            Content::Borrowed(packet) => Some(packet),
            #[cfg(feature = "alloc")]
            Content::Own(start, end) => Packet::single(self.bytes.get(start..end)?),
        };
        packet.map(|packet| (packet.tag(), packet.value()))
    }
}

/// Rules added one by one.
#[cfg(feature = "alloc")]
impl<'a> Edit<'a> {
    /// An edit without rules, which copies its input.
    #[must_use]
    pub const fn new() -> Self {
        Self::of(&[])
    }

    /// Keeps the packets at these paths and the packets around them, and drops all others.
    ///
    /// A packet around them without any of them inside
    /// is dropped, as is a primitive where a path needs a node, and a node where a path enters a primitive.
    ///
    /// # Examples
    /// ```
    /// use y3::{edit::Edit, path};
    ///
    /// let mut out = Vec::new();
    /// Edit::keep([path!(0x01, 0x11)]).apply(&[0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61], &mut out)?;
    /// assert_eq!(out, [0x81, 0x03, 0x11, 0x01, 0x07]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn keep(paths: impl IntoIterator<Item = Path>) -> Self {
        let edit: Self = paths.into_iter().map(Rule::keep).collect();
        // Of no paths nothing is kept.
        Self { kept: edit.kept.or_else(|| Some(Compiled::default())), ..edit }
    }

    /// Removes all packets at a path. Fails closed: use it to redact.
    ///
    /// If the path cannot be followed to its end in
    /// all of the input, the edit is an error and nothing is written: a fault in the headers of a level that it leads through,
    /// [`NotANode`](ErrorKind::NotANode) for a primitive where it needs a node, [`NotAPrimitive`](ErrorKind::NotAPrimitive) for a
    /// node where it enters a primitive. With a step `*` that holds for every packet at that step.
    ///
    /// # Examples
    /// ```
    /// use y3::{ErrorKind, edit::Edit, path};
    ///
    /// let redact = Edit::new().remove(path!(0x01, 0x13, 0x02));
    /// let mut out = Vec::new();
    /// redact.apply(&[0x81, 0x05, 0x93, 0x03, 0x02, 0x01, 0x61], &mut out)?;
    /// assert_eq!(out, [0x81, 0x02, 0x93, 0x00]);
    ///
    /// // `13` is a primitive here, and another reader may find the secret inside it.
    /// let error = redact.apply(&[0x81, 0x05, 0x13, 0x03, 0x02, 0x01, 0x61], &mut out).unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (ErrorKind::NotANode, 2));
    /// assert_eq!(out.len(), 4);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn remove(self, path: Path) -> Self {
        self.with(Rule::remove(path))
    }

    /// Gives all packets at a path another key.
    ///
    /// The packet is written again: its value is copied, its
    /// length becomes minimal. A key above 63 is [`InvalidKey`](ErrorKind::InvalidKey) when the edit is applied.
    #[must_use]
    pub fn rename(mut self, path: Path, key: u8) -> Self {
        if let Some(key) = Key::new(key) {
            return self.with(Rule::rename(path, key));
        }
        self.error = self.error.or(Some(Error::new(ErrorKind::InvalidKey, 0)));
        self
    }

    /// Writes a value to the first packet at a path, or adds the packet where it is absent.
    ///
    /// Bytes: at `01/12` with 300, `81 03 12 01 07` becomes `81 04 12 02 01 2c`, and `81 00` becomes the same. It looks in the first
    /// node that the path without its last key leads to (or primitive, if the path enters its embedded packets), and adds the packet
    /// at the end of that node; for a path of one key in the input itself, though in a stream such a packet is only replaced. A
    /// last step `*` adds nothing. A value of any width fits, where [`patch`](super::patch) needs the old width.
    ///
    /// # Examples
    /// ```
    /// use y3::{edit::Edit, path};
    ///
    /// let mut out = Vec::new();
    /// Edit::new().set(path!(0x01, 0x12), 300i32).set(path!(0x01, 0x13), "a").apply(&[0x81, 0x03, 0x12, 0x01, 0x07], &mut out)?;
    /// assert_eq!(out, [0x81, 0x07, 0x12, 0x02, 0x01, 0x2c, 0x13, 0x01, 0x61]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn set(self, path: Path, value: impl Encode) -> Self {
        self.writing(path, Action::Set, 0, value)
    }

    /// Writes a packet in place of the first one at a path.
    #[must_use]
    pub fn replace(self, path: Path, key: u8, value: impl Encode) -> Self {
        self.writing(path, Action::Replace, key, value)
    }

    /// Writes a packet before the first one at a path.
    #[must_use]
    pub fn insert(self, path: Path, key: u8, value: impl Encode) -> Self {
        self.writing(path, Action::Insert, key, value)
    }

    /// Writes a packet at the end of the first node at a path; [`NotANode`](ErrorKind::NotANode) if it is a primitive.
    #[must_use]
    pub fn append(self, path: Path, key: u8, value: impl Encode) -> Self {
        self.writing(path, Action::Append, key, value)
    }

    /// The same edit with one more rule.
    ///
    /// # Examples
    /// ```
    /// use y3::edit::{Edit, Rule};
    /// use y3::{Packet, path};
    ///
    /// let read = Packet::from_slice(&[0x82, 0x02, 0x03, 0x00])?;
    /// let mut out = Vec::new();
    /// Edit::new().with(Rule::append(path!(0x01), read)).apply(&[0x81, 0x00], &mut out)?;
    /// assert_eq!(out, [0x81, 0x04, 0x82, 0x02, 0x03, 0x00]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn with(mut self, rule: Rule<'a>) -> Self {
        self.rules.to_mut().push(rule);
        self.settle();
        self
    }

    /// Compiles the paths to keep and to remove if there are many: each of the rules left is looked at for each packet on a path.
    fn settle(&mut self) {
        const FEW: usize = 4;
        let filters = |rule: &Rule<'_>| matches!(rule.action, Action::Keep | Action::Remove);
        if self.rules.iter().filter(|rule| filters(rule)).count() > FEW {
            for (action, paths) in [(Action::Keep, &mut self.kept), (Action::Remove, &mut self.removed)] {
                let more = self.rules.iter().filter(|rule| rule.action == action).map(|rule| rule.path);
                let all: Compiled = paths.iter().flat_map(Compiled::iter).chain(more).collect();
                if !all.is_empty() {
                    *paths = Some(all);
                }
            }
            self.rules.to_mut().retain(|rule| !filters(rule));
        }
        self.top = Top::of(&self.rules);
    }

    /// With one more rule, which writes this value.
    fn writing(mut self, path: Path, action: Action, key: u8, value: impl Encode) -> Self {
        let start = self.bytes.len();
        if let Err(error) = Encoder::new(&mut self.bytes).put(key, value) {
            self.error = self.error.or(Some(error));
        }
        let end = self.bytes.len();
        self.with(Rule::new(path, action, Content::Own(start, end)))
    }
}

#[cfg(feature = "alloc")]
impl Default for Edit<'_> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "alloc")]
impl<'a> FromIterator<Rule<'a>> for Edit<'a> {
    fn from_iter<I: IntoIterator<Item = Rule<'a>>>(rules: I) -> Self {
        let mut edit = Edit { rules: Rules::Owned(rules.into_iter().collect()), ..Edit::new() };
        edit.settle();
        edit
    }
}
