//! Drives serde with values as `Serialize` and their types as `Deserialize`, with the calls that serde's derive makes.

use std::cell::RefCell;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, IgnoredAny, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::ser::{
    Error as _, Serialize, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};

use super::typed::{Fields, Skip, Typed, Variant};

impl Serialize for Typed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Typed::Bool(value) => serializer.serialize_bool(*value),
            Typed::Integer(width, number) => width.serialize(*number, serializer),
            Typed::F32(bits) => serializer.serialize_f32(f32::from_bits(*bits)),
            Typed::F64(bits) => serializer.serialize_f64(f64::from_bits(*bits)),
            Typed::Char(char) => serializer.serialize_char(*char),
            Typed::Text(text) => serializer.serialize_str(text),
            Typed::Bytes(bytes) => serializer.serialize_bytes(bytes),
            Typed::Unit => serializer.serialize_unit(),
            Typed::UnitStruct => serializer.serialize_unit_struct("Unit"),
            Typed::Option(false, _) => serializer.serialize_none(),
            Typed::Option(true, inner) => serializer.serialize_some(inner),
            Typed::Newtype(inner) => serializer.serialize_newtype_struct("Newtype", inner),
            Typed::Seq(items) => serializer.collect_seq(items),
            Typed::Tuple(items) => {
                let mut tuple = serializer.serialize_tuple(items.len())?;
                items.iter().try_for_each(|item| tuple.serialize_element(item))?;
                tuple.end()
            }
            Typed::TupleStruct(items) => {
                let mut tuple = serializer.serialize_tuple_struct("Tuple", items.len())?;
                items.iter().try_for_each(|item| tuple.serialize_field(item))?;
                tuple.end()
            }
            Typed::Map(entries) => serializer.collect_map(entries.iter().map(|(key, value)| (key, value))),
            Typed::Struct(fields) => {
                let mut inner = serializer.serialize_struct("Struct", fields.members.len())?;
                fields.members.iter().try_for_each(|field| inner.serialize_field(field.name, &field.value))?;
                inner.end()
            }
            Typed::Enum(variants, _, place) => variant(&variants[*place], *place, serializer),
        }
    }
}

fn variant<S: Serializer>(variant: &Variant, place: usize, serializer: S) -> Result<S::Ok, S::Error> {
    // Serde counts skipped variants in the index.
    let (index, name) = (u32::try_from(place).unwrap(), variant.name);
    match &variant.content {
        _ if variant.skip == Skip::Always => Err(S::Error::custom("the variant cannot be serialized")),
        Typed::Newtype(inner) => serializer.serialize_newtype_variant("Enum", index, name, inner),
        Typed::Tuple(items) => {
            let mut tuple = serializer.serialize_tuple_variant("Enum", index, name, items.len())?;
            items.iter().try_for_each(|item| tuple.serialize_field(item))?;
            tuple.end()
        }
        Typed::Struct(fields) => {
            let mut inner = serializer.serialize_struct_variant("Enum", index, name, fields.members.len())?;
            fields.members.iter().try_for_each(|field| inner.serialize_field(field.name, &field.value))?;
            inner.end()
        }
        _ => serializer.serialize_unit_variant("Enum", index, name),
    }
}

thread_local! {
    static TYPE: RefCell<Typed> = const { RefCell::new(Typed::Unit) };
}

/// Calls a reader for which [`Read`] has the type of that value.
pub fn as_type_of<T>(value: &Typed, reader: impl FnOnce() -> T) -> T {
    TYPE.set(value.clone());
    reader()
}

/// A value that was read.
pub struct Read(pub Typed);

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = TYPE.with_borrow(Typed::clone);
        Type(&value).deserialize(deserializer).map(Read)
    }
}

/// The type of a value, for reading.
#[derive(Clone, Copy)]
struct Type<'a>(&'a Typed);

impl Type<'_> {
    fn fields<'de, A: MapAccess<'de>>(fields: &Fields, mut map: A) -> Result<Typed, A::Error> {
        let mut values: Vec<Option<Typed>> = vec![None; fields.members.len()];
        let place = |name: &str| {
            let place = fields.members.iter().position(|field| field.name == name || field.alias == Some(name));
            (place.is_some() || !fields.deny_unknown).then_some(place)
        };
        while let Some(place) = map.next_key_seed(Name(place))? {
            match place.map(|place| (&fields.members[place], &mut values[place])) {
                None => drop(map.next_value::<IgnoredAny>()?),
                Some((field, Some(_))) => return Err(A::Error::duplicate_field(field.name)),
                Some((field, value)) => *value = Some(map.next_value_seed(Type(&field.value))?),
            }
        }
        let mut fields = fields.clone();
        for (field, value) in fields.members.iter_mut().zip(values) {
            match (value, &mut field.value) {
                (Some(read), value) => *value = read,
                (None, Typed::Option(is_there, _)) => *is_there = false,
                (None, _) => return Err(A::Error::missing_field(field.name)),
            }
        }
        Ok(Typed::Struct(fields))
    }

    fn integer<E: serde::de::Error>(self, number: i128) -> Result<Typed, E> {
        match self.0 {
            Typed::Integer(width, _) if width.range().0 <= number && number <= width.range().1 => {
                Ok(Typed::Integer(*width, number))
            }
            _ => Err(self.is_not()),
        }
    }

    fn is_not<E: serde::de::Error>(self) -> E {
        E::custom(format_args!("not like {:?}", self.0))
    }
}

impl<'de> DeserializeSeed<'de> for Type<'_> {
    type Value = Typed;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Typed, D::Error> {
        match self.0 {
            Typed::Bool(_) => deserializer.deserialize_bool(self),
            Typed::Integer(width, _) => width.deserialize(deserializer, self),
            Typed::F32(_) => deserializer.deserialize_f32(self),
            Typed::F64(_) => deserializer.deserialize_f64(self),
            Typed::Char(_) => deserializer.deserialize_char(self),
            Typed::Text(_) => deserializer.deserialize_string(self),
            Typed::Bytes(_) => deserializer.deserialize_byte_buf(self),
            Typed::Unit => deserializer.deserialize_unit(self),
            Typed::UnitStruct => deserializer.deserialize_unit_struct("Unit", self),
            Typed::Option(..) => deserializer.deserialize_option(self),
            Typed::Newtype(_) => deserializer.deserialize_newtype_struct("Newtype", self),
            Typed::Seq(_) => deserializer.deserialize_seq(self),
            Typed::Tuple(items) => deserializer.deserialize_tuple(items.len(), self),
            Typed::TupleStruct(items) => deserializer.deserialize_tuple_struct("Tuple", items.len(), self),
            Typed::Map(..) => deserializer.deserialize_map(self),
            Typed::Struct(fields) => deserializer.deserialize_struct("Struct", fields.names, self),
            Typed::Enum(_, names, _) => deserializer.deserialize_enum("Enum", names, self),
        }
    }
}

macro_rules! visits {
    ($($visit:ident($value:ident: $type:ty), $like:pat => $read:expr;)*) => {$(
        fn $visit<E: serde::de::Error>(self, $value: $type) -> Result<Typed, E> {
            if matches!(self.0, $like) { Ok($read) } else { Err(self.is_not()) }
        }
    )*};
}

impl<'de> Visitor<'de> for Type<'_> {
    type Value = Typed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value like {:?}", self.0)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Typed, E> {
        self.integer(number.into())
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Typed, E> {
        self.integer(number.into())
    }

    visits! {
        visit_bool(value: bool), Typed::Bool(_) => Typed::Bool(value);
        visit_f32(value: f32), Typed::F32(_) => Typed::F32(value.to_bits());
        visit_f64(value: f64), Typed::F64(_) => Typed::F64(value.to_bits());
        visit_char(value: char), Typed::Char(_) => Typed::Char(value);
        visit_bytes(value: &[u8]), Typed::Bytes(_) => Typed::Bytes(value.into());
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Typed, E> {
        match (self.0, text.parse()) {
            (Typed::Text(_), _) => Ok(Typed::Text(text.into())),
            (Typed::Char(_), Ok(char)) => Ok(Typed::Char(char)),
            _ => Err(self.is_not()),
        }
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Typed, E> {
        if matches!(self.0, Typed::Unit | Typed::UnitStruct) { Ok(self.0.clone()) } else { Err(self.is_not()) }
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<Typed, E> {
        let Typed::Option(_, inner) = self.0 else { return Err(self.is_not()) };
        Ok(Typed::Option(false, inner.clone()))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Typed, D::Error> {
        let Typed::Option(_, inner) = self.0 else { return Err(self.is_not()) };
        Ok(Typed::Option(true, Type(inner).deserialize(deserializer)?.into()))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Typed, D::Error> {
        let Typed::Newtype(inner) = self.0 else { return Err(self.is_not()) };
        Ok(Typed::Newtype(Type(inner).deserialize(deserializer)?.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Typed, A::Error> {
        let mut read = Vec::new();
        match self.0 {
            // Reads all items, each as the type of the item at its index or of the last item.
            Typed::Seq(items) => {
                while let Some(like) = items.get(read.len()).or(items.last()) {
                    let Some(item) = seq.next_element_seed(Type(like))? else { break };
                    read.push(item);
                }
                Ok(Typed::Seq(read))
            }
            // Reads as many items as there are types.
            Typed::Tuple(items) | Typed::TupleStruct(items) => {
                for like in items {
                    let item = seq.next_element_seed(Type(like))?;
                    read.push(item.ok_or_else(|| A::Error::invalid_length(read.len(), &"more items"))?);
                }
                Ok(if matches!(self.0, Typed::Tuple(_)) { Typed::Tuple(read) } else { Typed::TupleStruct(read) })
            }
            _ => Err(self.is_not()),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Typed, A::Error> {
        match self.0 {
            Typed::Map(entries) => {
                let mut read = Vec::new();
                while let Some((key, value)) = entries.get(read.len()).or(entries.last()) {
                    let Some(key) = map.next_key_seed(Type(key))? else { break };
                    read.push((key, map.next_value_seed(Type(value))?));
                }
                Ok(Typed::Map(read))
            }
            Typed::Struct(fields) => Self::fields(fields, map),
            _ => Err(self.is_not()),
        }
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Typed, A::Error> {
        let Typed::Enum(variants, names, _) = self.0 else { return Err(self.is_not()) };
        let (place, access) = access.variant_seed(Name(|name: &str| known(variants, name)))?;
        let content = match &variants[place].content {
            Typed::Newtype(inner) => Typed::Newtype(access.newtype_variant_seed(Type(inner))?.into()),
            tuple @ Typed::Tuple(items) => access.tuple_variant(items.len(), Type(tuple))?,
            inner @ Typed::Struct(fields) => access.struct_variant(fields.names, Type(inner))?,
            _ => access.unit_variant().map(|()| Typed::Unit)?,
        };
        let mut variants = variants.clone();
        variants[place].content = content;
        Ok(Typed::Enum(variants, names, place))
    }
}

/// The index of the variant with this name.
fn known(variants: &[Variant], name: &str) -> Option<usize> {
    let is_named = |variant: &Variant| {
        variant.skip == Skip::Never && !variant.other && (variant.name == name || variant.alias == Some(name))
    };
    variants.iter().position(is_named).or(variants.iter().position(|variant| variant.other))
}

/// Maps a name to its meaning; `None` if the name is not allowed.
struct Name<F>(F);

impl<'de, T, F: Fn(&str) -> Option<T>> DeserializeSeed<'de> for Name<F> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<T, F: Fn(&str) -> Option<T>> Visitor<'_> for Name<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<T, E> {
        (self.0)(name).ok_or_else(|| E::custom("an unknown name"))
    }
}
