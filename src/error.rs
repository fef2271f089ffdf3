//! What went wrong, and where.
//!
//! In: a fault found by any room of the house. Out: one small `Copy` value with the absolute byte offset.

use core::fmt;

/// A fault in the input, or a call that the format cannot carry out, with the byte offset at which it shows.
///
/// Offsets count in bytes from the first byte of the input (reading) or of the sink (writing). They are `u64` so that
/// a stream longer than 4 GiB has them on a 32-bit machine too. Sixteen bytes, `Copy`, the same under every feature.
///
/// # Examples
/// ```
/// let error = y3::check(&[0x81, 0x02, 0x05, 0x7f]).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (y3::ErrorKind::NegativeLength, 3));
/// assert_eq!(error.to_string(), "negative length at byte 3");
/// ```
/// Source: SPEC §8
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Error {
    kind: ErrorKind,
    offset: u64,
}

/// What kind of fault an [`Error`] is, and which byte its offset names.
///
/// Source: SPEC §8
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends inside a packet. Offset: the tag of the outermost packet that is cut.
    UnexpectedEnd,
    /// A packet reaches past the end of the node that holds it. Offset: its tag.
    Overrun,
    /// The sign bit of a length field is set. Offset: the first byte of the length field.
    NegativeLength,
    /// A length field wants a sixth byte, or exceeds 2^31-1. Offset: the first byte of the length field.
    LengthOverflow,
    /// A node lies deeper than the walker's limit. Offset: its tag.
    DepthLimit,
    /// A packet that had to fill the input has bytes behind it. Offset: the first of them.
    TrailingBytes,
    /// Packets were asked of a primitive. Offset: its tag.
    NotANode,
    /// A value is not of the type asked for: wrong width, out of range, or empty. Offset: the value's first byte.
    InvalidValue,
    /// A text is not UTF-8. Offset: the first byte that is not.
    InvalidUtf8,
    /// The caller's argument is no key: a number above 63, or text that is not one or two hexadecimal digits up to `3f`.
    /// The input is not at fault. Offset: of the packet in which the key was looked for, of the packet that was to be
    /// written, or of the wrong character in the text.
    InvalidKey,
    /// The caller's text is no path: it is empty, or has more than 8 keys. Offset: in that text.
    InvalidPath,
    /// A body to be written is longer than 2^31-1 bytes, an output is longer than a `usize` counts, or a packet in a stream
    /// exceeds the reader's [`Limits`](crate::Limits). Offset: where the packet was to begin; its tag.
    SizeLimit,
    /// The sink has no room left. Offset: where the packet that did not fit was to begin.
    BufferTooSmall,
}

const _: () = assert!(size_of::<Error>() <= 16);

impl Error {
    /// An error of a kind at an offset, for implementations of [`Decode`](crate::Decode) and [`Sink`](crate::Sink).
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

    /// What went wrong.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::check(&[0x01]).unwrap_err().kind(), y3::ErrorKind::UnexpectedEnd);
    /// ```
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Where: bytes from the first byte of the input or the sink to the byte that [`ErrorKind`] names.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::check(&[0x01, 0x00, 0x02]).unwrap_err().offset(), 2);
    /// ```
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The same error seen from an outer input that holds the inner one from byte `base` on.
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
            Self::TrailingBytes => "bytes behind the packet",
            Self::NotANode => "primitive asked for packets",
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
