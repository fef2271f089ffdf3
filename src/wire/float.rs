//! Encodes and decodes floats: IEEE 754, big-endian, without trailing zero bytes. A float has at least one byte.
//!
//! An `f32` has 1 to 4 bytes, an `f64` has 1 to 8. Decoding keeps all bits and returns `None` for any other number of
//! bytes.
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

/// Encodes a float. `| 1` limits the count of leading zeros, so that 0.0 has one byte.
#[inline]
pub(crate) fn encode_f32(number: f32) -> Word {
    let bytes = number.to_bits().swap_bytes();
    Word::new(bytes.into(), (39 - (bytes | 1).leading_zeros()) / 8)
}

/// Encodes a float. The `| 1` has the same purpose as in [`encode_f32`].
#[inline]
pub(crate) fn encode_f64(number: f64) -> Word {
    let bytes = number.to_bits().swap_bytes();
    Word::new(bytes.into(), (71 - (bytes | 1).leading_zeros()) / 8)
}
