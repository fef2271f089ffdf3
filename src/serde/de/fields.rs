//! Fields: reads the packets in a node as the fields of a struct, and skips packets with other keys.

use core::marker::PhantomData;

use ::serde::de::value::StrDeserializer;
use ::serde::de::{Deserialize, DeserializeSeed, MapAccess, Visitor};

use super::packet::{PacketDeserializer, within};
use crate::error::ErrorKind;
use crate::read::packet::Packet;
use crate::read::packets::Packets;
use crate::serde::budget::Steps;
use crate::serde::error::Error;
use crate::serde::key::Names;
use crate::wire::tag::Tag;

/// The packets in a node, which are read as the fields of a struct.
struct Fields<'de> {
    packets: Packets<'de>,
    steps: Steps,
    names: Names,
    /// True if the type has already received one unknown key. A type that denies unknown keys returns an error for this
    /// key. Any other type ignores it, so all further packets with unknown keys are skipped.
    unknown_given: bool,
    /// The packet whose key was read last. Its value is read next.
    value: Option<Packet<'de>>,
}

#[inline(always)]
pub(super) fn visit<'de, V: Visitor<'de>>(
    node: PacketDeserializer<'de>,
    names: &'static [&'static str],
    visitor: V,
) -> Result<V::Value, Error> {
    let (packets, steps, names) = (node.enter()?, node.steps, Names::new(names)?);
    visitor.visit_map(Fields { packets, steps, names, unknown_given: false, value: None })
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = Error;

    #[inline(always)]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let (keys, given) = (self.names.keys(), &mut self.unknown_given);
        let is_asked = |tag: Tag| keys.contains(tag.key()) || !core::mem::replace(given, true);
        match self.packets.next_with(is_asked) {
            None => Ok(None),
            Some(Ok(packet)) => {
                self.value = Some(packet);
                within(packet, seed.deserialize(StrDeserializer::new(self.names.name(packet.key()))).map(Some))
            }
            Some(Err(error)) => Err(error.into()),
        }
    }

    #[inline(always)]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let Some(packet) = self.value else { return Err(Error::new(ErrorKind::AbsentValue)) };
        PacketDeserializer { packet, steps: self.steps }.seed(seed)
    }

    // These methods repeat the provided methods. The compiler does not always inline the provided methods, and all of
    // `self` would then stay in memory.
    #[inline(always)]
    fn next_key<K: Deserialize<'de>>(&mut self) -> Result<Option<K>, Error> {
        self.next_key_seed(PhantomData)
    }

    #[inline(always)]
    fn next_value<T: Deserialize<'de>>(&mut self) -> Result<T, Error> {
        self.next_value_seed(PhantomData)
    }
}
