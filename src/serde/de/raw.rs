//! Raw: an undecoded packet, for a field of type `Packet`.
//!
//! In: a packet. Out: its offset, then its bytes.

use ::serde::de::value::{BorrowedBytesDeserializer, U64Deserializer};
use ::serde::de::{DeserializeSeed, SeqAccess};

use crate::read::packet::Packet;
use crate::serde::error::Error;

/// An undecoded packet: its offset, then its bytes.
pub(super) struct RawAccess<'de> {
    packet: Packet<'de>,
    offset: Option<u64>,
}

impl<'de> RawAccess<'de> {
    #[inline]
    pub(super) const fn new(packet: Packet<'de>) -> Self {
        Self { packet, offset: Some(packet.offset()) }
    }
}

impl<'de> SeqAccess<'de> for RawAccess<'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        match self.offset.take() {
            Some(offset) => seed.deserialize(U64Deserializer::new(offset)),
            None => seed.deserialize(BorrowedBytesDeserializer::new(self.packet.as_bytes())),
        }
        .map(Some)
    }
}
