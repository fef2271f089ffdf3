//! Options, pointers and packets: types that are encoded as the value inside.

use super::traits::{Decode, Derived, Encode, Own, Shape, never_absent};
use crate::error::Error;
use crate::read::packet::Packet;
use crate::wire::key::Key;
use crate::write::encoder::Encoder;
use crate::write::sink::{SHORT, Sink};

/// Writes the inner value. `None` writes no packet.
impl<T: Encode> Encode for Option<T> {
    const OPTIONAL: Derived<bool> = Derived(true);
    const ROOM: Derived<usize> = {
        never_absent(T::OPTIONAL);
        T::ROOM
    };
    const IS_SHORT: Own<bool> = T::IS_SHORT;
    const SHAPE: Shape = T::SHAPE;

    #[inline(always)]
    fn encode_short(&self, key: Key, room: &mut [u8; SHORT], own: Own) -> usize {
        self.as_ref().map_or(0, |value| value.encode_short(key, room, own))
    }

    #[inline(always)]
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        const { never_absent(T::OPTIONAL) }
        match self {
            Some(value) => value.encode(key, to),
            None => Ok(()),
        }
    }
}

/// Reads the inner value. An absent field becomes `None`.
impl<'a, T: Decode<'a>> Decode<'a> for Option<T> {
    const OPTIONAL: Derived<bool> = Derived(true);
    const IS_FLAT: Derived<bool> = T::IS_FLAT;

    #[inline(always)]
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        const { never_absent(T::OPTIONAL) }
        T::decode(packet).map(Some)
    }

    #[inline(always)]
    fn absent() -> Own<Option<Self>> {
        Own(Some(None))
    }
}

/// Writes the packet with its value unchanged.
impl Encode for Packet<'_> {
    #[inline]
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        to.like(key, self.tag(), self.value())
    }
}

/// Returns the packet without decoding its value.
impl<'de: 'a, 'a> Decode<'de> for Packet<'a> {
    #[inline]
    fn decode(packet: Packet<'de>) -> Result<Self, Error> {
        Ok(packet)
    }
}

impl<T: Encode + ?Sized> Encode for &T {
    const OPTIONAL: Derived<bool> = T::OPTIONAL;
    const ROOM: Derived<usize> = T::ROOM;
    const IS_SHORT: Own<bool> = T::IS_SHORT;
    const SHAPE: Shape = T::SHAPE;

    #[inline(always)]
    fn encode_short(&self, key: Key, room: &mut [u8; SHORT], own: Own) -> usize {
        (**self).encode_short(key, room, own)
    }

    #[inline(always)]
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        (**self).encode(key, to)
    }
}

/// Implements `Encode` and `Decode` for a pointer. `ROOM` keeps its default, because the exact size of a recursive type
/// would depend on itself.
#[cfg(feature = "alloc")]
macro_rules! pointers {
    ($($(#[$only:meta])? [$($bound:tt)*] $type:ty;)*) => {$(
        $(#[$only])?
        /// Writes the inner value.
        impl<T: Encode + $($bound)*> Encode for $type {
            const OPTIONAL: Derived<bool> = T::OPTIONAL;
            const SHAPE: Shape = T::SHAPE;

            #[inline]
            fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
                (**self).encode(key, to)
            }
        }
    )*};
    ($($(#[$only:meta])? $type:ty: new;)*) => {$(
        $(#[$only])?
        /// Reads the inner value.
        impl<'a, T: Decode<'a>> Decode<'a> for $type {
            const OPTIONAL: Derived<bool> = T::OPTIONAL;

            #[inline]
            fn decode(packet: Packet<'a>) -> Result<Self, Error> {
                T::decode(packet).map(Self::new)
            }

            #[inline]
            fn absent() -> Own<Option<Self>> {
                T::absent().map(Self::new)
            }
        }
    )*};
}

#[cfg(feature = "alloc")]
pointers! {
    [?Sized] alloc::boxed::Box<T>;
    [?Sized] alloc::rc::Rc<T>;
    #[cfg(target_has_atomic = "ptr")] [?Sized] alloc::sync::Arc<T>;
    [alloc::borrow::ToOwned + ?Sized] alloc::borrow::Cow<'_, T>;
}

#[cfg(feature = "alloc")]
pointers! {
    alloc::boxed::Box<T>: new;
    alloc::rc::Rc<T>: new;
    #[cfg(target_has_atomic = "ptr")] alloc::sync::Arc<T>: new;
}
