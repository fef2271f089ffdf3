//! Text error: why a text is not packets.
//!
//! In: a fault of the text, or of the sink. Out: what is wrong, at which byte of the text.

use core::fmt;

use crate::error::ErrorKind;

/// Why a text could not be turned into packets, with the byte of the text. The sink is as it was before.
///
/// # Examples
/// ```
/// use y3::{SliceSink, show::{TextErrorKind, encode_text}};
///
/// let error = encode_text("01{11=f32(0.25) 40=00}", &mut SliceSink::new(&mut [0; 16])).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (TextErrorKind::ExpectedPacket, 16));
/// assert_eq!(error.to_string(), "expected a key of 00 to 3f, or '?' and hexadecimal at byte 16 of the text");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextError {
    kind: TextErrorKind,
    offset: usize,
}

/// What is wrong with a text, and which byte of it the offset of a [`TextError`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextErrorKind {
    /// Something else stands where a packet should begin. Offset: there.
    ExpectedPacket,
    /// Something else stands where an item of a slice should begin, as a value without a key. Offset: there.
    ExpectedItem,
    /// Neither a value nor a bracket stands after a key, or a bracket after a flagged primitive. Offset: there.
    ExpectedContent,
    /// A value is neither hexadecimal with two digits a byte, nor text, nor a typed literal. Offset: its first character.
    InvalidHex,
    /// There is no type of that name. Offset: the name.
    UnknownType,
    /// The literal is not a value of its type, or has no `)`. Offset: the first character after the `(`.
    InvalidLiteral,
    /// A `_` without a width that the value or length could have. Offset: the `_`.
    InvalidWidth,
    /// A text without an end. Offset: its quotation mark.
    UnclosedText,
    /// An escape that there is not, or a control character in a text. Offset: its first character.
    InvalidEscape,
    /// A node, slice or `<<` without an end. Offset: its key, or the `!` before it.
    Unclosed,
    /// A bracket that closes nothing, or another kind of packet. Offset: the bracket.
    Unopened,
    /// More than [`MAX_DEPTH`](crate::MAX_DEPTH) nodes, slices and `<<`, one inside another. Offset: the key.
    DepthLimit,
    /// The sink cannot take the bytes, or a value is longer than a packet can hold. Offset: where the text is read.
    Output(ErrorKind),
}

impl TextError {
    pub(super) const fn new(kind: TextErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> TextErrorKind {
        self.kind
    }

    /// The byte of the text that [`TextErrorKind`] names.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for TextErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ExpectedPacket => "expected a key of 00 to 3f, or '?' and hexadecimal",
            Self::ExpectedItem => "expected an item; items need a key: 00=\"a\"",
            Self::ExpectedContent => "expected '=', '{' or '['; after '!' only '='",
            Self::InvalidHex => "expected hexadecimal with two digits a byte, text, a type or '<<'",
            Self::UnknownType => "expected i32, u32, i64, u64, pi32, pu32, pi64, pu64, f32, f64 or bool",
            Self::InvalidLiteral => "expected a value of the type, and ')'",
            Self::InvalidWidth => "expected a width in bytes that the value or length can have",
            Self::UnclosedText => "text without an end",
            Self::InvalidEscape => "expected \\\", \\\\, \\n, \\r, \\t or \\u{…}, and no control character",
            Self::Unclosed => "node, slice or '<<' without an end",
            Self::Unopened => "bracket does not close the packet around it",
            Self::DepthLimit => "packet nested deeper than 64",
            Self::Output(kind) => return kind.fmt(f),
        })
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {} of the text", self.kind, self.offset)
    }
}

impl core::error::Error for TextError {}
