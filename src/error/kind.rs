//! The kinds of errors.
//!
//! Defines the name and the message of each kind, and the byte to which the offset points.

use core::fmt;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $words:literal;)*) => {
        /// The kind of an [`Error`](crate::Error). In the list below, "Offset" is the byte to which
        /// [`Error::offset`](crate::Error::offset) points.
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
    /// The input ends inside a packet, or is empty although a packet is required. Offset: the tag of the incomplete
    /// top-level packet.
    UnexpectedEnd: "input ends inside the packet";
    /// A packet extends past the end of its parent node. Offset: the packet's tag.
    Overrun: "packet reaches past the end of its node";
    /// The sign bit of a length field is set. Offset: the first byte of the length field.
    NegativeLength: "negative length";
    /// A length field continues after its fifth byte, or encodes a length above 2^31-1. Offset: the first byte of the
    /// length field.
    LengthOverflow: "length field longer than 5 bytes, or length above 2^31-1";
    /// A node is nested deeper than the reader's limit. Offset: the node's tag.
    DepthLimit: "node nested deeper than the limit";
    /// Bytes follow the packet in an input that must be exactly one packet. Offset: the first byte after the packet.
    TrailingBytes: "unexpected bytes after the packet";
    /// The caller asked for the packets inside a primitive. Offset: the primitive's tag.
    NotANode: "expected a node, found a primitive";
    /// The caller asked for a number, a text, bytes or embedded packets, but the packet is a node. Offset: the node's
    /// tag.
    NotAPrimitive: "expected a primitive, found a node";
    /// No packet is at the path of an edit. Offset: the end of the input.
    NotFound: "no packet at the path";
    /// The new value and the old value at the path have different widths. Offset: the old value.
    WrongWidth: "new value has another width";
    /// The value does not fit the requested type: it has the wrong width, is out of range, or is empty. Offset: the
    /// value's first byte.
    InvalidValue: "value does not fit the requested type";
    /// A text is not UTF-8. Offset: the first byte of the first invalid sequence.
    InvalidUtf8: "text is not UTF-8";
    /// The input lacks a field of a struct. [`Error::field`](crate::Error::field) returns this field. Offset: the tag
    /// of the struct's packet.
    MissingField: "field is missing";
    /// A field of a struct occurs twice. Offset: the tag of the field's second packet.
    RepeatedField: "duplicate field";
    /// A map has the same key twice. When reading, the offset is the tag of the second packet with this key. When
    /// writing, the offset is the position where the second packet would begin.
    RepeatedKey: "duplicate key";
    /// The packet's key is not the key that the type requires. Offset: the packet's tag.
    UnexpectedKey: "packet does not have the key that its type requires";
    /// The number in the input belongs to no variant of the enum, or the key belongs to no variant with content.
    /// Offset: the tag of the packet with this number or key.
    UnknownVariant: "unknown variant";
    /// The node of an enum is empty or contains more than one packet. Offset: the node's tag.
    NotOneVariant: "enum node does not contain exactly one packet";
    /// The slice has fewer items than the type requires. Offset: the slice's tag.
    MissingItems: "fewer items than the type requires";
    /// The slice has more items than the type requires. Offset: the tag of the first extra item.
    ExtraItems: "more items than the type requires";
    /// Not canonical: the tag of a primitive has the slice bit set. Offset: that tag.
    FlaggedPrimitive: "primitive with the slice bit";
    /// Not canonical: an item of a slice has a key other than 0. Offset: the item's tag.
    ItemKey: "slice item with a key other than 0";
    /// Not canonical: a length field is longer than needed. Offset: the first byte of the length field.
    PaddedLength: "length field longer than needed";
    /// A packet is required here, but the value is `None`, which has no packet. Offset: the position where the packet
    /// would begin.
    AbsentValue: "value is `None`, but a packet is required";
    /// The caller's argument is not a key. A number is above 63, or a text is not one or two hexadecimal digits up to
    /// `3f`. The input is not at fault. If the argument is a number, the offset is that of the packet that was searched
    /// or written. If the argument is a text, the offset is that of the wrong character.
    InvalidKey: "argument is not a key of 0x00 to 0x3f";
    /// A path contains `**`, which only [`Patterns`](crate::Patterns) accept. Offset: the `**` in the text of the path.
    AnyDepth: "`**` works in patterns only";
    /// The caller's argument is not a path: the text is empty or has more than 8 keys. Offset: a position in that text.
    InvalidPath: "argument is not a path of 1 to 8 keys";
    /// A packet in a stream is too large for memory, or exceeds the reader's [`Limits`](crate::Limits). The message
    /// names the limit. When writing: a value is longer than 2^31-1 bytes, or the length of the output exceeds `usize`.
    /// Offset: the packet's tag, or the position where the packet would begin.
    SizeLimit: "value longer than 2^31-1 bytes, or output longer than memory";
    /// The sink has no space for the next packet. Offset: the position where that packet would begin.
    BufferTooSmall: "no space left in the sink";
    /// Serde: the value has more than 128 nested options, newtypes and variants. Offset: the innermost packet.
    RecursionLimit: "more than 128 nested options, newtypes and variants";
    /// Serde: Y3 cannot represent the value. When reading: the Rust type expects the data to contain the types of
    /// values, but packets do not contain types. Offset: the packet.
    Unsupported: "y3 cannot represent the value";
    /// The type refuses the value. The type sets the message, with [`Error::refused`](crate::Error::refused) or in its
    /// `Deserialize`. Offset: the packet, unless the type sets another offset.
    Refused: "value is not valid for its type";
    /// This kind and all kinds below are errors in a text for [`encode_text`](crate::show::encode_text). A packet
    /// should begin here, but the text has something else. Offset: the position where the packet should begin.
    ExpectedPacket: "expected a key of 00 to 3f, or '?' and hexadecimal";
    /// An item of a slice should begin here, but the text has something else, for example a value without a key.
    /// Offset: the position where the item should begin.
    ExpectedItem: "expected an item; items need a key: 00=\"a\"";
    /// A key is not followed by `=`, `{` or `[`, or a key after `!` is not followed by `=`. Offset: the position after
    /// the key.
    ExpectedContent: "expected '=', '{' or '['; after '!' only '='";
    /// A value has none of the three accepted forms: a text, a typed literal, or hexadecimal with two digits per byte.
    /// Offset: the value's first character.
    InvalidHex: "expected hexadecimal with two digits per byte, text, a type or '<<'";
    /// The text has an unknown type name. Offset: the type name.
    UnknownType: "expected i32, u32, i64, u64, pi32, pu32, pi64, pu64, f32, f64 or bool";
    /// The literal is not a value of its type, or the closing `)` is missing. Offset: the first character after the
    /// `(`.
    InvalidLiteral: "expected a value of the type, and ')'";
    /// After a `_`, the width in bytes is missing, or the value or length cannot have this width. Offset: the `_`.
    InvalidWidth: "expected a width in bytes that the value or length can have";
    /// A text has no closing quotation mark. Offset: the opening quotation mark.
    UnclosedText: "text has no closing quotation mark";
    /// A text contains an unknown escape or a control character. Offset: the first character of the escape, or the
    /// control character.
    InvalidEscape: "expected \\\", \\\\, \\n, \\r, \\t or \\u{…}, and no control character";
    /// A node, a slice or the embedded packets after `<<` have no closing bracket. Offset: the key before the opening
    /// bracket, or the `!` before that key.
    Unclosed: "node, slice or '<<' is not closed";
    /// A closing bracket has no matching opening bracket. Offset: the closing bracket.
    Unopened: "closing bracket without a matching opening bracket";
}
