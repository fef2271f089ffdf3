//! Encodes and decodes bools. A bool is a PVarInt that is 0 or 1. An empty value is false.
//!
//! Decoding returns `None` if the bytes are not a bool.
//! Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)

use super::integer::decode_pvar32;
use super::word::Word;

#[inline]
pub(crate) fn decode(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [] => Some(false),
        [byte] => (*byte < 2).then_some(*byte == 1),
        padded => padded_bool(padded),
    }
}

#[cold]
fn padded_bool(bytes: &[u8]) -> Option<bool> {
    decode_pvar32(bytes).filter(|number| number >> 1 == 0).map(|number| number == 1)
}

#[inline]
pub(crate) const fn encode(value: bool) -> Word {
    Word::of_byte(value as u8)
}
