//! Encodes and decodes the length field of a packet: groups of seven bits, big-endian, with a sign bit. A valid length
//! never has its sign bit set.

use super::integer::encode_pvar;
use super::word::Word;
use crate::error::ErrorKind;

/// The maximum length of a value in bytes, 2^31-1. Source: [SPEC §3.2](crate::spec#32-length)
const MAX: u32 = i32::MAX as u32;
/// The maximum size of a length field, in bytes.
pub(crate) const MAX_SIZE: usize = 5;

/// The continuation bit: if it is set in a byte of the field, another byte follows.
pub(crate) const CONTINUES: u8 = 0x80;
/// The continuation bit and the sign bit. A first byte has both bits set if it is at least this number.
pub(crate) const CONTINUES_NEGATIVE: u8 = CONTINUES | SIGN;
const SIGN: u8 = 0x40;
const GROUP: u8 = 0x7f;
/// The highest possible first byte of a field of five bytes, without its continuation bit. Its three bits are the bits
/// 28, 29 and 30 of the length.
const FIRST_OF_FIVE: u8 = 0x07;

/// Lengths below this number are encoded as one byte, which is the length itself.
pub(crate) const ONE_BYTE: u8 = SIGN;

const ONE_BYTE_U32: u32 = ONE_BYTE as u32;
/// Lengths below this number need at most two bytes.
const THREE_BYTES: u32 = ONE_BYTE_U32 << 7;

/// Decodes a length field of two bytes. In `first`, the continuation bit must be set and the sign bit must be clear.
#[inline(always)]
pub(crate) fn two_bytes(first: u8, last: u8) -> usize {
    usize::from(first & GROUP) << 7 | usize::from(last)
}

/// Returns the length of a packet, header included, if its length field has one or two bytes. The function has no
/// branch on the size of the field. Returns `None` if the field is longer or negative.
#[inline(always)]
pub(crate) fn mixed(first: u8, second: u8) -> Option<usize> {
    /// The difference between `high << 7 | low` and the packet length: the shifted continuation bit, minus three bytes
    /// of the header.
    const EXCESS: usize = ((CONTINUES as usize) << 7) - 3;
    if first & SIGN != 0 || first & second & CONTINUES != 0 {
        return None;
    }
    let (high, low) = (usize::from(first), usize::from(second));
    let (one, two) = (2 + high, (high << 7 | low).wrapping_sub(EXCESS));
    // All bits are ones if the field has a second byte. A condition here would compile to a branch.
    let mask = usize::from(first / CONTINUES).wrapping_neg();
    Some(one ^ (one ^ two) & mask)
}

/// Decodes the length field at the front. Returns the length and the size of the field. Returns `None` if the field
/// continues after the end of `bytes`.
///
/// Cost: at most five steps. The function returns an error even if the bytes after the wrong byte are missing.
#[inline]
pub(crate) fn decode(bytes: &[u8]) -> Result<Option<(usize, usize)>, ErrorKind> {
    let Some(&first) = bytes.first() else { return Ok(None) };
    if first & SIGN != 0 {
        return Err(ErrorKind::NegativeLength);
    }
    let mut length = 0;
    for (&byte, size) in bytes.iter().zip(1..=MAX_SIZE) {
        // In a field of five bytes, the first byte must leave bit 31 and above clear, so the shift loses no bits.
        if size == MAX_SIZE && (byte & CONTINUES != 0 || first & GROUP > FIRST_OF_FIVE) {
            return Err(ErrorKind::LengthOverflow);
        }
        length = length << 7 | usize::from(byte & GROUP);
        if byte & CONTINUES == 0 {
            return Ok(Some((length, size)));
        }
    }
    Ok(None)
}

/// Encodes a length as two bytes. Returns `None` if two bytes are not the shortest field for the length.
#[inline(always)]
pub(crate) fn encode_two_bytes(length: usize) -> Option<[u8; 2]> {
    const LEAST: usize = ONE_BYTE as usize;
    const MOST: usize = THREE_BYTES as usize - 1;
    let [low, high, ..] = length.to_le_bytes();
    match length {
        LEAST..=MOST => Some([CONTINUES | high << 1 | low >> 7, low & GROUP]),
        _ => None,
    }
}

/// Encodes a length as the shortest field, of 1 to 5 bytes. Returns `None` if the length is above [`MAX`].
#[inline]
pub(crate) fn encode(length: usize) -> Option<Word> {
    let length = u32::try_from(length).ok().filter(|&length| length <= MAX)?;
    Some(match length {
        ..ONE_BYTE_U32 => Word::of_u64(u64::from(length) << 56, 1),
        // Most nodes and texts of 64 bytes or more have such a length, so this case has no loop.
        ONE_BYTE_U32..THREE_BYTES => Word::of_u64(u64::from(0x8000 | (length & 0x3f80) << 1 | length & 0x7f) << 48, 2),
        // A length is encoded as a PVarInt that is not negative.
        _ => encode_pvar(i64::from(length)),
    })
}

/// Writes a length into a field of 1 to 5 bytes. The field must be long enough for the length. If it is longer than
/// needed, the first bytes become `80`.
#[inline]
pub(crate) fn fill<'a>(length: usize, field: impl DoubleEndedIterator<Item = &'a mut u8>) {
    let (mut left, mut continues) = (length, 0);
    for byte in field.rev() {
        let [low, ..] = left.to_le_bytes();
        *byte = low & GROUP | continues;
        (left, continues) = (left >> 7, CONTINUES);
    }
}
