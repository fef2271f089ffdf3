//! Texts and bytes: primitives of any length. A value that is read borrows from the input where possible.

use super::traits::{Decode, Derived, Encode, Shape};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::error::{Error, ErrorKind, Wanted};
use crate::read::packet::{Packet, refused};
use crate::read::text;
use crate::wire::key::Key;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

macro_rules! bytes {
    ($($(#[$attribute:meta])* $type:ty, $word:literal: |$value:ident| $bytes:expr;)*) => {$(
        $(#[$attribute])*
        impl Encode for $type {
            const SHAPE: Shape = Shape::Value($word);

            #[inline(always)]
            fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
                let $value = self;
                to.bytes(key, $bytes)
            }
        }
    )*};
}

bytes! {
    /// Writes the text as UTF-8. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    str, "text": |text| text.as_bytes();
    /// Writes the text as UTF-8. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    #[cfg(feature = "alloc")] alloc::string::String, "text": |text| text.as_bytes();
    /// Writes a text of one character.
    char, "text": |character| character.encode_utf8(&mut [0; 4]).as_bytes();
    /// Writes the bytes unchanged.
    #[cfg(feature = "bytes")] ::bytes::Bytes, "bytes": |bytes| bytes;
    /// Writes the bytes of the address in network order.
    Ipv4Addr, "bytes": |address| &address.octets();
    /// Writes the bytes of the address in network order.
    Ipv6Addr, "bytes": |address| &address.octets();
    /// Writes a primitive with an empty value.
    (), "bytes": |_nothing| &[];
}

/// Checks that the text is UTF-8 and borrows it. The feature `simdutf8` makes this check faster for texts of 64 bytes
/// or more. Cost: O(n).
/// Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
impl<'de: 'a, 'a> Decode<'de> for &'a str {
    const IS_FLAT: Derived<bool> = Derived(true);

    #[inline(always)]
    fn decode(packet: Packet<'de>) -> Result<Self, Error> {
        packet.text()
    }
}

impl<'a> Packet<'a> {
    /// Returns the text, or an error that is converted to the caller's error type `E`. If the caller converted the
    /// error, serde's code for a `String` would be too long to be inlined. Measured: a message with two `String` fields
    /// would then take a tenth more time.
    #[inline(always)]
    pub(crate) fn text<E: From<Error>>(&self) -> Result<&'a str, E> {
        match text::decode(self.value()) {
            Ok(text) if !self.is_node() => Ok(text),
            _ => Err(no_text(self.value(), self.is_node(), self.end(), self.start())),
        }
    }
}

#[cold]
#[inline(never)]
fn no_text<E: From<Error>>(value: &[u8], is_node: bool, end: u64, start: *const u8) -> E {
    if is_node {
        return refused(is_node, end, start, value, Wanted::BYTES).into();
    }
    let valid = text::decode(value).err().unwrap_or_default();
    Error::new(ErrorKind::InvalidUtf8, end.wrapping_sub((value.len() - valid) as u64)).into()
}

/// Borrows the bytes of the value.
impl<'de: 'a, 'a> Decode<'de> for &'a [u8] {
    const IS_FLAT: Derived<bool> = Derived(true);

    #[inline(always)]
    fn decode(packet: Packet<'de>) -> Result<Self, Error> {
        packet.primitive(Wanted::BYTES, Some)
    }
}

/// Reads a text of one character.
impl<'a> Decode<'a> for char {
    #[inline]
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        <&str>::decode(packet)?.parse().map_err(|_| packet.refused(Wanted::CHAR))
    }
}

macro_rules! converted {
    ($($(#[$attribute:meta])* $type:ty: $from:ty;)*) => {$(
        $(#[$attribute])*
        impl<'a> Decode<'a> for $type {
            const IS_FLAT: Derived<bool> = <$from>::IS_FLAT;

            #[inline]
            fn decode(packet: Packet<'a>) -> Result<Self, Error> {
                <$from>::decode(packet).map(Into::into)
            }
        }
    )*};
}

converted! {
    /// Checks the text as for `&str`, and copies it. Cost: O(n), one allocation.
    #[cfg(feature = "alloc")] alloc::string::String: &str;
    /// Reads an address of 4 bytes in network order.
    Ipv4Addr: [u8; 4];
    /// Reads an address of 16 bytes in network order.
    Ipv6Addr: [u8; 16];
}

/// Writes the 4 or 16 bytes of the address in network order.
impl Encode for IpAddr {
    const SHAPE: Shape = Shape::Value("bytes");

    #[inline]
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        match self {
            IpAddr::V4(address) => address.encode(key, to),
            IpAddr::V6(address) => address.encode(key, to),
        }
    }
}

/// Reads an address of 4 or 16 bytes in network order.
impl<'a> Decode<'a> for IpAddr {
    #[inline]
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        if packet.value().len() == 4 {
            Ipv4Addr::decode(packet).map(Self::V4)
        } else {
            Ipv6Addr::decode(packet).map(Self::V6)
        }
    }
}

/// Reads a text or bytes. The result borrows from the input.
#[cfg(feature = "alloc")]
impl<'de, 'a, T: alloc::borrow::ToOwned + ?Sized> Decode<'de> for alloc::borrow::Cow<'a, T>
where
    &'a T: Decode<'de>,
{
    const IS_FLAT: Derived<bool> = <&T>::IS_FLAT;

    #[inline]
    fn decode(packet: Packet<'de>) -> Result<Self, Error> {
        <&T>::decode(packet).map(Self::Borrowed)
    }
}
