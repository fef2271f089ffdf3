//! Patch: overwrites a value in place.
//!
//! In: mutable packets, a path and a value. Out: the same packets with that one value changed.

use super::error::EditError;
use super::follow::find;
use crate::read::packet::Packet;
use crate::read::path::Path;
use crate::value::Encode;
use crate::wire::length;
use crate::write::encoder::{Encoder, encoded_len};
use crate::write::pad::Pad;
use crate::write::sink::SliceSink;

/// Overwrites the value of the first packet at a path with a value of the same width.
///
/// Bytes: at `01/12`, `81 03 12 01 07` becomes `81 03 12 01 08`. No header changes, nor any further packet at the same
/// path.
/// Cost: one jump per sibling before the packet at the levels entered, and one copy of the value. Allocates never.
///
/// # Errors
/// [`Width`](EditError::Width) if the new value has another width: use [`replace`](super::replace) or [`patch_padded`].
/// [`NotFound`](EditError::NotFound) if there is no packet at the path, [`NotAPrimitive`](EditError::NotAPrimitive) if it is a
/// node, and [`Failed`](EditError::Failed) with the errors of [`packets`](crate::packets) in the headers before and around
/// that packet. On an error no byte has changed.
///
/// # Examples
/// ```
/// use y3::{edit, path};
///
/// let mut bytes = [0x81, 0x05, 0x11, 0x00, 0x12, 0x01, 0x07];
/// edit::patch(&mut bytes, path!(0x01, 0x12), -1i32)?;
/// assert_eq!(bytes, [0x81, 0x05, 0x11, 0x00, 0x12, 0x01, 0xff]);
/// # Ok::<(), y3::edit::EditError>(())
/// ```
/// Source: docs/spec/editing.md
pub fn patch(bytes: &mut [u8], path: Path, value: impl Encode) -> Result<(), EditError> {
    let packet = primitive(bytes, path)?;
    let key = packet.key().get();
    let new = encoded_len(|encoder| encoder.put(key, &value))?;
    let (range, len) = (packet.value_range(), packet.value().len());
    let header_of = |len| length::encode(len).map_or(0, |field| field.len() + 1);
    let header = header_of(len);
    if new != header + len {
        let lens = (2..=6).filter_map(|header| new.checked_sub(header).filter(|len| header_of(*len) == header));
        return Err(width(&packet, lens.min().unwrap_or_default()));
    }
    // The packet is written over the old one, whose header may be padded: its bytes are kept.
    let start = range.start.saturating_sub(header);
    let Some(target) = bytes.get_mut(start..range.end) else { return Ok(()) };
    let mut old = [0; 6];
    for (to, from) in old.iter_mut().zip(target.iter().take(header)) {
        *to = *from;
    }
    let done = Encoder::new(&mut SliceSink::new(target)).put(key, &value);
    for (to, from) in target.iter_mut().zip(old.iter().take(header)) {
        *to = *from;
    }
    Ok(done?)
}

/// Overwrites the value of the first packet at a path, and pads a shorter value to the width of the old one.
///
/// Bytes: at `01`, `01 04 00 01 86 a0` patched with the `i32` 7 becomes `01 04 00 00 00 07`. Readers decode the same number,
/// but the output is not canonical. Use it only for receivers that accept values that are not in their shortest form.
///
/// # Errors
/// As [`patch`]; [`Width`](EditError::Width) if the new value is longer than the old one, or its type cannot be padded to that
/// width.
///
/// # Examples
/// ```
/// use y3::{edit, path};
///
/// let mut bytes = [0x01, 0x04, 0x00, 0x01, 0x86, 0xa0];
/// edit::patch_padded(&mut bytes, path!(0x01), -2i32)?;
/// assert_eq!(bytes, [0x01, 0x04, 0xff, 0xff, 0xff, 0xfe]);
/// # Ok::<(), y3::edit::EditError>(())
/// ```
/// Source: docs/spec/editing.md, [SPEC §4](crate::spec#4-integers), [SPEC §5](crate::spec#5-floats-bool-text-bytes)
pub fn patch_padded(bytes: &mut [u8], path: Path, value: impl Pad) -> Result<(), EditError> {
    let packet = primitive(bytes, path)?;
    let len = packet.value().len();
    let Some(padded) = value.pad(len) else { return Err(width(&packet, value.shortest().len())) };
    if let Some(target) = bytes.get_mut(packet.value_range()) {
        target.copy_from_slice(padded.as_ref());
    }
    Ok(())
}

fn primitive(bytes: &[u8], path: Path) -> Result<Packet<'_>, EditError> {
    let (packet, _) = find(bytes, path)?;
    if packet.is_node() { Err(EditError::NotAPrimitive { offset: packet.offset() }) } else { Ok(packet) }
}

fn width(packet: &Packet<'_>, needs: usize) -> EditError {
    EditError::Width { offset: packet.value_offset(), has: packet.value().len(), needs }
}
