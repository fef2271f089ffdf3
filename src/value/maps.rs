//! Maps: nodes in which the key of each packet is a key of the map.

use super::inside::within;
use super::traits::{Decode, Derived, Encode, Shape, never_absent};
use crate::error::{Error, ErrorKind, Wanted};
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

/// A type that can be the key of a map, such as `u8` and [`Key`]. You can implement this trait for an enum whose
/// variants stand for keys.
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
    note = "use a sequence of pairs for a map with other keys: `Vec<(K, V)>`"
)]
pub trait MapKey: Sized {
    /// Returns the number of the packet key. If this number is above 63, writing the map returns
    /// [`InvalidKey`](ErrorKind::InvalidKey).
    fn number(&self) -> u8;

    /// Returns the map key for a packet key. If the result is `None`, reading the map returns
    /// [`UnexpectedKey`](ErrorKind::UnexpectedKey).
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

/// Writes a map as a node. Returns [`RepeatedKey`](ErrorKind::RepeatedKey) if two keys of the map have the same number.
fn encode<'m, S: Sink, K: MapKey + 'm, V: Encode + 'm>(
    entries: impl Iterator<Item = (&'m K, &'m V)>,
    key: Key,
    to: &mut Encoder<'_, S>,
) -> Result<(), Error> {
    const { never_absent(V::OPTIONAL) }
    let mut node = to.open(Tag::node(key))?;
    let mut keys = KeySet::EMPTY;
    for (key, value) in entries {
        let key = node.encoder.key(key.number())?;
        if !keys.claim(key) {
            let position = node.encoder.position() as u64;
            return Err(Error::naming(ErrorKind::RepeatedKey, position, Wanted::NUMBER, key.get()));
        }
        value.encode(key, &mut node.encoder)?;
    }
    node.close()
}

fn decode<'a, K: MapKey, V: Decode<'a>, M: FromIterator<(K, V)>>(packet: Packet<'a>) -> Result<M, Error> {
    const { never_absent(V::OPTIONAL) }
    let mut keys = KeySet::EMPTY;
    let entries = packet.items()?.map(|packet| {
        let packet = packet?;
        if !keys.claim(packet.key()) {
            return Err(Error::naming(ErrorKind::RepeatedKey, packet.offset(), Wanted::NUMBER, packet.key().get()));
        }
        let key = K::from_key(packet.key()).ok_or_else(|| Error::new(ErrorKind::UnexpectedKey, packet.offset()))?;
        Ok((key, within(packet, V::decode)?))
    });
    entries.collect()
}

macro_rules! maps {
    ($($(#[$only:meta])? [$($bound:tt)*] $type:ty $(, $hasher:ident: [$($of_hasher:tt)*])?;)*) => {$(
        /// Writes a node with one packet for each entry, in the order of the map.
        $(#[$only])?
        impl<K: MapKey, V: Encode $(, $hasher)?> Encode for $type {
            const ROOM: Derived<usize> = {
                never_absent(V::OPTIONAL);
                Derived(34)
            };
            const SHAPE: Shape = Shape::Map(|| V::SHAPE);

            fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
                encode(self.iter(), key, to)
            }
        }

        /// Reads a node with one packet for each entry.
        $(#[$only])?
        impl<'a, K: MapKey + $($bound)*, V: Decode<'a> $(, $hasher: $($of_hasher)*)?> Decode<'a> for $type {
            fn decode(packet: Packet<'a>) -> Result<Self, Error> {
                decode(packet)
            }
        }
    )*};
}

maps! {
    [Ord] alloc::collections::BTreeMap<K, V>;
    #[cfg(feature = "std")] [Eq + core::hash::Hash] std::collections::HashMap<K, V, H>,
        H: [core::hash::BuildHasher + Default];
}
