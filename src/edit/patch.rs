//! Patch: overwrites a value in place.
//!
//! In: mutable packets, a path and a value. Out: the same packets with that one value changed.

use super::error::EditError;
use crate::error::Error;
use crate::read::packet::Packet;
use crate::read::packets::{Packets, packets};
use crate::read::path::Path;
use crate::write::pad::Pad;
use crate::write::value::{Encode, Encoded};

/// Overwrites the value of the first packet at a path with a value of the same width.
///
/// Bytes: at `01/12`, `81 03 12 01 07` becomes `81 03 12 01 08`. No header changes, nor any further packet at the same
/// path. The width of a float depends on its value: 0.25 has two bytes and 0.1 four, so not every float fits.
/// Cost: one jump per sibling before the packet at the levels entered, and one copy of the value. Allocates never.
///
/// # Errors
/// [`Width`](EditError::Width) if the new value has another width: use `Edit::set`, which always fits, or [`patch_padded`].
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
    let value = value.encode();
    if value.len() != packet.value().len() {
        return Err(width(&packet, &value));
    }
    let range = packet.value_range();
    overwrite(bytes, range, &value);
    Ok(())
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
    let Some(value) = value.pad(packet.value().len()) else { return Err(width(&packet, &value.encode())) };
    let range = packet.value_range();
    overwrite(bytes, range, &value);
    Ok(())
}

fn primitive(bytes: &[u8], path: Path) -> Result<Packet<'_>, EditError> {
    let packet = first(packets(bytes), path, 0)?.ok_or(EditError::NotFound)?;
    if packet.is_node() { Err(EditError::NotAPrimitive { offset: packet.offset() }) } else { Ok(packet) }
}

/// The first packet at the end of the path, of whose steps `depth` lead to these packets. Recurses once per step.
fn first<'a>(mut packets: Packets<'a>, path: Path, depth: usize) -> Result<Option<Packet<'a>>, Error> {
    let Some(step) = path.step_at(depth) else { return Ok(None) };
    while let Some(packet) = packets.next_with(|tag| step.keys().contains(tag.key())).transpose()? {
        let inside = match packet.is_node() {
            _ if depth + 1 == path.depth() => return Ok(Some(packet)),
            is_node if is_node == step.crosses => continue,
            true => packet.children(),
            false => packet.embedded(),
        };
        if let Some(found) = first(inside, path, depth + 1)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn width(packet: &Packet<'_>, value: &Encoded<'_>) -> EditError {
    EditError::Width { offset: packet.value_offset(), has: packet.value().len(), needs: value.len() }
}

fn overwrite(bytes: &mut [u8], range: core::ops::Range<usize>, value: &Encoded<'_>) {
    if let Some(target) = bytes.get_mut(range) {
        value.copy_to(target);
    }
}
