//! Map: a node's packets as the entries of a map.
//!
//! In: a node. Out: its packets in order, each with its key.

use ::serde::de::{DeserializeSeed, MapAccess, Visitor};

use super::key::KeyDeserializer;
use super::packet::PacketDeserializer;
use crate::read::packet::Packet;
use crate::read::packets::Packets;
use crate::serde::budget::Steps;
use crate::serde::error::{Error, ErrorKind};
use crate::serde::key::Claims;

/// A node's packets as the entries of a map.
pub(super) struct EntryAccess<'de> {
    packets: Packets<'de>,
    steps: Steps,
    claims: Claims,
    /// The packet whose key was read and whose value comes next.
    value: Option<Packet<'de>>,
}

impl<'de> EntryAccess<'de> {
    #[inline]
    pub(super) fn visit<V: Visitor<'de>>(node: PacketDeserializer<'de>, visitor: V) -> Result<V::Value, Error> {
        let (packets, steps) = (node.enter()?, node.steps);
        visitor.visit_map(Self { packets, steps, claims: Claims::NONE, value: None })
    }
}

impl<'de> MapAccess<'de> for EntryAccess<'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(packet) = self.packets.next().transpose()? else { return Ok(None) };
        self.value = Some(packet);
        if !self.claims.claim(packet.key()) {
            return Err(
                Error::new(ErrorKind::Wire(crate::ErrorKind::RepeatedKey)).inside(packet.key(), packet.offset())
            );
        }
        let key = KeyDeserializer { key: packet.key(), steps: self.steps, offset: packet.offset() };
        seed.deserialize(key).map(Some).map_err(|error| error.inside(packet.key(), packet.offset()))
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let packet = self.value.ok_or_else(|| Error::new(ErrorKind::Wire(crate::ErrorKind::AbsentValue)))?;
        seed.deserialize(PacketDeserializer { packet, steps: self.steps })
            .map_err(|error| error.inside(packet.key(), packet.offset()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.packets.clone().take_while(Result::is_ok).count())
    }
}
