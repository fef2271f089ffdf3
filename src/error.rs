//! The error type of the crate: a kind and a byte offset.

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
/// When reading, the offset counts bytes from the start of the input. When writing, the offset counts bytes from the
/// start of the sink. Offsets are `u64`, so a 32-bit machine can read streams longer than 4 GiB. An error is `Copy` and
/// has at most 24 bytes.
///
/// Two errors are equal if their kinds and offsets are equal. The message can also contain the length of a value, the
/// lengths that the value's type accepts, and a field of a struct. If the field is inside other packets, the message
/// shows the keys on the path to the field: ``field `noise` (key 0x15/0x00/0x11)``. An error stores at most three of
/// these keys. [`show::explain`](crate::show::explain) finds all of them.
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
    /// The field at fault, or the reason why a type refused a value.
    about: Option<&'static Field>,
    kind: ErrorKind,
    wanted: Option<Wanted>,
    /// The keys on the path to the field or to the refused packet.
    around: Around,
    /// A length, a key, a count or a limit. `kind` and `wanted` say which.
    number: u32,
}

/// The keys of the two innermost packets around the error, inner key first. A 0 means that there is no key.
#[derive(Clone, Copy)]
struct Around([u8; 2]);

impl Around {
    /// Set in every stored key, so that key 0 differs from a missing key.
    const IS_KEY: u8 = 0x80;
    /// Set in the outer key if more packets enclose the error.
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
    /// Makes an error with this kind and offset. Use this function in your own implementations of
    /// [`Decode`](crate::Decode) and [`Sink`](crate::Sink).
    ///
    /// # Examples
    /// ```
    /// let error = y3::Error::new(y3::ErrorKind::InvalidValue, 7);
    /// assert_eq!(error.to_string(), "value does not fit the requested type at byte 7");
    /// ```
    #[must_use]
    pub const fn new(kind: ErrorKind, offset: u64) -> Self {
        Self { offset, about: None, kind, wanted: None, around: Around([0; 2]), number: 0 }
    }

    /// Makes an error for a value that its type refuses. The message is the text of `reason`. Use this function in your
    /// own implementations of [`Decode`](crate::Decode).
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

    /// Adds a [`Field`] of a struct to this error. The message then contains the field. If the error already has a
    /// reason or the field of an inner struct, the message keeps that reason or field. This method then adds only the
    /// key of `field` to the path in the message.
    #[must_use]
    #[cold]
    pub const fn of_field(self, field: &'static Field) -> Self {
        if self.about.is_some() { self.inside(field.key()) } else { Self { about: Some(field), ..self } }
    }

    /// Adds the key of a packet around the error. An error without a field or a reason stays the same.
    #[must_use]
    #[cold]
    pub(crate) const fn inside(self, key: u8) -> Self {
        if self.about.is_some() { Self { around: self.around.inside(key), ..self } } else { self }
    }

    /// Returns the field of a struct that caused the error. If structs are nested, this is the field of the innermost
    /// struct. Returns `None` if the error contains no field, or contains a [`Reason`].
    #[must_use]
    pub const fn field(&self) -> Option<&'static Field> {
        match self.about {
            Some(field) if field.is_field() => Some(field),
            _ => None,
        }
    }

    /// True if this error is about a duplicate field with this key and does not contain the field yet.
    pub(crate) fn is_twice(&self, key: u8) -> bool {
        let named = self.wanted == Some(Wanted::NUMBER) && self.about.is_none();
        self.kind == ErrorKind::RepeatedField && named && self.number == u32::from(key)
    }

    /// The reason why a type refused the value.
    fn reason(&self) -> Option<&'static str> {
        self.about.filter(|about| !about.is_field()).map(Field::name)
    }

    /// The text that replaces the message of the error's kind, or an empty text if nothing replaces it. It contains no
    /// field.
    pub(crate) fn words(&self) -> &'static str {
        match self.wanted {
            Some(Wanted::EMPTY) => "input is empty, but a packet is required",
            _ => self.reason().unwrap_or_default(),
        }
    }

    /// Makes an error whose message contains a type or a limit, and a number. The number is a length, a limit, a key or
    /// a count.
    #[cold]
    pub(crate) fn naming(kind: ErrorKind, offset: u64, wanted: Wanted, number: impl TryInto<u32>) -> Self {
        Self { wanted: Some(wanted), number: number.try_into().unwrap_or(u32::MAX), ..Self::new(kind, offset) }
    }

    /// If the error is an `InvalidValue`, adds the number of bytes that the type requires.
    #[cold]
    pub(crate) fn of_len(self, len: usize) -> Self {
        match self.kind {
            ErrorKind::InvalidValue => Self::naming(self.kind, self.offset, Wanted::NUMBER, len),
            _ => self,
        }
    }

    #[cold]
    pub(crate) fn of_key(number: u8, offset: u64) -> Self {
        Self::naming(ErrorKind::InvalidKey, offset, Wanted::NUMBER, number)
    }

    /// Makes an error with an offset in a text for `encode_text`.
    pub(crate) const fn in_text(kind: ErrorKind, offset: usize) -> Self {
        Self { wanted: Some(Wanted::TEXT), ..Self::new(kind, offset as u64) }
    }

    /// True if the offset counts bytes of a text, not of packets.
    pub(crate) fn is_in_text(&self) -> bool {
        self.wanted == Some(Wanted::TEXT)
    }

    /// Returns the kind of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the offset of the error in bytes from the start of the input or of the sink. [`ErrorKind`] says for each
    /// kind what is at this offset.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns this error with its offset counted from the start of an outer input. The faulty input begins at `base`
    /// in the outer input.
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
