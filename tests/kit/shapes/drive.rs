//! Drive: a schema and its values as `Serialize` and `Deserialize`, with the calls that serde's derive makes.
//!
//! In: a value, or a deserializer of any format. Out: the calls for it, or the value that the format gives.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, IgnoredAny, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::schema::{Content, Fields, Schema, Shape, Skip, Value, Variant};

/// A value of a type, to be written.
pub struct Typed<'a> {
    pub schema: &'a Schema,
    pub shape: &'a Shape,
    pub value: &'a Value,
}

impl<'a> Typed<'a> {
    fn of(&self, shape: &'a Shape, value: &'a Value) -> Self {
        Typed { schema: self.schema, shape, value }
    }

    fn integer<T: TryFrom<i128>>(&self) -> T {
        match self.value {
            Value::Integer(number) => T::try_from(*number).ok().expect("a value of the type"),
            value => unreachable!("{value:?} is no integer"),
        }
    }

    fn variant<S: Serializer>(
        &self,
        place: usize,
        variant: &'a Variant,
        content: &'a Value,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        // serde counts skipped variants here.
        let (index, name) = (u32::try_from(place).unwrap(), variant.name);
        if variant.skip == Skip::Always {
            return Err(S::Error::custom("the variant cannot be serialized"));
        }
        match (&variant.content, content) {
            (Content::Unit, _) => serializer.serialize_unit_variant("Enum", index, name),
            (Content::Newtype(shape), content) => {
                serializer.serialize_newtype_variant("Enum", index, name, &self.of(shape, content))
            }
            (Content::Tuple(shapes), Value::Items(values)) => {
                let mut tuple = serializer.serialize_tuple_variant("Enum", index, name, shapes.len())?;
                shapes
                    .iter()
                    .zip(values)
                    .try_for_each(|(shape, value)| tuple.serialize_field(&self.of(shape, value)))?;
                tuple.end()
            }
            (Content::Struct(fields), Value::Items(values)) => {
                let mut inner = serializer.serialize_struct_variant("Enum", index, name, values.len())?;
                for (field, value) in fields.members.iter().zip(values) {
                    inner.serialize_field(field.name, &self.of(&field.shape, value))?;
                }
                inner.end()
            }
            (_, value) => unreachable!("{value:?} is no content of {variant:?}"),
        }
    }
}

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.schema.resolve(self.shape), self.value) {
            (Shape::Bool, Value::Bool(value)) => serializer.serialize_bool(*value),
            (Shape::I8, _) => serializer.serialize_i8(self.integer()),
            (Shape::I16, _) => serializer.serialize_i16(self.integer()),
            (Shape::I32, _) => serializer.serialize_i32(self.integer()),
            (Shape::I64, _) => serializer.serialize_i64(self.integer()),
            (Shape::I128, _) => serializer.serialize_i128(self.integer()),
            (Shape::U8, _) => serializer.serialize_u8(self.integer()),
            (Shape::U16, _) => serializer.serialize_u16(self.integer()),
            (Shape::U32, _) => serializer.serialize_u32(self.integer()),
            (Shape::U64, _) => serializer.serialize_u64(self.integer()),
            (Shape::F32, Value::F32(bits)) => serializer.serialize_f32(f32::from_bits(*bits)),
            (Shape::F64, Value::F64(bits)) => serializer.serialize_f64(f64::from_bits(*bits)),
            (Shape::Char, Value::Char(char)) => serializer.serialize_char(*char),
            (Shape::Text, Value::Text(text)) => serializer.serialize_str(text),
            (Shape::Bytes, Value::Bytes(bytes)) => serializer.serialize_bytes(bytes),
            (Shape::Unit, Value::Unit) => serializer.serialize_unit(),
            (Shape::UnitStruct, Value::Unit) => serializer.serialize_unit_struct("Unit"),
            (Shape::Option(_), Value::None) => serializer.serialize_none(),
            (Shape::Option(inner), Value::Some(value)) => serializer.serialize_some(&self.of(inner, value)),
            (Shape::Newtype(inner), Value::Newtype(value)) => {
                serializer.serialize_newtype_struct("Newtype", &self.of(inner, value))
            }
            (Shape::Seq(inner), Value::Items(values)) => {
                let mut seq = serializer.serialize_seq(Some(values.len()))?;
                values.iter().try_for_each(|value| seq.serialize_element(&self.of(inner, value)))?;
                seq.end()
            }
            (Shape::Tuple(shapes), Value::Items(values)) => {
                let mut tuple = serializer.serialize_tuple(shapes.len())?;
                shapes
                    .iter()
                    .zip(values)
                    .try_for_each(|(shape, value)| tuple.serialize_element(&self.of(shape, value)))?;
                tuple.end()
            }
            (Shape::TupleStruct(shapes), Value::Items(values)) => {
                let mut tuple = serializer.serialize_tuple_struct("Tuple", shapes.len())?;
                shapes
                    .iter()
                    .zip(values)
                    .try_for_each(|(shape, value)| tuple.serialize_field(&self.of(shape, value)))?;
                tuple.end()
            }
            (Shape::Map(key, inner), Value::Map(entries)) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (name, value) in entries {
                    map.serialize_entry(&self.of(key, name), &self.of(inner, value))?;
                }
                map.end()
            }
            (Shape::Struct(fields), Value::Items(values)) => {
                let mut inner = serializer.serialize_struct("Struct", values.len())?;
                for (field, value) in fields.members.iter().zip(values) {
                    inner.serialize_field(field.name, &self.of(&field.shape, value))?;
                }
                inner.end()
            }
            (Shape::Enum(variants, _), Value::Variant(place, content)) => {
                self.variant(*place, &variants[*place], content, serializer)
            }
            (shape, value) => unreachable!("{value:?} is no value of {shape:?}"),
        }
    }
}

thread_local! {
    static TYPE: RefCell<Option<Rc<Schema>>> = const { RefCell::new(None) };
}

/// Calls a reader for which [`Read`] is that type.
pub fn as_type<T>(schema: &Rc<Schema>, reader: impl FnOnce() -> T) -> T {
    TYPE.replace(Some(Rc::clone(schema)));
    reader()
}

/// A value that was read.
pub struct Read(pub Value);

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let schema = TYPE.with_borrow(Option::clone).expect("a type");
        Type { schema: &schema, shape: &schema.root }.deserialize(deserializer).map(Read)
    }
}

/// A type, to be read.
#[derive(Clone, Copy)]
struct Type<'a> {
    schema: &'a Schema,
    shape: &'a Shape,
}

impl<'a> Type<'a> {
    fn of(self, shape: &'a Shape) -> Self {
        Self { shape, ..self }
    }

    /// The items of a tuple, as many as there are types.
    fn items<'de, A: SeqAccess<'de>>(self, shapes: &[Shape], mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        for shape in shapes {
            let value = seq.next_element_seed(self.of(shape))?;
            values.push(value.ok_or_else(|| A::Error::invalid_length(values.len(), &"more items"))?);
        }
        Ok(Value::Items(values))
    }

    fn fields<'de, A: MapAccess<'de>>(self, fields: &'a Fields, mut map: A) -> Result<Value, A::Error> {
        let mut values: Vec<Option<Value>> = fields.members.iter().map(|_| None).collect();
        while let Some(place) = map.next_key_seed(FieldName(fields))? {
            match place.map(|place| (&fields.members[place], &mut values[place])) {
                None => drop(map.next_value::<IgnoredAny>()?),
                Some((field, Some(_))) => return Err(A::Error::duplicate_field(field.name)),
                Some((field, value)) => *value = Some(map.next_value_seed(self.of(&field.shape))?),
            }
        }
        let missing = |(field, value): (&'a super::schema::Field, Option<Value>)| match value {
            Some(value) => Ok(value),
            None if matches!(self.schema.resolve(&field.shape), Shape::Option(_)) => Ok(Value::None),
            None => Err(A::Error::missing_field(field.name)),
        };
        fields.members.iter().zip(values).map(missing).collect::<Result<_, _>>().map(Value::Items)
    }
}

impl<'de> DeserializeSeed<'de> for Type<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let shape = self.schema.resolve(self.shape);
        let visitor = self.of(shape);
        match shape {
            Shape::Bool => deserializer.deserialize_bool(visitor),
            Shape::I8 => deserializer.deserialize_i8(visitor),
            Shape::I16 => deserializer.deserialize_i16(visitor),
            Shape::I32 => deserializer.deserialize_i32(visitor),
            Shape::I64 => deserializer.deserialize_i64(visitor),
            Shape::I128 => deserializer.deserialize_i128(visitor),
            Shape::U8 => deserializer.deserialize_u8(visitor),
            Shape::U16 => deserializer.deserialize_u16(visitor),
            Shape::U32 => deserializer.deserialize_u32(visitor),
            Shape::U64 => deserializer.deserialize_u64(visitor),
            Shape::F32 => deserializer.deserialize_f32(visitor),
            Shape::F64 => deserializer.deserialize_f64(visitor),
            Shape::Char => deserializer.deserialize_char(visitor),
            Shape::Text => deserializer.deserialize_string(visitor),
            Shape::Bytes => deserializer.deserialize_byte_buf(visitor),
            Shape::Unit => deserializer.deserialize_unit(visitor),
            Shape::UnitStruct => deserializer.deserialize_unit_struct("Unit", visitor),
            Shape::Option(_) => deserializer.deserialize_option(visitor),
            Shape::Newtype(_) => deserializer.deserialize_newtype_struct("Newtype", visitor),
            Shape::Seq(_) => deserializer.deserialize_seq(visitor),
            Shape::Tuple(shapes) => deserializer.deserialize_tuple(shapes.len(), visitor),
            Shape::TupleStruct(shapes) => deserializer.deserialize_tuple_struct("Tuple", shapes.len(), visitor),
            Shape::Map(..) => deserializer.deserialize_map(visitor),
            Shape::Struct(fields) => deserializer.deserialize_struct("Struct", fields.names, visitor),
            Shape::Enum(_, names) => deserializer.deserialize_enum("Enum", names, visitor),
            Shape::Definition(_) => unreachable!("a definition is another"),
        }
    }
}

macro_rules! integers {
    ($($method:ident: $type:ty;)*) => {$(
        fn $method<E: serde::de::Error>(self, number: $type) -> Result<Value, E> {
            let low_high = match self.shape {
                Shape::I8 => (i8::MIN.into(), i8::MAX.into()),
                Shape::I16 => (i16::MIN.into(), i16::MAX.into()),
                Shape::I32 => (i32::MIN.into(), i32::MAX.into()),
                Shape::I64 => (i64::MIN.into(), i64::MAX.into()),
                Shape::I128 => (i128::MIN, i128::MAX),
                Shape::U8 => (0, u8::MAX.into()),
                Shape::U16 => (0, u16::MAX.into()),
                Shape::U32 => (0, u32::MAX.into()),
                Shape::U64 => (0, u64::MAX.into()),
                _ => return Err(E::invalid_type(Unexpected::Other("integer"), &self)),
            };
            let number = i128::from(number);
            let fits = low_high.0 <= number && number <= low_high.1;
            if fits { Ok(Value::Integer(number)) } else { Err(E::custom("an integer out of range")) }
        }
    )*};
}

impl<'de> Visitor<'de> for Type<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value of {:?}", self.shape)
    }

    integers! {
        visit_i8: i8;
        visit_i16: i16;
        visit_i32: i32;
        visit_i64: i64;
        visit_u8: u8;
        visit_u16: u16;
        visit_u32: u32;
        visit_u64: u64;
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Value, E> {
        match self.shape {
            Shape::Bool => Ok(Value::Bool(value)),
            _ => Err(E::invalid_type(Unexpected::Bool(value), &self)),
        }
    }

    fn visit_f32<E: serde::de::Error>(self, value: f32) -> Result<Value, E> {
        match self.shape {
            Shape::F32 => Ok(Value::F32(value.to_bits())),
            _ => Err(E::invalid_type(Unexpected::Float(value.into()), &self)),
        }
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        match self.shape {
            Shape::F64 => Ok(Value::F64(value.to_bits())),
            _ => Err(E::invalid_type(Unexpected::Float(value), &self)),
        }
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
        let mut chars = text.chars();
        match (self.shape, chars.next(), chars.next()) {
            (Shape::Text, ..) => Ok(Value::Text(text.into())),
            (Shape::Char, Some(char), None) => Ok(Value::Char(char)),
            _ => Err(E::invalid_type(Unexpected::Str(text), &self)),
        }
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Value, E> {
        match self.shape {
            Shape::Bytes => Ok(Value::Bytes(bytes.into())),
            _ => Err(E::invalid_type(Unexpected::Bytes(bytes), &self)),
        }
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Value, E> {
        match self.shape {
            Shape::Unit | Shape::UnitStruct => Ok(Value::Unit),
            _ => Err(E::invalid_type(Unexpected::Unit, &self)),
        }
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<Value, E> {
        Ok(Value::None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.shape {
            Shape::Option(inner) => Ok(Value::Some(self.of(inner).deserialize(deserializer)?.into())),
            _ => Err(D::Error::invalid_type(Unexpected::Option, &self)),
        }
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.shape {
            Shape::Newtype(inner) => Ok(Value::Newtype(self.of(inner).deserialize(deserializer)?.into())),
            _ => Err(D::Error::invalid_type(Unexpected::NewtypeStruct, &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        match self.shape {
            Shape::Seq(inner) => {
                let mut values = Vec::new();
                while let Some(value) = seq.next_element_seed(self.of(inner))? {
                    values.push(value);
                }
                Ok(Value::Items(values))
            }
            Shape::Tuple(shapes) | Shape::TupleStruct(shapes) => self.items(shapes, seq),
            _ => Err(A::Error::invalid_type(Unexpected::Seq, &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        match self.shape {
            Shape::Map(key, inner) => {
                let mut entries = Vec::new();
                while let Some(key) = map.next_key_seed(self.of(key))? {
                    entries.push((key, map.next_value_seed(self.of(inner))?));
                }
                Ok(Value::Map(entries))
            }
            Shape::Struct(fields) => self.fields(fields, map),
            _ => Err(A::Error::invalid_type(Unexpected::Map, &self)),
        }
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Value, A::Error> {
        let Shape::Enum(variants, names) = self.shape else {
            return Err(A::Error::invalid_type(Unexpected::Enum, &self));
        };
        let (place, access) = access.variant_seed(VariantName(variants, names))?;
        let content = match &variants[place].content {
            Content::Unit => access.unit_variant().map(|()| Value::Unit)?,
            Content::Newtype(shape) => access.newtype_variant_seed(self.of(shape))?,
            Content::Tuple(shapes) => access.tuple_variant(shapes.len(), ContentOf(self, &variants[place].content))?,
            Content::Struct(fields) => {
                access.struct_variant(fields.names, ContentOf(self, &variants[place].content))?
            }
        };
        Ok(Value::Variant(place, content.into()))
    }
}

/// The fields of a variant.
struct ContentOf<'a>(Type<'a>, &'a Content);

impl<'de> Visitor<'de> for ContentOf<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the content {:?}", self.1)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Value, A::Error> {
        match self.1 {
            Content::Tuple(shapes) => self.0.items(shapes, seq),
            _ => Err(A::Error::invalid_type(Unexpected::Seq, &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
        match self.1 {
            Content::Struct(fields) => self.0.fields(fields, map),
            _ => Err(A::Error::invalid_type(Unexpected::Map, &self)),
        }
    }
}

/// Which field a name is; `None` if it is no field's.
struct FieldName<'a>(&'a Fields);

impl<'de> DeserializeSeed<'de> for FieldName<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for FieldName<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_u64<E: serde::de::Error>(self, place: u64) -> Result<Self::Value, E> {
        Ok(usize::try_from(place).ok().filter(|place| *place < self.0.members.len()))
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Self::Value, E> {
        let place = self.0.members.iter().position(|field| field.name == name || field.alias == Some(name));
        if place.is_none() && self.0.deny_unknown { Err(E::unknown_field(name, self.0.names)) } else { Ok(place) }
    }
}

/// Which variant a name is.
struct VariantName<'a>(&'a [Variant], super::schema::Names);

impl VariantName<'_> {
    fn other(&self) -> Option<usize> {
        self.0.iter().position(|variant| variant.other)
    }
}

impl<'de> DeserializeSeed<'de> for VariantName<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for VariantName<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a variant")
    }

    fn visit_u64<E: serde::de::Error>(self, index: u64) -> Result<usize, E> {
        // serde does not count skipped variants here.
        let read = self.0.iter().enumerate().filter(|(_, variant)| variant.skip == Skip::Never);
        let place = read.map(|(place, _)| place).nth(usize::try_from(index).unwrap_or(usize::MAX));
        place.or(self.other()).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(index), &self))
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<usize, E> {
        let known = |variant: &Variant| {
            variant.skip == Skip::Never && !variant.other && (variant.name == name || variant.alias == Some(name))
        };
        let place = self.0.iter().position(known).or(self.other());
        place.ok_or_else(|| E::unknown_variant(name, self.1))
    }
}
