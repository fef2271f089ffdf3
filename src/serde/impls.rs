//! Impls: the crate's own types as fields of structs.
//!
//! In: a `Packet`, a `PVarInt` or a `Key` where serde knows only its own data model. Out: newtypes whose names `ser` and `de`
//! know, and which to other formats are bytes and numbers.

use core::fmt;

use ::serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Unexpected, Visitor};
use ::serde::ser::{Serialize, Serializer};

use crate::read::packet::Packet;
use crate::wire::integer::PVarInt;
use crate::wire::key::Key;

/// The name of the newtype that is a packet, not decoded.
pub(super) const PACKET: &str = "$y3::Packet";
/// The name of the newtype whose integers are of the dialect `PVarInt`.
pub(super) const PVAR_INT: &str = "$y3::PVarInt";

/// The packet as it is, under the key of its field; its value is not looked at. To other formats it is bytes.
impl Serialize for Packet<'_> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Bytes<'a>(&'a [u8]);

        impl Serialize for Bytes<'_> {
            #[inline]
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bytes(self.0)
            }
        }
        serializer.serialize_newtype_struct(PACKET, &Bytes(self.as_bytes()))
    }
}

/// A field of this type, marked `#[serde(borrow)]`, keeps its packet undecoded, and its offset in the input.
impl<'de: 'a, 'a> Deserialize<'de> for Packet<'a> {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PacketVisitor;

        impl<'de> Visitor<'de> for PacketVisitor {
            type Value = Packet<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the bytes of a y3 packet")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
                match (parts.next_element()?, parts.next_element()?) {
                    (Some(offset), Some(bytes)) => self.visit_borrowed_bytes(bytes).map(|packet| packet.at(offset)),
                    _ => Err(A::Error::invalid_length(0, &self)),
                }
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
                deserializer.deserialize_bytes(self)
            }

            fn visit_borrowed_bytes<E: ::serde::de::Error>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Packet::from_slice(bytes).map_err(|_| E::invalid_value(Unexpected::Bytes(bytes), &self))
            }
        }
        deserializer.deserialize_newtype_struct(PACKET, PacketVisitor)
    }
}

/// The integers inside in the dialect `PVarInt`, whatever the dialect around them. To other formats it is a newtype.
impl<T: Serialize> Serialize for PVarInt<T> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(PVAR_INT, &self.0)
    }
}

/// The integers inside in the dialect `PVarInt`, whatever the dialect around them.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for PVarInt<T> {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PVarVisitor<T>(core::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for PVarVisitor<T> {
            type Value = PVarInt<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an integer")
            }

            #[inline]
            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
                T::deserialize(deserializer).map(PVarInt)
            }
        }
        deserializer.deserialize_newtype_struct(PVAR_INT, PVarVisitor(core::marker::PhantomData))
    }
}

/// Its number, so that maps can have keys of this type.
impl Serialize for Key {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.get())
    }
}

/// A number of 0..=63.
impl<'de> Deserialize<'de> for Key {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u8::deserialize(deserializer)?;
        Key::new(number).ok_or_else(|| D::Error::invalid_value(Unexpected::Unsigned(number.into()), &"a key of 0..=63"))
    }
}
