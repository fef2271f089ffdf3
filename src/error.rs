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

/// An error in the input, or in an argument, with a byte offset.
///
/// Offsets count bytes from the start of the input (reading) or of the sink (writing). They are `u64`, so that a 32-bit
/// machine can read streams longer than 4 GiB. An error is `Copy` and has at most 24 bytes, with every feature.
///
/// Two errors are equal if their kinds and offsets are equal. The message may add the length of a value, the lengths that
/// its type allows, and a field of a struct. The keys after the field lead to it from the decoded packet: ``field `noise`
/// (key 0x15/0x00/0x11)``. An error stores three of them; [`show::explain`](crate::show::explain) finds all.
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
    /// A field of a struct, or a type's reason to refuse a value.
    about: Option<&'static Field>,
    kind: ErrorKind,
    /// The type or limit that the message names.
    wanted: Option<Wanted>,
    /// The keys that lead to the field, or to the packet that the reason is about.
    around: Around,
    /// The length of the value, a key, a count, or a limit: `kind` and `wanted` tell which.
    number: u32,
}

/// The keys of the two innermost packets around the error, the inner one first; 0 for none.
#[derive(Clone, Copy)]
struct Around([u8; 2]);

impl Around {
    /// Marks a key as present. The bit is above those of a key.
    const IS_KEY: u8 = 0x80;
    /// Set in the outer key if more keys precede it.
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
    /// Makes an error with this kind and offset, for your own implementations of [`Decode`](crate::Decode) and
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

    /// Makes an error for a value that its type refuses, with the reason, for your own implementations of [`Decode`](crate::Decode).
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

    /// The same error, which now names a [`Field`] of a struct as its place. If the error already names an inner field or has a
    /// reason, this field's key is added to the keys that lead there.
    #[must_use]
    #[cold]
    pub const fn of_field(self, field: &'static Field) -> Self {
        if self.about.is_some() { self.inside(field.key()) } else { Self { about: Some(field), ..self } }
    }

    /// The same error inside a packet with this key. The key is added only if the error names an inner field or has a reason.
    #[must_use]
    #[cold]
    pub(crate) const fn inside(self, key: u8) -> Self {
        if self.about.is_some() { Self { around: self.around.inside(key), ..self } } else { self }
    }

    /// The innermost field of a struct that the error is about. `None` if it is about no field, or has a [`Reason`].
    #[must_use]
    pub const fn field(&self) -> Option<&'static Field> {
        match self.about {
            Some(field) if field.is_field() => Some(field),
            _ => None,
        }
    }

    /// Whether this is a duplicate field with this key, whose name is not known yet.
    pub(crate) fn is_twice(&self, key: u8) -> bool {
        let named = self.wanted == Some(Wanted::NUMBER) && self.about.is_none();
        self.kind == ErrorKind::RepeatedField && named && self.number == u32::from(key)
    }

    /// The reason that the type gave.
    fn reason(&self) -> Option<&'static str> {
        self.about.filter(|about| !about.is_field()).map(Field::name)
    }

    /// The error's own message, which replaces the message of its kind and names no field. Empty if there is none.
    pub(crate) fn words(&self) -> &'static str {
        match self.wanted {
            Some(Wanted::EMPTY) => "input is empty, without a packet",
            _ => self.reason().unwrap_or_default(),
        }
    }

    /// An error whose message names a type or a limit, and a number: the length of a value, a limit, a key, or a count.
    #[cold]
    pub(crate) fn naming(kind: ErrorKind, offset: u64, wanted: Wanted, number: impl TryInto<u32>) -> Self {
        Self { wanted: Some(wanted), number: number.try_into().unwrap_or(u32::MAX), ..Self::new(kind, offset) }
    }

    /// The same error. If it is about a value, its message names the number of bytes that the type takes.
    #[cold]
    pub(crate) fn of_len(self, len: usize) -> Self {
        match self.kind {
            ErrorKind::InvalidValue => Self::naming(self.kind, self.offset, Wanted::NUMBER, len),
            _ => self,
        }
    }

    /// The error for a number that is not a key.
    #[cold]
    pub(crate) fn of_key(number: u8, offset: u64) -> Self {
        Self::naming(ErrorKind::InvalidKey, offset, Wanted::NUMBER, number)
    }

    /// An error at a byte of a text in the text form.
    pub(crate) const fn in_text(kind: ErrorKind, offset: usize) -> Self {
        Self { wanted: Some(Wanted::TEXT), ..Self::new(kind, offset as u64) }
    }

    /// Whether the offset is in a text, not in packets.
    pub(crate) fn is_in_text(&self) -> bool {
        self.wanted == Some(Wanted::TEXT)
    }

    /// The kind of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The offset of the byte that [`ErrorKind`] names, counted from the start of the input or the sink.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The same error with its offset counted in an outer input, in which the inner input begins at `base`.
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
