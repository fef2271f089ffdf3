//! Node: the packets of a struct, a map or a variant.
//!
//! In: fields with their names, entries with their keys, the content of a variant. Out: the position after the closed
//! node.

use ::serde::ser::{Serialize, SerializeMap, SerializeStruct, SerializeStructVariant};

use super::key::KeySerializer;
use super::packet::{PacketSerializer, write};
use crate::serde::budget::Steps;
use crate::serde::error::{Error, ErrorKind};
use crate::serde::key::{Claims, named};
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

/// The open node of a struct, a map or a variant.
pub(super) struct NodeSerializer<'w, S> {
    encoder: Encoder<'w, S>,
    start: usize,
    /// The budget that is left inside the node.
    steps: Steps,
    /// For the content of a variant: where the enum's node around it begins, and the variant's key.
    variant: Option<(usize, Key)>,
    claims: Claims,
    /// The key of the map's entry or of the variant whose value comes next.
    pub(super) entry: Key,
}

impl<'w, S: Sink> NodeSerializer<'w, S> {
    #[inline(always)]
    pub(super) fn open<const RAW: bool>(mut packet: PacketSerializer<'w, S, RAW>, tag: Tag) -> Result<Self, Error> {
        let start = packet.encoder.position();
        packet.encoder.enter(tag)?;
        Ok(NodeSerializer {
            encoder: packet.encoder,
            start,
            steps: packet.steps,
            variant: None,
            claims: Claims::NONE,
            entry: Key::ITEM,
        })
    }

    /// The node of an enum, which holds one packet: the variant.
    #[inline]
    pub(super) fn of_variant<const RAW: bool>(
        packet: PacketSerializer<'w, S, RAW>,
        name: &'static str,
    ) -> Result<Self, Error> {
        let (key, tag) = (named(name)?, Tag::node(packet.key));
        let node = Self::open(packet, tag)?;
        let steps = node.steps.step(node.start as u64)?;
        Ok(NodeSerializer { entry: key, steps, ..node })
    }

    /// Writes a value that may be absent.
    #[inline(always)]
    fn write_optional<T: Serialize + ?Sized>(&mut self, key: Key, value: &T) -> Result<(), Error> {
        let packet = PacketSerializer::<'_, S> { encoder: self.encoder.nested(), key, steps: self.steps };
        let end = packet.serialize(value)?;
        self.encoder.go_on_at(end);
        Ok(())
    }

    /// Writes a value that may not be absent.
    #[inline(always)]
    pub(super) fn write<T: Serialize + ?Sized>(&mut self, key: Key, value: &T) -> Result<(), Error> {
        let end = write(self.encoder.nested(), self.steps, key, value)?;
        self.encoder.go_on_at(end);
        Ok(())
    }

    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        let done = match self.claims.claim_named(name) {
            Ok(key) => self.write_optional(key, value),
            Err(error) => Err(error),
        };
        done.map_err(|error| self.around(error))
    }

    /// The struct or tuple inside an enum's node.
    #[inline]
    pub(super) fn inner(self, tag: impl FnOnce(Key) -> Tag) -> Result<Self, Error> {
        let (outer, key, start) = (self.start, self.entry, self.encoder.position() as u64);
        let content = PacketSerializer::<'_, S> { encoder: self.encoder, key, steps: self.steps };
        let node = Self::open(content, tag(key)).map_err(|error| error.inside(key, start))?;
        Ok(NodeSerializer { variant: Some((outer, key)), ..node })
    }

    /// Adds the variant's key to the path of an error, if this node is the content of a variant.
    #[inline(always)]
    pub(super) fn around(&self, error: Error) -> Error {
        around(error, self.variant, self.start)
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

/// Takes values, not a reference to the node, so that the node can stay in registers.
#[cold]
fn around(error: Error, variant: Option<(usize, Key)>, start: usize) -> Error {
    match variant {
        Some((_, key)) => error.inside(key, start as u64),
        None => error,
    }
}

macro_rules! fields {
    ($($trait:ident;)*) => {$(
        impl<S: Sink> $trait for NodeSerializer<'_, S> {
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

impl<S: Sink> SerializeMap for NodeSerializer<'_, S> {
    type Ok = usize;
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let position = self.encoder.position() as u64;
        let key = key.serialize(KeySerializer { steps: self.steps, position }).map_err(|error| error.at(position))?;
        if !self.claims.claim(key) {
            return Err(Error::new(ErrorKind::Wire(crate::ErrorKind::RepeatedKey)).inside(key, position));
        }
        self.entry = key;
        Ok(())
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        // An absent value would lose the entry.
        self.write(self.entry, value)
    }

    #[inline]
    fn end(self) -> Result<usize, Error> {
        self.close()
    }
}
