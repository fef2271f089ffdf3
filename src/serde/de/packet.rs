//! Packet: one that a type is about to read.
//!
//! In: a packet. Out: its value decoded, or the packets inside it.

use ::serde::de::Deserialize;

use crate::read::packet::Packet;
use crate::read::packets::Packets;
use crate::read::value::Decode;
use crate::serde::budget::Budget;
use crate::serde::error::{Error, ErrorKind};
use crate::wire::integer::PVarInt;
use crate::wire::tag::Tag;

/// Reads the value in a packet.
#[inline(always)]
pub(in crate::serde) fn read<'de, T: Deserialize<'de>, const PVAR: bool>(
    packet: Packet<'de>,
    budget: Budget,
) -> Result<T, Error> {
    T::deserialize(PacketDeserializer::<PVAR> { packet, budget })
        .map_err(|error| error.inside(packet.key(), packet.offset()))
}

/// A packet that a type is about to read.
#[derive(Clone, Copy)]
pub(super) struct PacketDeserializer<'de, const PVAR: bool> {
    pub(super) packet: Packet<'de>,
    pub(super) budget: Budget,
}

impl<'de, const PVAR: bool> PacketDeserializer<'de, PVAR> {
    pub(super) fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind).at(self.packet.offset())
    }

    /// The number does not fit the type.
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

    /// The packets inside, and what is left of the budget there.
    #[inline(always)]
    pub(super) fn enter(&self) -> Result<(Packets<'de>, Budget), Error> {
        if !self.packet.is_node() {
            return Err(self.error(ErrorKind::Wire(crate::ErrorKind::NotANode)));
        }
        Ok((self.packet.children(), self.budget.node(self.packet.offset())?))
    }

    /// The same packet for what an option or a newtype holds.
    #[inline(always)]
    pub(super) fn held<const OTHER: bool>(self) -> Result<PacketDeserializer<'de, OTHER>, Error> {
        Ok(PacketDeserializer { packet: self.packet, budget: self.budget.step(self.packet.offset())? })
    }
}

/// Why a packet's value is not of that type: found out again, in words of its own, so that a value that is one needs to
/// keep nothing for it.
#[cold]
fn refused<'de, T: Decode<'de>>(value: &'de [u8], tag: Tag, end: u64) -> Error {
    match T::decode(value) {
        Err(error) if !tag.is_node() => error.rebased(end - value.len() as u64).into(),
        _ => Error::new(ErrorKind::NotAPrimitive),
    }
}
