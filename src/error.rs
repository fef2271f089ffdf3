//! Error: what is wrong, and at which byte.
//!
//! In: an error found anywhere in the crate. Out: one small `Copy` value with the byte offset.

use core::fmt;

/// An error in the input, or in an argument, with a byte offset.
///
/// Offsets count bytes from the start of the input (reading) or of the sink (writing). They are `u64`, so that a 32-bit
/// machine can read streams longer than 4 GiB. Sixteen bytes, `Copy`, the same with every feature.
///
/// # Examples
/// ```
/// let error = y3::check(&[0x81, 0x02, 0x05, 0x7f]).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (y3::ErrorKind::NegativeLength, 3));
/// assert_eq!(error.to_string(), "negative length at byte 3");
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Error {
    kind: ErrorKind,
    offset: u64,
}

/// What is wrong, and which byte the offset of an [`Error`] names.
///
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends inside a packet. Offset: the tag of the outermost packet around the cut.
    UnexpectedEnd,
    /// A packet reaches past the end of the node around it. Offset: its tag.
    Overrun,
    /// The sign bit of a length field is set. Offset: the first byte of the length field.
    NegativeLength,
    /// A length field continues after its fifth byte, or its length is above 2^31-1. Offset: the first byte of the field.
    LengthOverflow,
    /// A node is nested deeper than the reader's limit. Offset: its tag.
    DepthLimit,
    /// The input continues after the one packet that it should hold. Offset: the first byte after the packet.
    TrailingBytes,
    /// The packets inside a primitive were asked for. Offset: its tag.
    NotANode,
    /// A node is where a path crosses a primitive, in an edit that must follow it to its end. Offset: its tag.
    NotAPrimitive,
    /// A rule of an edit found no packet at its path. Offset: the end of the input.
    NotFound,
    /// A value is not of the type asked for: wrong width, out of range, or empty. Offset: the value's first byte.
    InvalidValue,
    /// A text is not UTF-8. Offset: the first byte of the first invalid sequence.
    InvalidUtf8,
    /// An argument is not a key: a number above 63, or text that is not one or two hexadecimal digits up to `3f`. The input
    /// is not the cause. Offset: that of the packet searched or to be written, or of the wrong character in the text.
    InvalidKey,
    /// An argument is not a path: the text is empty, or has more than 8 keys. Offset: a position in that text.
    InvalidPath,
    /// A value to be written is longer than 2^31-1 bytes, an output is longer than a `usize` can count, or a packet in a
    /// stream exceeds the reader's [`Limits`](crate::Limits). Offset: the packet's tag, or where it would begin.
    SizeLimit,
    /// The sink has no room left. Offset: where the packet that does not fit would begin.
    BufferTooSmall,
}

const _: () = assert!(size_of::<Error>() <= 16);

impl Error {
    /// An error with this kind and offset, for your own implementations of [`Decode`](crate::Decode) and
    /// [`Sink`](crate::Sink).
    ///
    /// # Examples
    /// ```
    /// let error = y3::Error::new(y3::ErrorKind::InvalidValue, 7);
    /// assert_eq!(error.to_string(), "value does not fit the type asked for at byte 7");
    /// ```
    #[must_use]
    pub const fn new(kind: ErrorKind, offset: u64) -> Self {
        Self { kind, offset }
    }

    /// What is wrong.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::check(&[0x01]).unwrap_err().kind(), y3::ErrorKind::UnexpectedEnd);
    /// ```
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The byte that [`ErrorKind`] names, counted from the start of the input or the sink.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::check(&[0x01, 0x00, 0x02]).unwrap_err().offset(), 2);
    /// ```
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The same error, with an offset in an outer input in which the inner input begins at `base`.
    #[must_use]
    pub(crate) const fn rebased(self, base: u64) -> Self {
        Self { kind: self.kind, offset: self.offset.saturating_add(base) }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnexpectedEnd => "input ends inside the packet",
            Self::Overrun => "packet reaches past the end of its node",
            Self::NegativeLength => "negative length",
            Self::LengthOverflow => "length field too long or above 2^31-1",
            Self::DepthLimit => "node nested deeper than the limit",
            Self::TrailingBytes => "unexpected bytes after the packet",
            Self::NotANode => "packet is a primitive, not a node",
            Self::NotAPrimitive => "packet is a node, not a primitive",
            Self::NotFound => "no packet at the path",
            Self::InvalidValue => "value does not fit the type asked for",
            Self::InvalidUtf8 => "text is not utf-8",
            Self::InvalidKey => "argument is not a key of 0x00 to 0x3f",
            Self::InvalidPath => "argument is not a path of 1 to 8 keys",
            Self::SizeLimit => "packet longer than the limit",
            Self::BufferTooSmall => "no room left in the sink",
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.offset)
    }
}

impl core::error::Error for Error {}
