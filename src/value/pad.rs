//! Pad: adds padding bytes to a number or a bool until it has a given width.

use super::traits::{Encode, Shape};
use crate::wire::key::Key;
use crate::wire::word::Word;
use crate::write::encoder::Encoder;
use crate::write::sink::SliceSink;

/// Returns the value in `width` bytes, or in the fewest possible bytes if there is no width. Returns `None` if the
/// value needs more than `width` bytes, or if the type does not allow `width` bytes.
pub(crate) fn padded<T: Encode>(value: &T, width: Option<usize>) -> Option<Word> {
    let mut packet = [0; 16];
    let mut sink = SliceSink::new(&mut packet);
    Encoder::new(&mut sink).put(Key::ITEM.get(), value).ok()?;
    // A number takes at most 12 bytes, and two of these are its header.
    let len = sink.written().len().checked_sub(2)?;
    let width = width.unwrap_or(len);
    let (front, most) = padding(T::SHAPE, false)?;
    let [_, _, first, ..] = packet;
    let shortest = u128::from_le_bytes(packet) >> 16;
    let more = u32::try_from(width.checked_sub(len)?).ok()?;
    let bytes = match front {
        _ if width > most => return None,
        None => shortest,
        Some((sign, positive)) => {
            let fill = if first & sign == 0 { positive } else { 0xff };
            shortest << (8 * more) | u128::from_le_bytes([fill; 16]).checked_shr(128 - 8 * more).unwrap_or(0)
        }
    };
    Some(Word::new(bytes, u32::try_from(width).ok()?))
}

/// Returns how values of this shape are padded, and their maximum width. For an integer, returns the sign bit of the
/// first byte, and the padding byte of non-negative integers. This byte is inserted before the value. Negative integers
/// are padded with `ff`. For a float, returns `None`: a float is padded with zeros at its end.
fn padding(shape: Shape, is_pvar: bool) -> Option<(Option<(u8, u8)>, usize)> {
    let (nvar, pvar) = (Some((0x80, 0x00)), Some((0x40, 0x80)));
    Some(match shape {
        Shape::PVar(inside) => return padding(inside(), true),
        Shape::Value("i8" | "i16" | "i32" | "u8" | "u16" | "u32") if !is_pvar => (nvar, 4),
        Shape::Value("i64" | "u64") if !is_pvar => (nvar, 8),
        Shape::Value("i8" | "i16" | "i32" | "u8" | "u16" | "u32" | "bool") => (pvar, 5),
        Shape::Value("i64" | "u64") => (pvar, 10),
        Shape::Value("f32") => (None, 4),
        Shape::Value("f64") => (None, 8),
        _ => return None,
    })
}
