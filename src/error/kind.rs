//! Kind: the kinds of errors.
//!
//! In: nothing. Out: for each kind a name, a message, and the meaning of the offset.

use core::fmt;

/// The kinds, with the message of each.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $words:literal;)*) => {
        /// The kind of an [`Error`](crate::Error). "Offset" below is the byte that the error's offset points to.
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
    /// The input ends inside a packet, or is empty where a packet must be. Offset: the tag of the top-level packet that is cut.
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
    /// The caller asked for the packets inside a primitive. Offset: its tag.
    NotANode: "packet is a primitive, not a node";
    /// The packet is a node, but the caller asked for a number, a text or bytes, or a path enters it as a primitive. Offset: its tag.
    NotAPrimitive: "packet is a node, not a primitive";
    /// An edit found no packet at its path. Offset: the end of the input.
    NotFound: "no packet at the path";
    /// The new value has another width than the value to overwrite in place. Offset: the old value.
    WrongWidth: "new value has another width";
    /// The value is not of the requested type: wrong width, out of range, or empty. Offset: the value's first byte.
    InvalidValue: "value does not fit the type asked for";
    /// A text is not UTF-8. Offset: the first byte of the first invalid sequence.
    InvalidUtf8: "text is not utf-8";
    /// A field of a struct is absent; [`Error::field`](crate::Error::field) names it. Offset: the tag of the struct's packet.
    MissingField: "field is missing";
    /// A field of a struct occurs twice. Offset: the tag of the second packet.
    RepeatedField: "duplicate field";
    /// A key of a map occurs twice. Offset: the tag of the second packet, or the place where it would begin.
    RepeatedKey: "duplicate key";
    /// The packet has another key than its type requires. Offset: its tag.
    UnexpectedKey: "packet has another key than its type asks for";
    /// An enum has no variant with this number, or no variant with content and this key. Offset: the enum's tag, or the tag of the packet with that key inside it.
    UnknownVariant: "unknown variant";
    /// An enum's node is empty or holds more than one packet. Offset: its tag.
    NotOneVariant: "enum node does not hold exactly one packet";
    /// There are fewer items than the type takes. Offset: the slice's tag.
    MissingItems: "fewer items than the type takes";
    /// There are more items than the type takes. Offset: the tag of the first extra item.
    ExtraItems: "more items than the type takes";
    /// Not canonical: the tag of a primitive has the slice bit. Offset: the tag.
    FlaggedPrimitive: "primitive with the slice bit";
    /// Not canonical: an item of a slice has a key other than 0. Offset: its tag.
    ItemKey: "slice item with a key other than 0";
    /// Not canonical: a length field is longer than needed. Offset: its first byte.
    PaddedLength: "length field longer than needed";
    /// A packet is required, but the value has none: `None` as a message. Offset: where the packet would begin.
    AbsentValue: "no value where a packet is needed";
    /// An argument is not a key: a number above 63, or text that is not one or two hexadecimal digits up to `3f`. The input
    /// is not at fault. Offset: the packet that was searched or written, or the wrong character in the text.
    InvalidKey: "argument is not a key of 0x00 to 0x3f";
    /// A path contains `**`, which only [`Patterns`](crate::Patterns) accept. Offset: its position in the text.
    AnyDepth: "`**` works in patterns only";
    /// An argument is not a path: the text is empty, or has more than 8 keys. Offset: a position in that text.
    InvalidPath: "argument is not a path of 1 to 8 keys";
    /// A packet in a stream exceeds memory or the reader's [`Limits`](crate::Limits); the message names the limit. Also: a
    /// value to write is longer than 2^31-1 bytes, or an output is longer than a `usize` can count. Offset: the packet's
    /// tag, or the place where it would begin.
    SizeLimit: "value longer than 2^31-1 bytes, or output longer than memory";
    /// The sink is full. Offset: the place where the packet that does not fit would begin.
    BufferTooSmall: "no room left in the sink";
    /// Serde: more than 128 options, newtypes and variant contents are nested. Offset: the innermost packet.
    RecursionLimit: "more than 128 nested options, newtypes and variants";
    /// Serde: packets cannot represent the value, or lack a mark that the type needs. Offset: the packet.
    Unsupported: "y3 cannot represent the value";
    /// The type refuses the value, with a message of its own: [`Error::refused`](crate::Error::refused), or an error of a
    /// type's `Deserialize`. Offset: the packet, unless the type gives another offset.
    Refused: "value refused by its type";
    /// This and all kinds below are about the text form. The text has something else where a packet should begin. Offset: that place.
    ExpectedPacket: "expected a key of 00 to 3f, or '?' and hexadecimal";
    /// The text has something else where an item of a slice should begin, such as a value without a key. Offset: that place.
    ExpectedItem: "expected an item; items need a key: 00=\"a\"";
    /// A key has neither a value nor a bracket after it, or a flagged primitive has a bracket after it. Offset: the place after the key.
    ExpectedContent: "expected '=', '{' or '['; after '!' only '='";
    /// A value is neither hexadecimal with two digits a byte, nor text, nor a typed literal. Offset: its first character.
    InvalidHex: "expected hexadecimal with two digits a byte, text, a type or '<<'";
    /// No type has that name. Offset: the name.
    UnknownType: "expected i32, u32, i64, u64, pi32, pu32, pi64, pu64, f32, f64 or bool";
    /// The literal is not a value of its type, or has no `)`. Offset: the first character after the `(`.
    InvalidLiteral: "expected a value of the type, and ')'";
    /// After a `_`, the width is missing, or the value or length cannot have that width. Offset: the `_`.
    InvalidWidth: "expected a width in bytes that the value or length can have";
    /// A text has no closing quotation mark. Offset: its opening quotation mark.
    UnclosedText: "text without an end";
    /// The text contains an unknown escape or a control character. Offset: its first character.
    InvalidEscape: "expected \\\", \\\\, \\n, \\r, \\t or \\u{…}, and no control character";
    /// A node, slice or `<<` is not closed. Offset: its key, or the `!` before it.
    Unclosed: "node, slice or '<<' without an end";
    /// A closing bracket has no opening bracket, or is of another kind. Offset: the bracket.
    Unopened: "bracket does not close the packet around it";
}
