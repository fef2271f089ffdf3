//! Packet: a packet to deserialize, with its remaining recursion budget.

use core::marker::PhantomData;

use ::serde::de::{Deserialize, DeserializeSeed};

use crate::read::packet::Packet;
use crate::read::packets::Packets;
use crate::serde::budget::Steps;
use crate::serde::error::Error;

#[inline(always)]
pub(in crate::serde) fn read<'de, T: Deserialize<'de>>(packet: Packet<'de>, steps: Steps) -> Result<T, Error> {
    PacketDeserializer { packet, steps }.seed(PhantomData)
}

/// Returns the result of reading a packet. If the result is an error, adds the packet's key to the path of the error.
#[inline(always)]
pub(super) fn within<T>(packet: Packet<'_>, done: Result<T, Error>) -> Result<T, Error> {
    done.map_err(|error| error.inside(packet.key(), packet.offset()))
}

#[derive(Clone, Copy)]
pub(super) struct PacketDeserializer<'de> {
    pub(super) packet: Packet<'de>,
    pub(super) steps: Steps,
}

impl<'de> PacketDeserializer<'de> {
    #[inline(always)]
    pub(super) fn seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        within(self.packet, seed.deserialize(self))
    }

    /// Returns the packets inside this packet.
    #[inline(always)]
    pub(super) fn enter(&self) -> Result<Packets<'de>, Error> {
        self.packet.items().map_err(Error::from)
    }

    /// Uses one of the remaining recursion steps and returns the same packet. The content of an option or a newtype has
    /// no packet of its own, so it is read from the same packet.
    #[inline(always)]
    pub(super) fn held(self) -> Result<Self, Error> {
        Ok(Self { steps: self.steps.step(self.packet.offset())?, ..self })
    }
}
