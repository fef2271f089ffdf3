//! Unknown fields: the packets inside a struct's node that are not fields of the struct. They can be read and written
//! back unchanged.

use core::fmt;

use crate::error::Error;
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::packets::{Packets, packets};
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

/// The packets with unknown keys in a struct's node, borrowed from the input. To collect these packets, declare a field
/// `#[y3(rest)] unknown: UnknownFields<'a>` in the struct.
///
/// When the struct is written, these packets follow after the fields, in the order in which they were read. A packet
/// with the key of a field is not written. Cost: 40 bytes, no allocation. To own a copy of the packets instead, declare
/// the field as a `Vec<u8>`.
///
/// # Examples
/// ```
/// # #[cfg(all(feature = "alloc", feature = "derive"))] {
/// use y3::value::UnknownFields;
/// use y3::{Decode, Encode};
///
/// #[derive(Decode, Encode)]
/// struct Old<'a> {
///     #[y3(0x11)]
///     noise: u8,
///     #[y3(rest)]
///     newer: UnknownFields<'a>,
/// }
///
/// let packet = [0x81, 0x06, 0x11, 0x01, 0x07, 0x12, 0x01, 0x2a];
/// let old: Old = y3::decode(&packet)?;
/// assert_eq!(old.newer.packets().next().unwrap()?.key(), 0x12);
/// assert_eq!(y3::to_vec(0x01, &old)?, packet);
/// # }
/// # Ok::<(), y3::Error>(())
/// ```
#[derive(Clone)]
pub struct UnknownFields<'a> {
    packets: Packets<'a>,
    fields: KeySet,
}

impl<'a> UnknownFields<'a> {
    /// Makes unknown fields from the bytes of any number of packets. The struct writes these packets after its fields.
    ///
    /// # Errors
    /// Returns the error of the first invalid header.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::value::UnknownFields::new(&[0x12, 0x01, 0x2a])?.packets().count(), 1);
    /// assert!(y3::value::UnknownFields::new(&[0x12, 0x01]).is_err());
    /// # Ok::<(), y3::Error>(())
    /// ```
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        let packets = packets(bytes);
        packets.clone().try_for_each(|packet| packet.map(drop))?;
        Ok(Self { packets, fields: KeySet::EMPTY })
    }

    /// Iterates over the packets in the order in which they were read. If the value was read from a struct's node, all
    /// headers are valid and no item is an error.
    pub fn packets(&self) -> impl Iterator<Item = Result<Packet<'a>, Error>> + use<'a> {
        let fields = self.fields;
        let is_field = move |packet: &Packet<'_>| fields.contains(packet.key());
        self.packets.clone().filter(move |packet| !packet.as_ref().is_ok_and(is_field))
    }

    fn bytes(&self) -> impl Iterator<Item = Result<&'a [u8], Error>> + use<'a> {
        self.packets().map(|packet| packet.map(|packet| packet.as_bytes()))
    }
}

/// Makes a value that contains no packets.
impl Default for UnknownFields<'_> {
    fn default() -> Self {
        Self { packets: packets(&[]), fields: KeySet::EMPTY }
    }
}

/// Two values are equal if they contain the same packets in the same order.
impl PartialEq for UnknownFields<'_> {
    fn eq(&self, other: &UnknownFields<'_>) -> bool {
        self.bytes().eq(other.bytes())
    }
}

impl Eq for UnknownFields<'_> {}

impl fmt::Debug for UnknownFields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.bytes()).finish()
    }
}

/// The types that a `#[y3(rest)]` field can have.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot store the unknown packets of a struct",
    label = "not a `y3::value::UnknownFields`",
    note = "a field with `#[y3(rest)]` has the type `y3::value::UnknownFields<'_>`, or `Vec<u8>` for a copy"
)]
pub trait RestField<'a>: Sized {
    /// Reads the packets inside a node, except those with keys in `fields`.
    fn read(packet: Packet<'a>, fields: KeySet) -> Result<Self, Error>;

    /// Writes the packets, except those with keys in `fields`.
    fn write<S: Sink>(&self, to: &mut Encoder<'_, S>, fields: KeySet) -> Result<(), Error>;
}

impl<'de: 'a, 'a> RestField<'de> for UnknownFields<'a> {
    #[inline]
    fn read(packet: Packet<'de>, fields: KeySet) -> Result<Self, Error> {
        Ok(UnknownFields { packets: packet.items()?, fields })
    }

    #[inline]
    fn write<S: Sink>(&self, to: &mut Encoder<'_, S>, fields: KeySet) -> Result<(), Error> {
        let others = Self { packets: self.packets.clone(), fields: self.fields.or(fields) };
        others.packets().try_for_each(|packet| {
            let packet = packet.map_err(|error| to.error(error.kind()))?;
            to.like(packet.key(), packet.tag(), packet.value())
        })
    }
}

/// Stores a copy of the packets as bytes, one packet after the other. Writing returns an error if the bytes are not
/// packets.
#[cfg(feature = "alloc")]
impl<'a> RestField<'a> for alloc::vec::Vec<u8> {
    fn read(packet: Packet<'a>, fields: KeySet) -> Result<Self, Error> {
        let mut copy = Self::new();
        for bytes in UnknownFields::read(packet, fields)?.bytes() {
            copy.extend_from_slice(bytes?);
        }
        Ok(copy)
    }

    fn write<S: Sink>(&self, to: &mut Encoder<'_, S>, fields: KeySet) -> Result<(), Error> {
        UnknownFields::new(self).map_err(|error| to.error(error.kind()))?.write(to, fields)
    }
}
