//! Patch: overwrites a value in place.

use crate::error::{Error, ErrorKind, Wanted};
use crate::read::packet::Packet;
use crate::read::packets::{Packets, packets};
use crate::read::path::Path;
use crate::value::Encode;
use crate::value::pad::padded;
use crate::wire::length;
use crate::wire::tag::Tag;
use crate::write::count::Count;
use crate::write::encoder::Encoder;
use crate::write::sink::{SHORT, SliceSink};

/// Overwrites the value of the first packet at a path with a value of the same width.
///
/// Bytes: patching `81 03 12 01 07` at `01/12` with 8 gives `81 03 12 01 08`. All headers stay unchanged. Later packets
/// at the same path also stay unchanged.
///
/// The width of a float depends on its value: 0.25 has two bytes and 0.1 has four. A new float can therefore be wider
/// or narrower than the old float. `Edit::set` accepts a new value of any width.
/// Cost: reads one header for each earlier packet in the nodes on the path, and copies the value once. Never allocates.
///
/// # Errors
/// - [`WrongWidth`](ErrorKind::WrongWidth): the new value and the old value differ in width. Use `Edit::set` or
///   [`patch_padded`].
/// - [`NotFound`](ErrorKind::NotFound): no packet is at the path.
/// - [`NotAPrimitive`](ErrorKind::NotAPrimitive): the packet at the path or the new value is a node.
/// - The errors of [`packets`]: a header that the search reads is faulty.
///
/// After an error, all bytes are unchanged.
///
/// # Examples
/// ```
/// use y3::{edit, path};
///
/// let mut bytes = [0x81, 0x05, 0x11, 0x00, 0x12, 0x01, 0x07];
/// edit::patch(&mut bytes, path!(0x01, 0x12), -1i32)?;
/// assert_eq!(bytes, [0x81, 0x05, 0x11, 0x00, 0x12, 0x01, 0xff]);
///
/// let error = edit::patch(&mut bytes, path!(0x01, 0x12), 300i32).unwrap_err();
/// assert_eq!(error.to_string(), "new value needs 2 bytes, but the old value at byte 6 has another width");
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: docs/spec/editing.md
pub fn patch(bytes: &mut [u8], path: Path, value: impl Encode) -> Result<(), Error> {
    let packet = primitive(bytes, path)?;
    let (key, range, len) = (packet.key().get(), packet.value_range(), packet.value().len());
    let mut count = Count::default();
    let mut encoder = Encoder::new(&mut count);
    encoder.put(key, &value)?;
    let new = encoder.position();
    // The encoder stores the tag first, even if the value does not fit.
    let mut front = [0; SHORT];
    let _ = Encoder::new(&mut SliceSink::new(&mut front)).put(key, &value);
    let [tag, ..] = front;
    if Tag::from(tag).is_node() {
        return Err(Error::new(ErrorKind::NotAPrimitive, packet.offset()));
    }
    let header_of = |len| length::encode(len).map_or(0, |field| field.len() + 1);
    let header = header_of(len);
    if new != header + len {
        let lens = (2..=6).filter_map(|header| new.checked_sub(header).filter(|len| header_of(*len) == header));
        return Err(Error::naming(
            ErrorKind::WrongWidth,
            packet.value_offset(),
            Wanted::BYTES,
            lens.min().unwrap_or_default(),
        ));
    }
    // The new packet overwrites the old packet. The old header is then restored, because its length may be padded.
    let start = range.start.saturating_sub(header);
    let Some(target) = bytes.get_mut(start..range.end) else { return Ok(()) };
    let mut old = [0; 6];
    copy(&mut old, target);
    let done = Encoder::new(&mut SliceSink::new(target)).put(key, &value);
    copy(target, old.get(..header).unwrap_or_default());
    done
}

/// Overwrites the value of the first packet at a path. If the new value is shorter than the old value, the new value is
/// padded to the old width.
///
/// Bytes: patching `01 04 00 01 86 a0` at `01` with the `i32` 7 gives `01 04 00 00 00 07`. Readers decode the padded
/// number as 7, but the output is not canonical. Use this function only if the receivers accept values that are longer
/// than their shortest form.
///
/// # Errors
/// Returns the errors of [`patch`]. [`WrongWidth`](ErrorKind::WrongWidth) means that the new value is longer than the
/// old value, or that its type cannot be padded to the old width.
///
/// # Examples
/// ```
/// use y3::{edit, path};
///
/// let mut bytes = [0x01, 0x04, 0x00, 0x01, 0x86, 0xa0];
/// edit::patch_padded(&mut bytes, path!(0x01), -2i32)?;
/// assert_eq!(bytes, [0x01, 0x04, 0xff, 0xff, 0xff, 0xfe]);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: docs/spec/editing.md, [SPEC §4](crate::spec#4-integers), [SPEC §5](crate::spec#5-floats-bool-text-bytes)
pub fn patch_padded(bytes: &mut [u8], path: Path, value: impl Encode) -> Result<(), Error> {
    let range = primitive(bytes, path)?.value_range();
    match (padded(&value, Some(range.len())), bytes.get_mut(range)) {
        (Some(padded), Some(target)) => {
            copy(target, &padded.to_bytes());
            Ok(())
        }
        _ => patch(bytes, path, value),
    }
}

/// Copies as many bytes as fit in both slices. `copy_from_slice` would contain a panic that the compiler cannot remove.
fn copy(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

fn primitive(bytes: &[u8], path: Path) -> Result<Packet<'_>, Error> {
    let not_found = Error::new(ErrorKind::NotFound, bytes.len() as u64);
    let packet = first(packets(bytes), path, 0)?.ok_or(not_found)?;
    if packet.is_node() { Err(Error::new(ErrorKind::NotAPrimitive, packet.offset())) } else { Ok(packet) }
}

/// Returns the first packet at the end of the path. The first `depth` steps of the path lead to `packets`. The function
/// calls itself once for each further step.
fn first(mut packets: Packets<'_>, path: Path, depth: usize) -> Result<Option<Packet<'_>>, Error> {
    let Some(step) = path.step_at(depth) else { return Ok(None) };
    while let Some(packet) = packets.next_with(|tag| step.keys().contains(tag.key())).transpose()? {
        let inside = match packet.is_node() {
            _ if depth + 1 == path.len() => return Ok(Some(packet)),
            is_node if is_node == step.enters => continue,
            true => packet.children(),
            false => packet.embedded(),
        };
        if let Some(found) = first(inside, path, depth + 1)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
