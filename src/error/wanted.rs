//! The type or limit that an error message contains.
//!
//! Each type has a name, and a minimum and maximum number of bytes of its values.

macro_rules! wanted {
    ($($wanted:ident: $name:literal, $least:expr, $most:expr;)*) => {
        /// The type or limit that an error message contains, or one of the special cases below.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(clippy::upper_case_acronyms, reason = "named as the types are, so that macros over types name them")]
        pub(crate) enum Wanted {
            $($wanted,)*
        }

        impl Wanted {
            pub(super) fn facts(self) -> (&'static str, u32, u32) {
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
    // Not a type: the message names the number.
    NUMBER: "a value", 0, u32::MAX;
    // Not a type: the offset counts in a text of `show::encode_text`.
    TEXT: "a text", 0, u32::MAX;
    // Not types: the type has the variant, but in the other form (with or without content).
    CONTENT: "lacks its content", 0, u32::MAX;
    BARE: "accepts no content", 0, u32::MAX;
    // Not a type: the input has no byte.
    EMPTY: "a packet", 0, u32::MAX;
    // Not types: limits. The number is the limit of a stream, or the length that exceeds memory.
    PACKET: "max_packet_len", 0, u32::MAX;
    VALUE: "max_value_len", 0, u32::MAX;
    MEMORY: "memory", 0, u32::MAX;
}
