//! Error: what is wrong, and at which byte.
//!
//! In: an error found anywhere in the crate. Out: one small `Copy` value with the byte offset.

use core::fmt;
use core::hash::{Hash, Hasher};

/// An error in the input, or in an argument, with a byte offset.
///
/// Offsets count bytes from the start of the input (reading) or of the sink (writing). They are `u64`, so that a 32-bit
/// machine can read streams longer than 4 GiB. At most 24 bytes, `Copy`, the same with every feature.
///
/// Two errors are equal if kind and offset are. The message may say more: the field of a struct, the length of a value and
/// what its type takes. The keys that lead to the offset are found again by [`show::explain`](crate::show::explain).
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
    field: Option<&'static Field>,
    kind: ErrorKind,
    /// What was asked for.
    wanted: Option<Wanted>,
    /// The length of the value, a key, or a count, as `kind` and `wanted` say.
    number: u32,
}

/// A field of a struct: its key and its name.
///
/// Both are constants, so an [`Error`] refers to them with one word. The derive makes it.
///
/// # Examples
/// ```
/// let error = y3::Error::new(y3::ErrorKind::MissingField, 0).of_field(const { &y3::value::Field::new(0x11, "noise") });
/// assert_eq!(error.to_string(), "field `noise` (key 0x11) is missing at byte 0");
/// assert_eq!(error.field().unwrap().name(), "noise");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    key: u8,
    name: &'static str,
}

impl Field {
    /// A field with this key and this name.
    ///
    /// # Panics
    /// For a key above 63; in a `const` that is an error of the compiler.
    #[must_use]
    pub const fn new(key: u8, name: &'static str) -> Self {
        assert!(key <= MAX_KEY, "the key of a field is 0x00 to 0x3f");
        Self { key, name }
    }

    /// The key of the field's packet.
    #[must_use]
    pub const fn key(&self) -> u8 {
        self.key
    }

    /// The name of the field in the type.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

const MAX_KEY: u8 = 0x3f;

/// The types that values are read as, their names, and how many bytes each takes.
macro_rules! wanted {
    ($($wanted:ident: $name:literal, $least:expr, $most:expr;)*) => {
        /// What a value was read as.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(clippy::upper_case_acronyms, reason = "named as the types are, so that macros over types name them")]
        pub(crate) enum Wanted {
            $($wanted,)*
        }

        impl Wanted {
            fn facts(self) -> (&'static str, u32, u32) {
                match self {
                    $(Self::$wanted => ($name, $least, $most),)*
                }
            }
        }
    };
}

wanted! {
    I8: "an i8", 1, 4;
    I16: "an i16", 1, 4;
    I32: "an i32", 1, 4;
    I64: "an i64", 1, 8;
    ISIZE: "an isize", 1, 8;
    U8: "a u8", 1, 4;
    U16: "a u16", 1, 4;
    U32: "a u32", 1, 4;
    U64: "a u64", 1, 8;
    USIZE: "a usize", 1, 8;
    F32: "an f32", 1, 4;
    F64: "an f64", 1, 8;
    BOOL: "a bool", 0, 5;
    PVAR32: "a PVarInt of 32 bits", 1, 5;
    PVAR64: "a PVarInt of 64 bits", 1, 10;
    CHAR: "a char", 1, 4;
    UNIT: "a unit", 0, 0;
    BYTES: "bytes", 0, u32::MAX;
    KEY: "a key of 0x00 to 0x3f", 1, 4;
    // No type: the message names the number.
    NUMBER: "a value", 0, u32::MAX;
    // No type: the offset is in a text of `show::encode_text`.
    TEXT: "a text", 0, u32::MAX;
}

/// The kinds, with the words for each.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $words:literal;)*) => {
        /// What is wrong, and which byte the offset of an [`Error`] names.
        ///
        /// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])* $kind,)*
        }

        impl fmt::Display for ErrorKind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$kind => $words,)*
                })
            }
        }
    };
}

kinds! {
    /// The input ends inside a packet. Offset: the tag of the top-level packet around the cut.
    UnexpectedEnd: "input ends inside the packet";
    /// A packet reaches past the end of the node around it. Offset: its tag.
    Overrun: "packet reaches past the end of its node";
    /// The sign bit of a length field is set. Offset: the first byte of the length field.
    NegativeLength: "negative length";
    /// A length field continues after its fifth byte, or its length is above 2^31-1. Offset: the first byte of the field.
    LengthOverflow: "length field too long or above 2^31-1";
    /// A node is nested deeper than the reader's limit. Offset: its tag.
    DepthLimit: "node nested deeper than the limit";
    /// The input continues after the one packet that it should hold. Offset: the first byte after the packet.
    TrailingBytes: "unexpected bytes after the packet";
    /// The packets inside a primitive were asked for. Offset: its tag.
    NotANode: "packet is a primitive, not a node";
    /// The packet is a node, and a number, a text or bytes were asked for, or a path enters it as a primitive. Offset: its tag.
    NotAPrimitive: "packet is a node, not a primitive";
    /// An edit found no packet at its path. Offset: the end of the input.
    NotFound: "no packet at the path";
    /// A value to be overwritten in place has another width than the new one. Offset: the old value.
    WrongWidth: "new value has another width";
    /// A value is not of the type asked for: wrong width, out of range, or empty. Offset: the value's first byte.
    InvalidValue: "value does not fit the type asked for";
    /// A text is not UTF-8. Offset: the first byte of the first invalid sequence.
    InvalidUtf8: "text is not utf-8";
    /// A field of a struct is absent; [`Error::field`] names it. Offset: the tag of the struct's packet.
    MissingField: "field is missing";
    /// A field of a struct is there twice. Offset: the tag of the second packet.
    RepeatedField: "duplicate field";
    /// A map has a key twice. Offset: the tag of the second packet, or where it would begin.
    RepeatedKey: "duplicate key";
    /// The packet's key is not the one that its type asks for. Offset: its tag.
    UnexpectedKey: "packet has another key than its type asks for";
    /// An enum has no variant with this number or key. Offset: the enum's tag, or that of the packet with the key inside.
    UnknownVariant: "unknown variant";
    /// An enum's node is empty or holds more than one packet. Offset: its tag.
    NotOneVariant: "enum node does not hold exactly one packet";
    /// There are fewer items than the type takes. Offset: the slice's tag.
    MissingItems: "fewer items than the type takes";
    /// There are more items than the type takes. Offset: the tag of the first item too many.
    ExtraItems: "more items than the type takes";
    /// A value that has no packet was to be written where one is needed: `None` as a message. Offset: where it would begin.
    AbsentValue: "no value where a packet is needed";
    /// An argument is not a key: a number above 63, or text that is not one or two hexadecimal digits up to `3f`. The input
    /// is not the cause. Offset: that of the packet searched or to be written, or of the wrong character in the text.
    InvalidKey: "argument is not a key of 0x00 to 0x3f";
    /// A path has `**`, which only [`Patterns`](crate::Patterns) take. Offset: its place in the text.
    AnyDepth: "`**` works in `search` only";
    /// An argument is not a path: the text is empty, or has more than 8 keys. Offset: a position in that text.
    InvalidPath: "argument is not a path of 1 to 8 keys";
    /// A value to be written is longer than 2^31-1 bytes, an output is longer than a `usize` can count, or a packet in a
    /// stream exceeds the reader's [`Limits`](crate::Limits). Offset: the packet's tag, or where it would begin.
    SizeLimit: "packet longer than the limit";
    /// The sink has no room left. Offset: where the packet that does not fit would begin.
    BufferTooSmall: "no room left in the sink";
    /// Serde: more than 128 options, newtypes and contents of variants are nested. Offset: the packet of the innermost.
    RecursionLimit: "more than 128 nested options, newtypes and variants";
    /// Serde: packets cannot represent the value, or do not mark what the type needs to know. Offset: the packet.
    Unsupported: "y3 cannot represent the value";
    /// Serde: the type refuses the value, with a message of its own. Offset: the packet.
    Refused: "value refused by its type";
    /// Text form, as all kinds below: something else stands where a packet should begin. Offset: there.
    ExpectedPacket: "expected a key of 00 to 3f, or '?' and hexadecimal";
    /// Something else stands where an item of a slice should begin, as a value without a key. Offset: there.
    ExpectedItem: "expected an item; items need a key: 00=\"a\"";
    /// Neither a value nor a bracket stands after a key, or a bracket after a flagged primitive. Offset: there.
    ExpectedContent: "expected '=', '{' or '['; after '!' only '='";
    /// A value is neither hexadecimal with two digits a byte, nor text, nor a typed literal. Offset: its first character.
    InvalidHex: "expected hexadecimal with two digits a byte, text, a type or '<<'";
    /// There is no type of that name. Offset: the name.
    UnknownType: "expected i32, u32, i64, u64, pi32, pu32, pi64, pu64, f32, f64 or bool";
    /// The literal is not a value of its type, or has no `)`. Offset: the first character after the `(`.
    InvalidLiteral: "expected a value of the type, and ')'";
    /// A `_` without a width that the value or length could have. Offset: the `_`.
    InvalidWidth: "expected a width in bytes that the value or length can have";
    /// A text without an end. Offset: its quotation mark.
    UnclosedText: "text without an end";
    /// An escape that there is not, or a control character in a text. Offset: its first character.
    InvalidEscape: "expected \\\", \\\\, \\n, \\r, \\t or \\u{…}, and no control character";
    /// A node, slice or `<<` without an end. Offset: its key, or the `!` before it.
    Unclosed: "node, slice or '<<' without an end";
    /// A bracket that closes nothing, or another kind of packet. Offset: the bracket.
    Unopened: "bracket does not close the packet around it";
}

const _: () = assert!(size_of::<Error>() <= 24 && size_of::<ErrorKind>() == 1);

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
        Self { offset, field: None, kind, wanted: None, number: 0 }
    }

    /// The same error about a [`Field`] of a struct, unless it is about a field inside already.
    #[must_use]
    pub const fn of_field(self, field: &'static Field) -> Self {
        if self.field.is_some() { self } else { Self { field: Some(field), ..self } }
    }

    /// The field of a struct that the error is about, if it is about one.
    #[must_use]
    pub const fn field(&self) -> Option<&'static Field> {
        self.field
    }

    /// The error of a value of so many bytes that is not of the type asked for.
    #[cold]
    pub(crate) fn of_value(offset: u64, len: usize, wanted: Wanted) -> Self {
        let number = u32::try_from(len).unwrap_or(u32::MAX);
        Self { wanted: Some(wanted), number, ..Self::new(ErrorKind::InvalidValue, offset) }
    }

    /// The same error, if it is about a value, with the number of bytes that the type has.
    #[cold]
    pub(crate) fn of_len(self, len: usize) -> Self {
        match self.kind {
            ErrorKind::InvalidValue => Self::of_number(self.kind, self.offset, u32::try_from(len).unwrap_or(u32::MAX)),
            _ => self,
        }
    }

    /// The error of a new value of so many bytes, which does not fit in place of the old one.
    #[cold]
    pub(crate) fn of_width(offset: u64, needs: usize) -> Self {
        Self { number: u32::try_from(needs).unwrap_or(u32::MAX), ..Self::new(ErrorKind::WrongWidth, offset) }
    }

    /// The error with the number that its message names: a key, the number of a variant, or how many items or bytes the type has.
    #[cold]
    pub(crate) const fn of_number(kind: ErrorKind, offset: u64, number: u32) -> Self {
        Self { wanted: Some(Wanted::NUMBER), number, ..Self::new(kind, offset) }
    }

    /// The error of a number that is no key.
    #[cold]
    pub(crate) const fn of_key(number: u32, offset: u64) -> Self {
        Self { number, ..Self::new(ErrorKind::InvalidKey, offset) }
    }

    /// The error of a text that is no key: its number, if that is only too high.
    #[cold]
    pub(crate) const fn of_key_text(number: u32, offset: u64) -> Self {
        Self { wanted: Some(Wanted::KEY), ..Self::of_key(number, offset) }
    }

    /// The error at a byte of a text that stands for packets.
    pub(crate) const fn in_text(kind: ErrorKind, offset: usize) -> Self {
        Self { wanted: Some(Wanted::TEXT), ..Self::new(kind, offset as u64) }
    }

    /// Whether the offset is in a text, not in packets.
    pub(crate) fn is_in_text(&self) -> bool {
        self.wanted == Some(Wanted::TEXT)
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The byte that [`ErrorKind`] names, counted from the start of the input or the sink.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The same error, with an offset in an outer input in which the inner input begins at `base`.
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

impl Hash for Error {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.kind, self.offset).hash(state);
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, offset, field, wanted, number } = self;
        if self.is_in_text() {
            match kind {
                ErrorKind::DepthLimit => f.write_str("packet nested deeper than 64")?,
                _ => kind.fmt(f)?,
            }
            return write!(f, " at byte {offset} of the text");
        }
        let named = *wanted == Some(Wanted::NUMBER);
        match (kind, wanted.map(Wanted::facts), field) {
            (ErrorKind::InvalidValue, ..) if named => {
                return write!(f, "value at byte {offset} does not have {}", Bytes((*number).into()));
            }
            (ErrorKind::InvalidValue, Some((name, least, most)), _) => {
                let bytes = Bytes((*number).into());
                return match (*number < least || *number > most, least == most) {
                    (true, true) => write!(f, "{bytes} at byte {offset}; {name} has {most}"),
                    (true, false) => write!(f, "{bytes} at byte {offset}; {name} has {least} to {most}"),
                    (false, _) => write!(f, "value at byte {offset} is not {name}"),
                };
            }
            (ErrorKind::InvalidKey, ..) if *number > u32::from(MAX_KEY) => {
                let base = if wanted.is_some() { " (paths are hexadecimal)" } else { "" };
                write!(f, "{number:#04x} is above 0x3f, the highest key{base}")?;
            }
            (ErrorKind::WrongWidth, ..) => {
                write!(f, "new value needs {}, the old one has another width", Bytes((*number).into()))?;
            }
            (ErrorKind::MissingField, _, Some(field)) => write!(f, "{field} is missing")?,
            (ErrorKind::RepeatedField, _, Some(field)) => write!(f, "duplicate {field}")?,
            (ErrorKind::UnexpectedKey, ..) if named => write!(f, "packet has another key than {number:#04x}")?,
            (ErrorKind::MissingItems, ..) if named => write!(f, "fewer items than the {number} of the type")?,
            (ErrorKind::ExtraItems, ..) if named => write!(f, "more items than the {number} of the type")?,
            _ if named => write!(f, "{kind} {number:#04x}")?,
            (_, _, Some(field)) => write!(f, "{kind} in {field}")?,
            _ => write!(f, "{kind}")?,
        }
        write!(f, " at byte {offset}")
    }
}

/// A number of bytes, in words.
pub(crate) struct Bytes(pub(crate) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} byte{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// As the messages name it: "field `noise` (key 0x11)".
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "field `{}` (key {:#04x})", self.name, self.key)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error").field("kind", &self.kind).field("offset", &self.offset).finish_non_exhaustive()
    }
}

impl core::error::Error for Error {}
