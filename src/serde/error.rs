//! Error: the reason why a value could not be read or written, with its path and offset.

use core::fmt;

use ::serde::{de, ser};

use super::name::key_of;
use crate::error::{self, ErrorKind};
use crate::limits::MAX_DEPTH;
use crate::wire::key::Key;

/// The reason why a value could not be read from a packet or written as a packet.
///
/// An error contains a path and a byte offset. The path consists of the keys from the top-level packet to the faulty
/// packet. When reading, the offset is a position in the input. When writing, it is a position in the output.
///
/// Cost: with the feature `alloc`, an error is one pointer, which keeps a `Result` small.
///
/// # Examples
/// ```
/// let items = [0x81, 0x06, 0x00, 0x01, 0x07, 0x00, 0x01, 0xff];
/// let error = y3::serde::from_slice::<Vec<u8>>(&items).unwrap_err();
/// assert_eq!(error.kind(), y3::ErrorKind::InvalidValue);
/// assert_eq!((error.offset(), error.path().collect::<Vec<_>>()), (7, vec![0x01, 0x00]));
/// assert_eq!(error.to_string(), "value does not fit the requested type in 0x01/0x00 at byte 7");
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Boxed<Inner>);

#[cfg(feature = "alloc")]
type Boxed<T> = alloc::boxed::Box<T>;
#[cfg(not(feature = "alloc"))]
type Boxed<T> = T;

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    /// `None` until the error leaves the packet that caused it.
    offset: Option<u64>,
    /// The keys of the packets around the error. Each packet adds its key when the error leaves it, so the innermost
    /// key comes first.
    keys: [u8; MAX_DEPTH + 1],
    depth: u8,
    name: Option<&'static str>,
    /// The message, or an empty text if the kind and the name are enough.
    words: Words,
}

/// The text of a message. Without an allocator, only constant messages can be stored.
#[cfg(feature = "alloc")]
type Words = alloc::borrow::Cow<'static, str>;
#[cfg(not(feature = "alloc"))]
type Words = &'static str;

/// An error kind, and a message that is more precise than that of the kind.
pub(super) type Said = (ErrorKind, &'static str);

pub(super) const MAP_KEY: Said =
    (ErrorKind::InvalidKey, "map key is not an integer of 0..=63, or the map is a struct with flattened fields");
pub(super) const WIDE: Said = (ErrorKind::Unsupported, "y3 cannot represent a number of 128 bits");
pub(super) const UNTYPED: Said =
    (ErrorKind::Unsupported, "type accepts values of several types, and packets do not carry the type of their value");

impl Error {
    pub(super) fn new(kind: ErrorKind) -> Self {
        Self::about(kind, None, "")
    }

    pub(super) fn said((kind, words): Said) -> Self {
        Self::about(kind, None, words)
    }

    /// Makes an error about a field or variant. The kind says what is wrong: the name is not a key, the name has the
    /// key of an earlier name, or the field is missing or duplicate.
    pub(super) fn named(kind: ErrorKind, name: &'static str) -> Self {
        Self::about(kind, Some(name), "")
    }

    #[cold]
    fn about(kind: ErrorKind, name: Option<&'static str>, words: impl Into<Words>) -> Self {
        let keys = [0; MAX_DEPTH + 1];
        Self(Boxed::<Inner>::from(Inner { kind, offset: None, keys, depth: 0, name, words: words.into() }))
    }

    /// Makes an error with a message. Without an allocator, the message is not stored.
    pub(super) fn with_message(kind: ErrorKind, message: &dyn fmt::Display) -> Self {
        #[cfg(feature = "alloc")]
        let words = alloc::string::ToString::to_string(message);
        #[cfg(not(feature = "alloc"))]
        let (words, _) = ("", message);
        Self::about(kind, None, words)
    }

    /// Sets the offset of the error, unless the error already has an offset.
    #[cold]
    pub(super) fn at(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Adds the key of a packet around the error. The packet's tag is at `offset`. The key and the offset are passed by
    /// value, so the packet need not be in memory if there is no error.
    #[cold]
    pub(super) fn inside(mut self, key: Key, offset: u64) -> Self {
        let depth = usize::from(self.0.depth);
        if let Some(slot) = self.0.keys.get_mut(depth) {
            *slot = key.get();
            self.0.depth += 1;
        }
        self.at(offset)
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the offset of the error from the start of the input or of the sink. [`ErrorKind`] lists the byte that
    /// each kind points to. If a field is missing or duplicate, or if the name of a field or variant is not a key, the
    /// error points to the tag of the struct or enum. If a map key is wrong, the error points to the tag of the entry.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.0.offset.unwrap_or_default()
    }

    /// Returns the name of a field or variant in these cases, and `None` for all other errors:
    ///
    /// - The field with this name is missing or duplicate.
    /// - This name is not a key ([`InvalidKey`](ErrorKind::InvalidKey)).
    /// - This name and another name have the same key ([`RepeatedKey`](ErrorKind::RepeatedKey)).
    ///
    /// # Examples
    /// ```
    /// #[derive(Debug, serde::Deserialize)]
    /// struct Reading {
    ///     #[serde(rename = "0x11")]
    ///     _noise: f32,
    /// }
    ///
    /// let error = y3::serde::from_slice::<Reading>(&[0x81, 0x00]).unwrap_err();
    /// assert_eq!((error.kind(), error.name()), (y3::ErrorKind::MissingField, Some("0x11")));
    /// ```
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.0.name
    }

    /// Returns the keys from the top-level packet to the faulty packet, including the keys of these two packets.
    pub fn path(&self) -> impl Iterator<Item = u8> + '_ {
        self.0.keys.get(..usize::from(self.0.depth)).unwrap_or_default().iter().rev().copied()
    }
}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::with_message(ErrorKind::Refused, &message)
    }

    fn invalid_length(len: usize, expected: &dyn de::Expected) -> Self {
        Error::with_message(ErrorKind::MissingItems, &format_args!("invalid length {len}, expected {expected}"))
    }

    fn missing_field(field: &'static str) -> Self {
        Error::named(ErrorKind::MissingField, field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Error::named(ErrorKind::RepeatedField, field)
    }

    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Error::said((ErrorKind::UnexpectedKey, "unknown field"))
    }

    fn unknown_variant(_: &str, variants: &'static [&'static str]) -> Self {
        // If the name of a variant is not a key, that variant is probably the intended one.
        let unkeyed = variants.iter().find(|name| key_of(name).is_none());
        unkeyed.map_or_else(|| Error::new(ErrorKind::UnknownVariant), |name| Error::named(ErrorKind::InvalidKey, name))
    }
}

impl ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::with_message(ErrorKind::Refused, &message)
    }
}

/// Converts an error of this crate. The path of the result is empty.
impl From<error::Error> for Error {
    fn from(error: error::Error) -> Self {
        Error::said((error.kind(), error.words())).at(error.offset())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, name, words, .. }: &Inner = &self.0;
        match (kind, name) {
            (ErrorKind::InvalidKey, Some(name)) => match name.parse().ok().and_then(Key::new) {
                // The name is a number, but not in the required form.
                Some(key) => write!(f, "name `{name}` is not a key: write `{key}`")?,
                None => write!(f, "name `{name}` is not a key from 0x00 to 0x3f")?,
            },
            (ErrorKind::RepeatedKey, Some(name)) => write!(f, "name `{name}` has the key of an earlier name")?,
            (ErrorKind::RepeatedField, Some(name)) => write!(f, "duplicate field `{name}`")?,
            (_, Some(name)) => write!(f, "field `{name}` is missing")?,
            (_, None) if words.is_empty() => kind.fmt(f)?,
            (_, None) => f.write_str(words)?,
        }
        for (index, key) in self.path().enumerate() {
            write!(f, "{}{key:#04x}", if index == 0 { " in " } else { "/" })?;
        }
        write!(f, " at byte {}", self.offset())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl core::error::Error for Error {}
