//! Serializer: the methods of serde's `Serializer`.
//!
//! In: a value. Out: a written packet, or an open node or slice.

use core::fmt;

use ::serde::ser::{Serialize, Serializer};

use super::node::NodeSerializer;
use super::packet::PacketSerializer;
use super::slice::SliceSerializer;
use super::text;
use crate::read::packet::Packet;
use crate::serde::error::{Error, ErrorKind};
use crate::serde::impls::{PACKET, PVAR_INT};
use crate::serde::key::named;
use crate::wire::tag::Tag;
use crate::write::sink::Sink;

macro_rules! numbers {
    ($($method:ident: $type:ty as $wire:ty;)*) => {$(
        #[inline(always)]
        fn $method(self, number: $type) -> Result<usize, Error> {
            self.put(&<$wire>::from(number))
        }
    )*};
}

impl<'w, S: Sink, const RAW: bool> Serializer for PacketSerializer<'w, S, RAW> {
    type Ok = usize;
    type Error = Error;
    type SerializeSeq = SliceSerializer<'w, S>;
    type SerializeTuple = SliceSerializer<'w, S>;
    type SerializeTupleStruct = SliceSerializer<'w, S>;
    type SerializeTupleVariant = SliceSerializer<'w, S>;
    type SerializeMap = NodeSerializer<'w, S>;
    type SerializeStruct = NodeSerializer<'w, S>;
    type SerializeStructVariant = NodeSerializer<'w, S>;

    numbers! {
        serialize_i8: i8 as i32;
        serialize_i16: i16 as i32;
        serialize_i32: i32 as i32;
        serialize_i64: i64 as i64;
        serialize_u8: u8 as u32;
        serialize_u16: u16 as u32;
        serialize_u32: u32 as u32;
        serialize_u64: u64 as u64;
    }

    #[cold]
    fn serialize_i128(self, _: i128) -> Result<usize, Error> {
        Err(Error::new(ErrorKind::Unsupported("a number of 128 bits")))
    }

    #[cold]
    fn serialize_u128(self, _: u128) -> Result<usize, Error> {
        Err(Error::new(ErrorKind::Unsupported("a number of 128 bits")))
    }

    #[inline(always)]
    fn serialize_f32(self, number: f32) -> Result<usize, Error> {
        self.put(&number)
    }

    #[inline(always)]
    fn serialize_f64(self, number: f64) -> Result<usize, Error> {
        self.put(&number)
    }

    #[inline(always)]
    fn serialize_bool(self, value: bool) -> Result<usize, Error> {
        self.put(&value)
    }

    #[inline]
    fn serialize_char(self, value: char) -> Result<usize, Error> {
        self.put(&value)
    }

    #[inline(always)]
    fn serialize_str(self, text: &str) -> Result<usize, Error> {
        let tag = Tag::primitive(self.key);
        self.put_bytes(tag, text.as_bytes())
    }

    #[inline(always)]
    fn serialize_bytes(self, bytes: &[u8]) -> Result<usize, Error> {
        if RAW {
            let packet = Packet::from_slice(bytes)?;
            return self.put_bytes(packet.tag(), packet.value());
        }
        let tag = Tag::primitive(self.key);
        self.put_bytes(tag, bytes)
    }

    #[inline(always)]
    fn serialize_none(self) -> Result<usize, Error> {
        Ok(self.encoder.position())
    }

    #[inline(always)]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        self.held(value)
    }

    #[inline]
    fn serialize_unit(self) -> Result<usize, Error> {
        self.put(&())
    }

    #[inline]
    fn serialize_unit_struct(self, _: &'static str) -> Result<usize, Error> {
        self.put(&())
    }

    #[inline]
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<usize, Error> {
        self.serialize_u8(named(variant)?.get())
    }

    #[inline(always)]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<usize, Error> {
        match name {
            PACKET => value.serialize(self.raw()),
            PVAR_INT => self.pvar().held(value),
            _ => self.held(value),
        }
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<usize, Error> {
        let mut node = NodeSerializer::of_variant(self, variant)?;
        node.write(node.entry, value)?;
        node.close()
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        SliceSerializer::open(self)
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
        SliceSerializer::open(self)
    }

    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Error> {
        SliceSerializer::open(self)
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        SliceSerializer::of_variant(self, variant)
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
        let tag = Tag::node(self.key);
        NodeSerializer::open(self, tag)
    }

    #[inline(always)]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Error> {
        let tag = Tag::node(self.key);
        NodeSerializer::open(self, tag)
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        NodeSerializer::of_variant(self, variant)?.inner(Tag::node)
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<usize, Error> {
        text::write(self.encoder.into_writer(), self.key, value)
    }

    #[inline(always)]
    fn is_human_readable(&self) -> bool {
        false
    }
}
