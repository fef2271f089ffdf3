//! Ser: writes a value as one packet.
//!
//! In: the calls of a type's `Serialize`, a key and a writer. Out: a primitive, a node or a slice; for `None`, nothing.

mod key;
mod node;

use core::fmt::{self, Write as _};

use ::serde::ser::{Serialize, Serializer};

use self::node::NodeSerializer;
use super::budget::Steps;
use super::error::{Error, WIDE};
use super::impls::{PACKET, PVAR_INT};
use super::key::named;
use crate::error::ErrorKind;
use crate::read::packet::Packet;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;
use crate::write::writer::Writer;

/// Writes a value as one packet with that key and returns the position after it.
#[inline(always)]
pub(super) fn write<S: Sink, T: Serialize + ?Sized>(
    encoder: Encoder<'_, S>,
    steps: Steps,
    key: Key,
    value: &T,
) -> Result<usize, Error> {
    let start = encoder.position();
    let end = PacketSerializer::<'_, S> { encoder, key, steps }.write(value)?;
    present(start, end).map_err(|error| error.inside(key, start as u64))
}

/// The position after a value that must not be absent. A packet has at least two bytes, so a value that wrote none was
/// `None`.
#[inline(always)]
fn present(start: usize, end: usize) -> Result<usize, Error> {
    if end == start { Err(Error::new(ErrorKind::AbsentValue)) } else { Ok(end) }
}

/// Serializes a value as one packet and returns the position after it. A returned position stays in a register; one
/// written through a reference would be stored and loaded for each packet.
///
/// `RAW` means that the bytes to write are a whole packet, whose key is replaced.
struct PacketSerializer<'w, S, const RAW: bool = false> {
    encoder: Encoder<'w, S>,
    key: Key,
    steps: Steps,
}

impl<'w, S: Sink, const RAW: bool> PacketSerializer<'w, S, RAW> {
    /// Writes a value that may be absent and returns the position after it.
    #[inline(always)]
    fn write<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        let (key, start) = (self.key, self.encoder.position());
        value.serialize(self).map_err(|error| error.inside(key, start as u64))
    }

    /// Writes a packet of the same kind as `kind`, its value as it is.
    #[inline(always)]
    fn bytes(mut self, kind: Tag, value: &[u8]) -> Result<usize, Error> {
        self.encoder.like(self.key, kind, value)?;
        Ok(self.encoder.position())
    }

    /// Writes the content of an option or a newtype, which has no packet of its own. The content must not be absent: a
    /// reader would read the option or newtype around it as absent.
    #[inline(always)]
    fn held<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        let start = self.encoder.position();
        let steps = self.steps.step(start as u64)?;
        present(start, value.serialize(Self { steps, ..self })?)
    }

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

/// Writes a text as one primitive and returns the position after it. The length is stored at the end.
fn write_text<S: Sink, T: fmt::Display + ?Sized>(
    mut writer: Writer<'_, S>,
    key: Key,
    value: &T,
) -> Result<usize, Error> {
    let start = writer.open(Tag::primitive(key))?;
    let mut parts = Parts { writer: &mut writer, error: None };
    match (write!(parts, "{value}"), parts.error) {
        // The error's offset is that of the packet, not of the part that did not fit.
        (_, Some(kind)) => Err(Error::from(crate::Error::new(kind, start as u64))),
        (Err(fmt::Error), None) => Err(Error::new(ErrorKind::Refused)),
        (Ok(()), None) => {
            writer.close(start)?;
            Ok(writer.position())
        }
    }
}

/// Writes the parts of a text.
struct Parts<'e, 's, S> {
    writer: &'e mut Writer<'s, S>,
    error: Option<crate::ErrorKind>,
}

impl<S: Sink> fmt::Write for Parts<'_, '_, S> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.writer.append(part.as_bytes()).map_err(|error| {
            self.error = Some(error.kind());
            fmt::Error
        })
    }
}
