//! Encodes and decodes integers in both dialects, with 32 and 64 bits, signed and unsigned.
//!
//! Decoding returns `None` if the bytes are not a number of the requested type. An unsigned number is written as the
//! signed number with the same bits. For that reason this module encodes and decodes only signed numbers.
//! Source: [SPEC §4](crate::spec#4-integers)
#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "bits change their sign's meaning here on purpose"
)]

use super::word::{Word, load};

/// An integer in the PVarInt dialect. The Go module y3-codec-golang uses this dialect, and so does the specification
/// draft-01.
///
/// An encoded integer does not contain its dialect. A plain `i32`, `u32`, `i64` or `u64` is read and written as an
/// NVarInt, the other dialect. The same type inside `PVarInt` is read and written as a PVarInt.
/// Source: [SPEC §4.2](crate::spec#42-pvarint)
///
/// # Examples
/// ```
/// # #[cfg(feature = "alloc")] {
/// use y3::PVarInt;
///
/// let mut out = Vec::new();
/// y3::Encoder::new(&mut out).put(0x10, PVarInt(-65i32))?;
/// y3::Encoder::new(&mut out).put(0x11, -65i32)?;
/// assert_eq!(out, [0x10, 0x02, 0xff, 0x3f, 0x11, 0x01, 0xbf]);
/// # }
/// # Ok::<(), y3::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PVarInt<T>(pub T);

#[inline]
pub(crate) const fn unsigned32(number: i32) -> u32 {
    number as u32
}

#[inline]
pub(crate) const fn unsigned64(number: i64) -> u64 {
    number as u64
}

#[inline]
pub(crate) const fn signed32(number: u32) -> i32 {
    number as i32
}

#[inline]
pub(crate) const fn signed64(number: u64) -> i64 {
    number as i64
}

/// Decodes an NVarInt of 1 to 8 bytes: two's complement of variable width, big-endian.
/// Source: [SPEC §4.1](crate::spec#41-nvarint)
#[inline]
pub(crate) fn decode_nvar64(bytes: &[u8]) -> Option<i64> {
    // Most numbers are small.
    if let [byte] = bytes {
        return Some(i64::from(*byte as i8));
    }
    let spare = 8 * 8usize.checked_sub(bytes.len())?;
    load(bytes).map(|number| ((number << (spare & 63)) as i64) >> (spare & 63))
}

/// Decodes an NVarInt of 1 to 4 bytes. Source: [SPEC §4.1](crate::spec#41-nvarint)
#[inline]
pub(crate) fn decode_nvar32(bytes: &[u8]) -> Option<i32> {
    if let [byte] = bytes {
        return Some(i32::from(*byte as i8));
    }
    let spare = 8 * 4usize.checked_sub(bytes.len())?;
    let number = u32::try_from(load(bytes)?).ok()?;
    Some(((number << (spare & 31)) as i32) >> (spare & 31))
}

/// Encodes a 32-bit number as the shortest NVarInt, of 1 to 4 bytes. This function does half the work of the 64-bit
/// function.
#[inline]
pub(crate) fn encode_nvar32(number: i32) -> Word {
    // Most numbers are small, and most numbers in one field have the same size. The processor therefore predicts this
    // branch well (measured: saves a tenth of the time per packet).
    if let Ok(small) = i8::try_from(number) {
        return Word::of_byte(small as u8);
    }
    let width = (40 - ((number ^ number >> 31) | 1).leading_zeros()) / 8;
    Word::of_u64(u64::from((number as u32) << ((32 - 8 * width) & 31)) << 32, width)
}

/// Encodes a 64-bit number as the shortest NVarInt, of 1 to 8 bytes.
#[inline]
pub(crate) fn encode_nvar64(number: i64) -> Word {
    if let Ok(small) = i8::try_from(number) {
        return Word::of_byte(small as u8);
    }
    // The highest bytes are left out if they only repeat the sign bit.
    let width = (72 - ((number ^ number >> 63) | 1).leading_zeros()) / 8;
    Word::of_u64((number as u64) << ((64 - 8 * width) & 63), width)
}

/// Decodes a PVarInt of 1 to 10 bytes: groups of seven bits, big-endian. The highest group contains the sign.
/// Source: [SPEC §4.2](crate::spec#42-pvarint)
#[inline]
pub(crate) fn decode_pvar64(bytes: &[u8]) -> Option<i64> {
    match bytes {
        // In a single byte, bit 7 is clear because no other byte follows, and bit 6 is the sign.
        [byte] if *byte < 0x80 => Some(i64::from(((*byte << 1) as i8) >> 1)),
        [first, groups @ ..] if *first >= 0x80 && groups.len() <= 9 => {
            let mut number = i64::from(((*first << 1) as i8) >> 1);
            for (place, &byte) in groups.iter().enumerate() {
                let last = place + 1 == groups.len();
                let fits = number >> 56 == number >> 63;
                if !fits || last == (byte & 0x80 != 0) {
                    return None;
                }
                number = number << 7 | i64::from(byte & 0x7f);
            }
            (!groups.is_empty()).then_some(number)
        }
        _ => None,
    }
}

/// Decodes a PVarInt of 1 to 5 bytes. Source: [SPEC §4.2](crate::spec#42-pvarint)
#[inline]
pub(crate) fn decode_pvar32(bytes: &[u8]) -> Option<i32> {
    if bytes.len() > 5 {
        return None;
    }
    decode_pvar64(bytes).and_then(|number| i32::try_from(number).ok())
}

/// Encodes a number as the shortest PVarInt, of 1 to 10 bytes.
#[inline]
pub(crate) fn encode_pvar(number: i64) -> Word {
    // Each byte has seven bits of the number. One bit of the whole number is the sign.
    let width = (64 - (number ^ number >> 63).leading_zeros()) / 7 + 1;
    let mut bytes = 0u128;
    let mut rest = number;
    for place in 0..width {
        let continues = if place == 0 { 0 } else { 0x80 };
        bytes |= u128::from((rest & 0x7f) as u64 | continues) << (8 * place);
        rest >>= 7;
    }
    Word::new((bytes << (128 - 8 * width)).swap_bytes(), width)
}
