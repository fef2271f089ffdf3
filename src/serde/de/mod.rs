//! De: reads a value from a packet, and skips packets that the type does not request.
//!
//! The value borrows from the input where possible.

/// Writes methods that return an error for every value.
macro_rules! refused {
    ($($method:ident: $error:expr;)*) => {$(
        fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
            Err(Error::said($error))
        }
    )*};
}

mod fields;
mod inside;
mod key;
mod packet;
mod variant;

use ::serde::de::{Deserializer, Visitor};

use self::packet::PacketDeserializer;
pub(super) use self::packet::read;
use super::error::{Error, UNTYPED, WIDE};
use super::impls::{PACKET, PVAR_INT};
use crate::value::traits::Decode;

macro_rules! values {
    ($($method:ident, $visit:ident: $type:ty;)*) => {$(
        #[inline(always)]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(<$type>::decode(self.packet)?)
        }
    )*};
}

impl<'de> Deserializer<'de> for PacketDeserializer<'de> {
    type Error = Error;

    values! {
        deserialize_bool, visit_bool: bool;
        deserialize_i8, visit_i8: i8;
        deserialize_i16, visit_i16: i16;
        deserialize_i32, visit_i32: i32;
        deserialize_i64, visit_i64: i64;
        deserialize_u8, visit_u8: u8;
        deserialize_u16, visit_u16: u16;
        deserialize_u32, visit_u32: u32;
        deserialize_u64, visit_u64: u64;
        deserialize_f32, visit_f32: f32;
        deserialize_f64, visit_f64: f64;
        deserialize_char, visit_char: char;
        deserialize_bytes, visit_borrowed_bytes: &[u8];
        deserialize_byte_buf, visit_borrowed_bytes: &[u8];
    }

    #[inline(always)]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.packet.text::<Error>()?)
    }

    #[inline(always)]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    refused! {
        deserialize_i128: WIDE;
        deserialize_u128: WIDE;
        deserialize_any: UNTYPED;
        deserialize_identifier: UNTYPED;
    }

    #[inline(always)]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    #[inline(always)]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self.held()?)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.packet.decode::<()>()?;
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    #[inline(always)]
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        let Self { packet, steps } = self;
        match name {
            PACKET => visitor.visit_seq(inside::Raw(packet, Some(packet.offset()))),
            PVAR_INT => visitor.visit_newtype_struct(Self { packet: packet.pvar(), steps }.held()?),
            _ => visitor.visit_newtype_struct(self.held()?),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        inside::visit_items(self, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        inside::visit_items(self, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        inside::visit_items(self, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(inside::Inside::of(self)?)
    }

    #[inline(always)]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        fields::visit(self, names, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        variant::visit(self, variants, visitor)
    }

    #[inline(always)]
    fn is_human_readable(&self) -> bool {
        false
    }
}
