//! Impls: implements serde's traits for types of this crate.
//!
//! Serde's data model lacks packets and `PVarInt`s. They are passed as newtypes whose names `ser` and `de` recognize.
//! Other serde formats treat these newtypes as bytes and numbers.

use core::fmt;

use ::serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Unexpected, Visitor};
use ::serde::ser::{Serialize, Serializer};

use crate::read::packet::Packet;
use crate::wire::integer::PVarInt;
use crate::wire::key::Key;

/// The name of the newtype for an undecoded packet.
pub(super) const PACKET: &str = "$y3::Packet";
/// The name of the newtype for a `PVarInt`.
pub(super) const PVAR_INT: &str = "$y3::PVarInt";

/// Writes the packet unchanged, with the key of its field. The packet's value is not checked. Other serde formats write
/// the packet as bytes.
impl Serialize for Packet<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Bytes<'a>(&'a [u8]);

        impl Serialize for Bytes<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bytes(self.0)
            }
        }
        serializer.serialize_newtype_struct(PACKET, &Bytes(self.as_bytes()))
    }
}

/// Returns the packet without decoding it. The packet keeps its offset in the input. Mark the field with
/// `#[serde(borrow)]`.
impl<'de: 'a, 'a> Deserialize<'de> for Packet<'a> {
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

/// Writes the integers in the inner value as `PVarInt`s, even if the encoder's mode is NVarInt. Other serde formats
/// write a newtype.
impl<T: Serialize> Serialize for PVarInt<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(PVAR_INT, &self.0)
    }
}

/// Reads the integers in the inner value as `PVarInt`s, even if the packet's mode is NVarInt.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for PVarInt<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PVarVisitor<T>(core::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for PVarVisitor<T> {
            type Value = PVarInt<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an integer")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
                T::deserialize(deserializer).map(PVarInt)
            }
        }
        deserializer.deserialize_newtype_struct(PVAR_INT, PVarVisitor(core::marker::PhantomData))
    }
}

/// Writes the key as a number, so a `Key` can be the key of a map.
impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.get())
    }
}

/// Reads a number of 0..=63 as a key.
impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u8::deserialize(deserializer)?;
        Key::new(number).ok_or_else(|| D::Error::invalid_value(Unexpected::Unsigned(number.into()), &"a key of 0..=63"))
    }
}
