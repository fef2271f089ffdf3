//! Canonical: tests packets for canonical form, and rewrites packets to canonical form.
//!
//! In canonical form, length fields are as short as possible, primitives have no slice bit, and items have key 0.
//! Values are copied unchanged, because the wire does not carry their types.

use crate::error::{Error, ErrorKind};
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

/// Returns the first deviation from canonical form at any depth, or `None` if the packets are canonical.
///
/// Three deviations are reported:
///
/// - [`FlaggedPrimitive`](ErrorKind::FlaggedPrimitive): the tag of a primitive has the slice bit set.
/// - [`ItemKey`](ErrorKind::ItemKey): a slice item has a key other than 0.
/// - [`PaddedLength`](ErrorKind::PaddedLength): a length has more bytes than necessary.
///
/// The function checks the tag of each packet before its length. It does not check values, because the shortest form of
/// a value depends on its type, which the wire does not carry.
/// Cost: reads one header for each packet up to the first deviation. Never allocates.
///
/// # Errors
/// Returns the error of [`check`](crate::check) if this error comes before the first deviation.
///
/// # Examples
/// ```
/// use y3::{ErrorKind, edit::first_deviation};
///
/// assert!(first_deviation(&[0x81, 0x03, 0x01, 0x01, 0x07])?.is_none());
/// let deviation = first_deviation(&[0xc1, 0x03, 0x01, 0x01, 0x07])?.unwrap();
/// assert_eq!((deviation.kind(), deviation.offset()), (ErrorKind::ItemKey, 2));
/// assert_eq!(deviation.to_string(), "slice item with a key other than 0 at byte 2");
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §7](crate::spec#7-canonical-form), docs/spec/editing.md
pub fn first_deviation(bytes: &[u8]) -> Result<Option<Error>, Error> {
    let (mut walk, mut slices) = (walk(bytes), Slices::default());
    while let Some(packet) = walk.next().transpose()? {
        let tag = slices.tag(&walk, &packet);
        if !packet.is_node() && packet.tag() != tag.with_key(packet.key()) {
            return Ok(Some(Error::new(ErrorKind::FlaggedPrimitive, packet.offset())));
        }
        if packet.tag() != tag {
            return Ok(Some(Error::new(ErrorKind::ItemKey, packet.offset())));
        }
        let field = length::encode(packet.value().len()).map_or(0, Word::len);
        if packet.as_bytes().len() - packet.value().len() != 1 + field {
            return Ok(Some(Error::new(ErrorKind::PaddedLength, packet.offset() + 1)));
        }
    }
    Ok(None)
}

/// Writes the packets in canonical form and returns the number of bytes written. Values are copied unchanged, because
/// their canonical form depends on types that the wire does not carry.
///
/// Packets that are already canonical are copied byte for byte. The output is never longer than the input. Cost:
/// canonical packets are read once and copied once. Other packets are read twice, and each value is copied. The body of
/// each node of at least 64 bytes is copied once more, to make room for a longer length field. Deep nesting therefore
/// costs O(depth × bytes). The depth is at most [`MAX_DEPTH`]. Allocates nothing unless the sink grows.
///
/// # Errors
/// Returns the errors of [`check`](crate::check), and [`BufferTooSmall`](crate::ErrorKind::BufferTooSmall) if the sink
/// is full. After an error, the sink is as it was before the call.
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
/// Source: [SPEC §7](crate::spec#7-canonical-form), docs/spec/editing.md
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

/// The open nodes that are slices, as bits. Bit `n` stands for the node at depth `n - 1`. Bit 0 is always clear,
/// because top-level packets are not in a slice.
#[derive(Default)]
struct Slices(u128);

impl Slices {
    /// Returns the canonical tag of `packet`, which is the last packet that the walk returned.
    fn tag(&mut self, walk: &Walk<'_>, packet: &Packet<'_>) -> Tag {
        let depth = walk.depth();
        let is_item = self.0 >> depth & 1 != 0;
        self.0 = self.0 & !(2 << depth) | u128::from(packet.is_slice()) << (depth + 1);
        packet.tag().with_key(if is_item { Key::ITEM } else { packet.key() })
    }
}

/// Writes the canonical form of packets that are not canonical.
fn rewrite<S: Sink>(bytes: &[u8], writer: &mut Writer<'_, S>) -> Result<(), Error> {
    let (mut walk, mut slices) = (walk(bytes), Slices::default());
    // The output positions of the open nodes around the next packet.
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

/// Closes open nodes until only `stay` of them are open.
fn close<S: Sink>(writer: &mut Writer<'_, S>, open: &[usize], depth: &mut usize, stay: usize) -> Result<(), Error> {
    for &start in open.get(stay..*depth).unwrap_or_default().iter().rev() {
        writer.close(start)?;
    }
    *depth = stay.min(*depth);
    Ok(())
}
