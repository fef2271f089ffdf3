//! Row: one packet of a dump, or bytes that cannot be read as a packet.

use core::fmt;
use core::ops::Range;

use super::meaning::Meaning;
use crate::error::{Bytes, Error};
use crate::wire::header::Header;
use crate::wire::length;
use crate::wire::tag::Tag;

/// A row of a [dump](crate::dump()): a packet, which can be incomplete, or bytes that cannot be read as a packet.
///
/// `Display` writes the text that the dump shows after the column of bytes: the [`summary`](Self::summary), then the
/// fault.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    pub(super) offset: usize,
    pub(super) depth: usize,
    pub(super) tag: Tag,
    /// `None` if the row consists of unreadable bytes. The value then contains all bytes from the tag to the end of the
    /// node or of the input.
    pub(super) header: Option<Header>,
    /// The part of the value that is present.
    pub(super) value: &'a [u8],
    /// The reason why the packet is incomplete or unreadable.
    pub(super) fault: Option<Error>,
    pub(super) inside: Inside,
    /// True if the value is so long that a prefix shows it even if it is incomplete.
    pub(super) is_brief: bool,
}

/// The content of the bytes after a packet's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// A value, or unreadable bytes.
    Value,
    /// Packets of a node.
    Node,
    /// Items of a slice.
    Slice,
    /// Packets embedded in the value of a primitive.
    Embedded,
}

impl<'a> Row<'a> {
    pub(super) const fn new(offset: usize, tag: Tag, value: &'a [u8], depth: usize) -> Self {
        Self { offset, depth, tag, header: None, value, fault: None, inside: Inside::Value, is_brief: false }
    }

    /// Returns the offset of the packet's tag.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the number of packets that enclose this packet.
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the packet's first byte.
    #[must_use]
    pub const fn tag(&self) -> Tag {
        self.tag
    }

    /// Returns the kind of content after the header. If the header is followed by packets, these packets have their own
    /// rows.
    #[must_use]
    pub const fn inside(&self) -> Inside {
        self.inside
    }

    /// True if the header is readable. If it is unreadable, [`value`](Self::value) returns the tag and all unreadable
    /// bytes after it.
    #[must_use]
    pub const fn is_read(&self) -> bool {
        self.header.is_some()
    }

    /// Returns the length of the value that the header declares. If the row consists of unreadable bytes, returns their
    /// number.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "returns a length field, not the length of a collection")]
    pub fn len(&self) -> usize {
        self.header.map_or(self.value.len(), Header::value_len)
    }

    /// Returns the part of the value that is present.
    #[must_use]
    pub const fn value(&self) -> &'a [u8] {
        self.value
    }

    /// Returns the range of the whole packet in the input: its header, and its value with all inner packets. The range
    /// does not include missing bytes.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.offset..self.end()
    }

    /// Returns the end of this row's bytes. This is the end of the header if inner packets have their own rows, and
    /// otherwise the end of the value.
    #[must_use]
    pub fn own_end(&self) -> usize {
        if self.inside == Inside::Value { self.end() } else { self.offset.saturating_add(self.header_len()) }
    }

    /// Returns the reason why the packet is incomplete or unreadable. The first fault in a dump is the error that
    /// [`check`](crate::check) returns, unless this fault is inside an opened primitive.
    #[must_use]
    pub const fn fault(&self) -> Option<Error> {
        self.fault
    }

    /// Describes the packet without its fault: key, kind, length, and possible meanings of the value.
    ///
    /// # Examples
    /// ```
    /// let row = y3::dump(&[0x13, 0x02, 0x68, 0x69]).rows().next().unwrap();
    /// assert_eq!(row.summary().to_string(), r#"0x13: 2 bytes = "hi", nvar 26729"#);
    /// assert!(row.fault_summary().is_none());
    /// ```
    #[must_use]
    pub const fn summary(&self) -> impl fmt::Display + use<'a> {
        Summary(*self)
    }

    /// Describes the fault, if the row has one.
    ///
    /// # Examples
    /// ```
    /// let row = y3::dump(&[0x13, 0x02, 0x68]).rows().next().unwrap();
    /// assert_eq!(row.summary().to_string(), "0x13: 2 bytes");
    /// assert_eq!(row.fault_summary().unwrap().to_string(), "input ends inside the packet: 1 byte present");
    /// ```
    #[must_use]
    pub fn fault_summary(&self) -> Option<impl fmt::Display + use<'a>> {
        self.fault.map(|error| Fault { row: *self, error })
    }

    pub(super) fn end(&self) -> usize {
        self.offset.saturating_add(self.header_len() + self.value.len())
    }

    /// Returns the length of the header, or 0 if the header is unreadable.
    pub(super) fn header_len(&self) -> usize {
        self.header.map_or(0, Header::size)
    }

    /// True if the length field is longer than necessary.
    pub(super) fn is_padded(&self) -> bool {
        length::encode(self.len()).is_some_and(|field| field.len() + 1 < self.header_len())
    }
}

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.summary().fmt(f)?;
        self.fault_summary().map_or(Ok(()), |fault| write!(f, " ! {fault}"))
    }
}

struct Summary<'a>(Row<'a>);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = &self.0;
        let kind = match row.inside {
            Inside::Embedded => " embedded",
            _ if row.tag.is_slice() => " slice",
            _ if row.tag.is_node() => " node",
            _ => "",
        };
        write!(f, "{}{kind}", row.tag.key())?;
        match (row.len(), row.header) {
            (_, None) => return Ok(()),
            (0, _) => f.write_str(": empty")?,
            (len, _) => write!(f, ": {}", Bytes(len as u64))?,
        }
        if row.is_padded() {
            f.write_str(", length padded")?;
        }
        if row.tag.is_flagged() {
            f.write_str(", reserved bit set")?;
        }
        if row.fault.is_none() && row.inside == Inside::Value && !row.is_brief {
            write!(f, "{}", Meaning(row.value))?;
        }
        Ok(())
    }
}

struct Fault<'a> {
    row: Row<'a>,
    error: Error,
}

impl fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.error.kind();
        match self.row.header {
            None => write!(f, "{kind}: not read"),
            Some(_) if self.row.is_brief => write!(f, "{kind}"),
            Some(_) => write!(f, "{kind}: {} present", Bytes(self.row.value.len() as u64)),
        }
    }
}
