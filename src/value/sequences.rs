//! Sequences: slices, in memory and on the wire.
//!
//! In: a collection of values, or a slice's packet. Out: the packet with an item for each value; and back.

use super::inside::within;
use super::pointers::never_absent;
use super::shape::Shape;
use super::traits::{Derived, Own};
use super::{Decode, Encode};
use crate::error::{Error, ErrorKind};
use crate::read::packet::Packet;
use crate::read::packets::Packets;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

/// The room to make for a sequence: a few small items.
const ROOM: usize = 64;

#[inline]
pub(super) fn encode<T: Encode, S: Sink>(values: &[T], key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
    const { never_absent(T::OPTIONAL) }
    let mut slice = to.open(Tag::slice(key))?;
    for value in values {
        value.encode(Key::ITEM, &mut slice.encoder)?;
    }
    slice.close()
}

macro_rules! sequences {
    ($($(#[$only:meta])? [$($params:tt)*] $type:ty: $room:expr;)*) => {$(
        $(#[$only])?
        impl<$($params)*> Encode for $type {
            // The derive computes it for each field, so that an `Option` inside is an error there.
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

/// Any node: the wire has no difference that would matter.
#[cfg(feature = "alloc")]
pub(super) fn vec<'a, T: Decode<'a>>(packet: Packet<'a>) -> Result<alloc::vec::Vec<T>, Error> {
    /// More items grow the vector as they arrive: a small packet must not reserve a lot of memory.
    const MOST: usize = 1 << 20;
    const { never_absent(T::OPTIONAL) }
    let items = packet.items()?;
    let count = items.clone().take_while(Result::is_ok).count();
    let mut values = alloc::vec::Vec::with_capacity(count.min(MOST / size_of::<T>().max(1)));
    for item in items {
        values.push(within(item?, T::decode)?);
    }
    Ok(values)
}

#[cfg(feature = "alloc")]
impl<'a, T: Decode<'a>> Decode<'a> for alloc::vec::Vec<T> {
    #[inline]
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        T::decode_vec(packet, Own(()))
    }
}

pub(super) fn array<'a, T: Decode<'a> + Default, const N: usize>(packet: Packet<'a>) -> Result<[T; N], Error> {
    const { never_absent(T::OPTIONAL) }
    let mut values = core::array::from_fn(|_| T::default());
    let mut items = Exactly::<N> { slice: packet, items: packet.items()? };
    for value in &mut values {
        *value = items.item()?;
    }
    items.finish(values)
}

impl<'a, T: Decode<'a> + Default, const N: usize> Decode<'a> for [T; N] {
    #[inline]
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        T::decode_array(packet, Own(()))
    }
}

/// The items of a type that takes `N` of them.
struct Exactly<'a, const N: usize> {
    slice: Packet<'a>,
    items: Packets<'a>,
}

impl<'a, const N: usize> Exactly<'a, N> {
    fn item<T: Decode<'a>>(&mut self) -> Result<T, Error> {
        match self.items.next() {
            Some(item) => within(item?, T::decode),
            None => Err(Self::error(ErrorKind::MissingItems, &self.slice)),
        }
    }

    fn finish<T>(mut self, values: T) -> Result<T, Error> {
        match self.items.next().transpose()? {
            None => Ok(values),
            Some(item) => Err(Self::error(ErrorKind::ExtraItems, &item)),
        }
    }

    #[cold]
    fn error(kind: ErrorKind, packet: &Packet<'_>) -> Error {
        Error::of_number(kind, packet.offset(), N.try_into().unwrap_or(u32::MAX))
    }
}

macro_rules! tuples {
    ($($($type:ident $place:tt),*;)*) => {$(
        /// A slice with as many items.
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

        /// A slice with as many items.
        impl<'a, $($type: Decode<'a>),*> Decode<'a> for ($($type,)*) {
            #[inline]
            fn decode(packet: Packet<'a>) -> Result<Self, Error> {
                $(const { never_absent($type::OPTIONAL) })*
                let mut items = Exactly::<{ [$($place),*].len() }> { slice: packet, items: packet.items()? };
                let values = ($(items.item::<$type>()?,)*);
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
