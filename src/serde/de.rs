//! De: from a packet to a value.
//!
//! In: a packet and what a type's `Deserialize` asks of it. Out: that value, borrowed where it can be; what it does not ask
//! for is jumped over.

use core::marker::PhantomData;

use ::serde::de::value::{BorrowedBytesDeserializer, StrDeserializer, U64Deserializer};
use ::serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};
use ::serde::forward_to_deserialize_any;

use super::budget::Budget;
use super::error::{Error, ErrorKind};
use super::impls::{PACKET, PVAR_INT};
use super::key::{Claims, Names, variant_name};
use super::name::name_of;
use crate::error::ErrorKind as Fault;
use crate::read::packet::Packet;
use crate::read::packets::Packets;
use crate::read::value::Decode;
use crate::wire::integer::PVarInt;
use crate::wire::key::Key;
use crate::wire::tag::Tag;

/// Reads the value in a packet.
#[inline(always)]
pub(super) fn read<'de, T: Deserialize<'de>, const PVAR: bool>(
    packet: Packet<'de>,
    budget: Budget,
) -> Result<T, Error> {
    T::deserialize(Value::<PVAR> { packet, budget }).map_err(|error| error.inside(packet.key(), packet.offset()))
}

/// A packet that a type is about to read.
struct Value<'de, const PVAR: bool> {
    packet: Packet<'de>,
    budget: Budget,
}

impl<'de, const PVAR: bool> Value<'de, PVAR> {
    fn fault(&self, kind: ErrorKind) -> Error {
        Error::new(kind).at(self.packet.offset())
    }

    /// The number does not fit the type.
    fn out_of_range(&self) -> Error {
        Error::new(ErrorKind::Wire(Fault::InvalidValue)).at(self.packet.value_offset())
    }

    #[inline(always)]
    fn to<T: Decode<'de>>(&self) -> Result<T, Error> {
        match T::decode(self.packet.value()) {
            Ok(value) if !self.packet.is_node() => Ok(value),
            _ => Err(refused::<T>(self.packet.value(), self.packet.tag(), self.packet.end())),
        }
    }

    #[inline(always)]
    fn number<T: Decode<'de>>(&self) -> Result<T, Error>
    where
        PVarInt<T>: Decode<'de>,
    {
        if PVAR { self.to::<PVarInt<T>>().map(|PVarInt(number)| number) } else { self.to() }
    }

    /// The packets inside, and what is left of the budget there.
    #[inline(always)]
    fn enter(&self) -> Result<(Packets<'de>, Budget), Error> {
        if !self.packet.is_node() {
            return Err(self.fault(ErrorKind::Wire(Fault::NotANode)));
        }
        Ok((self.packet.children(), self.budget.node(self.packet.offset())?))
    }

    /// The same packet for what an option or a newtype holds.
    #[inline(always)]
    fn held<const OTHER: bool>(self) -> Result<Value<'de, OTHER>, Error> {
        Ok(Value { packet: self.packet, budget: self.budget.step(self.packet.offset())? })
    }

    #[inline(always)]
    fn items<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let (packets, budget) = self.enter()?;
        let mut items = Items::<PVAR> { packets, budget };
        let value = visitor.visit_seq(&mut items)?;
        match items.packets.next() {
            None => Ok(value),
            Some(Ok(packet)) => Err(Error::new(ErrorKind::ExtraItems).inside(packet.key(), packet.offset())),
            Some(Err(error)) => Err(error.into()),
        }
    }

    #[inline(always)]
    fn fields<V: Visitor<'de>>(self, names: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        let (packets, budget) = self.enter()?;
        let names = Names::new(names)?;
        visitor.visit_map(Fields::<PVAR> { packets, budget, names, told: false, value: None })
    }

    /// A number that stands for a variant: its key.
    fn unit_variant<V: Visitor<'de>>(self, variants: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        let number = self.number::<u32>()?;
        let key = u8::try_from(number).ok().and_then(Key::new);
        let key = key.ok_or_else(|| self.fault(ErrorKind::UnknownVariant))?;
        let name = variant_name(variants, key)?;
        // A name that the type does not know either is refused by it, or is its `other`.
        visitor.visit_enum(StrDeserializer::new(name.unwrap_or(name_of(key))))
    }

    /// A node with one packet, whose key says which variant it holds.
    fn variant<V: Visitor<'de>>(self, variants: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        let (mut packets, budget) = self.enter()?;
        let budget = budget.step(self.packet.offset())?;
        let packet = packets.next().transpose()?.ok_or_else(|| self.fault(ErrorKind::NotOneVariant))?;
        if packets.next().transpose()?.is_some() {
            return Err(self.fault(ErrorKind::NotOneVariant));
        }
        let name = variant_name(variants, packet.key())?;
        visitor.visit_enum(Variant { name, content: Value::<PVAR> { packet, budget } })
    }
}

/// Why a packet's value is not of that type: found out again, in words of its own, so that a value that is one needs to
/// keep nothing for it.
#[cold]
fn refused<'de, T: Decode<'de>>(value: &'de [u8], tag: Tag, end: u64) -> Error {
    match T::decode(value) {
        Err(error) if !tag.is_node() => error.rebased(end - value.len() as u64).into(),
        _ => Error::new(ErrorKind::NotAPrimitive),
    }
}

macro_rules! numbers {
    ($($method:ident, $visit:ident: $type:ty as $wire:ty;)*) => {$(
        #[inline(always)]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match <$type>::try_from(self.number::<$wire>()?) {
                Ok(number) => visitor.$visit(number),
                Err(_) => Err(self.out_of_range()),
            }
        }
    )*};
}

macro_rules! values {
    ($($method:ident, $visit:ident;)*) => {$(
        #[inline(always)]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.to()?)
        }
    )*};
}

impl<'de, const PVAR: bool> Deserializer<'de> for Value<'de, PVAR> {
    type Error = Error;

    numbers! {
        deserialize_i8, visit_i8: i8 as i32;
        deserialize_i16, visit_i16: i16 as i32;
        deserialize_u8, visit_u8: u8 as u32;
        deserialize_u16, visit_u16: u16 as u32;
    }

    #[inline(always)]
    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i32(self.number()?)
    }

    #[inline(always)]
    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i64(self.number()?)
    }

    #[inline(always)]
    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u32(self.number()?)
    }

    #[inline(always)]
    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u64(self.number()?)
    }

    values! {
        deserialize_bool, visit_bool;
        deserialize_f32, visit_f32;
        deserialize_f64, visit_f64;
        deserialize_char, visit_borrowed_str;
        deserialize_str, visit_borrowed_str;
        deserialize_string, visit_borrowed_str;
        deserialize_bytes, visit_borrowed_bytes;
        deserialize_byte_buf, visit_borrowed_bytes;
    }

    #[cold]
    fn deserialize_i128<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(self.fault(ErrorKind::Unsupported("a number of 128 bits")))
    }

    #[cold]
    fn deserialize_u128<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(self.fault(ErrorKind::Unsupported("a number of 128 bits")))
    }

    #[cold]
    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(self.fault(ErrorKind::Untyped))
    }

    #[cold]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    #[inline(always)]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    #[inline(always)]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self.held::<PVAR>()?)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.to::<&[u8]>()? {
            [] => visitor.visit_unit(),
            _ => Err(self.out_of_range()),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    #[inline(always)]
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        match name {
            PACKET => visitor.visit_seq(Whole { packet: self.packet, offset: Some(self.packet.offset()) }),
            PVAR_INT => visitor.visit_newtype_struct(self.held::<true>()?),
            _ => visitor.visit_newtype_struct(self.held::<PVAR>()?),
        }
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.items(visitor)
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.items(visitor)
    }

    #[inline]
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.items(visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let (packets, budget) = self.enter()?;
        visitor.visit_map(Entries::<PVAR> { packets, budget, claims: Claims::NONE, value: None })
    }

    #[inline(always)]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.fields(names, visitor)
    }

    #[inline]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.packet.is_node() { self.variant(variants, visitor) } else { self.unit_variant(variants, visitor) }
    }

    #[inline(always)]
    fn is_human_readable(&self) -> bool {
        false
    }
}

/// A node's packets as the items of a sequence.
struct Items<'de, const PVAR: bool> {
    packets: Packets<'de>,
    budget: Budget,
}

impl<'de, const PVAR: bool> SeqAccess<'de> for Items<'de, PVAR> {
    type Error = Error;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        match self.packets.next() {
            None => Ok(None),
            Some(Ok(packet)) => {
                let value = Value::<PVAR> { packet, budget: self.budget };
                seed.deserialize(value).map(Some).map_err(|error| error.inside(packet.key(), packet.offset()))
            }
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// Packets that are there, counted: what a length says is not believed.
    fn size_hint(&self) -> Option<usize> {
        Some(self.packets.clone().take_while(Result::is_ok).count())
    }
}

/// A node's packets as the fields of a struct.
struct Fields<'de, const PVAR: bool> {
    packets: Packets<'de>,
    budget: Budget,
    names: Names,
    /// The type has been told of a key that it does not know. If it minds, it says so then; further ones are jumped over.
    told: bool,
    /// The packet whose value comes next, behind its key.
    value: Option<Packet<'de>>,
}

impl<'de, const PVAR: bool> MapAccess<'de> for Fields<'de, PVAR> {
    type Error = Error;

    #[inline(always)]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let (keys, told) = (self.names.keys(), &mut self.told);
        let heard = |tag: Tag| keys.contains(tag.key()) || !core::mem::replace(told, true);
        match self.packets.next_with(heard) {
            None => Ok(None),
            Some(Ok(packet)) => {
                self.value = Some(packet);
                let name = StrDeserializer::new(self.names.name(packet.key()));
                seed.deserialize(name).map(Some).map_err(|error: Error| error.inside(packet.key(), packet.offset()))
            }
            Some(Err(error)) => Err(error.into()),
        }
    }

    #[inline(always)]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let packet = self.value.ok_or_else(|| Error::new(ErrorKind::Absent))?;
        seed.deserialize(Value::<PVAR> { packet, budget: self.budget })
            .map_err(|error| error.inside(packet.key(), packet.offset()))
    }

    // The provided ones are the same, but not always inlined, and then all of `self` lives in memory.
    #[inline(always)]
    fn next_key<K: Deserialize<'de>>(&mut self) -> Result<Option<K>, Error> {
        self.next_key_seed(PhantomData)
    }

    #[inline(always)]
    fn next_value<T: Deserialize<'de>>(&mut self) -> Result<T, Error> {
        self.next_value_seed(PhantomData)
    }
}

/// A node's packets as the entries of a map.
struct Entries<'de, const PVAR: bool> {
    packets: Packets<'de>,
    budget: Budget,
    claims: Claims,
    /// The packet whose value comes next, behind its key.
    value: Option<Packet<'de>>,
}

impl<'de, const PVAR: bool> MapAccess<'de> for Entries<'de, PVAR> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(packet) = self.packets.next().transpose()? else { return Ok(None) };
        self.value = Some(packet);
        if !self.claims.claim(packet.key()) {
            return Err(Error::new(ErrorKind::RepeatedKey(None)).inside(packet.key(), packet.offset()));
        }
        let key = MapKey { key: packet.key(), budget: self.budget, offset: packet.offset() };
        seed.deserialize(key).map(Some).map_err(|error| error.inside(packet.key(), packet.offset()))
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let packet = self.value.ok_or_else(|| Error::new(ErrorKind::Absent))?;
        seed.deserialize(Value::<PVAR> { packet, budget: self.budget })
            .map_err(|error| error.inside(packet.key(), packet.offset()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.packets.clone().take_while(Result::is_ok).count())
    }
}

/// A map's key: a number, or a variant whose name says it.
struct MapKey {
    key: Key,
    budget: Budget,
    offset: u64,
}

impl MapKey {
    #[inline]
    fn held(self) -> Result<Self, Error> {
        Ok(Self { budget: self.budget.step(self.offset)?, ..self })
    }
}

impl<'de> Deserializer<'de> for MapKey {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u8(self.key.get())
    }

    #[cold]
    fn deserialize_str<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::new(ErrorKind::MapKey))
    }

    #[cold]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    /// The name of a field, which a struct with a flattened field asks for.
    #[cold]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self.held()?)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self.held()?)
    }

    #[inline]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let name = variant_name(variants, self.key)?;
        visitor.visit_enum(StrDeserializer::new(name.unwrap_or(name_of(self.key))))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct seq tuple tuple_struct
        map struct ignored_any
    }
}

/// The packet that a variant is.
struct Variant<'de, const PVAR: bool> {
    /// The type's name for its key, if it has one.
    name: Option<&'static str>,
    content: Value<'de, PVAR>,
}

impl<'de, const PVAR: bool> EnumAccess<'de> for Variant<'de, PVAR> {
    type Error = Error;
    type Variant = Self;

    #[inline]
    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self::Variant), Error> {
        let packet = self.content.packet;
        let name: StrDeserializer<'_, Error> = self.name.unwrap_or(name_of(packet.key())).into_deserializer();
        let variant = seed.deserialize(name).map_err(|error| error.inside(packet.key(), packet.offset()))?;
        Ok((variant, self))
    }
}

impl<'de, const PVAR: bool> VariantAccess<'de> for Variant<'de, PVAR> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.name {
            Some(_) => self.newtype_variant_seed(PhantomData),
            // The type takes any other variant, whatever it holds.
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
        self.content.items(visitor).map_err(|error| error.inside(packet.key(), packet.offset()))
    }

    #[inline]
    fn struct_variant<V: Visitor<'de>>(self, names: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        let packet = self.content.packet;
        self.content.fields(names, visitor).map_err(|error| error.inside(packet.key(), packet.offset()))
    }
}

/// A packet not decoded: its offset, then its bytes.
struct Whole<'de> {
    packet: Packet<'de>,
    offset: Option<u64>,
}

impl<'de> SeqAccess<'de> for Whole<'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        match self.offset.take() {
            Some(offset) => seed.deserialize(U64Deserializer::new(offset)),
            None => seed.deserialize(BorrowedBytesDeserializer::new(self.packet.as_bytes())),
        }
        .map(Some)
    }
}
