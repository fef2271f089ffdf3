//! Rest: the packets inside a struct's node that are not its fields.
//!
//! In: a node and the keys of the fields. Out: the other packets, unchanged, to read and to write back.

use core::fmt;

use super::error::{Cause, Error};
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::packets::{Packets, packets};

/// The packets whose keys no field of a struct has, borrowed from the input: a field `#[y3(rest)] unknown: Rest<'a>`.
///
/// They are written after the fields, in the order read; packets with the key of a field are left out. Cost: 40 bytes;
/// allocates never. A field of type `Vec<u8>` owns a copy of the packets, back to back.
///
/// # Examples
/// ```
/// use y3::record::Rest;
/// use y3::{FromPacket, ToPacket};
///
/// #[derive(FromPacket, ToPacket)]
/// struct Old<'a> {
///     #[y3(0x11)]
///     noise: u8,
///     #[y3(rest)]
///     newer: Rest<'a>,
/// }
///
/// let packet = [0x81, 0x06, 0x11, 0x01, 0x07, 0x12, 0x01, 0x2a];
/// let old = Old::from_slice(&packet).unwrap();
/// assert_eq!(old.newer.packets().next().unwrap().key(), 0x12);
/// assert_eq!(old.encode_to_slice(&mut [0; 16]).unwrap(), packet);
/// ```
#[derive(Clone)]
pub struct Rest<'a> {
    packets: Packets<'a>,
    fields: KeySet,
}

impl<'a> Rest<'a> {
    /// Packets, back to back, to write after the fields of a struct.
    ///
    /// # Errors
    /// An error in a header.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::record::Rest::new(&[0x12, 0x01, 0x2a])?.packets().count(), 1);
    /// assert!(y3::record::Rest::new(&[0x12, 0x01]).is_err());
    /// # Ok::<(), y3::record::Error>(())
    /// ```
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        let rest = packets(bytes);
        match rest.clone().find_map(Result::err) {
            Some(error) => Err(Error::outside(Cause::from(error))),
            None => Ok(Self { packets: rest, fields: KeySet::EMPTY }),
        }
    }

    /// The packets, in the order read.
    pub fn packets(&self) -> impl Iterator<Item = Packet<'a>> + use<'a> {
        let fields = self.fields;
        // All headers were read before, so there is no error.
        self.packets.clone().map_while(Result::ok).filter(move |packet| !fields.contains(packet.key()))
    }

    /// Whether there are no packets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.packets().next().is_none()
    }
}

/// No packets.
impl Default for Rest<'_> {
    fn default() -> Self {
        Self { packets: packets(&[]), fields: KeySet::EMPTY }
    }
}

/// Equal if both hold the same packets in the same order.
impl PartialEq for Rest<'_> {
    fn eq(&self, other: &Rest<'_>) -> bool {
        self.packets().map(|packet| packet.as_bytes()).eq(other.packets().map(|packet| packet.as_bytes()))
    }
}

impl Eq for Rest<'_> {}

impl fmt::Debug for Rest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.packets().map(|packet| packet.as_bytes())).finish()
    }
}

/// A type of a field `#[y3(rest)]` that can be read.
pub trait TakeRest<'a> {
    /// The packets inside a node, except those with the keys of `fields`. The headers of all were read before.
    fn take(node: Packet<'a>, fields: KeySet) -> Self;
}

/// A type of a field `#[y3(rest)]` that can be written.
pub trait PutRest {
    /// The packets.
    fn packets(&self) -> impl Iterator<Item = Packet<'_>>;
}

impl<'de: 'a, 'a> TakeRest<'de> for Rest<'a> {
    #[inline]
    fn take(node: Packet<'de>, fields: KeySet) -> Self {
        Self { packets: node.children(), fields }
    }
}

impl PutRest for Rest<'_> {
    fn packets(&self) -> impl Iterator<Item = Packet<'_>> {
        Rest::packets(self)
    }
}

/// A copy of the packets, back to back.
#[cfg(feature = "alloc")]
impl TakeRest<'_> for alloc::vec::Vec<u8> {
    fn take(node: Packet<'_>, fields: KeySet) -> Self {
        let mut bytes = Self::new();
        Rest::take(node, fields).packets().for_each(|packet| bytes.extend_from_slice(packet.as_bytes()));
        bytes
    }
}

/// The packets up to the first error.
#[cfg(feature = "alloc")]
impl PutRest for alloc::vec::Vec<u8> {
    fn packets(&self) -> impl Iterator<Item = Packet<'_>> {
        packets(self).map_while(Result::ok)
    }
}
