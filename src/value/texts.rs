//! Texts and bytes: primitives of any length.
//!
//! In: a text or bytes. Out: the same bytes; and back, borrowed where possible.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::shape::Shape;
use super::{Decode, Encode};
use crate::error::{Error, ErrorKind, Wanted};
use crate::read::packet::{Packet, refused};
use crate::read::text;
use crate::wire::key::Key;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

/// UTF-8. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
impl Encode for str {
    #[inline(always)]
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        to.bytes(key, self.as_bytes())
    }

    fn shape() -> Shape {
        Shape::Value("text")
    }
}

/// UTF-8, which is checked: by `simdutf8` from 64 bytes on and by `ascii` up to 32 with the features of these names. Cost: O(n).
/// Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
impl<'de: 'a, 'a> Decode<'de> for &'a str {
    const IS_FLAT: bool = true;

    #[inline(always)]
    fn decode(packet: Packet<'de>) -> Result<Self, Error> {
        match text::decode(packet.value()) {
            Ok(text) if !packet.is_node() => Ok(text),
            _ => Err(no_text(packet.value(), packet.is_node(), packet.end(), packet.start())),
        }
    }
}

#[cold]
#[inline(never)]
fn no_text(value: &[u8], is_node: bool, end: u64, start: *const u8) -> Error {
    if is_node {
        return refused(is_node, end, start, value, Wanted::BYTES);
    }
    let valid = text::decode(value).err().unwrap_or_default();
    Error::new(ErrorKind::InvalidUtf8, end.wrapping_sub((value.len() - valid) as u64))
}

/// The bytes unchanged.
impl<'de: 'a, 'a> Decode<'de> for &'a [u8] {
    const IS_FLAT: bool = true;

    #[inline(always)]
    fn decode(packet: Packet<'de>) -> Result<Self, Error> {
        packet.primitive(Wanted::BYTES, Some)
    }
}

/// A text of one character.
impl Encode for char {
    const ROOM: usize = 6;

    #[inline]
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        to.bytes(key, self.encode_utf8(&mut [0; 4]).as_bytes())
    }

    fn shape() -> Shape {
        Shape::Value("text")
    }
}

/// A text of one character.
impl<'a> Decode<'a> for char {
    #[inline]
    fn decode(packet: Packet<'a>) -> Result<Self, Error> {
        let mut characters = <&str>::decode(packet)?.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => Ok(character),
            _ => Err(packet.refused(Wanted::CHAR)),
        }
    }
}

macro_rules! addresses {
    ($($type:ident, $bytes:literal;)*) => {$(
        /// The bytes of the address, the first one first.
        impl Encode for $type {
            #[inline]
            fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
                to.bytes(key, &self.octets())
            }

            fn shape() -> Shape {
                Shape::Value("bytes")
            }
        }

        /// The bytes of the address, the first one first.
        impl<'a> Decode<'a> for $type {
            #[inline]
            fn decode(packet: Packet<'a>) -> Result<Self, Error> {
                <[u8; $bytes]>::decode(packet).map(Self::from)
            }
        }
    )*};
}

addresses! {
    Ipv4Addr, 4;
    Ipv6Addr, 16;
}

/// The bytes of the address: 4 or 16.
impl Encode for IpAddr {
    #[inline]
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
        match self {
            IpAddr::V4(address) => address.encode(key, to),
            IpAddr::V6(address) => address.encode(key, to),
        }
    }

    fn shape() -> Shape {
        Shape::Value("bytes")
    }
}

/// An address of 4 or of 16 bytes.
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

#[cfg(feature = "alloc")]
mod owned {
    use alloc::borrow::Cow;
    use alloc::string::String;

    use super::{Decode, Encode, Encoder, Error, Key, Packet, Shape, Sink};

    /// UTF-8. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    impl Encode for String {
        #[inline(always)]
        fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
            to.bytes(key, self.as_bytes())
        }

        fn shape() -> Shape {
            Shape::Value("text")
        }
    }

    /// A copy of the text, which is checked as for `&str`. Cost: O(n), one allocation.
    impl<'a> Decode<'a> for String {
        const IS_FLAT: bool = true;

        #[inline]
        fn decode(packet: Packet<'a>) -> Result<Self, Error> {
            <&str>::decode(packet).map(Into::into)
        }
    }

    /// Borrowed from the input.
    impl<'de: 'a, 'a> Decode<'de> for Cow<'a, str> {
        #[inline]
        fn decode(packet: Packet<'de>) -> Result<Self, Error> {
            <&str>::decode(packet).map(Self::Borrowed)
        }
    }

    /// Borrowed from the input.
    impl<'de: 'a, 'a> Decode<'de> for Cow<'a, [u8]> {
        #[inline]
        fn decode(packet: Packet<'de>) -> Result<Self, Error> {
            <&[u8]>::decode(packet).map(Self::Borrowed)
        }
    }

    /// The bytes unchanged.
    #[cfg(feature = "bytes")]
    impl Encode for ::bytes::Bytes {
        #[inline]
        fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
            to.bytes(key, self)
        }

        fn shape() -> Shape {
            Shape::Value("bytes")
        }
    }
}
