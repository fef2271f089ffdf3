//! Name: converts between a key and its text form, which is the name of a field or variant.

use crate::wire::key::Key;

/// Returns the key that a name stands for. Such a name consists of `0x` and one or two hexadecimal digits.
///
/// The function compares single bytes, so the compiler can replace a constant name with its key.
#[inline(always)]
pub(super) fn key_of(name: &str) -> Option<Key> {
    let number = match *name.as_bytes() {
        [b'0', b'x', high, low] => digit(high)? << 4 | digit(low)?,
        [b'0', b'x', low] => digit(low)?,
        _ => return None,
    };
    Key::new(number)
}

#[inline(always)]
const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// Returns the name of a key, with two hexadecimal digits: `0x0a`.
#[inline(always)]
pub(super) fn name_of(key: Key) -> &'static str {
    NAMES.get(usize::from(key.get())).copied().unwrap_or_default()
}

static NAMES: [&str; 64] = [
    "0x00", "0x01", "0x02", "0x03", "0x04", "0x05", "0x06", "0x07", "0x08", "0x09", "0x0a", "0x0b", "0x0c", "0x0d",
    "0x0e", "0x0f", "0x10", "0x11", "0x12", "0x13", "0x14", "0x15", "0x16", "0x17", "0x18", "0x19", "0x1a", "0x1b",
    "0x1c", "0x1d", "0x1e", "0x1f", "0x20", "0x21", "0x22", "0x23", "0x24", "0x25", "0x26", "0x27", "0x28", "0x29",
    "0x2a", "0x2b", "0x2c", "0x2d", "0x2e", "0x2f", "0x30", "0x31", "0x32", "0x33", "0x34", "0x35", "0x36", "0x37",
    "0x38", "0x39", "0x3a", "0x3b", "0x3c", "0x3d", "0x3e", "0x3f",
];
