//! Items: a node's packets as the items of a sequence or a tuple.
//!
//! In: a node. Out: its packets in order, with any keys.

use ::serde::de::{DeserializeSeed, SeqAccess, Visitor};

use super::packet::PacketDeserializer;
use crate::read::packets::Packets;
use crate::serde::budget::Steps;
use crate::serde::error::{Error, ErrorKind};

/// A node's packets as the items of a sequence.
pub(super) struct ItemAccess<'de> {
    packets: Packets<'de>,
    steps: Steps,
}

impl<'de> ItemAccess<'de> {
    #[inline(always)]
    pub(super) fn visit<V: Visitor<'de>>(node: PacketDeserializer<'de>, visitor: V) -> Result<V::Value, Error> {
        let (packets, steps) = (node.enter()?, node.steps);
        let mut items = Self { packets, steps };
        let value = visitor.visit_seq(&mut items)?;
        match items.packets.next() {
            None => Ok(value),
            Some(Ok(packet)) => {
                Err(Error::new(ErrorKind::Wire(crate::ErrorKind::ExtraItems)).inside(packet.key(), packet.offset()))
            }
            Some(Err(error)) => Err(error.into()),
        }
    }
}

impl<'de> SeqAccess<'de> for ItemAccess<'de> {
    type Error = Error;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        match self.packets.next() {
            None => Ok(None),
            Some(Ok(packet)) => {
                let value = PacketDeserializer { packet, steps: self.steps };
                seed.deserialize(value).map(Some).map_err(|error| error.inside(packet.key(), packet.offset()))
            }
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// Counts the packets that are there; declared lengths are not trusted.
    fn size_hint(&self) -> Option<usize> {
        Some(self.packets.clone().take_while(Result::is_ok).count())
    }
}
