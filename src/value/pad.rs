//! Pad: a number or a bool with needless bytes, so that it has a chosen width.
//!
//! In: the value, and a width. Out: its bytes with as many needless ones as that takes, or `None` where SPEC allows no such form.

use super::Encode;
use super::shape::Shape;
use crate::wire::key::Key;
use crate::wire::word::Word;
use crate::write::encoder::Encoder;
use crate::write::sink::SliceSink;

/// The value in so many bytes, or in as few as it needs; `None` if that are more, or if its type allows fewer.
pub(crate) fn padded<T: Encode>(value: &T, width: Option<usize>) -> Option<Word> {
    let (pad, most) = padding(T::SHAPE, false)?;
    let mut packet = [0; 16];
    let mut sink = SliceSink::new(&mut packet);
    Encoder::new(&mut sink).put(Key::ITEM.get(), value).ok()?;
    // A number takes at most 12 bytes, of which two are its header.
    let len = u32::try_from(sink.written().len()).ok()?.checked_sub(2)?;
    let value = Word::new(u128::from_le_bytes(packet) >> 16, len);
    match width {
        None => Some(value),
        Some(width) if width <= most && len > 0 => pad(value, width),
        Some(_) => None,
    }
}

/// Needless bytes for a value, so that it has this width.
type Fill = fn(Word, usize) -> Option<Word>;

/// How values of a type are padded, and up to which width.
fn padding(shape: Shape, is_pvar: bool) -> Option<(Fill, usize)> {
    Some(match shape {
        Shape::PVar(inside) => return padding(inside(), true),
        Shape::Value("i8" | "i16" | "i32" | "u8" | "u16" | "u32") if !is_pvar => (nvar, 4),
        Shape::Value("i64" | "u64") if !is_pvar => (nvar, 8),
        Shape::Value("i8" | "i16" | "i32" | "u8" | "u16" | "u32" | "bool") => (pvar, 5),
        Shape::Value("i64" | "u64") => (pvar, 10),
        Shape::Value("f32") => (zeros, 4),
        Shape::Value("f64") => (zeros, 8),
        _ => return None,
    })
}

/// Needless bytes in front of a value.
fn front(value: Word, fill: u8, width: usize) -> Option<Word> {
    let more = u32::try_from(width.checked_sub(value.len())?).ok()?;
    let filled = u128::from_le_bytes([fill; 16]);
    let front = filled.checked_shr(128 - 8 * more).unwrap_or(0);
    Some(Word::new(front | value.to_u128() << (8 * more), u32::try_from(width).ok()?))
}

fn first(value: Word) -> u8 {
    let [first, ..] = value.to_bytes();
    first
}

fn nvar(value: Word, width: usize) -> Option<Word> {
    front(value, if first(value) & 0x80 == 0 { 0x00 } else { 0xff }, width)
}

fn pvar(value: Word, width: usize) -> Option<Word> {
    front(value, if first(value) & 0x40 == 0 { 0x80 } else { 0xff }, width)
}

/// Zero bytes after a float.
fn zeros(value: Word, width: usize) -> Option<Word> {
    let width = u32::try_from(width).ok().filter(|_| width >= value.len())?;
    Some(Word::new(value.to_u128(), width))
}
