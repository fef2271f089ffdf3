//! Error: a kind, and the offset of the byte at fault.
//!
//! In: an error found anywhere in the crate. Out: one small `Copy` value with the byte offset.

mod about;
mod bytes;
mod kind;
mod message;
mod wanted;

use crate::wire::bits;

pub use about::{Field, Reason};
pub(crate) use bytes::Bytes;
pub use kind::ErrorKind;
pub(crate) use wanted::Wanted;

/// An error in the input or in an argument, with a byte offset.
///
/// When reading, the offset counts bytes from the start of the input. When writing, the offset counts bytes from the start of the sink.
/// Offsets are `u64`, which lets a 32-bit machine read streams longer than 4 GiB. An error is `Copy` and has at most 24 bytes with every
/// feature set.
///
/// Two errors are equal if their kinds and offsets are equal. The message may also give the length of a value, the lengths that the value's
/// type allows, and a field of a struct. For a field inside other packets, the message lists the keys on the path to the field: ``field
/// `noise` (key 0x15/0x00/0x11)``. An error stores at most three of these keys. [`show::explain`](crate::show::explain) finds all of them.
///
/// # Examples
/// ```
/// let error = y3::check(&[0x81, 0x02, 0x05, 0x7f]).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (y3::ErrorKind::NegativeLength, 3));
/// assert_eq!(error.to_string(), "negative length at byte 3");
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[derive(Clone, Copy)]
pub struct Error {
    offset: u64,
    /// The field of a struct that is at fault, or a type's reason for refusing a value.
    about: Option<&'static Field>,
    kind: ErrorKind,
    /// The type or limit that the message names.
    wanted: Option<Wanted>,
    /// The keys on the path to the field, or to the packet that was refused.
    around: Around,
    /// The length of a value, a key, a count, or a limit. `kind` and `wanted` determine what the number means.
    number: u32,
}

/// The keys of the two innermost packets around the error. The inner key comes first. A 0 stands for no key.
#[derive(Clone, Copy)]
struct Around([u8; 2]);

impl Around {
    /// Marks a key as present. A key does not use this bit.
    const IS_KEY: u8 = 0x80;
    /// Set in the outer key if the path begins with further keys.
    const MORE: u8 = 0x40;

    const fn inside(self, key: u8) -> Self {
        let key = key & bits::KEY | Self::IS_KEY;
        Self(match self.0 {
            [0, _] => [key, 0],
            [inner, 0] => [inner, key],
            [inner, outer] => [inner, outer | Self::MORE],
        })
    }
}

const _: () = assert!(size_of::<Error>() <= 24 && size_of::<ErrorKind>() == 1);

impl Error {
    /// Makes an error with this kind and offset. Use this function in your own implementations of [`Decode`](crate::Decode) and
    /// [`Sink`](crate::Sink).
    ///
    /// # Examples
    /// ```
    /// let error = y3::Error::new(y3::ErrorKind::InvalidValue, 7);
    /// assert_eq!(error.to_string(), "value does not fit the type asked for at byte 7");
    /// ```
    #[must_use]
    pub const fn new(kind: ErrorKind, offset: u64) -> Self {
        Self { offset, about: None, kind, wanted: None, around: Around([0; 2]), number: 0 }
    }

    /// Makes an error for a value that its type refuses. The message is the text of `reason`. Use this function in your own implementations
    /// of [`Decode`](crate::Decode).
    ///
    /// # Examples
    /// ```
    /// use y3::value::Reason;
    /// use y3::{Decode, Error, Packet};
    ///
    /// #[derive(Debug)]
    /// struct Percent(u8);
    ///
    /// impl<'a> Decode<'a> for Percent {
    ///     fn decode(packet: Packet<'a>) -> Result<Self, Error> {
    ///         const ABOVE: Reason = Reason::new("percentage above 100");
    ///         match packet.decode()? {
    ///             percent @ ..=100 => Ok(Self(percent)),
    ///             _ => Err(Error::refused(packet.value_offset(), &ABOVE)),
    ///         }
    ///     }
    /// }
    ///
    /// let error = y3::decode::<Percent>(&[0x11, 0x01, 0x65]).unwrap_err();
    /// assert_eq!(error.to_string(), "percentage above 100 at byte 2");
    /// ```
    #[must_use]
    pub const fn refused(offset: u64, reason: &'static Reason) -> Self {
        Self { about: Some(reason.as_field()), ..Self::new(ErrorKind::Refused, offset) }
    }

    /// Returns this error with a [`Field`] of a struct as the error's place. If the error already has a reason or an inner field, only the
    /// key of `field` is added to the error's path.
    #[must_use]
    #[cold]
    pub const fn of_field(self, field: &'static Field) -> Self {
        if self.about.is_some() { self.inside(field.key()) } else { Self { about: Some(field), ..self } }
    }

    /// Adds the key of a packet around the error, but only if the error has a field or a reason.
    #[must_use]
    #[cold]
    pub(crate) const fn inside(self, key: u8) -> Self {
        if self.about.is_some() { Self { around: self.around.inside(key), ..self } } else { self }
    }

    /// Returns the innermost field of a struct that the error is about. The result is `None` if the error has no field, or a [`Reason`]
    /// instead.
    #[must_use]
    pub const fn field(&self) -> Option<&'static Field> {
        match self.about {
            Some(field) if field.is_field() => Some(field),
            _ => None,
        }
    }

    /// Whether this error is about a duplicate field with this key, and does not name it yet.
    pub(crate) fn is_twice(&self, key: u8) -> bool {
        let named = self.wanted == Some(Wanted::NUMBER) && self.about.is_none();
        self.kind == ErrorKind::RepeatedField && named && self.number == u32::from(key)
    }

    /// The reason with which a type refused the value.
    fn reason(&self) -> Option<&'static str> {
        self.about.filter(|about| !about.is_field()).map(Field::name)
    }

    /// The text that replaces the message of the error's kind. The text names no field, and is empty if the kind's message applies.
    pub(crate) fn words(&self) -> &'static str {
        match self.wanted {
            Some(Wanted::EMPTY) => "input is empty, without a packet",
            _ => self.reason().unwrap_or_default(),
        }
    }

    /// Makes an error whose message names a type or a limit, and a number. The number is the length of a value, a limit, a key, or a count.
    #[cold]
    pub(crate) fn naming(kind: ErrorKind, offset: u64, wanted: Wanted, number: impl TryInto<u32>) -> Self {
        Self { wanted: Some(wanted), number: number.try_into().unwrap_or(u32::MAX), ..Self::new(kind, offset) }
    }

    /// Adds the number of bytes that the type requires to the message of an `InvalidValue`. Other errors stay the same.
    #[cold]
    pub(crate) fn of_len(self, len: usize) -> Self {
        match self.kind {
            ErrorKind::InvalidValue => Self::naming(self.kind, self.offset, Wanted::NUMBER, len),
            _ => self,
        }
    }

    /// Makes an error for a number that is not a key.
    #[cold]
    pub(crate) fn of_key(number: u8, offset: u64) -> Self {
        Self::naming(ErrorKind::InvalidKey, offset, Wanted::NUMBER, number)
    }

    /// Makes an error at a byte offset in a text for `encode_text`.
    pub(crate) const fn in_text(kind: ErrorKind, offset: usize) -> Self {
        Self { wanted: Some(Wanted::TEXT), ..Self::new(kind, offset as u64) }
    }

    /// Whether the offset is in a text and not in packets.
    pub(crate) fn is_in_text(&self) -> bool {
        self.wanted == Some(Wanted::TEXT)
    }

    /// Returns the kind of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the error's byte offset from the start of the input or of the sink. [`ErrorKind`] lists the byte that each kind points to.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns this error for an outer input in which the faulty input begins at `base`.
    #[must_use]
    pub(crate) const fn rebased(self, base: u64) -> Self {
        Self { offset: self.offset.saturating_add(base), ..self }
    }
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, self.offset) == (other.kind, other.offset)
    }
}

impl Eq for Error {}

impl core::error::Error for Error {}
