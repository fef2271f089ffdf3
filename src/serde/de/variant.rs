//! Variant: reads a packet as a variant of an enum.

use core::marker::PhantomData;

use ::serde::de::value::StrDeserializer;
use ::serde::de::{self, DeserializeSeed, EnumAccess, Visitor};

use super::packet::{PacketDeserializer, within};
use super::{fields, inside};
use crate::error::ErrorKind;
use crate::serde::error::Error;
use crate::serde::key::{name_of, variant_name};
use crate::wire::key::Key;

/// Reads a variant. A variant without content is a number: the variant's key. A variant with content is a node that
/// contains one packet with the variant's key.
pub(super) fn visit<'de, V: Visitor<'de>>(
    packet: PacketDeserializer<'de>,
    variants: &'static [&'static str],
    visitor: V,
) -> Result<V::Value, Error> {
    let (key, content) = if packet.packet.is_node() { content(packet)? } else { (number(packet)?, None) };
    let name = variant_name(variants, key)?;
    visitor.visit_enum(Variant { key, name, content })
}

fn number(packet: PacketDeserializer<'_>) -> Result<Key, Error> {
    let number = packet.packet.decode::<u32>()?;
    u8::try_from(number).ok().and_then(Key::new).ok_or_else(|| Error::new(ErrorKind::UnknownVariant))
}

fn content(node: PacketDeserializer<'_>) -> Result<(Key, Option<PacketDeserializer<'_>>), Error> {
    let mut packets = node.enter()?;
    let steps = node.steps.step(node.packet.offset())?;
    let packet = packets.next().transpose()?.ok_or_else(|| Error::new(ErrorKind::NotOneVariant))?;
    match packets.next().transpose()? {
        None => Ok((packet.key(), Some(PacketDeserializer { packet, steps }))),
        Some(_) => Err(Error::new(ErrorKind::NotOneVariant)),
    }
}

/// A variant, and the packet of its content.
struct Variant<'de> {
    key: Key,
    /// The variant's name, or `None` if no name has the key.
    name: Option<&'static str>,
    content: Option<PacketDeserializer<'de>>,
}

impl<'de> Variant<'de> {
    /// Reads the variant's content. Returns an error if the packet is only a number, because a number has no content.
    fn held<T>(&self, read: impl FnOnce(PacketDeserializer<'de>) -> Result<T, Error>) -> Result<T, Error> {
        let content = self.content.ok_or_else(|| Error::new(ErrorKind::UnknownVariant))?;
        within(content.packet, read(content))
    }
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self::Variant), Error> {
        // If no name has the key, the type either rejects the name passed here or reads it as its `other` variant.
        let variant = seed.deserialize(StrDeserializer::new(self.name.unwrap_or(name_of(self.key))));
        let variant = match self.content {
            Some(content) => within(content.packet, variant)?,
            None => variant?,
        };
        Ok((variant, self))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match (self.name, self.content) {
            (Some(_), Some(_)) => self.newtype_variant_seed(PhantomData),
            // The variant can also be the type's `other` variant, whose content is ignored.
            _ => Ok(()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        self.held(|content| seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.held(|content| inside::visit_items(content, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(self, names: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.held(|content| fields::visit(content, names, visitor))
    }
}
