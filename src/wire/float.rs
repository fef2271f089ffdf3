//! Floats: IEEE 754, big-endian, without trailing zero bytes, at least one byte.
//!
//! In: 1..=4 or 1..=8 bytes. Out: the float, bit for bit, or `None` for another width; and back.
//! Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)

use super::word::{Word, load};

#[inline]
pub(crate) fn decode_f32(bytes: &[u8]) -> Option<f32> {
    let spare = 4usize.checked_sub(bytes.len())?;
    let bits = u32::try_from(load(bytes)?).ok()?;
    Some(f32::from_bits(bits << (8 * spare)))
}

#[inline]
pub(crate) fn decode_f64(bytes: &[u8]) -> Option<f64> {
    let spare = 8usize.checked_sub(bytes.len())?;
    Some(f64::from_bits(load(bytes)? << (8 * spare)))
}

#[inline]
pub(crate) fn encode_f32(number: f32) -> Word {
    let bits = number.to_bits();
    Word::of_u64(u64::from(bits) << 32, trimmed((bits | 1 << 31).trailing_zeros(), 4))
}

#[inline]
pub(crate) fn encode_f64(number: f64) -> Word {
    let bits = number.to_bits();
    Word::of_u64(bits, trimmed((bits | 1 << 63).trailing_zeros(), 8))
}

/// The width without trailing zero bytes. At least 1: with the highest bit set, the highest byte is not zero.
#[inline(always)]
const fn trimmed(zero_bits: u32, width: u32) -> u32 {
    width - zero_bits / 8
}
