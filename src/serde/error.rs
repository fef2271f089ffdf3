//! Error: why a value could not be read or written, and where.
//!
//! In: an error of packets, of a type's shape, or with a type's own message. Out: the error with its byte offset and the
//! keys that lead to it.

use core::fmt;

use ::serde::{de, ser};

use super::name::key_of;
use crate::limits::MAX_DEPTH;
use crate::wire::key::Key;

/// Why a value could not be read from a packet or written as one.
///
/// It has the keys from the outermost packet to the one with the error, and a byte offset: in the input when reading, in
/// the output when writing. Cost: a pointer with the feature `alloc`, so that a result without an error stays small.
///
/// # Examples
/// ```
/// let items = [0x81, 0x06, 0x00, 0x01, 0x07, 0x00, 0x01, 0xff];
/// let error = y3::serde::from_slice::<Vec<u8>>(&items).unwrap_err();
/// assert_eq!(error.kind(), y3::serde::ErrorKind::Wire(y3::ErrorKind::InvalidValue));
/// assert_eq!((error.offset(), error.path().collect::<Vec<_>>()), (7, vec![0x01, 0x00]));
/// assert_eq!(error.to_string(), "value does not fit the type asked for in 0x01/0x00 at byte 7");
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Boxed<Inner>);

/// What went wrong, and which byte an [`Error`]'s offset names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An error of the packets, of a value or of the sink. Offset: see that kind.
    Wire(crate::ErrorKind),
    /// The name of a field or variant is not a key from `0x00` to `0x3f`. Offset: the struct's or enum's packet.
    NotAKey(&'static str),
    /// Two fields or variants have the same key. Offset: the struct's or enum's packet.
    KeyTwice(&'static str),
    /// A map's key is not an integer of 0..=63. A struct with a flattened field is a map with text keys. Offset: the packet
    /// of the map's entry.
    MapKey,
    /// A struct's field is there twice. Offset: the struct's packet.
    RepeatedField(&'static str),
    /// A struct's field is missing. Offset: the struct's packet.
    MissingField(&'static str),
    /// The struct does not allow unknown fields. Offset: the packet of the unknown field, whose key ends the path.
    UnknownField,
    /// More than 128 options, newtypes and contents of variants are nested. Offset: the packet of the innermost.
    RecursionLimit,
    /// Y3 cannot represent such a value. Offset: the packet that was to hold it.
    Unsupported(&'static str),
    /// The type needs to know what a value is, which packets do not mark. Offset: the packet.
    Untyped,
    /// The type's own message, which is stored with the feature `alloc`. Offset: the packet of the value.
    Custom,
}

#[cfg(feature = "alloc")]
type Boxed<T> = alloc::boxed::Box<T>;
#[cfg(not(feature = "alloc"))]
type Boxed<T> = T;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    /// `None` until the error has left the packet that it is about.
    offset: Option<u64>,
    keys: Keys,
    #[cfg(feature = "alloc")]
    message: Option<alloc::boxed::Box<str>>,
}

/// The keys of the nodes around the error, the innermost first, since errors travel outwards.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Keys {
    keys: [u8; MAX_DEPTH + 1],
    len: usize,
}

impl Error {
    #[cold]
    pub(super) fn new(kind: ErrorKind) -> Self {
        Self(Boxed::<Inner>::from(Inner {
            kind,
            offset: None,
            keys: Keys { keys: [0; MAX_DEPTH + 1], len: 0 },
            #[cfg(feature = "alloc")]
            message: None,
        }))
    }

    #[cold]
    pub(super) fn wire(kind: crate::ErrorKind) -> Self {
        Self::new(ErrorKind::Wire(kind))
    }

    /// Sets the offset, if the error has none yet.
    #[cold]
    pub(super) fn at(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Adds the key of a packet around the error, whose tag is at `offset`. By value, so that the packet need not be in
    /// memory if there is no error.
    #[cold]
    pub(super) fn inside(mut self, key: Key, offset: u64) -> Self {
        let Keys { keys, len } = &mut self.0.keys;
        if let Some(slot) = keys.get_mut(*len) {
            *slot = key.get();
            *len += 1;
        }
        self.at(offset)
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The offset of the byte that [`ErrorKind`] names, from the first byte of the input or the sink.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.0.offset.unwrap_or_default()
    }

    /// The keys from the outermost packet to the one with the error, both included.
    pub fn path(&self) -> impl Iterator<Item = u8> + '_ {
        let Keys { keys, len } = &self.0.keys;
        keys.get(..*len).unwrap_or_default().iter().rev().copied()
    }

    /// An error with a message, which is stored only if there is an allocator.
    #[cold]
    pub(super) fn with_message(kind: ErrorKind, message: &dyn fmt::Display) -> Self {
        #[cfg(feature = "alloc")]
        {
            let mut error = Self::new(kind);
            error.0.message = Some(alloc::string::ToString::to_string(message).into_boxed_str());
            error
        }
        #[cfg(not(feature = "alloc"))]
        {
            let _ = message;
            Self::new(kind)
        }
    }
}

impl de::Error for Error {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::with_message(ErrorKind::Custom, &message)
    }

    #[cold]
    fn missing_field(field: &'static str) -> Self {
        Error::new(ErrorKind::MissingField(field))
    }

    #[cold]
    fn duplicate_field(field: &'static str) -> Self {
        Error::new(ErrorKind::RepeatedField(field))
    }

    #[cold]
    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Error::new(ErrorKind::UnknownField)
    }

    #[cold]
    fn unknown_variant(_: &str, variants: &'static [&'static str]) -> Self {
        // A variant whose name is not a key may be the one that was meant.
        let unkeyed = variants.iter().find(|name| key_of(name).is_none());
        unkeyed
            .map_or_else(|| Error::wire(crate::ErrorKind::UnknownVariant), |name| Error::new(ErrorKind::NotAKey(name)))
    }
}

impl ser::Error for Error {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::with_message(ErrorKind::Custom, &message)
    }
}

/// The same error, without keys around it.
impl From<crate::Error> for Error {
    #[cold]
    fn from(error: crate::Error) -> Self {
        Error::new(ErrorKind::Wire(error.kind())).at(error.offset())
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wire(kind) => return kind.fmt(f),
            Self::NotAKey(name) => {
                return match name.parse().ok().and_then(Key::new) {
                    Some(key) => write!(f, "name `{name}` is not a key: write `{key}`"),
                    None => write!(f, "name `{name}` is not a key from 0x00 to 0x3f"),
                };
            }
            Self::KeyTwice(name) => return write!(f, "name `{name}` has the key of an earlier name"),
            Self::RepeatedField(name) => return write!(f, "duplicate field `{name}`"),
            Self::MissingField(name) => return write!(f, "field `{name}` is missing"),
            Self::Unsupported(what) => return write!(f, "y3 cannot represent {what}"),
            Self::MapKey => "map key is not an integer of 0..=63, or the map is a struct with flattened fields",
            Self::UnknownField => "unknown field",
            Self::Untyped => "type needs to know what the value is, which packets do not mark",
            Self::RecursionLimit => "more than 128 nested options, newtypes and variants",
            Self::Custom => "value refused by its type",
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "alloc")]
        let message = self.0.message.as_deref();
        #[cfg(not(feature = "alloc"))]
        let message: Option<&str> = None;
        match message {
            Some(message) => f.write_str(message)?,
            None => self.kind().fmt(f)?,
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
