//! Values that know their types.

use serde::de::{Deserializer, Visitor};
use serde::ser::Serializer;

/// A value that knows its type, and the types of absent values inside.
#[derive(Clone, Debug, PartialEq)]
pub enum Typed {
    Bool(bool),
    Integer(Width, i128),
    /// Floats are stored as bits, so that equal bits mean equal values.
    F32(u32),
    F64(u64),
    Char(char),
    Text(String),
    Bytes(Vec<u8>),
    Unit,
    UnitStruct,
    /// True if the value is present; then the value that is or would be present.
    Option(bool, Box<Typed>),
    Newtype(Box<Typed>),
    Seq(Vec<Typed>),
    Tuple(Vec<Typed>),
    TupleStruct(Vec<Typed>),
    Map(Vec<(Typed, Typed)>),
    Struct(Fields),
    /// All variants, the names of those that can be read, and the index of the chosen variant.
    Enum(Vec<Variant>, Names, usize),
}

/// The names that serde passes to the format: those of all fields or variants that can be read, with their aliases.
pub type Names = &'static [&'static str];

#[derive(Clone, Debug, PartialEq)]
pub struct Fields {
    pub members: Vec<Field>,
    pub names: Names,
    pub deny_unknown: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: &'static str,
    pub alias: Option<&'static str>,
    pub value: Typed,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    pub name: &'static str,
    pub alias: Option<&'static str>,
    pub skip: Skip,
    /// Takes all names that no other variant takes.
    pub other: bool,
    /// `Unit`, `Newtype`, `Tuple` or `Struct`.
    pub content: Typed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    Never,
    Reading,
    Always,
}

macro_rules! widths {
    ($($width:ident $type:ty, $serialize:ident, $deserialize:ident;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Width {
            $($width),*
        }

        impl Width {
            /// All widths. The first is one that the format does not support.
            pub const ALL: [Width; 9] = [$(Width::$width),*];

            pub fn range(self) -> (i128, i128) {
                match self {
                    $(Width::$width => (<$type>::MIN.into(), <$type>::MAX.into()),)*
                }
            }

            pub fn serialize<S: Serializer>(self, number: i128, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Width::$width => serializer.$serialize(<$type>::try_from(number).expect("a number in its range")),)*
                }
            }

            pub fn deserialize<'de, D: Deserializer<'de>, V: Visitor<'de>>(self, from: D, to: V) -> Result<V::Value, D::Error> {
                match self {
                    $(Width::$width => from.$deserialize(to),)*
                }
            }
        }
    };
}

widths! {
    I128 i128, serialize_i128, deserialize_i128;
    I8 i8, serialize_i8, deserialize_i8;
    I16 i16, serialize_i16, deserialize_i16;
    I32 i32, serialize_i32, deserialize_i32;
    I64 i64, serialize_i64, deserialize_i64;
    U8 u8, serialize_u8, deserialize_u8;
    U16 u16, serialize_u16, deserialize_u16;
    U32 u32, serialize_u32, deserialize_u32;
    U64 u64, serialize_u64, deserialize_u64;
}
