//! Rules: the rule set of an edit.
//!
//! In: rules in an array. Out: a rule set that `apply` runs over packets.

use super::rule::{Content, Rule, Top};
use crate::error::Error;
#[cfg(feature = "alloc")]
use crate::read::packet::Packet;
use crate::wire::tag::Tag;

/// A set of rules that change encoded packets in one pass: in a slice ([`apply`](Self::apply)), as pieces for a
/// vectored write ([`pieces_in`](Self::pieces_in)), or in a stream (`stream`, feature `alloc`).
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
/// With an allocator, rules are added one by one, as below. Without an allocator, an array holds them: [`Edit::from_rules`].
///
/// # Several rules
///
/// All paths refer to the input: no rule reads the output of another. `keep` comes first; the other rules see only the
/// packets that `keep` leaves. The rules for one packet apply in this order:
/// 1. `insert` writes before it, in the order of the rules.
/// 2. `remove` drops it, whatever else would change it.
/// 3. `set` and `replace` write another packet in its place, the last rule wins.
/// 4. `rename` gives it another key, the last rule wins. The rules for packets inside it name its old key.
/// 5. `append` writes at its end, in the order of the rules.
///
/// A rule for a packet inside a removed or replaced packet finds nothing.
///
/// # What is copied
///
/// Packets are copied byte for byte, unless a rule drops, renames or writes them. Nodes around a change keep their tags
/// and get minimal lengths. Primitives whose embedded packets a path enters do too. A packet without any change inside
/// keeps its bytes, even a padded length. An emptied node stays, unless `keep` finds nothing in it. A written or
/// renamed packet gets a minimal length, and key 0 if it is an item of a slice.
///
/// Cost: one pass over the levels that paths lead through. Each packet on a path costs one comparison per rule. With an
/// allocator, 33 or more paths to keep or remove cost a binary search instead, as watched paths do. At most 64 rules
/// may write packets (`set`, `replace`, `insert`, `append`). Recurses at most 8 levels, one per key of a path.
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
    pub(super) rules: Rules<'a>,
    /// The packets that the rules write, unless the rules borrow them.
    #[cfg(feature = "alloc")]
    pub(super) bytes: alloc::vec::Vec<u8>,
    /// The compiled paths to keep or remove, if they are not among the rules.
    pub(super) kept: Option<Compiled>,
    pub(super) removed: Option<Compiled>,
    pub(super) top: Top,
    pub(super) skips_absent: bool,
    /// The error of a rule that could not be made.
    pub(super) error: Option<Error>,
}

/// Any number of paths, looked up as watched paths are. Without an allocator there are none.
#[cfg(feature = "alloc")]
pub(super) type Compiled = crate::read::paths::Paths;
#[cfg(not(feature = "alloc"))]
pub(super) type Compiled = crate::read::path_set::PathSet<0>;

#[cfg(feature = "alloc")]
pub(super) type Rules<'a> = alloc::borrow::Cow<'a, [Rule<'a>]>;
#[cfg(not(feature = "alloc"))]
pub(super) type Rules<'a> = &'a [Rule<'a>];

impl<'a> Edit<'a> {
    /// An edit with these rules.
    #[must_use]
    pub const fn from_rules(rules: &'a [Rule<'a>]) -> Self {
        let top = Top::of(rules);
        #[cfg(feature = "alloc")]
        let rules = Rules::Borrowed(rules);
        Self {
            rules,
            #[cfg(feature = "alloc")]
            bytes: alloc::vec::Vec::new(),
            kept: None,
            removed: None,
            top,
            skips_absent: false,
            error: None,
        }
    }

    /// Lets a rule find no packet, which is an error otherwise. Use it for streams of different packets.
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

    /// Returns the rules in the order given, after checking them.
    pub(super) fn rules(&self) -> Result<&[Rule<'a>], Error> {
        match self.error.or(self.top.error.map(|kind| Error::new(kind, 0))) {
            Some(error) => Err(error),
            None => Ok(self.rules.iter().as_slice()),
        }
    }

    /// Returns the tag and value of the packet that a rule writes, if it writes one.
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
