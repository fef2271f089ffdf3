//! Ser: writes a value as one packet. `None` writes no packet.

mod key;
mod node;
mod packet;
mod text;

use core::fmt;

use ::serde::ser::{Serialize, Serializer};

use self::node::NodeSerializer;
use self::packet::PacketSerializer;
pub(super) use self::packet::write;
use self::text::write_text;
use super::error::{Error, WIDE};
use super::impls::{PACKET, PVAR_INT};
use super::key::named;
use crate::read::packet::Packet;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

impl<'w, S: Sink, const RAW: bool> PacketSerializer<'w, S, RAW> {
    fn variant(self, name: &'static str) -> Result<NodeSerializer<'w, S>, Error> {
        let key = named(name)?;
        NodeSerializer::open(self.encoder, self.steps, Tag::node(self.key))?.for_variant(key)
    }
}

macro_rules! numbers {
    ($($method:ident: $type:ty as $wire:ty;)*) => {$(
        #[inline(always)]
        fn $method(self, number: $type) -> Result<usize, Error> {
            self.encoder.number(self.key, &<$wire>::from(number)).map_err(Error::from)
        }
    )*};
}

macro_rules! nodes {
    ($($method:ident($(_: $arg:ty),*) -> $open:ident: $tag:path;)*) => {$(
        #[inline(always)]
        fn $method(self, $(_: $arg),*) -> Result<Self::$open, Error> {
            NodeSerializer::open(self.encoder, self.steps, $tag(self.key))
        }
    )*};
}

macro_rules! variants {
    ($($method:ident -> $open:ident: $tag:path;)*) => {$(
        fn $method(self, _: &'static str, _: u32, name: &'static str, _: usize) -> Result<Self::$open, Error> {
            self.variant(name)?.inner($tag)
        }
    )*};
}

impl<'w, S: Sink, const RAW: bool> Serializer for PacketSerializer<'w, S, RAW> {
    type Ok = usize;
    type Error = Error;
    type SerializeSeq = NodeSerializer<'w, S>;
    type SerializeTuple = NodeSerializer<'w, S>;
    type SerializeTupleStruct = NodeSerializer<'w, S>;
    type SerializeTupleVariant = NodeSerializer<'w, S>;
    type SerializeMap = NodeSerializer<'w, S>;
    type SerializeStruct = NodeSerializer<'w, S>;
    type SerializeStructVariant = NodeSerializer<'w, S>;

    numbers! {
        serialize_bool: bool as bool;
        serialize_i8: i8 as i32;
        serialize_i16: i16 as i32;
        serialize_i32: i32 as i32;
        serialize_i64: i64 as i64;
        serialize_u8: u8 as u32;
        serialize_u16: u16 as u32;
        serialize_u32: u32 as u32;
        serialize_u64: u64 as u64;
        serialize_f32: f32 as f32;
        serialize_f64: f64 as f64;
    }

    fn serialize_i128(self, _: i128) -> Result<usize, Error> {
        Err(Error::said(WIDE))
    }

    fn serialize_u128(self, _: u128) -> Result<usize, Error> {
        Err(Error::said(WIDE))
    }

    fn serialize_char(self, value: char) -> Result<usize, Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline(always)]
    fn serialize_str(self, text: &str) -> Result<usize, Error> {
        let tag = Tag::primitive(self.key);
        self.bytes(tag, text.as_bytes())
    }

    #[inline(always)]
    fn serialize_bytes(self, bytes: &[u8]) -> Result<usize, Error> {
        if RAW {
            let packet = Packet::from_slice(bytes)?;
            return self.bytes(packet.tag(), packet.value());
        }
        let tag = Tag::primitive(self.key);
        self.bytes(tag, bytes)
    }

    #[inline(always)]
    fn serialize_none(self) -> Result<usize, Error> {
        Ok(self.encoder.position())
    }

    #[inline(always)]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        self.held(value)
    }

    fn serialize_unit(self) -> Result<usize, Error> {
        self.serialize_str("")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<usize, Error> {
        self.serialize_str("")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<usize, Error> {
        self.serialize_u8(named(variant)?.get())
    }

    #[inline(always)]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<usize, Error> {
        let Self { encoder, key, steps } = self;
        match name {
            PACKET => value.serialize(PacketSerializer::<'_, S, true> { encoder, key, steps }),
            PVAR_INT => {
                let mode = encoder.mode.pvar();
                Self { encoder: Encoder { mode, ..encoder }, key, steps }.held(value)
            }
            _ => Self { encoder, key, steps }.held(value),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<usize, Error> {
        let mut node = self.variant(variant)?;
        node.write(node.entry, value)?;
        node.close()
    }

    nodes! {
        serialize_seq(_: Option<usize>) -> SerializeSeq: Tag::slice;
        serialize_tuple(_: usize) -> SerializeTuple: Tag::slice;
        serialize_tuple_struct(_: &'static str, _: usize) -> SerializeTupleStruct: Tag::slice;
        serialize_map(_: Option<usize>) -> SerializeMap: Tag::node;
        serialize_struct(_: &'static str, _: usize) -> SerializeStruct: Tag::node;
    }

    variants! {
        serialize_tuple_variant -> SerializeTupleVariant: Tag::slice;
        serialize_struct_variant -> SerializeStructVariant: Tag::node;
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<usize, Error> {
        write_text(self.encoder.into_writer(), self.key, value)
    }

    #[inline(always)]
    fn is_human_readable(&self) -> bool {
        false
    }
}
