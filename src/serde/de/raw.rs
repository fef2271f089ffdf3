//! Raw: an undecoded packet, for a field of type `Packet`.
//!
//! In: a packet. Out: its offset, then its bytes.

use ::serde::de::value::{BorrowedBytesDeserializer, U64Deserializer};
use ::serde::de::{DeserializeSeed, SeqAccess};

use crate::read::packet::Packet;
use crate::serde::error::Error;

/// An undecoded packet, and its offset until that was read.
pub(super) struct Raw<'de>(pub(super) Packet<'de>, pub(super) Option<u64>);

impl<'de> SeqAccess<'de> for Raw<'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        match self.1.take() {
            Some(offset) => seed.deserialize(U64Deserializer::new(offset)),
            None => seed.deserialize(BorrowedBytesDeserializer::new(self.0.as_bytes())),
        }
        .map(Some)
    }
}
