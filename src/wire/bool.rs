//! Bool: a PVarInt that is 0 or 1; an empty value is false.
//!
//! In: a value's bytes. Out: the bool, or `None` for any other value; and back, as one byte.
//! Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)

use super::integer::decode_pvar32;

#[inline]
pub(crate) fn decode(bytes: &[u8]) -> Option<bool> {
    if bytes.is_empty() {
        return Some(false);
    }
    match decode_pvar32(bytes)? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

#[inline]
pub(crate) fn encode(value: bool) -> u8 {
    u8::from(value)
}
