//! Canonical: whether bytes are in the form a writer writes, where they first are not, and the rewrite.
//!
//! In: packets back to back. Out: the first deviation, or the same packets with minimal lengths, no flagged primitives and
//! items under key 0. Values are left alone, since the wire does not say their types.

use core::fmt;

use crate::error::Error;
use crate::limits::MAX_DEPTH;
use crate::read::packet::Packet;
use crate::read::walk::{Walk, walk};
use crate::wire::key::Key;
use crate::wire::length;
use crate::wire::tag::Tag;
use crate::wire::word::Word;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;
use crate::write::writer::Writer;

/// Where packets are not canonical, and why.
///
/// # Examples
/// ```
/// use y3::edit::{DeviationKind, first_deviation};
///
/// let deviation = first_deviation(&[0x81, 0x03, 0x41, 0x01, 0x07])?.unwrap();
/// assert_eq!((deviation.kind(), deviation.offset()), (DeviationKind::FlaggedPrimitive, 2));
/// assert_eq!(deviation.to_string(), "primitive with the slice bit at byte 2");
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: SPEC §7, docs/spec/editing.md
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Deviation {
    kind: DeviationKind,
    offset: u64,
}

/// What is not canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviationKind {
    /// The tag of a primitive has the slice bit. Offset: the tag.
    FlaggedPrimitive,
    /// An item of a slice has another key than 0. Offset: its tag.
    ItemKey,
    /// A length field is longer than needed. Offset: its first byte.
    PaddedLength,
}

impl Deviation {
    /// What is not canonical.
    #[must_use]
    pub const fn kind(&self) -> DeviationKind {
        self.kind
    }

    /// Where: bytes from the first byte of the input to the byte that [`DeviationKind`] names.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            DeviationKind::FlaggedPrimitive => "primitive with the slice bit",
            DeviationKind::ItemKey => "slice item with a key other than 0",
            DeviationKind::PaddedLength => "length field longer than needed",
        };
        write!(f, "{kind} at byte {}", self.offset)
    }
}

/// Whether all packets, at every depth, are in canonical form, as far as the bytes can tell.
///
/// Minimal lengths, no slice bit on primitives, items of slices under key 0. Whether a value is in its shortest form depends on
/// its type, which the wire does not say: values are not looked at.
/// Cost: O(n) in the worst case, one header a packet, up to the first deviation; allocates never.
///
/// # Errors
/// The faults of [`check`](crate::check) before the first deviation.
///
/// # Examples
/// ```
/// use y3::edit::is_canonical;
///
/// assert!(is_canonical(&[0x81, 0x03, 0x01, 0x01, 0x07])?);
/// assert!(!is_canonical(&[0x81, 0x80, 0x03, 0x01, 0x01, 0x07])?);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: SPEC §7, docs/spec/editing.md
pub fn is_canonical(bytes: &[u8]) -> Result<bool, Error> {
    Ok(first_deviation(bytes)?.is_none())
}

/// The first byte that is not canonical, or `None`; see [`is_canonical`].
///
/// A packet's tag comes before its length. What lies behind the deviation is not looked at.
///
/// # Errors
/// As [`is_canonical`].
///
/// # Examples
/// ```
/// use y3::edit::first_deviation;
///
/// let deviation = first_deviation(&[0xc1, 0x03, 0x01, 0x01, 0x07])?.unwrap();
/// assert_eq!(deviation.to_string(), "slice item with a key other than 0 at byte 2");
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: SPEC §7, docs/spec/editing.md
pub fn first_deviation(bytes: &[u8]) -> Result<Option<Deviation>, Error> {
    let (mut walk, mut slices) = (walk(bytes), Slices::default());
    while let Some(packet) = walk.next().transpose()? {
        let tag = slices.tag(&walk, &packet);
        let at = |kind, offset| Ok(Some(Deviation { kind, offset }));
        if !packet.is_node() && packet.tag() != tag.with_key(packet.key()) {
            return at(DeviationKind::FlaggedPrimitive, packet.offset());
        }
        if packet.tag() != tag {
            return at(DeviationKind::ItemKey, packet.offset());
        }
        let field = length::encode(packet.value().len()).map_or(0, Word::len);
        if packet.as_bytes().len() - packet.value().len() != 1 + field {
            return at(DeviationKind::PaddedLength, packet.offset() + 1);
        }
    }
    Ok(None)
}

/// Writes the packets in canonical form, as far as the bytes can tell: see [`is_canonical`]. Gives the number of bytes.
///
/// Canonical packets come out byte for byte; the output is never longer than the input, and canonical itself.
/// Cost: canonical packets take one walk and one copy. Others take a second walk and a copy of each value; the content of a
/// node of 64 bytes or more then moves by one to four bytes when the node ends, so deep nesting costs O(depth × bytes), with
/// a depth of at most [`MAX_DEPTH`]. Allocates only what a growing sink needs.
///
/// # Errors
/// As [`check`](crate::check), and [`BufferTooSmall`](crate::ErrorKind::BufferTooSmall); the sink is as it was.
///
/// # Examples
/// ```
/// use y3::{SliceSink, edit};
///
/// let mut buffer = [0; 8];
/// let mut out = SliceSink::new(&mut buffer);
/// edit::canonicalize(&[0xc1, 0x80, 0x03, 0x41, 0x01, 0x07], &mut out)?;
/// assert_eq!(out.written(), [0xc1, 0x03, 0x00, 0x01, 0x07]);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: SPEC §7, docs/spec/editing.md
pub fn canonicalize<S: Sink>(bytes: &[u8], sink: &mut S) -> Result<usize, Error> {
    let deviation = first_deviation(bytes)?;
    let mut encoder = Encoder::new(sink);
    let mut output = encoder.unfinished();
    let mut writer = output.writer();
    let start = writer.position();
    match deviation {
        None => writer.append(bytes)?,
        Some(_) => rewrite(bytes, &mut writer)?,
    }
    let end = writer.position();
    output.end(end);
    Ok(end - start)
}

/// Which of the open nodes are slices: bit 0 for what holds the outermost packets, bit n for the node at depth n - 1.
#[derive(Default)]
struct Slices(u128);

impl Slices {
    /// The tag that a packet of the walk has in canonical form.
    fn tag(&mut self, walk: &Walk<'_>, packet: &Packet<'_>) -> Tag {
        let depth = walk.depth();
        let is_item = self.0 >> depth & 1 != 0;
        self.0 = self.0 & !(2 << depth) | u128::from(packet.is_slice()) << (depth + 1);
        packet.tag().with_key(if is_item { Key::ITEM } else { packet.key() })
    }
}

/// Writes what is not canonical.
fn rewrite<S: Sink>(bytes: &[u8], writer: &mut Writer<'_, S>) -> Result<(), Error> {
    let (mut walk, mut slices) = (walk(bytes), Slices::default());
    // Where the nodes around the next packet begin.
    let mut open = [0; MAX_DEPTH];
    let mut depth = 0;
    while let Some(packet) = walk.next().transpose()? {
        close(writer, &open, &mut depth, walk.depth())?;
        let tag = slices.tag(&walk, &packet);
        if !packet.is_node() {
            writer.store_packet(tag, packet.value())?;
        } else if let Some(start) = open.get_mut(depth) {
            *start = writer.open(tag)?;
            depth += 1;
        }
    }
    close(writer, &open, &mut depth, 0)
}

/// Ends the open nodes beyond so many.
fn close<S: Sink>(writer: &mut Writer<'_, S>, open: &[usize], depth: &mut usize, stay: usize) -> Result<(), Error> {
    for &start in open.get(stay..*depth).unwrap_or_default().iter().rev() {
        writer.close(start)?;
    }
    *depth = stay.min(*depth);
    Ok(())
}
