//! Scalars: the types of a primitive's value, their words, and the Rust types that read and write them.

use std::fmt;

use y3::{Decode, Encode, Encoder, Error, PVarInt, Packet};

use crate::value::Value;

macro_rules! scalars {
    ($($name:ident $word:literal $doc:literal,)*) => {
        /// The type of a primitive's value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Scalar {
            $(#[doc = $doc] $name,)*
        }

        impl Scalar {
            /// All of them, in the order of the grammar.
            pub const ALL: &[Scalar] = &[$(Scalar::$name,)*];

            /// The word of a names file: `f32`, `pvar i64`.
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
    Bytes "bytes" "Bytes as they are.",
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

/// Calls a generic function with the Rust type of an integer; `None` for what is none.
macro_rules! with_integer {
    ($scalar:expr, $function:ident($($argument:expr),*)) => {
        match $scalar {
            Scalar::I8 => Some($function::<i8>($($argument),*)),
            Scalar::I16 => Some($function::<i16>($($argument),*)),
            Scalar::I32 => Some($function::<i32>($($argument),*)),
            Scalar::I64 => Some($function::<i64>($($argument),*)),
            Scalar::U8 => Some($function::<u8>($($argument),*)),
            Scalar::U16 => Some($function::<u16>($($argument),*)),
            Scalar::U32 => Some($function::<u32>($($argument),*)),
            Scalar::U64 => Some($function::<u64>($($argument),*)),
            Scalar::PvarI32 => Some($function::<PVarInt<i32>>($($argument),*)),
            Scalar::PvarI64 => Some($function::<PVarInt<i64>>($($argument),*)),
            Scalar::PvarU32 => Some($function::<PVarInt<u32>>($($argument),*)),
            Scalar::PvarU64 => Some($function::<PVarInt<u64>>($($argument),*)),
            _ => None,
        }
    };
}

/// An integer of either dialect.
trait Integer: Sized + Encode + for<'a> Decode<'a> {
    fn of(number: i128) -> Option<Self>;
    fn get(self) -> i128;
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Integer for $type {
            fn of(number: i128) -> Option<Self> {
                number.try_into().ok()
            }
            fn get(self) -> i128 {
                self.into()
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

impl<T: Integer> Integer for PVarInt<T>
where
    PVarInt<T>: Encode + for<'a> Decode<'a>,
{
    fn of(number: i128) -> Option<Self> {
        T::of(number).map(PVarInt)
    }
    fn get(self) -> i128 {
        self.0.get()
    }
}

impl Scalar {
    /// Whether it is an integer, of either dialect.
    #[must_use]
    pub fn is_integer(self) -> bool {
        !matches!(self, Scalar::Bytes | Scalar::Text | Scalar::Bool | Scalar::F32 | Scalar::F64)
    }

    /// Whether it is an integer of the other dialect, `pvar`.
    #[must_use]
    pub fn is_pvar(self) -> bool {
        matches!(self, Scalar::PvarI32 | Scalar::PvarI64 | Scalar::PvarU32 | Scalar::PvarU64)
    }

    /// The value of a primitive.
    ///
    /// # Errors
    /// That of [`Packet::decode`].
    pub fn decode(self, packet: Packet<'_>) -> Result<Value<'_>, Error> {
        fn integer<T: Integer>(packet: Packet<'_>) -> Result<Value<'_>, Error> {
            packet.decode::<T>().map(|number| Value::Integer(number.get()))
        }
        match self {
            Scalar::Bytes => packet.decode().map(Value::Bytes),
            Scalar::Text => packet.decode().map(Value::Text),
            Scalar::Bool => packet.decode().map(Value::Bool),
            Scalar::F32 => packet.decode().map(Value::F32),
            Scalar::F64 => packet.decode().map(Value::F64),
            _ => with_integer!(self, integer(packet)).unwrap_or_else(|| packet.decode().map(Value::Bytes)),
        }
    }

    /// Writes an integer; `None` if it is out of the range of the type.
    pub(crate) fn put_integer(self, key: u8, number: i128, to: &mut Encoder<'_, Vec<u8>>) -> Option<Result<(), Error>> {
        fn put<T: Integer>(key: u8, number: i128, to: &mut Encoder<'_, Vec<u8>>) -> Option<Result<(), Error>> {
            T::of(number).map(|number| to.put(key, number))
        }
        with_integer!(self, put(key, number, to)).flatten()
    }
}
