//! Packet: a packet that is deserialized.
//!
//! In: a packet. Out: its decoded value, or the packets inside it.

use ::serde::de::Deserialize;

use crate::read::packet::Packet;
use crate::read::packets::Packets;
use crate::read::value::Decode;
use crate::serde::budget::Budget;
use crate::serde::error::{Error, ErrorKind};
use crate::wire::integer::PVarInt;
use crate::wire::tag::Tag;

/// Deserializes the value in a packet.
#[inline(always)]
pub(in crate::serde) fn read<'de, T: Deserialize<'de>, const PVAR: bool>(
    packet: Packet<'de>,
    budget: Budget,
) -> Result<T, Error> {
    T::deserialize(PacketDeserializer::<PVAR> { packet, budget })
        .map_err(|error| error.inside(packet.key(), packet.offset()))
}

/// A packet that is deserialized.
#[derive(Clone, Copy)]
pub(super) struct PacketDeserializer<'de, const PVAR: bool> {
    pub(super) packet: Packet<'de>,
    pub(super) budget: Budget,
}

impl<'de, const PVAR: bool> PacketDeserializer<'de, PVAR> {
    pub(super) fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind).at(self.packet.offset())
    }

    /// The error for a number that does not fit the type.
    pub(super) fn out_of_range(&self) -> Error {
        Error::new(ErrorKind::Wire(crate::ErrorKind::InvalidValue)).at(self.packet.value_offset())
    }

    #[inline(always)]
    pub(super) fn decode<T: Decode<'de>>(&self) -> Result<T, Error> {
        match T::decode(self.packet.value()) {
            Ok(value) if !self.packet.is_node() => Ok(value),
            _ => Err(refused::<T>(self.packet.value(), self.packet.tag(), self.packet.end())),
        }
    }

    #[inline(always)]
    pub(super) fn number<T: Decode<'de>>(&self) -> Result<T, Error>
    where
        PVarInt<T>: Decode<'de>,
    {
        if PVAR { self.decode::<PVarInt<T>>().map(|PVarInt(number)| number) } else { self.decode() }
    }

    /// The packets inside, and the budget that is left there.
    #[inline(always)]
    pub(super) fn enter(&self) -> Result<(Packets<'de>, Budget), Error> {
        if !self.packet.is_node() {
            return Err(self.error(ErrorKind::Wire(crate::ErrorKind::NotANode)));
        }
        Ok((self.packet.children(), self.budget.node(self.packet.offset())?))
    }

    /// The same packet, for the content of an option or a newtype.
    #[inline(always)]
    pub(super) fn held<const OTHER: bool>(self) -> Result<PacketDeserializer<'de, OTHER>, Error> {
        Ok(PacketDeserializer { packet: self.packet, budget: self.budget.step(self.packet.offset())? })
    }
}

/// Why a packet's value is not of that type. It decodes the value again, so that the path without an error need not keep
/// anything for it.
#[cold]
fn refused<'de, T: Decode<'de>>(value: &'de [u8], tag: Tag, end: u64) -> Error {
    match T::decode(value) {
        Err(error) if !tag.is_node() => error.rebased(end - value.len() as u64).into(),
        _ => Error::new(ErrorKind::NotAPrimitive),
    }
}
