//! The key of a packet: the low six bits of its tag.
//!
//! A key is at most 63, so a `u64` can store a set of keys.

use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;

use super::bits;
use crate::error::{Error, ErrorKind, Wanted};

/// A number of 0 to 63 that identifies a packet among its siblings. The drafts call it SeqID.
///
/// Bytes: the low six bits of the tag. Source: [SPEC §3.1](crate::spec#31-tag)
///
/// # Examples
/// ```
/// use y3::Key;
///
/// assert_eq!(Key::new(0x11).unwrap(), 0x11);
/// assert_eq!(Key::new(64), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u8);

impl Key {
    /// The highest key, 63.
    pub const MAX: Key = Key(bits::KEY);
    /// The key 0, which all items of a slice have. Source: [SPEC §6](crate::spec#6-nodes-slices-duplicate-keys-order)
    pub const ITEM: Key = Key(0x00);
    /// The key 1. In YoMo's convention it is the key of the root node, whose tag is `81`. The crate does not enforce the
    /// convention.
    pub const ROOT: Key = Key(0x01);
    /// The keys that YoMo reserves for its own use. The crate does not enforce this rule.
    pub const RESERVED: RangeInclusive<u8> = 0x01..=0x0f;
    /// The keys that applications use in YoMo's convention. The crate does not enforce this rule. Source: [SPEC
    /// §6](crate::spec#6-nodes-slices-duplicate-keys-order)
    pub const USER: RangeInclusive<u8> = 0x10..=0x3f;

    /// Makes the key with this number. Returns `None` if the number is above 63.
    #[must_use]
    pub const fn new(number: u8) -> Option<Key> {
        if number <= Self::MAX.0 { Some(Key(number)) } else { None }
    }

    /// Returns the key in a tag byte: the low six bits.
    pub(crate) const fn of_tag(byte: u8) -> Key {
        Key(byte & Self::MAX.0)
    }

    /// Returns the number of the key, 0 to 63.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl PartialEq<u8> for Key {
    fn eq(&self, number: &u8) -> bool {
        self.0 == *number
    }
}

/// Parses a key of one or two hexadecimal digits. The prefix `0x` is optional: `0x11`, `11`, `7`.
///
/// # Errors
/// Returns [`ErrorKind::InvalidKey`] if the text is not a key. If a character is not a hexadecimal digit, or is one
/// digit too many, the offset is that of this character. If there are no digits, the offset is the end of the text. If
/// the key is above `3f`, the offset is that of the first digit.
///
/// # Examples
/// ```
/// use y3::Key;
///
/// assert_eq!("0x11".parse::<Key>()?, 0x11);
/// assert_eq!("11".parse::<Key>()?, 0x11);
/// assert_eq!("1g".parse::<Key>().unwrap_err().offset(), 1);
/// # Ok::<(), y3::Error>(())
/// ```
impl FromStr for Key {
    type Err = Error;

    fn from_str(text: &str) -> Result<Key, Error> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let prefix = text.len() - digits.len();
        let wrong = |position: usize| Error::new(ErrorKind::InvalidKey, (prefix + position) as u64);
        if digits.is_empty() {
            return Err(wrong(0));
        }
        let mut number = 0;
        for (position, character) in digits.char_indices() {
            match character.to_digit(16) {
                Some(digit) if position < 2 => number = number << 4 | digit,
                _ => return Err(wrong(position)),
            }
        }
        let too_high = || Error::naming(ErrorKind::InvalidKey, prefix as u64, Wanted::KEY, number);
        u8::try_from(number).ok().and_then(Key::new).ok_or_else(too_high)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

/// Writes the prefix `0x` and two hexadecimal digits, as programs in Go do: `0x11`.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#04x}", self.0)
    }
}
