//! Key: the key of a map entry.

use ::serde::de::value::StrDeserializer;
use ::serde::de::{Deserializer, Visitor};
use ::serde::forward_to_deserialize_any;

use crate::serde::budget::Steps;
use crate::serde::error::{Error, MAP_KEY};
use crate::serde::key::{name_of, variant_name};
use crate::wire::key::Key;

/// Deserializes the key of a map entry as a number, or as the variant whose name is this key.
pub(super) struct KeyDeserializer {
    pub(super) key: Key,
    pub(super) steps: Steps,
    pub(super) offset: u64,
}

impl KeyDeserializer {
    fn held(self) -> Result<Self, Error> {
        Ok(Self { steps: self.steps.step(self.offset)?, ..self })
    }
}

impl<'de> Deserializer<'de> for KeyDeserializer {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u8(self.key.get())
    }

    // A struct with a flattened field requests an identifier.
    refused! {
        deserialize_str: MAP_KEY;
        deserialize_string: MAP_KEY;
        deserialize_identifier: MAP_KEY;
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self.held()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self.held()?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let name = variant_name(variants, self.key)?;
        visitor.visit_enum(StrDeserializer::new(name.unwrap_or(name_of(self.key))))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct seq tuple tuple_struct
        map struct ignored_any
    }
}
