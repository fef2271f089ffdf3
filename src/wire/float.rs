//! Floats: IEEE 754, big-endian, without trailing zero bytes, at least one byte.
//!
//! In: 1..=4 or 1..=8 bytes. Out: the float, bit for bit, or `None` for another width; or the bytes of a float.
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

/// Counts the leading zeros of `bytes | 1`, so that at least one byte is written.
#[inline]
pub(crate) fn encode_f32(number: f32) -> Word {
    let bytes = number.to_bits().swap_bytes();
    Word::new(bytes.into(), (39 - (bytes | 1).leading_zeros()) / 8)
}

/// Counts in the same way as [`encode_f32`].
#[inline]
pub(crate) fn encode_f64(number: f64) -> Word {
    let bytes = number.to_bits().swap_bytes();
    Word::new(bytes.into(), (71 - (bytes | 1).leading_zeros()) / 8)
}
