//! Pad: a value with needless bytes, so that it has a chosen width.
//!
//! In: a number or a bool, and a width. Out: its bytes with as many needless ones as that takes, or `None` where SPEC allows
//! no such form.

use crate::value::Encode;
use crate::value::derive::Shape;
use crate::wire::key::Key;
use crate::wire::word::Word;
use crate::write::encoder::Encoder;
use crate::write::sink::SliceSink;

/// A value whose bytes can be had in a chosen width.
pub(crate) trait Pad: Encode {
    /// The value in its shortest form; for a number or a bool.
    fn shortest(&self) -> Padded;

    /// The value in so many bytes, or `None` if it needs more or its type allows fewer.
    fn pad(&self, width: usize) -> Option<Padded>;
}

impl<T: Encode> Pad for T {
    fn shortest(&self) -> Padded {
        let mut bytes = Padded { bytes: [0; 16], len: 0 };
        let mut sink = SliceSink::new(&mut bytes.bytes);
        // A number takes at most 12 bytes, of which two are its header.
        let _ = Encoder::new(&mut sink).put(Key::ITEM.get(), self);
        bytes.len = sink.written().len().saturating_sub(2);
        bytes.bytes.copy_within(2.., 0);
        bytes
    }

    fn pad(&self, width: usize) -> Option<Padded> {
        let (pad, most) = padding(T::SHAPE, false)?;
        let short = self.shortest();
        let value = Word::new(u128::from_le_bytes(short.bytes), u32::try_from(short.len).ok()?);
        let padded = if width > most || short.len == 0 { None } else { pad(value, width) }?;
        Some(Padded { bytes: padded.to_bytes(), len: padded.len() })
    }
}

/// The bytes of a number or a bool, padded or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Padded {
    bytes: [u8; 16],
    len: usize,
}

impl AsRef<[u8]> for Padded {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
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
