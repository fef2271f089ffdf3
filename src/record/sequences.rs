//! Sequences and maps as packets: slices, byte strings, nodes with integer keys.
//!
//! In: a collection of values. Out: one packet, and back.

use super::bound::Bound;
use super::error::Cause;
#[cfg(feature = "alloc")]
use super::error::ErrorKind;
use super::from_packet::FromPacket;
use super::place::{Place, Written};
use super::source::Source;
use super::to_packet::ToPacket;
use crate::error::Error;
#[cfg(feature = "alloc")]
use crate::read::keys::KeySet;
#[cfg(feature = "alloc")]
use crate::wire::key::Key;
use crate::write::sink::Sink;

/// A slice, or for bytes a byte string.
impl<T: ToPacket> ToPacket for [T] {
    #[inline(always)]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        T::write_sequence(self, place)
    }
}

/// A slice, or for bytes a byte string.
impl<T: ToPacket, const N: usize> ToPacket for [T; N] {
    const BOUND: Bound = T::ITEM.times(N).packet();

    #[inline(always)]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        T::write_sequence(self, place)
    }
}

/// Exactly `N` items of a node, or `N` bytes of a byte string. An array is filled in place, so its items need a default.
impl<'a, T: FromPacket<'a> + Default, const N: usize> FromPacket<'a> for [T; N] {
    #[inline]
    fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
        T::read_array(source)
    }
}

/// A slice, or for bytes a byte string.
#[cfg(feature = "alloc")]
impl<T: ToPacket> ToPacket for alloc::vec::Vec<T> {
    #[inline(always)]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        T::write_sequence(self, place)
    }
}

/// All items of a node, or the bytes of a byte string.
#[cfg(feature = "alloc")]
impl<'a, T: FromPacket<'a>> FromPacket<'a> for alloc::vec::Vec<T> {
    #[inline]
    fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
        T::read_vec(source)
    }

    #[inline]
    fn read_in_order<const PVAR: bool>(source: Source<'a, PVAR>) -> Option<Self> {
        T::read_vec_in_order(source)
    }
}

/// A type of map keys: integers, or other values that stand for the keys 0..=63.
#[cfg(feature = "alloc")]
pub trait MapKey: Sized {
    /// The key of a value, or `None` if it has none: writing it is [`InvalidKey`](crate::ErrorKind::InvalidKey).
    fn to_key(&self) -> Option<Key>;

    /// The value of a key, or `None` if it has none: reading it is [`MapKey`](ErrorKind::MapKey).
    fn from_key(key: Key) -> Option<Self>;
}

#[cfg(feature = "alloc")]
impl MapKey for Key {
    fn to_key(&self) -> Option<Key> {
        Some(*self)
    }

    fn from_key(key: Key) -> Option<Self> {
        Some(key)
    }
}

#[cfg(feature = "alloc")]
macro_rules! map_keys {
    ($($type:ty)*) => {$(
        impl MapKey for $type {
            fn to_key(&self) -> Option<Key> {
                u8::try_from(*self).ok().and_then(Key::new)
            }

            fn from_key(key: Key) -> Option<Self> {
                Self::try_from(key.get()).ok()
            }
        }
    )*};
}

#[cfg(feature = "alloc")]
map_keys! { u8 i8 u16 i16 u32 i32 u64 i64 }

/// Writes the entries of a map; a duplicate key is an error.
#[cfg(feature = "alloc")]
fn write_map<'m, S: Sink, K: MapKey + 'm, V: ToPacket + 'm, const PVAR: bool>(
    entries: impl Iterator<Item = (&'m K, &'m V)>,
    place: Place<'_, S, PVAR>,
) -> Result<Written, Error> {
    let mut node = place.node()?;
    let mut keys = KeySet::EMPTY;
    for (key, value) in entries {
        let Some(key) = key.to_key().filter(|key| !keys.contains(*key)) else { return Err(node.invalid_key()) };
        keys = keys.with(key);
        node.entry(key, value)?;
    }
    node.close()
}

/// Reads the entries of a map; a duplicate key is an error.
#[cfg(feature = "alloc")]
fn read_map<'a, K: MapKey, V: FromPacket<'a>, const PVAR: bool>(
    source: Source<'a, PVAR>,
    mut insert: impl FnMut(K, V),
) -> Result<(), Cause> {
    let mut keys = KeySet::EMPTY;
    let mut sources = source.items()?;
    while let Some(source) = sources.next_source()? {
        let key = source.packet().key();
        if keys.contains(key) {
            return Err(source.error(ErrorKind::RepeatedKey));
        }
        keys = keys.with(key);
        let key = K::from_key(key).ok_or_else(|| source.error(ErrorKind::MapKey))?;
        insert(key, V::read(source)?);
    }
    Ok(())
}

/// A node with one packet per entry, in the order of the map's keys.
#[cfg(feature = "alloc")]
impl<K: MapKey, V: ToPacket> ToPacket for alloc::collections::BTreeMap<K, V> {
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        write_map(self.iter(), place)
    }
}

/// A node whose packets are the entries.
#[cfg(feature = "alloc")]
impl<'a, K: MapKey + Ord, V: FromPacket<'a>> FromPacket<'a> for alloc::collections::BTreeMap<K, V> {
    fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
        let mut map = Self::new();
        read_map(source, |key, value| drop(map.insert(key, value)))?;
        Ok(map)
    }
}

/// A node with one packet per entry, in the map's order, which differs from run to run.
#[cfg(feature = "std")]
impl<K: MapKey, V: ToPacket, H> ToPacket for std::collections::HashMap<K, V, H> {
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        write_map(self.iter(), place)
    }
}

/// A node whose packets are the entries.
#[cfg(feature = "std")]
impl<'a, K, V, H> FromPacket<'a> for std::collections::HashMap<K, V, H>
where
    K: MapKey + Eq + core::hash::Hash,
    V: FromPacket<'a>,
    H: core::hash::BuildHasher + Default,
{
    fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
        let mut map = Self::default();
        read_map(source, |key, value| drop(map.insert(key, value)))?;
        Ok(map)
    }
}
