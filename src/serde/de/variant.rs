//! Variant: a packet read as a variant of an enum.
//!
//! In: a packet and the names of the variants. Out: the variant whose name has the key, and its content.

use core::marker::PhantomData;

use ::serde::de::value::StrDeserializer;
use ::serde::de::{self, DeserializeSeed, EnumAccess, Visitor};

use super::fields::FieldAccess;
use super::items::ItemAccess;
use super::packet::PacketDeserializer;
use crate::serde::error::{Error, ErrorKind};
use crate::serde::key::variant_name;
use crate::serde::name::name_of;
use crate::wire::key::Key;

/// Reads a variant: one without content is a number, one with content a node.
#[inline]
pub(super) fn visit<'de, V: Visitor<'de>>(
    packet: PacketDeserializer<'de>,
    variants: &'static [&'static str],
    visitor: V,
) -> Result<V::Value, Error> {
    if packet.packet.is_node() { data(packet, variants, visitor) } else { unit(packet, variants, visitor) }
}

/// Reads a variant without content: the number is its key.
fn unit<'de, V: Visitor<'de>>(
    packet: PacketDeserializer<'de>,
    variants: &'static [&'static str],
    visitor: V,
) -> Result<V::Value, Error> {
    let number = packet.decode::<u32>()?;
    let key = u8::try_from(number).ok().and_then(Key::new);
    let key = key.ok_or_else(|| packet.error(ErrorKind::Wire(crate::ErrorKind::UnknownVariant)))?;
    let name = variant_name(variants, key)?;
    // If no name has the key, the type refuses the name passed here or reads it as its `other` variant.
    visitor.visit_enum(StrDeserializer::new(name.unwrap_or(name_of(key))))
}

/// Reads a variant with content: a node with one packet, whose key is that of the variant.
fn data<'de, V: Visitor<'de>>(
    node: PacketDeserializer<'de>,
    variants: &'static [&'static str],
    visitor: V,
) -> Result<V::Value, Error> {
    let mut packets = node.enter()?;
    let steps = node.steps.step(node.packet.offset())?;
    let packet =
        packets.next().transpose()?.ok_or_else(|| node.error(ErrorKind::Wire(crate::ErrorKind::NotOneVariant)))?;
    if packets.next().transpose()?.is_some() {
        return Err(node.error(ErrorKind::Wire(crate::ErrorKind::NotOneVariant)));
    }
    let name = variant_name(variants, packet.key())?;
    visitor.visit_enum(VariantAccess { name, content: PacketDeserializer { packet, steps } })
}

/// The packet of a variant.
struct VariantAccess<'de> {
    /// The variant's name, if one has the packet's key.
    name: Option<&'static str>,
    content: PacketDeserializer<'de>,
}

impl<'de> EnumAccess<'de> for VariantAccess<'de> {
    type Error = Error;
    type Variant = Self;

    #[inline]
    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self::Variant), Error> {
        let packet = self.content.packet;
        let name = StrDeserializer::<Error>::new(self.name.unwrap_or(name_of(packet.key())));
        let variant = seed.deserialize(name).map_err(|error| error.inside(packet.key(), packet.offset()))?;
        Ok((variant, self))
    }
}

impl<'de> de::VariantAccess<'de> for VariantAccess<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.name {
            Some(_) => self.newtype_variant_seed(PhantomData),
            // The type's `other` variant, whose content is ignored.
            None => Ok(()),
        }
    }

    #[inline]
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        let packet = self.content.packet;
        seed.deserialize(self.content).map_err(|error| error.inside(packet.key(), packet.offset()))
    }

    #[inline]
    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        let packet = self.content.packet;
        ItemAccess::visit(self.content, visitor).map_err(|error| error.inside(packet.key(), packet.offset()))
    }

    #[inline]
    fn struct_variant<V: Visitor<'de>>(self, names: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        let packet = self.content.packet;
        FieldAccess::visit(self.content, names, visitor).map_err(|error| error.inside(packet.key(), packet.offset()))
    }
}
