//! Numbers, bools, units and keys: primitives of a few bytes.

use super::traits::{Decode, Derived, Encode, Own, Shape};
use crate::error::{Error, Wanted};
use crate::read::packet::{Packet, refused};
use crate::wire::integer::{self, PVarInt, encode_nvar32, encode_nvar64, signed32, signed64};
use crate::wire::key::Key;
use crate::wire::mode::Mode;
use crate::wire::tag::Tag;
use crate::wire::{bool, float};
use crate::write::encoder::Encoder;
use crate::write::sink::{SHORT, Sink};
use crate::write::writer::{store_integer, store_value};

macro_rules! integers {
    ($($(#[$doc:meta])* $type:ident $word:ident, $wanted:ident: $room:literal $as:expr => $encode:path;
        $nvar:path, $pvar:path, $wide:ident => $convert:expr; $({ $($more:item)* } { $($and:item)* })?)*) => {$(
        $(#[$doc])*
        impl Encode for $type {
            const ROOM: Derived<usize> = Derived($room);
            const IS_SHORT: Own<bool> = Own(true);
            const SHAPE: Shape = Shape::Value(stringify!($word));

            #[inline(always)]
            fn encode_short(&self, key: Key, room: &mut [u8; SHORT], _: Own) -> usize {
                store_integer(room, key.get(), $as(*self), $encode)
            }

            #[inline(always)]
            fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
                to.integer(key, $as(*self), $encode)
            }

            $($($more)*)?
        }

        $(#[$doc])*
        impl<'a> Decode<'a> for $type {
            const IS_FLAT: Derived<bool> = Derived(true);

            #[inline(always)]
            fn decode(packet: Packet<'a>) -> Result<Self, Error> {
                /// Reads a `PVarInt`, or returns the error of a value that cannot be read. The parameters are single
                /// values and not a packet. A packet would be stored in memory even if this function is never called.
                #[cold]
                #[inline(never)]
                fn apart(
                    value: &[u8],
                    (tag, mode): (Tag, Mode),
                    end: u64,
                    start: *const u8,
                ) -> Result<$type, Error> {
                    let number = if mode.is_pvar() && !tag.is_node() { $pvar(value) } else { None };
                    let wanted = if mode.is_pvar() && number.is_none() { Wanted::$wide } else { Wanted::$wanted };
                    number.and_then($convert).ok_or_else(|| refused(tag.is_node(), end, start, value, wanted))
                }
                let number = if packet.is_plain() { $nvar(packet.value()).and_then($convert) } else { None };
                // A result in memory would have to be loaded again, so the number of the common case is returned in
                // registers.
                Ok(match number {
                    Some(number) => number,
                    None => apart(packet.value(), (packet.tag(), packet.mode()), packet.end(), packet.start())?,
                })
            }

            $($($and)*)?
        }
    )*};
}

impl<'a> Packet<'a> {
    /// Reads a value that has the same bytes in NVarInt mode and in PVarInt mode.
    #[inline(always)]
    pub(super) fn primitive<T>(&self, wanted: Wanted, decode: impl FnOnce(&'a [u8]) -> Option<T>) -> Result<T, Error> {
        match decode(self.value()) {
            Some(value) if !self.is_node() => Ok(value),
            _ => Err(self.refused(wanted)),
        }
    }
}

integers! {
    /// Encoded as an [`i32`]. Reading checks the range. Source: [SPEC §4.1](crate::spec#41-nvarint)
    i8 i8, I8: 3 i32::from => encode_nvar32;
        integer::decode_nvar32, integer::decode_pvar32, PVAR32 => |number: i32| number.try_into().ok();
    /// Encoded as an [`i32`]. Reading checks the range. Source: [SPEC §4.1](crate::spec#41-nvarint)
    i16 i16, I16: 4 i32::from => encode_nvar32;
        integer::decode_nvar32, integer::decode_pvar32, PVAR32 => |number: i32| number.try_into().ok();
    /// Encoded as an [`i32`]. Reading checks the range: `00 ff` is 255, and `ff` is an error because it means -1.
    /// Source: [SPEC §4.1](crate::spec#41-nvarint)
    u16 u16, U16: 5 i32::from => encode_nvar32;
        integer::decode_nvar32, integer::decode_pvar32, PVAR32 => |number: i32| number.try_into().ok();
    /// An integer of 1..=4 bytes, or 1..=5 bytes as a `PVarInt`. Source: [SPEC §4.1](crate::spec#41-nvarint)
    i32 i32, I32: 7 i32::from => encode_nvar32;
        integer::decode_nvar32, integer::decode_pvar32, PVAR32 => Some;
    /// Encoded as the `i32` with the same bits: `ff` is 2^32-1. Source: [SPEC §4.1](crate::spec#41-nvarint)
    u32 u32, U32: 7 signed32 => encode_nvar32;
        integer::decode_nvar32, integer::decode_pvar32, PVAR32 => |number| Some(integer::unsigned32(number));
    /// An integer of 1..=8 bytes, or 1..=10 bytes as a `PVarInt`. Source: [SPEC §4.1](crate::spec#41-nvarint)
    i64 i64, I64: 12 i64::from => encode_nvar64;
        integer::decode_nvar64, integer::decode_pvar64, PVAR64 => Some;
    /// Encoded as the `i64` with the same bits: `ff` is 2^64-1. Source: [SPEC §4.1](crate::spec#41-nvarint)
    u64 u64, U64: 12 signed64 => encode_nvar64;
        integer::decode_nvar64, integer::decode_pvar64, PVAR64 => |number| Some(integer::unsigned64(number));
    /// Encoded as an [`i64`] on every machine. Reading checks the range. Source: [SPEC §4.1](crate::spec#41-nvarint)
    isize i64, ISIZE: 12 |number| number as i64 => encode_nvar64;
        integer::decode_nvar64, integer::decode_pvar64, PVAR64 => |number: i64| number.try_into().ok();
    /// Encoded as a [`u64`] on every machine. Reading checks the range. Source: [SPEC §4.1](crate::spec#41-nvarint)
    usize u64, USIZE: 12 |number| signed64(number as u64) => encode_nvar64;
        integer::decode_nvar64, integer::decode_pvar64, PVAR64 => |number| integer::unsigned64(number).try_into().ok();
    /// Encoded as an [`i32`]. Reading checks the range. A sequence of `u8` is encoded as bytes. Source: [SPEC §4.1](crate::spec#41-nvarint)
    u8 u8, U8: 4 i32::from => encode_nvar32;
        integer::decode_nvar32, integer::decode_pvar32, PVAR32 => |number: i32| number.try_into().ok();
        {
            const SHAPE_ALL: Own<Shape> = Own(Shape::Value("bytes"));

            #[inline(always)]
            fn encode_all<S: Sink>(
                bytes: &[Self],
                key: Key,
                to: &mut Encoder<'_, S>,
                _: Own,
            ) -> Result<(), Error> {
                to.bytes(key, bytes)
            }
        } {
            #[cfg(feature = "alloc")]
            #[inline]
            fn decode_vec(packet: Packet<'a>, _: Own) -> Result<alloc::vec::Vec<Self>, Error> {
                <&[u8]>::decode(packet).map(Into::into)
            }

            #[inline]
            fn decode_array<const N: usize>(packet: Packet<'a>, _: Own) -> Result<[Self; N], Error> {
                packet.primitive(Wanted::BYTES, |bytes| bytes.try_into().ok()).map_err(|error| error.of_len(N))
            }
        }
}

macro_rules! words {
    ($($(#[$doc:meta])* $type:ty, $wanted:ident: $room:literal, $encode:path, $decode:path;)*) => {$(
        $(#[$doc])*
        impl Encode for $type {
            const ROOM: Derived<usize> = Derived($room);
            const IS_SHORT: Own<bool> = Own(true);
            const SHAPE: Shape = Shape::Value(stringify!($type));

            #[inline(always)]
            fn encode_short(&self, key: Key, room: &mut [u8; SHORT], _: Own) -> usize {
                let word = $encode(*self);
                store_value(room, key.get(), word);
                word.len() + 2
            }

            #[inline(always)]
            fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
                to.word(key, $encode(*self))
            }
        }

        $(#[$doc])*
        impl<'a> Decode<'a> for $type {
            const IS_FLAT: Derived<bool> = Derived(true);

            #[inline(always)]
            fn decode(packet: Packet<'a>) -> Result<Self, Error> {
                packet.primitive(Wanted::$wanted, $decode)
            }
        }
    )*};
}

words! {
    /// An IEEE 754 number of 1..=4 bytes, without trailing zero bytes. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    f32, F32: 6, float::encode_f32, float::decode_f32;
    /// An IEEE 754 number of 1..=8 bytes, without trailing zero bytes. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    f64, F64: 10, float::encode_f64, float::decode_f64;
    /// A PVarInt of 0 or 1. An empty value is `false`. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    bool, BOOL: 3, bool::encode, bool::decode;
}

/// A primitive with an empty value.
impl<'a> Decode<'a> for () {
    #[inline]
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        packet.primitive(Wanted::UNIT, |bytes| bytes.is_empty().then_some(()))
    }
}

/// Writes the key as a number.
impl Encode for Key {
    const ROOM: Derived<usize> = Derived(3);
    const SHAPE: Shape = Shape::Value("u8");

    #[inline]
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        self.get().encode(key, to)
    }
}

/// Reads a number of 0..=63 as a key.
impl<'a> Decode<'a> for Key {
    #[inline]
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        Key::new(u8::decode(packet)?).ok_or_else(|| packet.refused(Wanted::KEY))
    }
}

/// Writes the inner value with integers as `PVarInt`. Source: [SPEC §4.2](crate::spec#42-pvarint)
impl<T: Encode> Encode for PVarInt<T> {
    const OPTIONAL: Derived<bool> = T::OPTIONAL;
    const ROOM: Derived<usize> = T::ROOM;
    const SHAPE: Shape = Shape::PVar(|| T::SHAPE);

    #[inline]
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        to.in_pvar(|to| self.0.encode(key, to))
    }
}

/// Reads the inner value with integers as `PVarInt`. Source: [SPEC §4.2](crate::spec#42-pvarint)
impl<'a, T: Decode<'a>> Decode<'a> for PVarInt<T> {
    const OPTIONAL: Derived<bool> = T::OPTIONAL;

    #[inline]
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        T::decode(packet.pvar()).map(PVarInt)
    }

    #[inline]
    fn absent() -> Own<Option<Self>> {
        T::absent().map(PVarInt)
    }
}
