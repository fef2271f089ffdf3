//! Rules: the rule set of an edit.

use super::rule::{Content, Rule, Top};
use crate::error::Error;
#[cfg(feature = "alloc")]
use crate::read::packet::Packet;
use crate::wire::tag::Tag;

/// A set of rules that change encoded packets in one pass.
///
/// [`apply`](Self::apply) edits a slice of bytes. [`pieces_in`](Self::pieces_in) returns the output as pieces for a
/// vectored write. `stream` (feature `alloc`) edits a stream.
///
/// | rule | what the rule does | if no packet is at the path |
/// |---|---|---|
/// | `keep` | keeps every packet at the path and the nodes that contain it. Packets that no `keep` rule keeps are dropped. | keeps nothing |
/// | `remove` | drops every packet at the path. Returns an error if the edit cannot search a packet on the path. | changes nothing |
/// | `rename` | changes the key of every packet at the path | changes nothing |
/// | `set` | overwrites the value of the first packet at the path (see below) | adds the packet at the end of the parent, or returns `NotFound` if there is no parent |
/// | `replace` | replaces the first packet at the path with another packet | returns `NotFound` |
/// | `insert` | inserts a packet before the first packet at the path | returns `NotFound` |
/// | `append` | writes a packet at the end of the first node at the path | returns `NotFound` |
/// The parent of a path is the first packet at the path without its last key. `set` searches only in the parent.
///
/// With an allocator, add rules one by one, as in the example below. Without an allocator, pass an array of rules to
/// [`Edit::from_rules`].
///
/// # Several rules
///
/// The edit looks for all paths in the input, not in the output of another rule. The edit applies `keep` first, and the
/// other rules apply only to packets that `keep` leaves. If several rules apply to one packet, the edit applies them in
/// this order:
/// 1. `insert` writes packets before this packet, in the order of the rules.
/// 2. `remove` drops this packet. The edit then skips steps 3 to 5 for this packet.
/// 3. `set` and `replace` write another packet in place of this packet. If there are several such rules, the last one
///    wins.
/// 4. `rename` changes the key. If there are several such rules, the last one wins. Rules for packets inside this
///    packet still have the old key in their paths.
/// 5. `append` writes packets at the end of this packet, in the order of the rules.
///
/// If one rule removes or replaces a packet, a rule for a packet inside the removed packet finds no packet. The last
/// column of the table says what this second rule does.
///
/// # What is copied
///
/// Packets are copied byte for byte unless a rule drops, renames or writes them. A node around a change keeps its tag
/// and gets the shortest possible length field. If a rule changes the embedded packets of a primitive, the primitive
/// also keeps its tag and gets the shortest possible length field. A packet that contains no change keeps its bytes,
/// even a padded length.
///
/// If `remove` drops everything in a node, the empty node stays. `keep` drops a node that contains no kept packet. A
/// written or renamed packet gets the shortest possible length field. Inside a slice, it also gets key 0.
///
/// Cost: reads each header in the nodes on the paths once. The edit compares each packet on a path with each rule. If
/// more than 32 `keep` and `remove` rules were added one by one, the edit finds the rules for a packet by binary
/// search. At most 64 rules of an edit can write packets (`set`, `replace`, `insert`, `append`). The edit recurses at
/// most 8 levels deep, one level for each key of a path.
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
    /// The packets that the rules write. Rules from an array borrow their packets instead.
    #[cfg(feature = "alloc")]
    pub(super) bytes: alloc::vec::Vec<u8>,
    /// The compiled paths of many `keep` and `remove` rules. These rules are then not in `rules`.
    pub(super) kept: Option<Compiled>,
    pub(super) removed: Option<Compiled>,
    pub(super) top: Top,
    pub(super) skips_absent: bool,
    /// The first error in encoding the value of a rule.
    pub(super) error: Option<Error>,
}

/// Any number of compiled paths. Without an allocator, this type contains no path.
#[cfg(feature = "alloc")]
pub(super) type Compiled = crate::read::paths::Paths;
#[cfg(not(feature = "alloc"))]
pub(super) type Compiled = crate::read::path_set::PathSet<0>;

#[cfg(feature = "alloc")]
pub(super) type Rules<'a> = alloc::borrow::Cow<'a, [Rule<'a>]>;
#[cfg(not(feature = "alloc"))]
pub(super) type Rules<'a> = &'a [Rule<'a>];

impl<'a> Edit<'a> {
    /// Makes an edit with these rules.
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

    /// Skips each rule that finds no packet at its path. Without this setting, such a rule can return
    /// [`NotFound`](crate::ErrorKind::NotFound): see the table of [`Edit`]. Use this setting for streams that contain
    /// different kinds of packets.
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

    /// Returns the rules in their original order, or an error if a rule is invalid.
    pub(super) fn rules(&self) -> Result<&[Rule<'a>], Error> {
        match self.error.or(self.top.error.map(|kind| Error::new(kind, 0))) {
            Some(error) => Err(error),
            None => Ok(self.rules.iter().as_slice()),
        }
    }

    /// Returns the tag and value of the packet that a rule writes, or `None` for a rule that writes no packet.
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
