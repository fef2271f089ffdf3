//! Key: serializes the key of a map entry as a number of 0..=63.

use ::serde::ser::{Impossible, Serialize, Serializer};

use crate::error::ErrorKind;
use crate::serde::budget::Steps;
use crate::serde::error::{Error, MAP_KEY};
use crate::serde::key::named;
use crate::wire::key::Key;

/// Serializes the key of a map entry: a number of 0..=63, or a unit variant whose name is a key. Text is an error. The
/// reason is that a flattened struct is a map with its field names as keys, and a map of this kind could not be read
/// again.
pub(super) struct KeySerializer {
    pub(super) steps: Steps,
    pub(super) position: u64,
}

impl KeySerializer {
    fn held<T: Serialize + ?Sized>(self, value: &T) -> Result<Key, Error> {
        let steps = self.steps.step(self.position)?;
        value.serialize(Self { steps, ..self })
    }
}

macro_rules! map_keys {
    ($($method:ident: $type:ty;)*) => {$(
        #[inline]
        fn $method(self, number: $type) -> Result<Key, Error> {
            u8::try_from(number).ok().and_then(Key::new).ok_or_else(|| {
                Error::with_message(ErrorKind::InvalidKey, &format_args!("map key {number} is not from 0x00 to 0x3f"))
            })
        }
    )*};
}

macro_rules! no_map_keys {
    ($($method:ident$(<$held:ident>)?($($arg:ty),*) -> $ok:ty;)*) => {$(
        fn $method$(<$held: Serialize + ?Sized>)?(self, $(_: $arg),*) -> Result<$ok, Error> {
            Err(Error::said(MAP_KEY))
        }
    )*};
}

impl Serializer for KeySerializer {
    type Ok = Key;
    type Error = Error;
    type SerializeSeq = Impossible<Key, Error>;
    type SerializeTuple = Impossible<Key, Error>;
    type SerializeTupleStruct = Impossible<Key, Error>;
    type SerializeTupleVariant = Impossible<Key, Error>;
    type SerializeMap = Impossible<Key, Error>;
    type SerializeStruct = Impossible<Key, Error>;
    type SerializeStructVariant = Impossible<Key, Error>;

    map_keys! {
        serialize_i8: i8;
        serialize_i16: i16;
        serialize_i32: i32;
        serialize_i64: i64;
        serialize_i128: i128;
        serialize_u8: u8;
        serialize_u16: u16;
        serialize_u32: u32;
        serialize_u64: u64;
        serialize_u128: u128;
    }

    no_map_keys! {
        serialize_bool(bool) -> Key;
        serialize_f32(f32) -> Key;
        serialize_f64(f64) -> Key;
        serialize_char(char) -> Key;
        serialize_bytes(&[u8]) -> Key;
        serialize_none() -> Key;
        serialize_unit() -> Key;
        serialize_unit_struct(&'static str) -> Key;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_newtype_variant<T>(&'static str, u32, &'static str, &T) -> Key;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }

    fn serialize_str(self, text: &str) -> Result<Key, Error> {
        Err(Error::with_message(
            ErrorKind::InvalidKey,
            &format_args!(
                "map key `{text}` is text, not an integer of 0..=63 (the names of flattened fields are such text)"
            ),
        ))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Key, Error> {
        named(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<Key, Error> {
        self.held(value)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Key, Error> {
        self.held(value)
    }

    fn collect_str<T: core::fmt::Display + ?Sized>(self, _: &T) -> Result<Key, Error> {
        Err(Error::said(MAP_KEY))
    }
}
