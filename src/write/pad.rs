//! Pad: a value with needless bytes, so that it has a chosen width.
//!
//! In: a number or a bool, and a width. Out: its bytes with as many needless ones as that takes, or `None` where SPEC allows
//! no such form.

use super::value::{Encode, Encoded, Form};
use crate::wire::integer::PVarInt;
use crate::wire::word::Word;

/// A type whose values can be padded: longer than needed, and read as the same value.
///
/// Integers are padded in front with bytes that repeat the sign, floats behind with zero bytes. Texts and bytes cannot be
/// padded. A padded value is not canonical; [`patch_padded`](crate::edit::patch_padded) alone writes such values.
///
/// # Examples
/// ```
/// use y3::{PVarInt, edit::Pad};
///
/// assert_eq!(7i32.pad(4).unwrap().len(), 4); // 00 00 00 07
/// assert_eq!(PVarInt(-1i64).pad(3).unwrap().len(), 3); // ff ff 7f
/// assert_eq!(0.25f32.pad(4).unwrap().len(), 4); // 3e 80 00 00
/// assert!(7i32.pad(5).is_none());
/// assert!(300i32.pad(1).is_none());
/// ```
/// Source: SPEC §4, §5
pub trait Pad: Encode {
    /// The value in so many bytes, or `None` if it needs more or its type allows fewer.
    fn pad(&self, width: usize) -> Option<Encoded<'_>>;
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

/// Zero bytes behind a float.
fn zeros(value: Word, width: usize) -> Option<Word> {
    let width = u32::try_from(width).ok().filter(|_| width >= value.len())?;
    Some(Word::new(value.to_u128(), width))
}

macro_rules! pad {
    ($($(#[$doc:meta])* $type:ty: $pad:expr, $max:literal;)*) => {$(
        $(#[$doc])*
        impl Pad for $type {
            fn pad(&self, width: usize) -> Option<Encoded<'_>> {
                let pad: fn(Word, usize) -> Option<Word> = $pad;
                let value = self.encode().0.word().filter(|_| width <= $max)?;
                Some(Encoded(Form::Long(pad(value, width)?)))
            }
        }
    )*};
}

pad! {
    /// As [`i32`].
    i8: nvar, 4;
    /// As [`i32`].
    i16: nvar, 4;
    /// As [`u32`].
    u8: nvar, 4;
    /// As [`u32`].
    u16: nvar, 4;
    /// As [`u64`].
    usize: nvar, 8;
    /// NVarInt of up to 4 bytes.
    i32: nvar, 4;
    /// NVarInt of up to 8 bytes.
    i64: nvar, 8;
    /// NVarInt of up to 4 bytes.
    u32: nvar, 4;
    /// NVarInt of up to 8 bytes.
    u64: nvar, 8;
    /// PVarInt of up to 5 bytes.
    PVarInt<i32>: pvar, 5;
    /// PVarInt of up to 10 bytes.
    PVarInt<i64>: pvar, 10;
    /// PVarInt of up to 5 bytes.
    PVarInt<u32>: pvar, 5;
    /// PVarInt of up to 10 bytes.
    PVarInt<u64>: pvar, 10;
    /// Up to 4 bytes.
    f32: zeros, 4;
    /// Up to 8 bytes.
    f64: zeros, 8;
    /// A PVarInt of up to 5 bytes.
    bool: pvar, 5;
}

impl<T: Pad + ?Sized> Pad for &T {
    fn pad(&self, width: usize) -> Option<Encoded<'_>> {
        (**self).pad(width)
    }
}
