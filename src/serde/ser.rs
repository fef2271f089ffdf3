//! Ser: from a value to the one packet that it is.
//!
//! In: the calls of a type's `Serialize`, a key and an encoder. Out: a primitive, a node or a slice; for `None`, nothing.

use core::fmt::{self, Write as _};

use ::serde::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::error::{Error, ErrorKind};
use super::impls::{PACKET, PVAR_INT};
use super::key::{Claims, key_of, named};
use crate::read::packet::Packet;
use crate::wire::integer::PVarInt;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::sink::Sink;
use crate::write::value::Encode;
use crate::write::writer::Writer;

/// Writes a value as one packet with that key, with at most so many nodes one in another: the position behind it.
#[inline(always)]
pub(super) fn write<S: Sink, T: Serialize + ?Sized, const PVAR: bool>(
    encoder: Writer<'_, S>,
    depth: u8,
    key: Key,
    value: &T,
) -> Result<usize, Error> {
    let start = encoder.position();
    let end = Place::<'_, S, PVAR> { encoder, key, depth }.fill(value)?;
    // A packet takes two bytes at the least, so a value that took none was `None`.
    if end == start { Err(Error::new(ErrorKind::Absent).inside(key, start as u64)) } else { Ok(end) }
}

/// Where the next packet goes, and its key. What serializes there gives the position behind it: a position that is handed on
/// stays in a register, where one kept behind a reference is stored and loaded for each packet.
///
/// `WHOLE` says that the bytes to come are a packet, of which only the key is another.
struct Place<'w, S, const PVAR: bool, const WHOLE: bool = false> {
    encoder: Writer<'w, S>,
    key: Key,
    /// How many nodes may still be opened one in another.
    depth: u8,
}

impl<'w, S: Sink, const PVAR: bool, const WHOLE: bool> Place<'w, S, PVAR, WHOLE> {
    #[inline(always)]
    fn fill<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        let (key, start) = (self.key, self.encoder.position());
        value.serialize(self).map_err(|error| error.inside(key, start as u64))
    }

    #[inline(always)]
    fn put(mut self, value: impl Encode) -> Result<usize, Error> {
        self.encoder.put(self.key.get(), value)?;
        Ok(self.encoder.position())
    }

    #[inline(always)]
    fn node(mut self, tag: Tag) -> Result<Node<'w, S, PVAR>, Error> {
        let start = self.encoder.position();
        let Some(depth) = self.depth.checked_sub(1) else { return Err(Error::depth_limit(start as u64)) };
        self.encoder.open(tag)?;
        Ok(Node { encoder: self.encoder, start, depth, variant: None, claims: Claims::NONE, entry: Key::ITEM })
    }

    #[inline(always)]
    fn slice(self) -> Result<Items<'w, S, PVAR>, Error> {
        let tag = Tag::slice(self.key);
        self.node(tag).map(Items)
    }

    /// The node that a variant's packet is alone in.
    #[inline]
    fn variant(self, name: &'static str) -> Result<Node<'w, S, PVAR>, Error> {
        let (key, tag) = (named(name)?, Tag::node(self.key));
        let node = self.node(tag)?;
        Ok(Node { entry: key, ..node })
    }

    /// The same place for a value that goes there in another way.
    #[inline(always)]
    fn with<const OTHER: bool, const PACKET: bool>(self) -> Place<'w, S, OTHER, PACKET> {
        Place { encoder: self.encoder, key: self.key, depth: self.depth }
    }
}

/// A node that is open: a struct's, a map's or a variant's.
struct Node<'w, S, const PVAR: bool> {
    encoder: Writer<'w, S>,
    start: usize,
    /// How many nodes may still be opened one in another, in here.
    depth: u8,
    /// Where the variant's node around it begins, and the key in there.
    variant: Option<(usize, Key)>,
    claims: Claims,
    /// The key of the map's entry, or of the variant, whose value comes next.
    entry: Key,
}

impl<S: Sink, const PVAR: bool> Node<'_, S, PVAR> {
    /// Writes a value that may be absent.
    #[inline(always)]
    fn fill<T: Serialize + ?Sized>(&mut self, key: Key, value: &T) -> Result<(), Error> {
        let place = Place::<'_, S, PVAR> { encoder: self.encoder.nested(), key, depth: self.depth };
        let end = place.fill(value)?;
        self.encoder.go_on_at(end);
        Ok(())
    }

    /// Writes a value that may not.
    #[inline(always)]
    fn write<T: Serialize + ?Sized>(&mut self, key: Key, value: &T) -> Result<(), Error> {
        let end = write::<_, _, PVAR>(self.encoder.nested(), self.depth, key, value)?;
        self.encoder.go_on_at(end);
        Ok(())
    }

    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        let done = match self.claims.claim_named(name) {
            Ok(key) => self.fill(key, value),
            Err(error) => Err(error),
        };
        done.map_err(|error| around(error, self.variant, self.start))
    }

    /// The struct or tuple inside a variant's node.
    #[inline]
    fn inner(self, tag: impl FnOnce(Key) -> Tag) -> Result<Self, Error> {
        let (outer, key, start) = (self.start, self.entry, self.encoder.position() as u64);
        let place = Place::<'_, S, PVAR> { encoder: self.encoder, key, depth: self.depth };
        let node = place.node(tag(key)).map_err(|error| error.inside(key, start))?;
        Ok(Node { variant: Some((outer, key)), ..node })
    }

    #[inline(always)]
    fn close(mut self) -> Result<usize, Error> {
        self.encoder.close(self.start)?;
        if let Some((outer, _)) = self.variant {
            self.encoder.close(outer)?;
        }
        Ok(self.encoder.position())
    }
}

/// The error seen from outside of a variant's packet, if the node that begins at `start` is one.
#[cold]
fn around(error: Error, variant: Option<(usize, Key)>, start: usize) -> Error {
    match variant {
        Some((_, key)) => error.inside(key, start as u64),
        None => error,
    }
}

/// A slice that is open: a sequence's or a tuple's.
struct Items<'w, S, const PVAR: bool>(Node<'w, S, PVAR>);

impl<S: Sink, const PVAR: bool> Items<'_, S, PVAR> {
    #[inline(always)]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        // An item that leaves no packet would shift the others, which writing so does not let pass.
        let Self(node) = self;
        node.write(Key::ITEM, value).map_err(|error| around(error, node.variant, node.start))
    }
}

macro_rules! numbers {
    ($($method:ident: $type:ty as $wire:ty;)*) => {$(
        #[inline(always)]
        fn $method(self, number: $type) -> Result<usize, Error> {
            let number = <$wire>::from(number);
            if PVAR { self.put(PVarInt(number)) } else { self.put(number) }
        }
    )*};
}

impl<'w, S: Sink, const PVAR: bool, const WHOLE: bool> Serializer for Place<'w, S, PVAR, WHOLE> {
    type Ok = usize;
    type Error = Error;
    type SerializeSeq = Items<'w, S, PVAR>;
    type SerializeTuple = Items<'w, S, PVAR>;
    type SerializeTupleStruct = Items<'w, S, PVAR>;
    type SerializeTupleVariant = Items<'w, S, PVAR>;
    type SerializeMap = Node<'w, S, PVAR>;
    type SerializeStruct = Node<'w, S, PVAR>;
    type SerializeStructVariant = Node<'w, S, PVAR>;

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
        self.put(number)
    }

    #[inline(always)]
    fn serialize_f64(self, number: f64) -> Result<usize, Error> {
        self.put(number)
    }

    #[inline(always)]
    fn serialize_bool(self, value: bool) -> Result<usize, Error> {
        self.put(value)
    }

    #[inline]
    fn serialize_char(self, value: char) -> Result<usize, Error> {
        self.put(&*value.encode_utf8(&mut [0; 4]))
    }

    #[inline(always)]
    fn serialize_str(self, text: &str) -> Result<usize, Error> {
        let tag = Tag::primitive(self.key);
        self.encoder.put_packet(tag, text.as_bytes()).map_err(Error::from)
    }

    #[inline(always)]
    fn serialize_bytes(self, bytes: &[u8]) -> Result<usize, Error> {
        if WHOLE {
            let packet = Packet::from_slice(bytes)?;
            let tag = packet.tag().with_key(self.key);
            return self.encoder.put_packet(tag, packet.value()).map_err(Error::from);
        }
        let tag = Tag::primitive(self.key);
        self.encoder.put_packet(tag, bytes).map_err(Error::from)
    }

    #[inline(always)]
    fn serialize_none(self) -> Result<usize, Error> {
        Ok(self.encoder.position())
    }

    #[inline(always)]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<usize, Error> {
        self.put([])
    }

    #[inline]
    fn serialize_unit_struct(self, _: &'static str) -> Result<usize, Error> {
        self.put([])
    }

    #[inline]
    fn serialize_unit_variant(self, _: &'static str, index: u32, variant: &'static str) -> Result<usize, Error> {
        self.serialize_u32(key_of(variant).map_or(index, |key| u32::from(key.get())))
    }

    #[inline(always)]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<usize, Error> {
        match name {
            PACKET => value.serialize(self.with::<PVAR, true>()),
            PVAR_INT => value.serialize(self.with::<true, WHOLE>()),
            _ => value.serialize(self),
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
        let mut node = self.variant(variant)?;
        node.write(node.entry, value)?;
        node.close()
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        self.slice()
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
        self.slice()
    }

    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Error> {
        self.slice()
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        self.variant(variant)?.inner(Tag::slice).map(Items)
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
        let tag = Tag::node(self.key);
        self.node(tag)
    }

    #[inline(always)]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Error> {
        let tag = Tag::node(self.key);
        self.node(tag)
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        self.variant(variant)?.inner(Tag::node)
    }

    /// The text goes straight into the sink, part by part; its length follows at the end.
    fn collect_str<T: fmt::Display + ?Sized>(mut self, value: &T) -> Result<usize, Error> {
        let start = self.encoder.open(Tag::primitive(self.key))?;
        let mut parts = Parts { encoder: &mut self.encoder, fault: None };
        match (write!(parts, "{value}"), parts.fault) {
            (_, Some(fault)) => Err(Error::from(fault)),
            (Err(fmt::Error), None) => Err(Error::new(ErrorKind::Custom)),
            (Ok(()), None) => {
                self.encoder.close(start)?;
                Ok(self.encoder.position())
            }
        }
    }

    #[inline(always)]
    fn is_human_readable(&self) -> bool {
        false
    }
}

/// A text on its way out in parts.
struct Parts<'e, 's, S> {
    encoder: &'e mut Writer<'s, S>,
    fault: Option<crate::Error>,
}

impl<S: Sink> fmt::Write for Parts<'_, '_, S> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.encoder.append(part.as_bytes()).map_err(|fault| {
            self.fault = Some(fault);
            fmt::Error
        })
    }
}

macro_rules! items {
    ($($trait:ident, $method:ident;)*) => {$(
        impl<S: Sink, const PVAR: bool> $trait for Items<'_, S, PVAR> {
            type Ok = usize;
            type Error = Error;

            #[inline(always)]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.item(value)
            }

            #[inline(always)]
            fn end(self) -> Result<usize, Error> {
                self.0.close()
            }
        }
    )*};
}

items! {
    SerializeSeq, serialize_element;
    SerializeTuple, serialize_element;
    SerializeTupleStruct, serialize_field;
    SerializeTupleVariant, serialize_field;
}

macro_rules! fields {
    ($($trait:ident;)*) => {$(
        impl<S: Sink, const PVAR: bool> $trait for Node<'_, S, PVAR> {
            type Ok = usize;
            type Error = Error;

            #[inline(always)]
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
                self.field(name, value)
            }

            #[inline(always)]
            fn end(self) -> Result<usize, Error> {
                self.close()
            }
        }
    )*};
}

fields! {
    SerializeStruct;
    SerializeStructVariant;
}

impl<S: Sink, const PVAR: bool> SerializeMap for Node<'_, S, PVAR> {
    type Ok = usize;
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let position = self.encoder.position() as u64;
        let key = key.serialize(MapKey).map_err(|error| error.at(position))?;
        if !self.claims.claim(key) {
            return Err(Error::new(ErrorKind::RepeatedKey(None)).inside(key, position));
        }
        self.entry = key;
        Ok(())
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.fill(self.entry, value)
    }

    #[inline]
    fn end(self) -> Result<usize, Error> {
        self.close()
    }
}

/// A map's key: a number of 0..=63, or a name that says one.
struct MapKey;

impl MapKey {
    #[cold]
    fn refuse() -> Error {
        Error::new(ErrorKind::MapKey)
    }
}

macro_rules! map_keys {
    ($($method:ident: $type:ty;)*) => {$(
        #[inline]
        fn $method(self, number: $type) -> Result<Key, Error> {
            u8::try_from(number).ok().and_then(Key::new).ok_or_else(Self::refuse)
        }
    )*};
}

macro_rules! no_map_keys {
    ($($method:ident($($arg:ty),*) -> $ok:ty;)*) => {$(
        #[cold]
        fn $method(self, $(_: $arg),*) -> Result<$ok, Error> {
            Err(Self::refuse())
        }
    )*};
}

impl Serializer for MapKey {
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
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }

    #[inline]
    fn serialize_u8(self, number: u8) -> Result<Key, Error> {
        Key::new(number).ok_or_else(Self::refuse)
    }

    #[inline]
    fn serialize_str(self, name: &str) -> Result<Key, Error> {
        key_of(name).ok_or_else(Self::refuse)
    }

    #[inline]
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Key, Error> {
        named(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<Key, Error> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Key, Error> {
        value.serialize(self)
    }

    #[cold]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Key, Error> {
        Err(Self::refuse())
    }

    #[cold]
    fn collect_str<T: fmt::Display + ?Sized>(self, _: &T) -> Result<Key, Error> {
        Err(Self::refuse())
    }
}
