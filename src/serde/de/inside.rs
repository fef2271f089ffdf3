//! Inside: reads the packets in a node as items of a sequence or tuple, or as entries of a map. Also reads undecoded
//! packets.

use ::serde::de::value::{BorrowedBytesDeserializer, U64Deserializer};
use ::serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::key::KeyDeserializer;
use super::packet::{PacketDeserializer, within};
use crate::error::ErrorKind;
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::packets::Packets;
use crate::serde::budget::Steps;
use crate::serde::error::Error;

pub(super) struct Inside<'de> {
    packets: Packets<'de>,
    steps: Steps,
    claims: KeySet,
    /// The packet whose key was read last. Its value is read next.
    value: Option<Packet<'de>>,
}

impl<'de> Inside<'de> {
    #[inline(always)]
    pub(super) fn of(node: PacketDeserializer<'de>) -> Result<Self, Error> {
        Ok(Self { packets: node.enter()?, steps: node.steps, claims: KeySet::EMPTY, value: None })
    }

    /// Counts the packets that are present. A declared length is not trusted.
    fn count(&self) -> usize {
        self.packets.clone().take_while(Result::is_ok).count()
    }
}

/// Reads all items of a sequence or a tuple.
#[inline(always)]
pub(super) fn visit_items<'de, V: Visitor<'de>>(node: PacketDeserializer<'de>, visitor: V) -> Result<V::Value, Error> {
    let mut items = Inside::of(node)?;
    let value = visitor.visit_seq(&mut items)?;
    match items.packets.next().transpose()? {
        None => Ok(value),
        Some(packet) => within(packet, Err(Error::new(ErrorKind::ExtraItems))),
    }
}

impl<'de> SeqAccess<'de> for Inside<'de> {
    type Error = Error;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        match self.packets.next() {
            None => Ok(None),
            Some(Ok(packet)) => PacketDeserializer { packet, steps: self.steps }.seed(seed).map(Some),
            Some(Err(error)) => Err(error.into()),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.count())
    }
}

impl<'de> MapAccess<'de> for Inside<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(packet) = self.packets.next().transpose()? else { return Ok(None) };
        self.value = Some(packet);
        if !self.claims.claim(packet.key()) {
            return within(packet, Err(Error::new(ErrorKind::RepeatedKey)));
        }
        let key = KeyDeserializer { key: packet.key(), steps: self.steps, offset: packet.offset() };
        within(packet, seed.deserialize(key).map(Some))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let Some(packet) = self.value else { return Err(Error::new(ErrorKind::AbsentValue)) };
        PacketDeserializer { packet, steps: self.steps }.seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.count())
    }
}

/// An undecoded packet and its offset. The offset becomes `None` after the type has read it.
pub(super) struct Raw<'de>(pub(super) Packet<'de>, pub(super) Option<u64>);

impl<'de> SeqAccess<'de> for Raw<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        match self.1.take() {
            Some(offset) => seed.deserialize(U64Deserializer::new(offset)),
            None => seed.deserialize(BorrowedBytesDeserializer::new(self.0.as_bytes())),
        }
        .map(Some)
    }
}
