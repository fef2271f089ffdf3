//! Pad: a value with needless bytes, so that it has a chosen width.
//!
//! In: a number or a bool, and a width. Out: its bytes with as many needless ones as that takes, or `None` where SPEC allows
//! no such form.

use crate::value::Encode;
use crate::wire::integer::{PVarInt, encode_nvar32, encode_nvar64, encode_pvar, signed32, signed64};
use crate::wire::word::Word;
use crate::wire::{bool, float};

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
    /// The value in its shortest form.
    fn shortest(&self) -> Padded;

    /// The value in so many bytes, or `None` if it needs more or its type allows fewer.
    fn pad(&self, width: usize) -> Option<Padded>;
}

/// The bytes of a number or a bool, padded or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Padded {
    bytes: [u8; 16],
    len: usize,
}

impl Padded {
    const fn of(word: Word) -> Self {
        Self { bytes: word.to_bytes(), len: word.len() }
    }

    /// The number of bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes, which is never so.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl AsRef<[u8]> for Padded {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
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
    ($($(#[$doc:meta])* $type:ty: $encode:expr, $pad:expr, $max:literal;)*) => {$(
        $(#[$doc])*
        impl Pad for $type {
            fn shortest(&self) -> Padded {
                let encode: fn($type) -> Word = $encode;
                Padded::of(encode(*self))
            }

            fn pad(&self, width: usize) -> Option<Padded> {
                let (encode, pad): (fn($type) -> Word, fn(Word, usize) -> Option<Word>) = ($encode, $pad);
                if width > $max { None } else { pad(encode(*self), width).map(Padded::of) }
            }
        }
    )*};
}

pad! {
    /// As [`i32`].
    i8: |number| encode_nvar32(number.into()), nvar, 4;
    /// As [`i32`].
    i16: |number| encode_nvar32(number.into()), nvar, 4;
    /// As [`u32`].
    u8: |number| encode_nvar32(number.into()), nvar, 4;
    /// As [`u32`].
    u16: |number| encode_nvar32(number.into()), nvar, 4;
    /// As [`u64`].
    usize: |number| encode_nvar64(signed64(number as u64)), nvar, 8;
    /// As [`i64`].
    isize: |number| encode_nvar64(number as i64), nvar, 8;
    /// NVarInt of up to 4 bytes.
    i32: encode_nvar32, nvar, 4;
    /// NVarInt of up to 8 bytes.
    i64: encode_nvar64, nvar, 8;
    /// NVarInt of up to 4 bytes.
    u32: |number| encode_nvar32(signed32(number)), nvar, 4;
    /// NVarInt of up to 8 bytes.
    u64: |number| encode_nvar64(signed64(number)), nvar, 8;
    /// PVarInt of up to 5 bytes.
    PVarInt<i32>: |number| encode_pvar(number.0.into()), pvar, 5;
    /// PVarInt of up to 10 bytes.
    PVarInt<i64>: |number| encode_pvar(number.0), pvar, 10;
    /// PVarInt of up to 5 bytes.
    PVarInt<u32>: |number| encode_pvar(signed32(number.0).into()), pvar, 5;
    /// PVarInt of up to 10 bytes.
    PVarInt<u64>: |number| encode_pvar(signed64(number.0)), pvar, 10;
    /// Up to 4 bytes.
    f32: float::encode_f32, zeros, 4;
    /// Up to 8 bytes.
    f64: float::encode_f64, zeros, 8;
    /// A PVarInt of up to 5 bytes.
    bool: bool::encode, pvar, 5;
}

impl<T: Pad + ?Sized> Pad for &T {
    fn shortest(&self) -> Padded {
        (**self).shortest()
    }

    fn pad(&self, width: usize) -> Option<Padded> {
        (**self).pad(width)
    }
}
