//! Deserializer: the methods of serde's `Deserializer`.
//!
//! In: the type that is deserialized. Out: the result of its visitor for the content of the packet.

use ::serde::de::{Deserializer, Visitor};

use super::fields::FieldAccess;
use super::items::ItemAccess;
use super::map::EntryAccess;
use super::packet::PacketDeserializer;
use super::raw::RawAccess;
use super::variant;
use crate::serde::error::{Error, ErrorKind};
use crate::serde::impls::{PACKET, PVAR_INT};

macro_rules! numbers {
    ($($method:ident, $visit:ident: $type:ty as $wire:ty;)*) => {$(
        #[inline(always)]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match <$type>::try_from(self.decode::<$wire>()?) {
                Ok(number) => visitor.$visit(number),
                Err(_) => Err(self.out_of_range()),
            }
        }
    )*};
}

macro_rules! values {
    ($($method:ident, $visit:ident;)*) => {$(
        #[inline(always)]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.decode()?)
        }
    )*};
}

impl<'de> Deserializer<'de> for PacketDeserializer<'de> {
    type Error = Error;

    numbers! {
        deserialize_i8, visit_i8: i8 as i32;
        deserialize_i16, visit_i16: i16 as i32;
        deserialize_u8, visit_u8: u8 as u32;
        deserialize_u16, visit_u16: u16 as u32;
    }

    #[inline(always)]
    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i32(self.decode()?)
    }

    #[inline(always)]
    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i64(self.decode()?)
    }

    #[inline(always)]
    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u32(self.decode()?)
    }

    #[inline(always)]
    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u64(self.decode()?)
    }

    values! {
        deserialize_bool, visit_bool;
        deserialize_f32, visit_f32;
        deserialize_f64, visit_f64;
        deserialize_char, visit_borrowed_str;
        deserialize_str, visit_borrowed_str;
        deserialize_string, visit_borrowed_str;
        deserialize_bytes, visit_borrowed_bytes;
        deserialize_byte_buf, visit_borrowed_bytes;
    }

    #[cold]
    fn deserialize_i128<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(self.error(ErrorKind::Unsupported("a number of 128 bits")))
    }

    #[cold]
    fn deserialize_u128<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(self.error(ErrorKind::Unsupported("a number of 128 bits")))
    }

    #[cold]
    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(self.error(ErrorKind::Untyped))
    }

    #[cold]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
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
        match self.decode::<&[u8]>()? {
            [] => visitor.visit_unit(),
            _ => Err(self.out_of_range()),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    #[inline(always)]
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        match name {
            PACKET => visitor.visit_seq(RawAccess::new(self.packet)),
            PVAR_INT => visitor.visit_newtype_struct(self.pvar().held()?),
            _ => visitor.visit_newtype_struct(self.held()?),
        }
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        ItemAccess::visit(self, visitor)
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        ItemAccess::visit(self, visitor)
    }

    #[inline]
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        ItemAccess::visit(self, visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        EntryAccess::visit(self, visitor)
    }

    #[inline(always)]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        FieldAccess::visit(self, names, visitor)
    }

    #[inline]
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
