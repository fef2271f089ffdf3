//! Node: writes the packets of a struct, a map, a variant, a sequence or a tuple.

use ::serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use super::key::KeySerializer;
use super::packet::{PacketSerializer, write};
use crate::error::ErrorKind;
use crate::read::keys::KeySet;
use crate::serde::budget::Steps;
use crate::serde::error::Error;
use crate::serde::key::claim_named;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

pub(super) struct NodeSerializer<'w, S> {
    encoder: Encoder<'w, S>,
    start: usize,
    /// The recursion steps that remain for values inside the node.
    steps: Steps,
    /// If the node is the content of a variant: the position of the enum's node around it, and the variant's key.
    variant: Option<(usize, Key)>,
    claims: KeySet,
    /// The key of the next value: the key of a map entry or of a variant.
    pub(super) entry: Key,
}

impl<'w, S: Sink> NodeSerializer<'w, S> {
    #[inline(always)]
    pub(super) fn open(mut encoder: Encoder<'w, S>, steps: Steps, tag: Tag) -> Result<Self, Error> {
        let start = encoder.position();
        encoder.enter(tag)?;
        Ok(NodeSerializer { encoder, start, steps, variant: None, claims: KeySet::EMPTY, entry: Key::ITEM })
    }

    /// Begins the node of an enum. This node contains one packet: the variant.
    pub(super) fn for_variant(self, entry: Key) -> Result<Self, Error> {
        Ok(NodeSerializer { entry, steps: self.steps.step(self.start as u64)?, ..self })
    }

    /// Begins the node or slice of a variant's content, inside the enum's node.
    pub(super) fn inner(self, tag: fn(Key) -> Tag) -> Result<Self, Error> {
        let (outer, key, start) = (self.start, self.entry, self.encoder.position() as u64);
        let node = Self::open(self.encoder, self.steps, tag(key)).map_err(|error| error.inside(key, start))?;
        Ok(NodeSerializer { variant: Some((outer, key)), ..node })
    }

    /// Writes a value. Returns an error if the value is `None`.
    #[inline(always)]
    pub(super) fn write<T: Serialize + ?Sized>(&mut self, key: Key, value: &T) -> Result<(), Error> {
        let end = write(self.encoder.nested(), self.steps, key, value)?;
        self.encoder.go_on_at(end);
        Ok(())
    }

    /// Writes a field, or nothing if the value is `None`. The field's name determines the key.
    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        // No `and_then`: its closure would become a separate function call if two fields have the same type.
        let done = match claim_named(&mut self.claims, name) {
            Ok(key) => {
                PacketSerializer::<'_, S> { encoder: self.encoder.nested(), key, steps: self.steps }.write(value)
            }
            Err(error) => Err(error),
        };
        self.encoder.go_on_at(done.map_err(|error| around(error, self.variant, self.start))?);
        Ok(())
    }

    /// Writes an item. `None` is an error, because a missing item would shift the other items.
    #[inline(always)]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.write(Key::ITEM, value).map_err(|error| around(error, self.variant, self.start))
    }

    #[inline(always)]
    pub(super) fn close(mut self) -> Result<usize, Error> {
        self.encoder.leave(self.start)?;
        if let Some((outer, _)) = self.variant {
            self.encoder.leave(outer)?;
        }
        Ok(self.encoder.position())
    }
}

/// Adds the variant's key to the path of an error if the node is the content of a variant.
///
/// The parameters are values and not a reference to the node, so the node can stay in registers.
#[cold]
fn around(error: Error, variant: Option<(usize, Key)>, start: usize) -> Error {
    match variant {
        Some((_, key)) => error.inside(key, start as u64),
        None => error,
    }
}

macro_rules! packets {
    ($($trait:ident, $method:ident($($name:ident: $type:ty)?) as $put:ident;)*) => {$(
        impl<S: Sink> $trait for NodeSerializer<'_, S> {
            type Ok = usize;
            type Error = Error;

            #[inline(always)]
            fn $method<T: Serialize + ?Sized>(&mut self, $($name: $type,)? value: &T) -> Result<(), Error> {
                self.$put($($name,)? value)
            }

            #[inline(always)]
            fn end(self) -> Result<usize, Error> {
                self.close()
            }
        }
    )*};
}

packets! {
    SerializeStruct, serialize_field(name: &'static str) as field;
    SerializeStructVariant, serialize_field(name: &'static str) as field;
    SerializeSeq, serialize_element() as item;
    SerializeTuple, serialize_element() as item;
    SerializeTupleStruct, serialize_field() as item;
    SerializeTupleVariant, serialize_field() as item;
}

impl<S: Sink> SerializeMap for NodeSerializer<'_, S> {
    type Ok = usize;
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let position = self.encoder.position() as u64;
        let key = key.serialize(KeySerializer { steps: self.steps, position }).map_err(|error| error.at(position))?;
        if !self.claims.claim(key) {
            return Err(Error::new(ErrorKind::RepeatedKey).inside(key, position));
        }
        self.entry = key;
        Ok(())
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        // `write` returns an error for `None`. Otherwise the entry would be lost.
        self.write(self.entry, value)
    }

    #[inline]
    fn end(self) -> Result<usize, Error> {
        self.close()
    }
}
