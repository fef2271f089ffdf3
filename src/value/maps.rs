//! Maps: nodes whose packets have the keys of the map.
//!
//! In: a map whose keys are 0..=63. Out: a node; and back.

use super::shape::Shape;
use super::{Decode, Encode};
use crate::error::{Error, ErrorKind};
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

/// A type of a map's keys: `u8` and [`Key`]; implement it for an enum whose variants are keys.
///
/// # Examples
/// ```
/// use std::collections::BTreeMap;
///
/// let bytes = y3::to_vec(0x01, &BTreeMap::from([(0x10u8, "a"), (0x3f, "b")]))?;
/// assert_eq!(bytes, [0x81, 0x06, 0x10, 0x01, 0x61, 0x3f, 0x01, 0x62]);
/// let error = y3::to_vec(0x01, &BTreeMap::from([(64u8, "a")])).unwrap_err();
/// assert_eq!(error.to_string(), "0x40 is above 0x3f, the highest key at byte 2");
/// # Ok::<(), y3::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a map: the keys of packets are 0x00 to 0x3f",
    label = "not a key from 0x00 to 0x3f",
    note = "a map with other keys is a sequence of pairs: `Vec<(K, V)>`"
)]
pub trait MapKey: Sized {
    /// The key's number. Above 63, writing the map is [`InvalidKey`](ErrorKind::InvalidKey).
    fn number(&self) -> u8;

    /// The value with this key; `None` is [`UnexpectedKey`](ErrorKind::UnexpectedKey).
    fn from_key(key: Key) -> Option<Self>;
}

impl MapKey for Key {
    fn number(&self) -> u8 {
        self.get()
    }

    fn from_key(key: Key) -> Option<Self> {
        Some(key)
    }
}

impl MapKey for u8 {
    fn number(&self) -> u8 {
        *self
    }

    fn from_key(key: Key) -> Option<Self> {
        Some(key.get())
    }
}

/// A key of the type's own `MapKey` may be there twice; that is refused when it is read.
fn encode<'m, S: Sink, K: MapKey + 'm, V: Encode + 'm>(
    entries: impl Iterator<Item = (&'m K, &'m V)>,
    key: Key,
    to: &mut Encoder<'_, S>,
) -> Result<(), Error> {
    const { assert!(!V::OPTIONAL, "an absent value would lose the entry") }
    let mut node = to.open(Tag::node(key))?;
    let mut keys = KeySet::EMPTY;
    for (key, value) in entries {
        let position = node.encoder.position() as u64;
        let number = key.number();
        let key = Key::new(number).ok_or_else(|| Error::of_key(number.into(), position))?;
        if keys.contains(key) {
            return Err(Error::of_number(ErrorKind::RepeatedKey, position, number.into()));
        }
        keys = keys.with(key);
        value.encode(key, &mut node.encoder)?;
    }
    node.close()
}

fn decode<'a, K: MapKey, V: Decode<'a>>(packet: Packet<'a>, mut insert: impl FnMut(K, V)) -> Result<(), Error> {
    const { assert!(!V::OPTIONAL, "an absent value would lose the entry") }
    let mut keys = KeySet::EMPTY;
    for packet in packet.items()? {
        let packet = packet?;
        if keys.contains(packet.key()) {
            return Err(Error::of_number(ErrorKind::RepeatedKey, packet.offset(), packet.key().get().into()));
        }
        keys = keys.with(packet.key());
        let Some(key) = K::from_key(packet.key()) else {
            return Err(Error::new(ErrorKind::UnexpectedKey, packet.offset()));
        };
        insert(key, V::decode(packet)?);
    }
    Ok(())
}

/// A node with a packet for each entry, in the order of the keys.
impl<K: MapKey, V: Encode> Encode for alloc::collections::BTreeMap<K, V> {
    const SHAPE: Shape = Shape::Map(|| V::SHAPE);

    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        encode(self.iter(), key, to)
    }
}

/// A node with a packet for each entry.
impl<'a, K: MapKey + Ord, V: Decode<'a>> Decode<'a> for alloc::collections::BTreeMap<K, V> {
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        let mut map = Self::new();
        decode(packet, |key, value| drop(map.insert(key, value)))?;
        Ok(map)
    }
}

/// A node with a packet for each entry, in the order of the map.
#[cfg(feature = "std")]
impl<K: MapKey, V: Encode, H> Encode for std::collections::HashMap<K, V, H> {
    const SHAPE: Shape = Shape::Map(|| V::SHAPE);

    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        encode(self.iter(), key, to)
    }
}

/// A node with a packet for each entry.
#[cfg(feature = "std")]
impl<'a, K, V, H> Decode<'a> for std::collections::HashMap<K, V, H>
where
    K: MapKey + Eq + core::hash::Hash,
    V: Decode<'a>,
    H: core::hash::BuildHasher + Default,
{
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        let mut map = Self::default();
        decode(packet, |key, value| drop(map.insert(key, value)))?;
        Ok(map)
    }
}
