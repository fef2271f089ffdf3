//! Value: decodes typed values.
//!
//! In: a value's bytes, and a type. Out: a value of that type, borrowed if possible, or an error.

#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

use super::text;
use crate::error::{Error, ErrorKind};
use crate::wire::integer::PVarInt;
use crate::wire::{bool, float, integer};

/// A type that [`Packet::decode`](crate::Packet::decode) can decode from a value's bytes.
///
/// Implement it for your own types by means of the types below; to write them too, see [`Encode`](crate::Encode).
///
/// # Examples
/// ```
/// #[derive(Debug, PartialEq)]
/// struct Celsius(f32);
///
/// impl<'a> y3::Decode<'a> for Celsius {
///     fn decode(value: &'a [u8]) -> Result<Self, y3::Error> {
///         f32::decode(value).map(Celsius)
///     }
/// }
///
/// let packet = y3::Packet::from_slice(&[0x11, 0x02, 0x41, 0xb8])?;
/// assert_eq!(packet.decode::<Celsius>()?, Celsius(23.0));
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §4](crate::spec#4-integers), [SPEC §5](crate::spec#5-floats-bool-text-bytes)
pub trait Decode<'a>: Sized {
    /// Decodes all these bytes as one value.
    ///
    /// # Errors
    /// Offsets count from the value's first byte; [`Packet::decode`](crate::Packet::decode) adds the offset of the value.
    fn decode(value: &'a [u8]) -> Result<Self, Error>;
}

const NO_VALUE: Error = Error::new(ErrorKind::InvalidValue, 0);

macro_rules! decode {
    ($($(#[$doc:meta])* $type:ty: $decode:expr;)*) => {$(
        $(#[$doc])*
        impl<'a> Decode<'a> for $type {
            #[inline]
            fn decode(value: &'a [u8]) -> Result<Self, Error> {
                $decode(value).ok_or(NO_VALUE)
            }
        }
    )*};
}

decode! {
    /// NVarInt of 1..=4 bytes. Source: [SPEC §4.1](crate::spec#41-nvarint)
    i32: integer::decode_nvar32;
    /// NVarInt of 1..=8 bytes. Source: [SPEC §4.1](crate::spec#41-nvarint)
    i64: integer::decode_nvar64;
    /// NVarInt of 1..=4 bytes, read as the unsigned number with the same bits: `ff` is 2^32-1.
    /// Source: [SPEC §4.1](crate::spec#41-nvarint)
    u32: |value| integer::decode_nvar32(value).map(integer::unsigned32);
    /// NVarInt of 1..=8 bytes, read as the unsigned number with the same bits: `ff` is 2^64-1.
    /// Source: [SPEC §4.1](crate::spec#41-nvarint)
    u64: |value| integer::decode_nvar64(value).map(integer::unsigned64);
    /// Like `i32`, within the range of the type. Source: [SPEC §4.1](crate::spec#41-nvarint)
    i8: |value| integer::decode_nvar32(value)?.try_into().ok();
    /// Like `i32`, within the range of the type. Source: [SPEC §4.1](crate::spec#41-nvarint)
    i16: |value| integer::decode_nvar32(value)?.try_into().ok();
    /// Like `i32`, within the range of the type: `00 ff` is 255, and `ff`, which is -1, is an error.
    /// Source: [SPEC §4.1](crate::spec#41-nvarint)
    u8: |value| integer::decode_nvar32(value)?.try_into().ok();
    /// Like `i32`, within the range of the type. Source: [SPEC §4.1](crate::spec#41-nvarint)
    u16: |value| integer::decode_nvar32(value)?.try_into().ok();
    /// Like `u64`, within the range of the machine's `usize`. Source: [SPEC §4.1](crate::spec#41-nvarint)
    usize: |value| integer::decode_nvar64(value).map(integer::unsigned64)?.try_into().ok();
    /// PVarInt of 1..=5 bytes. Source: [SPEC §4.2](crate::spec#42-pvarint)
    PVarInt<i32>: |value| integer::decode_pvar32(value).map(PVarInt);
    /// PVarInt of 1..=10 bytes. Source: [SPEC §4.2](crate::spec#42-pvarint)
    PVarInt<i64>: |value| integer::decode_pvar64(value).map(PVarInt);
    /// PVarInt of 1..=5 bytes, read as the unsigned number with the same bits: `7f` is 2^32-1.
    /// Source: [SPEC §4.2](crate::spec#42-pvarint)
    PVarInt<u32>: |value| integer::decode_pvar32(value).map(integer::unsigned32).map(PVarInt);
    /// PVarInt of 1..=10 bytes, read as the unsigned number with the same bits: `7f` is 2^64-1.
    /// Source: [SPEC §4.2](crate::spec#42-pvarint)
    PVarInt<u64>: |value| integer::decode_pvar64(value).map(integer::unsigned64).map(PVarInt);
    /// IEEE 754 number of 1..=4 bytes; missing trailing bytes are zero.
    /// Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    f32: float::decode_f32;
    /// IEEE 754 number of 1..=8 bytes; missing trailing bytes are zero.
    /// Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    f64: float::decode_f64;
    /// PVarInt that is 0 or 1; an empty value is `false`. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    bool: bool::decode;
}

/// The bytes unchanged.
impl<'a> Decode<'a> for &'a [u8] {
    #[inline]
    fn decode(value: &'a [u8]) -> Result<Self, Error> {
        Ok(value)
    }
}

/// The bytes unchanged, if there are exactly `N`; any other number is [`ErrorKind::InvalidValue`].
impl<const N: usize> Decode<'_> for [u8; N] {
    #[inline]
    fn decode(value: &[u8]) -> Result<Self, Error> {
        value.try_into().map_err(|_| NO_VALUE)
    }
}

/// A copy of the bytes. Cost: O(n), one allocation.
#[cfg(feature = "alloc")]
impl Decode<'_> for Vec<u8> {
    fn decode(value: &[u8]) -> Result<Self, Error> {
        Ok(value.into())
    }
}

/// A copy of the text, which is checked as for `&str`. Cost: O(n), one allocation.
#[cfg(feature = "alloc")]
impl Decode<'_> for String {
    fn decode(value: &[u8]) -> Result<Self, Error> {
        <&str>::decode(value).map(String::from)
    }
}

/// UTF-8, which is checked, by `simdutf8` from 64 bytes on with the feature of that name. Cost: O(n). Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
impl<'a> Decode<'a> for &'a str {
    #[inline]
    fn decode(value: &'a [u8]) -> Result<Self, Error> {
        text::decode(value).map_err(|valid| Error::new(ErrorKind::InvalidUtf8, valid as u64))
    }
}
