//! Key: from the name of a field or variant to its key, and back.
//!
//! In: a name that serde hands over, mostly one that the compiler knows. Out: the key it says, or the error that it says none.

use super::error::{Error, ErrorKind};
use crate::read::keys::KeySet;
use crate::wire::key::Key;

/// The key that a name says: `0x11` (one or two hexadecimal digits) or `17` (one or two decimal ones).
///
/// Matched byte by byte, so that of a name known to the compiler nothing but the key is left.
#[inline(always)]
pub(super) fn key_of(name: &str) -> Option<Key> {
    let number = match *name.as_bytes() {
        [b'0', b'x', high, low] => digit(high, 16)? << 4 | digit(low, 16)?,
        [b'0', b'x', low] => digit(low, 16)?,
        [tens, ones] => digit(tens, 10)? * 10 + digit(ones, 10)?,
        [ones] => digit(ones, 10)?,
        _ => return None,
    };
    Key::new(number)
}

/// As [`key_of`], for names that must say one.
#[inline(always)]
pub(super) fn named(name: &'static str) -> Result<Key, Error> {
    key_of(name).ok_or_else(|| not_a_key(name))
}

#[cold]
pub(super) fn not_a_key(name: &'static str) -> Error {
    Error::new(ErrorKind::NotAKey(name))
}

#[inline(always)]
const fn digit(byte: u8, base: u8) -> Option<u8> {
    let digit = match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'f' => byte - b'a' + 10,
        b'A'..=b'F' => byte - b'A' + 10,
        _ => return None,
    };
    if digit < base { Some(digit) } else { None }
}

/// Keys claimed one after the other: none of them twice.
#[derive(Clone, Copy)]
pub(super) struct Claims(KeySet);

impl Claims {
    pub(super) const NONE: Claims = Claims(KeySet::EMPTY);

    /// Whether the key was free.
    #[inline(always)]
    pub(super) fn claim(&mut self, key: Key) -> bool {
        let free = !self.0.contains(key);
        self.0 = self.0.with(key);
        free
    }

    /// The key that a name says, if it is free.
    #[inline(always)]
    pub(super) fn claim_named(&mut self, name: &'static str) -> Result<Key, Error> {
        #[cold]
        fn twice(name: &'static str) -> Error {
            Error::new(ErrorKind::KeyTwice(name))
        }
        let key = named(name)?;
        if self.claim(key) { Ok(key) } else { Err(twice(name)) }
    }
}

/// The names of a struct's fields, as the type wants to hear them.
#[derive(Clone, Copy)]
pub(super) struct Names {
    all: &'static [&'static str],
    keys: KeySet,
    /// Every name is the one that [`name_of`] gives, so none has to be looked for.
    plain: bool,
}

impl Names {
    /// Cost: O(names); none, if the compiler knows them and they are few.
    #[inline(always)]
    pub(super) fn new(names: &'static [&'static str]) -> Result<Self, Error> {
        let (mut claims, mut plain) = (Claims::NONE, true);
        for name in names {
            claims.claim_named(name)?;
            plain &= matches!(name.as_bytes(), [_, _, _, low] if !low.is_ascii_uppercase());
        }
        Ok(Self { all: names, keys: claims.0, plain })
    }

    pub(super) const fn keys(&self) -> KeySet {
        self.keys
    }

    /// The name that says this key; for a key that none says, one that differs from all.
    #[inline(always)]
    pub(super) fn name(&self, key: Key) -> &'static str {
        if self.plain { name_of(key) } else { look_up(self.all, key).unwrap_or(name_of(key)) }
    }
}

/// The name in a list that says this key.
#[cold]
pub(super) fn look_up(names: &'static [&'static str], key: Key) -> Option<&'static str> {
    names.iter().copied().find(|name| key_of(name) == Some(key))
}

/// A key as a name in two hexadecimal digits: `0x0a`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;

    #[test]
    fn every_key_has_its_names() {
        for number in 0..64 {
            let key = Key::new(number);
            assert_eq!(name_of(key.unwrap()), format!("{number:#04x}"));
            for name in
                [format!("{number}"), format!("{number:#x}"), format!("{number:#04x}"), format!("0x{number:02X}")]
            {
                assert_eq!(key_of(&name), key, "{name}");
            }
        }
    }

    #[test]
    fn other_names_say_none() {
        for name in [
            "", "a", "1a", "a1", "64", "99", "0x", "0x40", "0xff", "0xg", "0x1g", "0x011", "0X11", "017", "-1", "+1",
            " 1",
        ] {
            assert_eq!(key_of(name), None, "{name}");
        }
    }

    #[test]
    fn names_other_than_the_plain_ones_are_looked_up() {
        let names = Names::new(&["17", "0x1", "0x3F"]).unwrap();
        let heard = [17, 1, 63, 16].map(|number| names.name(Key::new(number).unwrap()));
        assert_eq!(heard, ["17", "0x1", "0x3F", "0x10"]);
    }
}
