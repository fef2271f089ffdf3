//! The first byte of a packet.
//!
//! The tag holds the kind of the packet (primitive, node or slice) and its key. All 256 bytes are valid tags.

use core::fmt;

use super::bits::{NODE, SLICE};
use super::key::Key;

/// The first byte of a packet. It holds the kind of the packet and its key.
///
/// ```text
///   7   6   5 4 3 2 1 0
/// +---+---+-------------+
/// | N | S |     key     |    N: packets inside (node)    S: with N, they are the items of a slice
/// +---+---+-------------+
/// ```
/// Source: [SPEC §3.1](crate::spec#31-tag)
///
/// # Examples
/// ```
/// use y3::{Key, Tag};
///
/// let tag = Tag::from(0x81);
/// assert!(tag.is_node() && !tag.is_slice());
/// assert_eq!(tag.key(), Key::ROOT);
/// assert_eq!(Tag::slice(Key::ROOT), Tag::from(0xc1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Tag(u8);

impl Tag {
    /// Makes the tag of a primitive: bytes `00..=3f`.
    #[must_use]
    pub const fn primitive(key: Key) -> Tag {
        Tag(key.get())
    }

    /// Makes the tag of a node that is not a slice: bytes `80..=bf`.
    #[must_use]
    pub const fn node(key: Key) -> Tag {
        Tag(NODE | key.get())
    }

    /// Makes the tag of a slice: bytes `c0..=ff`.
    #[must_use]
    pub const fn slice(key: Key) -> Tag {
        Tag(NODE | SLICE | key.get())
    }

    /// Makes the tag of a primitive whose reserved bit is set: bytes `40..=7f`.
    pub(crate) const fn flagged(key: Key) -> Tag {
        Tag(SLICE | key.get())
    }

    /// True if this is the tag of a primitive and its reserved bit is set.
    pub(crate) const fn is_flagged(self) -> bool {
        self.0 & (NODE | SLICE) == SLICE
    }

    /// Makes a tag of the same kind with another key. In the tag of a primitive, this function clears the reserved bit.
    pub(crate) const fn with_key(self, key: Key) -> Tag {
        let kind = if self.is_node() { self.0 & (NODE | SLICE) } else { 0 };
        Tag(kind | key.get())
    }

    /// Returns the tag as a byte.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Returns the key, 0 to 63.
    #[must_use]
    pub const fn key(self) -> Key {
        Key::of_tag(self.0)
    }

    /// True if the packet is a node: its value is a sequence of packets. A slice is a node too.
    #[must_use]
    pub const fn is_node(self) -> bool {
        self.0 & NODE != 0
    }

    /// True if the packet is a slice. For a primitive the result is false: there the bit of slices is reserved and
    /// ignored.
    #[must_use]
    pub const fn is_slice(self) -> bool {
        self.0 & (NODE | SLICE) == NODE | SLICE
    }
}

/// Makes a tag. Every byte is a valid tag.
impl From<u8> for Tag {
    fn from(byte: u8) -> Tag {
        Tag(byte)
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match (self.is_slice(), self.is_node()) {
            (true, _) => "slice",
            (_, true) => "node",
            _ => "primitive",
        };
        write!(f, "Tag({:#04x}: {kind} {})", self.0, self.key())
    }
}
