//! Slice: the items of a sequence or a tuple.
//!
//! In: items. Out: the position after the closed slice.

use ::serde::ser::{Serialize, SerializeSeq, SerializeTuple, SerializeTupleStruct, SerializeTupleVariant};

use super::node::NodeSerializer;
use super::packet::PacketSerializer;
use crate::serde::error::Error;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::sink::Sink;

/// The open slice of a sequence or a tuple.
pub(super) struct SliceSerializer<'w, S>(NodeSerializer<'w, S>);

impl<'w, S: Sink> SliceSerializer<'w, S> {
    #[inline(always)]
    pub(super) fn open<const RAW: bool>(packet: PacketSerializer<'w, S, RAW>) -> Result<Self, Error> {
        let tag = Tag::slice(packet.key);
        NodeSerializer::open(packet, tag).map(Self)
    }

    /// The items of a tuple variant.
    #[inline]
    pub(super) fn of_variant<const RAW: bool>(
        packet: PacketSerializer<'w, S, RAW>,
        name: &'static str,
    ) -> Result<Self, Error> {
        NodeSerializer::of_variant(packet, name)?.inner(Tag::slice).map(Self)
    }

    #[inline(always)]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        // An absent item would shift the others.
        let Self(node) = self;
        node.write(Key::ITEM, value).map_err(|error| node.around(error))
    }
}

macro_rules! items {
    ($($trait:ident, $method:ident;)*) => {$(
        impl<S: Sink> $trait for SliceSerializer<'_, S> {
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
