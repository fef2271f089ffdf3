//! Siblings: packets with some keys among their siblings, and the first child of a node with a key.
//!
//! In: packets and keys. Out: the packets with those keys; the others are jumped over.

use core::iter::FusedIterator;

use super::keys::KeySet;
use super::packet::Packet;
use super::packets::{Packets, packets};
use crate::error::Error;
use crate::value::Decode;
use crate::wire::key::Key;

impl KeySet {
    /// The packets with these keys in a buffer of packets back to back; [`Packets::watch`] does the same inside a node.
    ///
    /// Cost: one jump per packet; allocates never. Bytes inside the packets that are jumped over are not read, so an error
    /// there goes unnoticed; [`check`](crate::check) finds it.
    #[must_use]
    #[inline]
    pub fn watch(self, bytes: &[u8]) -> impl FusedIterator<Item = Result<Packet<'_>, Error>> + Clone {
        packets(bytes).watch(self)
    }
}

#[derive(Clone)]
struct WatchKeys<'a> {
    packets: Packets<'a>,
    keys: KeySet,
}

impl<'a> Iterator for WatchKeys<'a> {
    type Item = Result<Packet<'a>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let keys = self.keys;
        self.packets.next_with(|tag| keys.contains(tag.key()))
    }
}

impl FusedIterator for WatchKeys<'_> {}

impl<'a> Packets<'a> {
    /// Only the packets with a key in the set; the others are jumped over.
    #[must_use]
    #[inline]
    pub fn watch(self, keys: KeySet) -> impl FusedIterator<Item = Result<Packet<'a>, Error>> + Clone {
        WatchKeys { packets: self, keys }
    }
}

impl<'a> Packet<'a> {
    /// The first packet with that key directly inside a node; `None` if there is none.
    ///
    /// Cost: one jump for each packet before it; packets after it are not read.
    ///
    /// # Errors
    /// [`InvalidKey`](crate::ErrorKind::InvalidKey) if `key` is above 63, [`NotANode`](crate::ErrorKind::NotANode) for a primitive, and
    /// the errors of [`packets`](crate::packets) up to that packet.
    ///
    /// # Examples
    /// ```
    /// let node = y3::Packet::from_slice(&[0x81, 0x06, 0x02, 0x01, 0x07, 0x02, 0x01, 0x08])?;
    /// assert_eq!(node.find(0x02)?.unwrap().value(), [0x07]);
    /// assert_eq!(node.find(0x03)?, None);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[inline]
    pub fn find(&self, key: u8) -> Result<Option<Packet<'a>>, Error> {
        let Some(key) = Key::new(key) else { return Err(Error::of_key(key.into(), self.offset())) };
        self.children().watch(key.into()).next().transpose()
    }

    /// The value of the first packet with that key directly inside a node; `None` if there is no such packet.
    ///
    /// Cost: that of [`find`](Self::find) and of [`decode`](Self::decode).
    ///
    /// # Errors
    /// Those of [`find`](Self::find), and of [`decode`](Self::decode) if the value is not of that type.
    ///
    /// # Examples
    /// ```
    /// let node = y3::Packet::from_slice(&[0x81, 0x06, 0x02, 0x01, 0x07, 0x03, 0x01, 0xff])?;
    /// assert_eq!(node.get::<i32>(0x02)?, Some(7));
    /// assert_eq!(node.get::<i32>(0x04)?, None);
    /// assert_eq!(node.get::<bool>(0x03).unwrap_err().offset(), 7);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[inline]
    pub fn get<T: Decode<'a>>(&self, key: u8) -> Result<Option<T>, Error> {
        self.find(key)?.map(T::decode).transpose()
    }
}
