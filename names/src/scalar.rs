//! Scalars: the types of primitive values, their names in names files, and the Rust types that encode and decode
//! them.

use std::fmt;

use y3::{Encoder, Error, PVarInt, Packet};

use crate::value::Value;

macro_rules! scalars {
    ($($name:ident $word:literal $doc:literal,)*) => {
        /// The type of a primitive's value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Scalar {
            $(#[doc = $doc] $name,)*
        }

        impl Scalar {
            /// All scalars, in the order of the grammar.
            pub const ALL: &[Scalar] = &[$(Scalar::$name,)*];

            /// The name of the type in names files, such as `f32` or `pvar i64`.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Scalar::$name => $word,)*
                }
            }
        }
    };
}

scalars! {
    Bytes "bytes" "Bytes, unchanged.",
    Text "text" "UTF-8.",
    Bool "bool" "True or false.",
    F32 "f32" "A float of 32 bits.",
    F64 "f64" "A float of 64 bits.",
    I8 "i8" "An `NVarInt`, SPEC §4.1.",
    I16 "i16" "An `NVarInt`.",
    I32 "i32" "An `NVarInt`.",
    I64 "i64" "An `NVarInt`.",
    U8 "u8" "An `NVarInt`.",
    U16 "u16" "An `NVarInt`.",
    U32 "u32" "An `NVarInt`.",
    U64 "u64" "An `NVarInt`.",
    PvarI32 "pvar i32" "A `PVarInt`, SPEC §4.2.",
    PvarI64 "pvar i64" "A `PVarInt`.",
    PvarU32 "pvar u32" "A `PVarInt`.",
    PvarU64 "pvar u64" "A `PVarInt`.",
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Scalar {
    /// True if the type is an integer.
    #[must_use]
    pub fn is_integer(self) -> bool {
        !matches!(self, Scalar::Bytes | Scalar::Text | Scalar::Bool | Scalar::F32 | Scalar::F64)
    }

    /// True if the type is an integer of the `PVarInt` dialect.
    #[must_use]
    pub fn is_pvar(self) -> bool {
        matches!(self, Scalar::PvarI32 | Scalar::PvarI64 | Scalar::PvarU32 | Scalar::PvarU64)
    }

    /// Decodes the value of a primitive.
    ///
    /// # Errors
    /// Returns the errors of [`Packet::decode`].
    pub fn decode(self, packet: Packet<'_>) -> Result<Value<'_>, Error> {
        let integer: i128 = match self {
            Scalar::Bytes => return packet.decode().map(Value::Bytes),
            Scalar::Text => return packet.decode().map(Value::Text),
            Scalar::Bool => return packet.decode().map(Value::Bool),
            Scalar::F32 => return packet.decode().map(Value::F32),
            Scalar::F64 => return packet.decode().map(Value::F64),
            Scalar::I8 => packet.decode::<i8>()?.into(),
            Scalar::I16 => packet.decode::<i16>()?.into(),
            Scalar::I32 => packet.decode::<i32>()?.into(),
            Scalar::I64 => packet.decode::<i64>()?.into(),
            Scalar::U8 => packet.decode::<u8>()?.into(),
            Scalar::U16 => packet.decode::<u16>()?.into(),
            Scalar::U32 => packet.decode::<u32>()?.into(),
            Scalar::U64 => packet.decode::<u64>()?.into(),
            Scalar::PvarI32 => packet.decode::<PVarInt<i32>>()?.0.into(),
            Scalar::PvarI64 => packet.decode::<PVarInt<i64>>()?.0.into(),
            Scalar::PvarU32 => packet.decode::<PVarInt<u32>>()?.0.into(),
            Scalar::PvarU64 => packet.decode::<PVarInt<u64>>()?.0.into(),
        };
        Ok(Value::Integer(integer))
    }

    /// Writes an integer. Returns `None` if the number is out of the type's range.
    pub(crate) fn put_integer(self, key: u8, number: i128, to: &mut Encoder<'_, Vec<u8>>) -> Option<Result<(), Error>> {
        fn narrow<T: TryFrom<i128> + Into<i32>>(number: i128) -> Option<i32> {
            T::try_from(number).ok().map(Into::into)
        }
        let same = match self {
            Scalar::I8 => narrow::<i8>(number),
            Scalar::I16 => narrow::<i16>(number),
            Scalar::U8 => narrow::<u8>(number),
            Scalar::U16 => narrow::<u16>(number),
            Scalar::I32 => narrow::<i32>(number),
            Scalar::I64 => return i64::try_from(number).ok().map(|number| to.put(key, number)),
            Scalar::U32 => return u32::try_from(number).ok().map(|number| to.put(key, number)),
            Scalar::U64 => return u64::try_from(number).ok().map(|number| to.put(key, number)),
            Scalar::PvarI32 => return i32::try_from(number).ok().map(|number| to.put(key, PVarInt(number))),
            Scalar::PvarI64 => return i64::try_from(number).ok().map(|number| to.put(key, PVarInt(number))),
            Scalar::PvarU32 => return u32::try_from(number).ok().map(|number| to.put(key, PVarInt(number))),
            Scalar::PvarU64 => return u64::try_from(number).ok().map(|number| to.put(key, PVarInt(number))),
            _ => None,
        };
        // Integers of 8 and 16 bits are written like integers of 32 bits.
        same.map(|number| to.put(key, number))
    }
}
