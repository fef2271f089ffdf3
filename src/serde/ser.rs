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
use crate::wire::integer::PVar;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;
use crate::write::value::Encode;

/// The encoder, and how many nodes may still be opened one in another.
pub(super) struct Writer<'s, S> {
    pub(super) encoder: Encoder<'s, S, true>,
    pub(super) depth: u8,
}

impl<S: Sink> Writer<'_, S> {
    /// Where the next packet begins.
    #[inline(always)]
    pub(super) const fn position(&self) -> usize {
        self.encoder.position()
    }

    /// Begins a node or slice: where it begins.
    #[inline(always)]
    pub(super) fn open(&mut self, tag: Tag) -> Result<usize, Error> {
        let Some(depth) = self.depth.checked_sub(1) else { return Err(Error::depth_limit(self.position() as u64)) };
        self.depth = depth;
        self.encoder.open(tag).map_err(Error::from)
    }

    /// Ends the node or slice that begins there.
    #[inline(always)]
    pub(super) fn close(&mut self, start: usize) -> Result<(), Error> {
        self.depth += 1;
        self.encoder.close(start).map_err(Error::from)
    }

    /// Writes a value as a packet with that key.
    #[inline(always)]
    pub(super) fn write<T: Serialize + ?Sized, const PVAR: bool>(&mut self, key: Key, value: &T) -> Result<(), Error> {
        let start = self.position();
        Place::<'_, '_, S, PVAR> { writer: self, key }.fill(value)?;
        // A packet takes two bytes at the least, so a value that took none was `None`.
        if self.position() == start { Err(Error::new(ErrorKind::Absent).inside(key, start as u64)) } else { Ok(()) }
    }
}

/// Where the next packet goes, and its key. Two words, so that it travels in registers; hence `WHOLE`, which says that the
/// bytes to come are a packet, of which only the key is another.
struct Place<'w, 's, S, const PVAR: bool, const WHOLE: bool = false> {
    writer: &'w mut Writer<'s, S>,
    key: Key,
}

impl<'w, 's, S: Sink, const PVAR: bool, const WHOLE: bool> Place<'w, 's, S, PVAR, WHOLE> {
    #[inline(always)]
    fn fill<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        let (key, start) = (self.key, self.writer.position());
        value.serialize(self).map_err(|error| error.inside(key, start as u64))
    }

    #[inline(always)]
    fn put(self, value: impl Encode) -> Result<(), Error> {
        self.writer.encoder.put(self.key.get(), value).map_err(Error::from)
    }

    #[inline(always)]
    fn node(self, tag: Tag) -> Result<Node<'w, 's, S, PVAR>, Error> {
        let start = self.writer.open(tag)?;
        Ok(Node { writer: self.writer, start, variant: None, claims: Claims::NONE, entry: Key::ITEM })
    }

    #[inline(always)]
    fn slice(self) -> Result<Items<'w, 's, S, PVAR>, Error> {
        let tag = Tag::slice(self.key);
        self.node(tag).map(Items)
    }

    /// The node that a variant's packet is alone in.
    #[inline]
    fn variant(self, name: &'static str) -> Result<Node<'w, 's, S, PVAR>, Error> {
        let (key, tag) = (named(name)?, Tag::node(self.key));
        let node = self.node(tag)?;
        Ok(Node { entry: key, ..node })
    }
}

/// A node that is open: a struct's, a map's or a variant's.
struct Node<'w, 's, S, const PVAR: bool> {
    writer: &'w mut Writer<'s, S>,
    start: usize,
    /// Where the variant's node around it begins, and the key in there.
    variant: Option<(usize, Key)>,
    claims: Claims,
    /// The key of the map's entry, or of the variant, whose value comes next.
    entry: Key,
}

impl<'s, S: Sink, const PVAR: bool> Node<'_, 's, S, PVAR> {
    #[inline(always)]
    fn place(&mut self, key: Key) -> Place<'_, 's, S, PVAR> {
        Place { writer: &mut *self.writer, key }
    }

    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        match self.claims.claim_named(name) {
            Ok(key) => self.place(key).fill(value).map_err(|error| around(error, self.variant, self.start)),
            Err(error) => Err(around(error, self.variant, self.start)),
        }
    }

    /// The struct or tuple inside a variant's node.
    #[inline]
    fn inner(self, tag: impl FnOnce(Key) -> Tag) -> Result<Self, Error> {
        let (outer, key, start) = (self.start, self.entry, self.writer.position() as u64);
        let place = Place::<'_, '_, S, PVAR> { writer: self.writer, key };
        let node = place.node(tag(key)).map_err(|error| error.inside(key, start))?;
        Ok(Node { variant: Some((outer, key)), ..node })
    }

    #[inline(always)]
    fn close(self) -> Result<(), Error> {
        self.writer.close(self.start)?;
        match self.variant {
            Some((outer, _)) => self.writer.close(outer),
            None => Ok(()),
        }
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
struct Items<'w, 's, S, const PVAR: bool>(Node<'w, 's, S, PVAR>);

impl<S: Sink, const PVAR: bool> Items<'_, '_, S, PVAR> {
    #[inline(always)]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        // An item that leaves no packet would shift the others, which writing so does not let pass.
        let Self(node) = self;
        let item = node.writer.write::<_, PVAR>(Key::ITEM, value);
        item.map_err(|error| around(error, node.variant, node.start))
    }
}

macro_rules! numbers {
    ($($method:ident: $type:ty as $wire:ty;)*) => {$(
        #[inline(always)]
        fn $method(self, number: $type) -> Result<(), Error> {
            let number = <$wire>::from(number);
            if PVAR { self.put(PVar(number)) } else { self.put(number) }
        }
    )*};
}

impl<'w, 's, S: Sink, const PVAR: bool, const WHOLE: bool> Serializer for Place<'w, 's, S, PVAR, WHOLE> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Items<'w, 's, S, PVAR>;
    type SerializeTuple = Items<'w, 's, S, PVAR>;
    type SerializeTupleStruct = Items<'w, 's, S, PVAR>;
    type SerializeTupleVariant = Items<'w, 's, S, PVAR>;
    type SerializeMap = Node<'w, 's, S, PVAR>;
    type SerializeStruct = Node<'w, 's, S, PVAR>;
    type SerializeStructVariant = Node<'w, 's, S, PVAR>;

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
    fn serialize_i128(self, _: i128) -> Result<(), Error> {
        Err(Error::new(ErrorKind::Unsupported("a number of 128 bits")))
    }

    #[cold]
    fn serialize_u128(self, _: u128) -> Result<(), Error> {
        Err(Error::new(ErrorKind::Unsupported("a number of 128 bits")))
    }

    #[inline(always)]
    fn serialize_f32(self, number: f32) -> Result<(), Error> {
        self.put(number)
    }

    #[inline(always)]
    fn serialize_f64(self, number: f64) -> Result<(), Error> {
        self.put(number)
    }

    #[inline(always)]
    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.put(value)
    }

    #[inline]
    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.put(&*value.encode_utf8(&mut [0; 4]))
    }

    #[inline(always)]
    fn serialize_str(self, text: &str) -> Result<(), Error> {
        self.put(text)
    }

    #[inline(always)]
    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        if WHOLE {
            let packet = Packet::from_slice(bytes)?;
            let tag = packet.tag().with_key(self.key);
            return self.writer.encoder.put_packet(tag, packet.value()).map_err(Error::from);
        }
        self.put(bytes)
    }

    #[inline(always)]
    fn serialize_none(self) -> Result<(), Error> {
        Ok(())
    }

    #[inline(always)]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<(), Error> {
        self.put([])
    }

    #[inline]
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.put([])
    }

    #[inline]
    fn serialize_unit_variant(self, _: &'static str, index: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_u32(key_of(variant).map_or(index, |key| u32::from(key.get())))
    }

    #[inline(always)]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), Error> {
        match name {
            PACKET => value.serialize(Place::<'_, '_, S, PVAR, true> { writer: self.writer, key: self.key }),
            PVAR_INT => value.serialize(Place::<'_, '_, S, true, WHOLE> { writer: self.writer, key: self.key }),
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
    ) -> Result<(), Error> {
        let node = self.variant(variant)?;
        node.writer.write::<_, PVAR>(node.entry, value)?;
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
    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        let start = self.writer.encoder.open(Tag::primitive(self.key))?;
        let mut parts = Parts { encoder: &mut self.writer.encoder, fault: None };
        match (write!(parts, "{value}"), parts.fault) {
            (_, Some(fault)) => Err(Error::from(fault)),
            (Err(fmt::Error), None) => Err(Error::new(ErrorKind::Custom)),
            (Ok(()), None) => parts.encoder.close(start).map_err(Error::from),
        }
    }

    #[inline(always)]
    fn is_human_readable(&self) -> bool {
        false
    }
}

/// A text on its way out in parts.
struct Parts<'e, 's, S> {
    encoder: &'e mut Encoder<'s, S, true>,
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
        impl<S: Sink, const PVAR: bool> $trait for Items<'_, '_, S, PVAR> {
            type Ok = ();
            type Error = Error;

            #[inline(always)]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.item(value)
            }

            #[inline(always)]
            fn end(self) -> Result<(), Error> {
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
        impl<S: Sink, const PVAR: bool> $trait for Node<'_, '_, S, PVAR> {
            type Ok = ();
            type Error = Error;

            #[inline(always)]
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
                self.field(name, value)
            }

            #[inline(always)]
            fn end(self) -> Result<(), Error> {
                self.close()
            }
        }
    )*};
}

fields! {
    SerializeStruct;
    SerializeStructVariant;
}

impl<S: Sink, const PVAR: bool> SerializeMap for Node<'_, '_, S, PVAR> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let position = self.writer.position() as u64;
        let key = key.serialize(MapKey).map_err(|error| error.at(position))?;
        if !self.claims.claim(key) {
            return Err(Error::new(ErrorKind::RepeatedKey(None)).inside(key, position));
        }
        self.entry = key;
        Ok(())
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.place(self.entry).fill(value)
    }

    #[inline]
    fn end(self) -> Result<(), Error> {
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
