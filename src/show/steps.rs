//! Steps: reads packets and continues after a fault.
//!
//! Each byte of the input is read once, as part of a header, of a value, or of unreadable bytes with a fault.

use super::meaning::are_packets;
use super::row::{Inside, Row};
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_DEPTH;
use crate::read::path::Path;
use crate::wire::header::{Header, Stop};
use crate::wire::key::Key;
use crate::wire::tag::Tag;

/// In a prefix, an incomplete value is shown only if its length exceeds this number of bytes.
const LONG: usize = 64 << 10;

/// Selects the primitives whose values are read as packets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Embedded<'a> {
    Closed,
    /// The primitives at these paths.
    At(&'a [Path]),
    /// The primitives whose values pass [`are_packets`].
    All,
    /// The primitives whose values contain the byte at this offset.
    Around(usize),
}

/// Reads bytes as packets, up to [`MAX_DEPTH`] levels deep. After a fault, reading continues at the next byte that is
/// known to begin a packet.
#[derive(Clone, Debug)]
pub(super) struct Steps<'a> {
    bytes: &'a [u8],
    at: usize,
    level: Level,
    /// The enclosing levels, beginning with the top level. Only the first `depth` elements are used.
    outer: [Level; MAX_DEPTH],
    /// The keys of the packets that were entered at these levels.
    keys: [Key; MAX_DEPTH],
    depth: usize,
    embedded: Embedded<'a>,
    /// True if incomplete packets are read.
    takes_cut: bool,
}

/// A sequence of packets: the input, the body of a node, or embedded packets.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// The end of the bytes that are present.
    end: usize,
    /// The declared end of the level. The declared end is greater than `end` if the enclosing packet is incomplete. For
    /// the input, it is `usize::MAX`.
    declared_end: usize,
    /// The fault of a packet that ends after `end`, but not after `declared_end`.
    cut: ErrorKind,
    inside: Inside,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    /// A packet. If its value is read as packets, the steps of these packets follow, and then a `Leave`.
    Packet(Row<'a>),
    Leave(Inside),
}

impl<'a> Step<'a> {
    fn packet(self) -> Option<Row<'a>> {
        if let Self::Packet(row) = self { Some(row) } else { None }
    }
}

impl<'a> Steps<'a> {
    pub(super) fn new(bytes: &'a [u8], embedded: Embedded<'a>) -> Self {
        let level = Level::input(bytes.len());
        Self {
            bytes,
            at: 0,
            level,
            outer: [level; MAX_DEPTH],
            keys: [Key::ITEM; MAX_DEPTH],
            depth: 0,
            embedded,
            takes_cut: true,
        }
    }

    /// Makes this reader treat incomplete packets as unreadable bytes.
    pub(super) fn whole_only(self) -> Self {
        Self { takes_cut: false, ..self }
    }

    fn end(&mut self, at: usize) {
        (self.at, self.level.end, self.depth) = (at, at, 0);
    }

    /// Returns the number of packets around the next step.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the keys of the packets around the next step, beginning with the key of the top-level packet.
    pub(super) fn keys(&self) -> &[Key] {
        self.keys.get(..self.depth).unwrap_or_default()
    }

    fn opens(&self, key: Key, value: &[u8], start: usize, is_cut: bool) -> bool {
        match self.embedded {
            _ if value.is_empty() => false,
            Embedded::Closed => false,
            Embedded::At(paths) => paths.iter().any(|&path| self.is_on(path, key)),
            Embedded::All => !is_cut && are_packets(value),
            Embedded::Around(offset) => (start..start + value.len()).contains(&offset),
        }
    }

    /// True if a path ends at the packet with this key on this level, or continues in the embedded packets of this
    /// packet.
    fn is_on(&self, path: Path, key: Key) -> bool {
        let mut steps = path.steps();
        let mut is_open = false;
        let levels = self.outer.get(..self.depth).unwrap_or_default().iter().chain([&self.level]);
        let is_same = self.keys().iter().chain([&key]).zip(levels).all(|(here, level)| {
            steps.next().is_some_and(|step| {
                let was_open = core::mem::replace(&mut is_open, step.enters);
                step.key.is_none_or(|key| key == *here) && was_open == (level.inside == Inside::Embedded)
            })
        });
        is_same && (is_open || steps.next().is_none())
    }

    fn unread(&mut self, end: usize, tag: Tag, depth: usize, fault: Error) -> Step<'a> {
        let offset = core::mem::replace(&mut self.at, end);
        let value = self.bytes.get(offset..end).unwrap_or_default();
        Step::Packet(Row { fault: Some(fault), ..Row::new(offset, tag, value, depth) })
    }
}

impl<'a> Iterator for Steps<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        let (at, level, depth) = (self.at, self.level, self.depth);
        let rest = self.bytes.get(at..level.end).unwrap_or_default();
        let Some(&tag) = rest.first() else {
            self.depth = self.depth.checked_sub(1)?;
            self.level = *self.outer.get(self.depth)?;
            return Some(Step::Leave(level.inside));
        };
        let tag = Tag::from(tag);
        let header = match Header::long(rest) {
            Ok(header) => header,
            Err(Stop::Missing(_)) => {
                return Some(self.unread(level.end, tag, depth, Error::new(level.missing(), at as u64)));
            }
            Err(Stop::Fault(kind)) => return Some(self.unread(level.end, tag, depth, Error::new(kind, at as u64 + 1))),
        };
        // On a 32-bit machine, the end can exceed `usize`.
        let end = at.saturating_add(header.packet_len());
        let fault = level.cut(end).map(|kind| Error::new(kind, at as u64));
        let (start, there) = (at.saturating_add(header.size()), end.min(level.end));
        let value = self.bytes.get(start..there).unwrap_or_default();
        if let Some(fault) = fault.filter(|_| !self.takes_cut) {
            return Some(self.unread(level.end, tag, depth, fault));
        }
        let inside = match (tag.is_node(), tag.is_slice()) {
            (_, true) => Inside::Slice,
            (true, _) => Inside::Node,
            _ if self.depth < MAX_DEPTH && self.opens(tag.key(), value, start, fault.is_some()) => Inside::Embedded,
            _ => Inside::Value,
        };
        if inside == Inside::Value {
            self.at = there;
        } else {
            let (Some(outer), Some(key)) = (self.outer.get_mut(self.depth), self.keys.get_mut(self.depth)) else {
                let fault = fault.unwrap_or(Error::new(ErrorKind::DepthLimit, at as u64));
                return Some(self.unread(there, tag, depth, fault));
            };
            (*outer, *key) = (level, tag.key());
            self.depth += 1;
            self.at = start;
            self.level = match inside {
                Inside::Embedded => Level { inside, ..Level::input(there) },
                _ => Level {
                    end: there,
                    declared_end: end,
                    cut: fault.map_or(ErrorKind::Overrun, |fault| fault.kind()),
                    inside,
                },
            };
        }
        Some(Step::Packet(Row { header: Some(header), fault, inside, ..Row::new(at, tag, value, depth) }))
    }
}

impl Level {
    /// Returns the level of an input that ends at `end`.
    const fn input(end: usize) -> Level {
        Level { end, declared_end: usize::MAX, cut: ErrorKind::UnexpectedEnd, inside: Inside::Value }
    }

    /// Returns the fault of a packet that ends at `end`, or `None` if the packet is complete.
    fn cut(&self, end: usize) -> Option<ErrorKind> {
        if end > self.declared_end {
            Some(ErrorKind::Overrun)
        } else if end > self.end {
            Some(self.cut)
        } else {
            None
        }
    }

    /// Returns the fault of a packet whose header is incomplete because the level ends.
    fn missing(&self) -> ErrorKind {
        if self.end == self.declared_end { ErrorKind::Overrun } else { self.cut }
    }
}

/// Iterates over the packets of a [`Dump`](super::Dump). Made by [`Dump::rows`](super::Dump::rows).
///
/// Each byte of the input belongs to exactly one row. In this row, the byte is part of a header, of a value without
/// inner packets, or of unreadable bytes. The rows of a [prefix](super::Dump::prefix_of) end before the incomplete
/// packet that the dump does not show.
///
/// Cost: O(n) for all rows, or O(n × nesting levels) with [`open_all`](super::Dump::open_all). Never allocates. Uses
/// 2.5 KiB of stack.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    steps: Steps<'a>,
    len: usize,
    is_prefix: bool,
}

impl<'a> Rows<'a> {
    pub(super) fn new(bytes: &'a [u8], embedded: Embedded<'a>, is_prefix: bool) -> Self {
        Self { steps: Steps::new(bytes, embedded), len: bytes.len(), is_prefix }
    }

    /// Returns the offset of the first byte that no row has covered yet.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.steps.at
    }

    /// Returns the row of a packet in a prefix. If only the end of the prefix causes the fault, the row has no fault.
    /// Returns `None` if too little of the packet is present.
    fn known(&self, row: Row<'a>) -> Option<Row<'a>> {
        let is_last = self.is_prefix && row.end() == self.len;
        let row = Row { is_brief: self.is_prefix && row.len() > LONG, ..row };
        let Some(fault) = row.fault.filter(|_| is_last) else { return Some(row) };
        let goes_on = row.header.is_some() && fault.kind() == ErrorKind::UnexpectedEnd;
        if goes_on && (row.is_brief || row.inside != Inside::Value) {
            return Some(Row { fault: None, ..row });
        }
        row.is_brief.then_some(row)
    }
}

impl<'a> Iterator for Rows<'a> {
    type Item = Row<'a>;

    fn next(&mut self) -> Option<Row<'a>> {
        let row = self.steps.by_ref().find_map(Step::packet)?;
        let known = self.known(row);
        if known.is_none() {
            self.steps.end(row.offset);
        }
        known
    }
}

impl core::iter::FusedIterator for Rows<'_> {}
