//! Value: from a typed value to a packet's bytes.
//!
//! In: a number, a bool, text or bytes. Out: its shortest encoding, held in a register where it fits into one.

use crate::wire::integer::{PVarInt, encode_nvar32, encode_nvar64, encode_pvar, signed32, signed64};
use crate::wire::short::Short;
use crate::wire::{bool, float};

/// A type that [`Encoder::put`](crate::Encoder::put) can write as a primitive's value, always in its canonical form.
///
/// Implement it for your own types on top of those that are here; to read them too, see [`Decode`](crate::Decode).
///
/// # Examples
/// ```
/// # #[cfg(feature = "alloc")] {
/// struct Celsius(f32);
///
/// impl y3::Encode for Celsius {
///     fn encode(&self) -> y3::Value<'_> {
///         self.0.encode()
///     }
/// }
///
/// let mut out = Vec::new();
/// y3::Encoder::new(&mut out).put(0x11, Celsius(23.0))?;
/// assert_eq!(out, [0x11, 0x02, 0x41, 0xb8]);
/// # }
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: SPEC §7
pub trait Encode {
    /// The value's bytes.
    fn encode(&self) -> Value<'_>;
}

/// A primitive's encoded value: a few bytes of its own, or borrowed ones.
///
/// # Examples
/// ```
/// use y3::Encode;
///
/// assert_eq!(0.25f32.encode().len(), 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Value<'a>(pub(super) Form<'a>);

#[derive(Clone, Copy, Debug)]
pub(super) enum Form<'a> {
    Short(Short),
    Bytes(&'a [u8]),
}

impl<'a> Form<'a> {
    /// In a register, if a few bytes fit into it: cheaper than a copy of unknown length.
    #[inline(always)]
    pub(super) fn shortened(self) -> Form<'a> {
        match self {
            Form::Bytes(bytes) => Short::of_bytes(bytes).map_or(self, Form::Short),
            Form::Short(_) => self,
        }
    }
}

impl Value<'_> {
    /// How many bytes, without tag and length.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Form::Short(short) => short.len(),
            Form::Bytes(bytes) => bytes.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

macro_rules! encode {
    ($($(#[$doc:meta])* $type:ty: $encode:expr;)*) => {$(
        $(#[$doc])*
        impl Encode for $type {
            #[inline]
            fn encode(&self) -> Value<'_> {
                let encode: fn($type) -> Short = $encode;
                Value(Form::Short(encode(*self)))
            }
        }
    )*};
}

encode! {
    /// NVarInt, 1..=4 bytes. Source: SPEC §4.1
    i32: encode_nvar32;
    /// NVarInt, 1..=8 bytes. Source: SPEC §4.1
    i64: encode_nvar64;
    /// NVarInt, 1..=4 bytes, as the signed number of the same bits. Source: SPEC §4.1
    u32: |number| encode_nvar32(signed32(number));
    /// NVarInt, 1..=8 bytes, as the signed number of the same bits. Source: SPEC §4.1
    u64: |number| encode_nvar64(signed64(number));
    /// PVarInt, 1..=5 bytes. Source: SPEC §4.2
    PVarInt<i32>: |number| encode_pvar(i64::from(number.0));
    /// PVarInt, 1..=10 bytes. Source: SPEC §4.2
    PVarInt<i64>: |number| encode_pvar(number.0);
    /// PVarInt, 1..=5 bytes, as the signed number of the same bits. Source: SPEC §4.2
    PVarInt<u32>: |number| encode_pvar(i64::from(signed32(number.0)));
    /// PVarInt, 1..=10 bytes, as the signed number of the same bits. Source: SPEC §4.2
    PVarInt<u64>: |number| encode_pvar(signed64(number.0));
    /// IEEE 754 without the zero bytes at the end, 1..=4 bytes. Source: SPEC §5
    f32: float::encode_f32;
    /// IEEE 754 without the zero bytes at the end, 1..=8 bytes. Source: SPEC §5
    f64: float::encode_f64;
    /// One byte, 0 or 1. Source: SPEC §5
    bool: bool::encode;
}

/// The bytes as they are.
impl Encode for [u8] {
    #[inline]
    fn encode(&self) -> Value<'_> {
        Value(Form::Bytes(self))
    }
}

/// The bytes as they are.
impl<const N: usize> Encode for [u8; N] {
    #[inline]
    fn encode(&self) -> Value<'_> {
        Value(Form::Bytes(self))
    }
}

/// UTF-8. Source: SPEC §5
impl Encode for str {
    #[inline]
    fn encode(&self) -> Value<'_> {
        Value(Form::Bytes(self.as_bytes()))
    }
}

impl<T: Encode + ?Sized> Encode for &T {
    #[inline]
    fn encode(&self) -> Value<'_> {
        (**self).encode()
    }
}
