//! Shapes of messages, the watched value of each, and the types and macros that the readers of all codecs share.

use std::borrow::Cow;

use kit::data::Node;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::formats::written;

/// The shape of a message, shared by several scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    C63,
    C32,
    C16,
    C03,
    /// 63 texts.
    Texts,
    /// 63 floats.
    Floats,
    /// Eight nodes of eight nodes of eight values.
    Nested,
    /// A data frame of a recorded session with the reading in it.
    Frame,
}

/// Calls a macro with the watched value of a shape: the message, the protobuf message that has only this field, the value's type, and for
/// each step of its path the key, the field and the struct with only that field.
macro_rules! of_shape {
    ($shape:expr, $then:ident) => {
        match $shape {
            Shape::C63 => $then!(C63 C63Only i64, 32 k32 K32),
            Shape::C32 => $then!(C32 C32Only i32, 16 k16 K16),
            Shape::C16 => $then!(C16 C16Only &str, 8 k8 K8),
            Shape::C03 => $then!(C03 C03Only i32, 2 k2 K2),
            Shape::Texts => $then!(Texts TextsOnly &str, 32 k32 K32),
            Shape::Floats => $then!(Floats FloatsOnly f32, 32 k32 K32),
            Shape::Nested => $then!(Outer OuterOnly i64, 4 k4 K4, 4 k4 K4, 4 k4 K4),
            Shape::Frame => $then!(Frame FrameOnly f32, 2 k2 K2, 17 k17 K17),
        }
    };
}

/// Defines a codec's function `readers`, from a pattern for the arguments of [`of_shape`] and the ways to read such a value.
macro_rules! readers {
    ($watched:tt => $ways:tt) => {
        pub fn readers(shape: Shape) -> Ways {
            macro_rules! value { $watched => $ways }
            of_shape!(shape, value)
        }
    };
}

impl Shape {
    /// The right answer of a reader.
    pub fn answer(self, model: &Node) -> u64 {
        let value = &serde_json::to_value(model).expect("names and values");
        macro_rules! answer {
            ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
                <$type as serde::Deserialize>::deserialize(&value$([stringify!($field)])+).expect("its type").digest()
            };
        }
        of_shape!(self, answer).expect("a value")
    }
}

/// Structs with only one field of a message; their readers skip the others. `keyed` has those for y3 with serde, where a key is the name.
macro_rules! one_field {
    ($($name:ident $field:ident $key:tt $keyed:literal;)*) => {
        $(
            #[derive(serde::Deserialize, bilrost::Message, minicbor::Decode)]
            #[cbor(map)]
            pub struct $name<T> {
                #[bilrost($key)]
                #[n($key)]
                pub $field: T,
            }

            impl<T: Digest> Digest for $name<T> {
                #[inline(always)]
                fn digest(self) -> Option<u64> {
                    self.$field.digest()
                }
            }
        )*

        pub mod keyed {
            $(
                #[derive(serde::Deserialize)]
                pub struct $name<T> {
                    #[serde(rename = $keyed)]
                    pub $field: T,
                }
            )*
        }
    };
}

one_field! {
    K2 k2 2 "0x02"; K4 k4 4 "0x04"; K8 k8 8 "0x08"; K16 k16 16 "0x10"; K17 k17 17 "0x11"; K32 k32 32 "0x20"; K63 k63 63 "0x3f";
}

/// The type of nested structs of one field that lead to a value.
macro_rules! only {
    ($(in $module:ident,)? $type:ty, $one:ident) => { $crate::extract::shape::$($module::)?$one<$type> };
    ($(in $module:ident,)? $type:ty, $one:ident $($inner:ident)+) => {
        $crate::extract::shape::$($module::)?$one<only!($(in $module,)? $type, $($inner)+)>
    };
}

/// Reduces a value to a number that can be compared, or to `None` if there is no value. It takes an instruction or two for all codecs.
pub trait Digest {
    fn digest(self) -> Option<u64>;
}

macro_rules! digests {
    ($($type:ty: |$value:ident| $digest:expr;)*) => {$(
        impl Digest for $type {
            #[inline(always)]
            fn digest(self) -> Option<u64> {
                let $value = self;
                $digest
            }
        }
    )*};
}

// The digest of a text has its length and first letter, because each text repeats one letter.
digests! {
    i64: |number| Some(number.cast_unsigned());
    i32: |number| i64::from(number).digest();
    f32: |number| Some(u64::from(number.to_bits()));
    &[u8]: |bytes| Some(bytes.len() as u64 | u64::from(bytes.first().copied().unwrap_or_default()) << 32);
    &str: |text| text.as_bytes().digest();
    String: |text| text.as_str().digest();
    Cow<'_, str>: |text| text.as_ref().digest();
}

impl<T: Digest> Digest for Option<T> {
    #[inline(always)]
    fn digest(self) -> Option<u64> {
        self?.digest()
    }
}

/// A watched value. The codec passes one function for each type, and the value's type chooses one of them.
pub trait Scalar<'a>: Digest + Sized {
    /// The same type with its text owned.
    type Owned: Digest;

    /// Calls the function for this type.
    fn by<C>(
        from: C,
        i64: impl FnOnce(C) -> Option<i64>,
        i32: impl FnOnce(C) -> Option<i32>,
        f32: impl FnOnce(C) -> Option<f32>,
        text: impl FnOnce(C) -> Option<&'a str>,
    ) -> Option<Self>;

    /// For codecs with one type for all integers and one for all floats.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "the nearest one is what was written")]
    fn of<C>(
        from: C,
        integer: impl Fn(C) -> Option<i64>,
        float: impl FnOnce(C) -> Option<f64>,
        text: impl FnOnce(C) -> Option<&'a str>,
    ) -> Option<Self> {
        Self::by(from, &integer, |from| i32::try_from(integer(from)?).ok(), |from| Some(float(from)? as f32), text)
    }
}

macro_rules! scalars {
    ($i64:ident $i32:ident $f32:ident $text:ident; $($type:ty = $owned:ty: $way:ident;)*) => {$(
        impl<'a> Scalar<'a> for $type {
            type Owned = $owned;

            #[inline(always)]
            #[allow(unused_variables, reason = "the functions of the other types")]
            fn by<C>(
                from: C,
                $i64: impl FnOnce(C) -> Option<i64>,
                $i32: impl FnOnce(C) -> Option<i32>,
                $f32: impl FnOnce(C) -> Option<f32>,
                $text: impl FnOnce(C) -> Option<&'a str>,
            ) -> Option<Self> {
                $way(from)
            }
        }
    )*};
}

scalars! { long int float text; i64 = i64: long; i32 = i32: int; f32 = f32: float; &'a str = String: text; }

/// The fields of a record up to the watched value, for codecs that know only positions. Texts before it are read as bytes, because
/// they are not used and need no check for UTF-8.
pub mod prefix {
    type Cycle<'a> = (&'a [u8], i32, u32, i64, u64, f32, f64);
    type Inner<'a> = (Cycle<'a>, &'a [u8]);
    type Middle<'a> = [Inner<'a>; 8];

    pub type C63<'a> = (([Cycle<'a>; 4], &'a [u8], i32, u32), i64);
    pub type C32<'a> = (([Cycle<'a>; 2], &'a [u8]), i32);
    pub type C16<'a> = (Cycle<'a>, &'a str);
    pub type C03<'a> = (&'a [u8], i32);
    pub type Texts<'a> = ([&'a [u8]; 31], &'a str);
    pub type Floats = ([f32; 31], f32);
    pub type Outer<'a> = (([Middle<'a>; 3], [Inner<'a>; 3], (&'a [u8], i32, u32)), i64);
    pub type Frame = (u32, f32);
}

use super::der_float::{F32, F64};

// The structs that `build.rs` writes: `owned` and `borrowed`, and the same for `der`.
include!(concat!(env!("OUT_DIR"), "/records.rs"));

pub(crate) use {digests, of_shape, only, readers};

/// Converts a value to another type with the same field names.
pub fn record<R: DeserializeOwned>(value: &impl Serialize) -> R {
    let value = serde_json::to_value(value).expect("names and values");
    serde_json::from_value(value).expect("a model of this record")
}

/// Encodes a model as a record.
pub fn encoded<R: DeserializeOwned>(model: &Node, write: impl FnOnce(&R, &mut Vec<u8>)) -> Vec<u8> {
    written(&record(model), write)
}
