//! Values: numbers, texts, bytes, and pointers to values, as packets.
//!
//! In: a value of one of these types. Out: its primitive, and back.

use super::bound::Bound;
use super::error::{Cause, ErrorKind};
use super::from_packet::FromPacket;
use super::place::{Place, Written};
use super::source::Source;
use super::to_packet::ToPacket;
use crate::error::{Error, ErrorKind as WireKind};
use crate::read::packet::Packet;
use crate::wire::integer::PVarInt;
use crate::wire::key::Key;
use crate::write::sink::Sink;

/// Integers of the widths that the wire format defines.
macro_rules! integers {
    ($($type:ty: $nvar:literal, $pvar:literal;)*) => {$(
        impl ToPacket for $type {
            const BOUND: Bound = Bound::of_values($nvar, $pvar);
            const MIN_LEN: usize = 3;

            #[inline(always)]
            fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
                place.number(*self)
            }
        }

        impl<'a> FromPacket<'a> for $type {
            #[inline(always)]
            fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
                source.number()
            }

            #[inline(always)]
            fn read_in_order<const PVAR: bool>(source: Source<'a, PVAR>) -> Option<Self> {
                source.number_in_order()
            }
        }
    )*};
}

integers! {
    i32: 4, 5;
    u32: 4, 5;
    i64: 8, 10;
    u64: 8, 10;
}

/// Narrower integers: written as the 32-bit type; reading checks the range.
macro_rules! narrow_integers {
    ($($type:ty as $wire:ty: $nvar:literal, $pvar:literal;)*) => {$(
        impl ToPacket for $type {
            const BOUND: Bound = Bound::of_values($nvar, $pvar);
            const MIN_LEN: usize = 3;

            #[inline(always)]
            fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
                place.number(<$wire>::from(*self))
            }
        }

        impl<'a> FromPacket<'a> for $type {
            #[inline(always)]
            fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
                match Self::try_from(source.number::<$wire>()?) {
                    Ok(number) => Ok(number),
                    Err(_) => Err(source.error(ErrorKind::Wire(WireKind::InvalidValue))),
                }
            }

            #[inline(always)]
            fn read_in_order<const PVAR: bool>(source: Source<'a, PVAR>) -> Option<Self> {
                Self::try_from(source.number_in_order::<$wire>()?).ok()
            }
        }
    )*};
}

narrow_integers! {
    i8 as i32: 1, 2;
    i16 as i32: 2, 3;
    u16 as u32: 3, 3;
}

/// Written as a [`u32`]; a sequence of bytes is a byte string.
impl ToPacket for u8 {
    const BOUND: Bound = Bound::of_values(2, 2);
    const ITEM: Bound = Bound::BYTE;
    const MIN_LEN: usize = 3;

    #[inline(always)]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        place.number(u32::from(*self))
    }

    #[inline(always)]
    fn write_sequence<S: Sink, const PVAR: bool>(bytes: &[Self], place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        place.bytes(bytes)
    }
}

/// Read as a [`u32`] in the range; a sequence of bytes is a byte string.
impl<'a> FromPacket<'a> for u8 {
    #[inline(always)]
    fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
        match Self::try_from(source.number::<u32>()?) {
            Ok(number) => Ok(number),
            Err(_) => Err(source.error(ErrorKind::Wire(WireKind::InvalidValue))),
        }
    }

    #[inline]
    fn read_array<const N: usize, const PVAR: bool>(source: Source<'a, PVAR>) -> Result<[Self; N], Cause> {
        match <[Self; N]>::try_from(source.decode::<&[u8]>()?) {
            Ok(bytes) => Ok(bytes),
            Err(_) => Err(source.error(ErrorKind::Wire(WireKind::InvalidValue))),
        }
    }

    #[cfg(feature = "alloc")]
    #[inline]
    fn read_vec<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<alloc::vec::Vec<Self>, Cause> {
        source.decode::<&[u8]>().map(Into::into)
    }

    #[cfg(feature = "alloc")]
    #[inline]
    fn read_vec_in_order<const PVAR: bool>(source: Source<'a, PVAR>) -> Option<alloc::vec::Vec<Self>> {
        Self::read_vec(source).ok()
    }
}

/// Types that are the same in both dialects.
macro_rules! values {
    ($($type:ty: $bytes:literal;)*) => {$(
        impl ToPacket for $type {
            const BOUND: Bound = Bound::of_values($bytes, $bytes);
            const MIN_LEN: usize = 3;

            #[inline(always)]
            fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
                place.put(*self)
            }
        }

        impl<'a> FromPacket<'a> for $type {
            #[inline(always)]
            fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
                source.decode()
            }

            #[inline(always)]
            fn read_in_order<const PVAR: bool>(source: Source<'a, PVAR>) -> Option<Self> {
                source.decode_in_order()
            }
        }
    )*};
}

values! {
    f32: 4;
    f64: 8;
    bool: 1;
}

/// A text of one character.
impl ToPacket for char {
    const BOUND: Bound = Bound::of_values(4, 4);

    #[inline]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        place.bytes(self.encode_utf8(&mut [0; 4]).as_bytes())
    }
}

/// A text of one character.
impl<'a> FromPacket<'a> for char {
    #[inline]
    fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
        let mut characters = source.decode::<&str>()?.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => Ok(character),
            _ => Err(source.error(ErrorKind::Wire(WireKind::InvalidValue))),
        }
    }
}

/// A primitive with no bytes.
impl ToPacket for () {
    const BOUND: Bound = Bound::of_values(0, 0);

    #[inline]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        place.bytes(&[])
    }
}

/// A primitive with no bytes.
impl<'a> FromPacket<'a> for () {
    #[inline]
    fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
        match source.decode::<&[u8]>()? {
            [] => Ok(()),
            _ => Err(source.error(ErrorKind::Wire(WireKind::InvalidValue))),
        }
    }
}

/// The number of the key.
impl ToPacket for Key {
    const BOUND: Bound = Bound::of_values(1, 1);

    #[inline]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        place.number(u32::from(self.get()))
    }
}

/// A number of 0..=63.
impl<'a> FromPacket<'a> for Key {
    #[inline]
    fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
        Key::new(u8::read(source)?).ok_or_else(|| source.error(ErrorKind::Wire(WireKind::InvalidValue)))
    }
}

impl ToPacket for str {
    #[inline(always)]
    fn packet_text(&self) -> Option<&[u8]> {
        Some(self.as_bytes())
    }

    #[inline(always)]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        place.bytes(self.as_bytes())
    }
}

impl<'de: 'a, 'a> FromPacket<'de> for &'a str {
    #[inline(always)]
    fn read<const PVAR: bool>(source: Source<'de, PVAR>) -> Result<Self, Cause> {
        source.decode()
    }

    #[inline(always)]
    fn read_in_order<const PVAR: bool>(source: Source<'de, PVAR>) -> Option<Self> {
        source.decode_in_order()
    }
}

impl<'de: 'a, 'a> FromPacket<'de> for &'a [u8] {
    #[inline(always)]
    fn read<const PVAR: bool>(source: Source<'de, PVAR>) -> Result<Self, Cause> {
        source.decode()
    }

    #[inline(always)]
    fn read_in_order<const PVAR: bool>(source: Source<'de, PVAR>) -> Option<Self> {
        source.decode_in_order()
    }
}

/// Any packet, not decoded.
impl ToPacket for Packet<'_> {
    #[inline]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        place.packet(*self)
    }
}

/// Any packet, not decoded.
impl<'de: 'a, 'a> FromPacket<'de> for Packet<'a> {
    #[inline]
    fn read<const PVAR: bool>(source: Source<'de, PVAR>) -> Result<Self, Cause> {
        Ok(source.packet())
    }
}

/// The value inside, with integers as `PVarInt` in both dialects.
impl<T: ToPacket> ToPacket for PVarInt<T> {
    const BOUND: Bound = T::BOUND.in_pvar();

    #[inline(always)]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        self.0.write(place.content()?.pvar())
    }
}

/// The value inside, with integers as `PVarInt` in both dialects.
impl<'a, T: FromPacket<'a>> FromPacket<'a> for PVarInt<T> {
    #[inline(always)]
    fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
        T::read(source.content()?.pvar()).map(PVarInt)
    }

    #[inline(always)]
    fn read_in_order<const PVAR: bool>(source: Source<'a, PVAR>) -> Option<Self> {
        T::read_in_order(source.content().ok()?.pvar()).map(PVarInt)
    }
}

/// The value pointed to. Its type may be recursive, so there is no bound.
impl<T: ToPacket + ?Sized> ToPacket for &T {
    #[inline(always)]
    fn packet_text(&self) -> Option<&[u8]> {
        (**self).packet_text()
    }

    #[inline(always)]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        (**self).write(place)
    }
}

/// The value inside. Its type may be recursive, so there is no bound.
#[cfg(feature = "alloc")]
impl<T: ToPacket + ?Sized> ToPacket for alloc::boxed::Box<T> {
    #[inline]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        (**self).write(place)
    }
}

/// The value inside.
#[cfg(feature = "alloc")]
impl<'a, T: FromPacket<'a>> FromPacket<'a> for alloc::boxed::Box<T> {
    const KEYS: crate::KeySet = T::KEYS;

    #[inline]
    fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
        T::read(source).map(Self::new)
    }

    #[inline]
    fn read_in_order<const PVAR: bool>(source: Source<'a, PVAR>) -> Option<Self> {
        T::read_in_order(source).map(Self::new)
    }
}

#[cfg(feature = "alloc")]
impl ToPacket for alloc::string::String {
    #[inline(always)]
    fn packet_text(&self) -> Option<&[u8]> {
        Some(self.as_bytes())
    }

    #[inline(always)]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        place.bytes(self.as_bytes())
    }
}

#[cfg(feature = "alloc")]
impl<'a> FromPacket<'a> for alloc::string::String {
    #[inline]
    fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
        source.decode::<&str>().map(Into::into)
    }
}

#[cfg(feature = "alloc")]
impl<T: ToPacket + alloc::borrow::ToOwned + ?Sized> ToPacket for alloc::borrow::Cow<'_, T> {
    #[inline]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        (**self).write(place)
    }
}

/// Borrowed from the input.
#[cfg(feature = "alloc")]
impl<'de: 'a, 'a> FromPacket<'de> for alloc::borrow::Cow<'a, str> {
    #[inline]
    fn read<const PVAR: bool>(source: Source<'de, PVAR>) -> Result<Self, Cause> {
        source.decode::<&str>().map(Self::Borrowed)
    }
}

/// Borrowed from the input.
#[cfg(feature = "alloc")]
impl<'de: 'a, 'a> FromPacket<'de> for alloc::borrow::Cow<'a, [u8]> {
    #[inline]
    fn read<const PVAR: bool>(source: Source<'de, PVAR>) -> Result<Self, Cause> {
        source.decode::<&[u8]>().map(Self::Borrowed)
    }
}
