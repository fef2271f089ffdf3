//! Sequences: converts between collections in memory and slices on the wire.

use super::inside::Exactly;
#[cfg(feature = "alloc")]
use super::inside::within;
use super::traits::{Decode, Derived, Encode, Own, Shape, never_absent};
use crate::error::Error;
use crate::read::packet::Packet;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

/// The number of bytes that the encoder reserves for a sequence. It is enough for a few small items.
const ROOM: usize = 64;

macro_rules! sequences {
    ($($(#[$only:meta])? [$($params:tt)*] $type:ty: $room:expr;)*) => {$(
        $(#[$only])?
        impl<$($params)*> Encode for $type {
            // The derive macro uses this constant for each field, so a field with an `Option` as an item is a
            // compile-time error.
            const ROOM: Derived<usize> = {
                never_absent(T::OPTIONAL);
                Derived($room)
            };
            const SHAPE: Shape = T::SHAPE_ALL.0;

            #[inline(always)]
            fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
                T::encode_all(self, key, to, Own(()))
            }
        }
    )*};
}

sequences! {
    [T: Encode] [T]: ROOM;
    [T: Encode, const N: usize] [T; N]: 3 + N * T::ROOM.0;
    #[cfg(feature = "alloc")] [T: Encode] alloc::vec::Vec<T>: ROOM;
}

#[cfg(feature = "alloc")]
impl<'a, T: Decode<'a>> Decode<'a> for alloc::vec::Vec<T> {
    #[inline]
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        T::decode_vec(packet, Own(()))
    }
}

impl<'a, T: Decode<'a> + Default, const N: usize> Decode<'a> for [T; N] {
    #[inline]
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        T::decode_array(packet, Own(()))
    }
}

#[cfg(feature = "alloc")]
macro_rules! sets {
    ($($(#[$only:meta])? [$($bound:tt)*] $type:ty $(, $hasher:ident: [$($of_hasher:tt)*])?;)*) => {$(
        /// Writes a slice with one item per value, in the order of the set. A set of `u8` is also written as a slice,
        /// not as bytes.
        $(#[$only])?
        impl<T: Encode $(, $hasher)?> Encode for $type {
            const ROOM: Derived<usize> = {
                never_absent(T::OPTIONAL);
                Derived(ROOM)
            };
            const SHAPE: Shape = Shape::Slice(|| T::SHAPE);

            fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
                const { never_absent(T::OPTIONAL) }
                let mut slice = to.open(Tag::slice(key))?;
                self.iter().try_for_each(|value| value.encode(Key::ITEM, &mut slice.encoder))?;
                slice.close()
            }
        }

        /// Reads any node as a set. Duplicate items are ignored.
        $(#[$only])?
        impl<'a, T: Decode<'a> + $($bound)* $(, $hasher: $($of_hasher)*)?> Decode<'a> for $type {
            fn decode(packet: Packet<'a>) -> Result<Self, Error> {
                const { never_absent(T::OPTIONAL) }
                packet.items()?.map(|item| within(item?, T::decode)).collect()
            }
        }
    )*};
}

#[cfg(feature = "alloc")]
sets! {
    [Ord] alloc::collections::BTreeSet<T>;
    #[cfg(feature = "std")] [Eq + core::hash::Hash] std::collections::HashSet<T, H>, H: [core::hash::BuildHasher + Default];
}

macro_rules! tuples {
    ($($($type:ident $place:tt),*;)*) => {$(
        /// Writes a slice with one item per element.
        impl<$($type: Encode),*> Encode for ($($type,)*) {
            const ROOM: Derived<usize> = Derived(2 $(+ $type::ROOM.0)*);
            const SHAPE: Shape = Shape::Tuple(&[$(|| $type::SHAPE),*]);

            #[inline]
            fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
                $(const { never_absent($type::OPTIONAL) })*
                let mut slice = to.open(Tag::slice(key))?;
                $(self.$place.encode(Key::ITEM, &mut slice.encoder)?;)*
                slice.close()
            }
        }

        /// Reads a slice with one item per element.
        impl<'a, $($type: Decode<'a>),*> Decode<'a> for ($($type,)*) {
            #[inline]
            fn decode(packet: Packet<'a>) -> Result<Self, Error> {
                $(const { never_absent($type::OPTIONAL) })*
                let mut items = Exactly::<{ [$($place),*].len() }>::of(packet)?;
                let values = ($(items.next($type::decode)?,)*);
                items.finish(values)
            }
        }
    )*};
}

tuples! {
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}
