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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_bytes_at_the_end_go_and_come_back() {
        for (number, width) in [(0.0f32, 1), (-0.0, 1), (0.25, 2), (23.0, 2), (68.124, 4), (f32::NAN, 2), (f32::MAX, 4)]
        {
            let value = encode_f32(number);
            assert_eq!(value.len(), width, "{number}");
            assert_eq!(decode_f32(&value.to_vec()).map(f32::to_bits), Some(number.to_bits()));
        }
        for (number, width) in [(0.0f64, 1), (23.0, 2), (0.1, 8), (f64::INFINITY, 2)] {
            let value = encode_f64(number);
            assert_eq!(value.len(), width, "{number}");
            assert_eq!(decode_f64(&value.to_vec()).map(f64::to_bits), Some(number.to_bits()));
        }
    }

    #[test]
    fn widths_outside_the_type_are_none() {
        assert_eq!((decode_f32(&[]), decode_f32(&[0; 5])), (None, None));
        assert_eq!((decode_f64(&[]), decode_f64(&[0; 9])), (None, None));
        assert_eq!(decode_f32(&[0x3e, 0x80, 0, 0]), Some(0.25));
    }
}
