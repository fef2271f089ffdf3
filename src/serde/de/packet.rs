//! Packet: a packet that is deserialized.
//!
//! In: a packet. Out: its decoded value, or the packets inside it.

use ::serde::de::Deserialize;

use crate::read::packet::Packet;
use crate::read::packets::Packets;
use crate::serde::budget::Steps;
use crate::serde::error::{Error, ErrorKind};
use crate::value::Decode;

/// Deserializes the value in a packet.
#[inline(always)]
pub(in crate::serde) fn read<'de, T: Deserialize<'de>>(packet: Packet<'de>, steps: Steps) -> Result<T, Error> {
    T::deserialize(PacketDeserializer { packet, steps }).map_err(|error| error.inside(packet.key(), packet.offset()))
}

/// A packet that is deserialized.
#[derive(Clone, Copy)]
pub(super) struct PacketDeserializer<'de> {
    pub(super) packet: Packet<'de>,
    pub(super) steps: Steps,
}

impl<'de> PacketDeserializer<'de> {
    pub(super) fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind).at(self.packet.offset())
    }

    /// The error for a number that does not fit the type.
    pub(super) fn out_of_range(&self) -> Error {
        Error::new(ErrorKind::Wire(crate::ErrorKind::InvalidValue)).at(self.packet.value_offset())
    }

    #[inline(always)]
    pub(super) fn decode<T: Decode<'de>>(&self) -> Result<T, Error> {
        self.packet.decode().map_err(Error::from)
    }

    /// The packets inside.
    #[inline(always)]
    pub(super) fn enter(&self) -> Result<Packets<'de>, Error> {
        self.packet.items().map_err(Error::from)
    }

    /// The same packet with integers as `PVarInt`.
    #[inline(always)]
    pub(super) fn pvar(self) -> Self {
        Self { packet: self.packet.pvar(), ..self }
    }

    /// The same packet, for the content of an option or a newtype.
    #[inline(always)]
    pub(super) fn held(self) -> Result<Self, Error> {
        Ok(Self { steps: self.steps.step(self.packet.offset())?, ..self })
    }
}
