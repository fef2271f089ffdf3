//! JSON to packets, by the names and types of a file.
//!
//! In: a JSON object. Out: the canonical bytes of its packets, or what is wrong, with the path of names that leads there.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use y3::{Encode, Encoder, PVarInt, Packet};

use crate::model::{Dialect, Field, Fields, Names, Type, Value};
use crate::parse::nearest;
use crate::show::short;

/// JSON as it stands: members in their order, also those that are there twice.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`: no packet.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer of at most 64 bits.
    Integer(i128),
    /// Any other number.
    Float(f64),
    /// Text.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Json;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }
            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
                Ok(Json::Bool(value))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
                Ok(Json::Integer(value.into()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
                Ok(Json::Integer(value.into()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
                Ok(Json::Float(value))
            }
            fn visit_str<E>(self, value: &str) -> Result<Json, E> {
                Ok(Json::Text(value.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Json::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
                let mut object = Vec::new();
                while let Some(member) = members.next_entry()? {
                    object.push(member);
                }
                Ok(Json::Object(object))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// What is wrong with JSON that should become packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError {
    path: Vec<String>,
    message: String,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path.join("."))?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for EncodeError {}

impl From<y3::Error> for EncodeError {
    fn from(error: y3::Error) -> Self {
        EncodeError { path: Vec::new(), message: error.kind().to_string() }
    }
}

type Result<T, E = EncodeError> = core::result::Result<T, E>;
type To<'s> = Encoder<'s, Vec<u8>>;

fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(EncodeError { path: Vec::new(), message: message.into() })
}

impl Names {
    /// Appends the packets of an object, in the order of its members.
    ///
    /// # Errors
    /// [`EncodeError`] for a name that the file does not have, and for a value that is not of its type; nothing is appended then.
    pub fn encode_json(&self, json: &Json, bytes: &mut Vec<u8>) -> Result<()> {
        let Json::Object(members) = json else {
            return fail(format!("a packet is an object of its name, not {}", what(json)));
        };
        let mut written = Vec::new();
        Encoder::new(&mut written).packets(|to| members_to(self, &self.fields, members, to))?;
        bytes.append(&mut written);
        Ok(())
    }
}

/// The kind of JSON, for messages.
fn what(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Integer(_) | Json::Float(_) => "a number",
        Json::Text(_) => "text",
        Json::List(_) => "an array",
        Json::Object(_) => "an object",
    }
}

/// The members of an object as packets.
fn members_to(names: &Names, fields: &Fields, members: &[(String, Json)], to: &mut To<'_>) -> Result<()> {
    for (name, json) in members {
        let inside = |error: EncodeError| {
            let path = core::iter::once(name.clone()).chain(error.path).collect();
            EncodeError { path, ..error }
        };
        let (key, kind) = member(fields, name)?;
        packet_to(names, kind, key, json, to).map_err(inside)?;
    }
    Ok(())
}

/// The key and the type of a member's name: a field's name or `0x` and two digits, then perhaps `#` and a number.
fn member<'f>(fields: &'f Fields, name: &str) -> Result<(u8, Option<&'f Type>)> {
    let bare = match name.split_once('#') {
        Some((bare, times)) if times.parse::<u32>().is_ok_and(|times| times > 1) => bare,
        _ => name,
    };
    if let Some(field) = fields.iter().find(|field| field.name == bare) {
        return Ok((field.key, Some(&field.kind)));
    }
    let digits = bare.strip_prefix("0x").filter(|digits| digits.len() == 2);
    match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
        Some(key) if key <= 0x3f => {
            let field: Option<&Field> = fields.iter().find(|field| field.key == key);
            Ok((key, field.map(|field| &field.kind)))
        }
        Some(_) => fail(format!("`{bare}` is above 0x3f, the highest key")),
        None => {
            let near = nearest(bare, fields.iter().map(|field| &*field.name));
            fail(format!(
                "no field is named `{bare}`{}",
                near.map_or(String::new(), |near| format!("; `{near}` is near"))
            ))
        }
    }
}

fn packet_to(names: &Names, kind: Option<&Type>, key: u8, json: &Json, to: &mut To<'_>) -> Result<()> {
    if *json == Json::Null {
        return Ok(());
    }
    match kind.map(|kind| names.resolve(kind)) {
        Some(kind) => typed(names, kind, key, json, to),
        None => unnamed(key, json, to),
    }
}

fn typed(names: &Names, kind: &Type, key: u8, json: &Json, to: &mut To<'_>) -> Result<()> {
    match (kind, json) {
        (Type::Value(value), json) => value_to(*value, key, json, to),
        (Type::Node(fields), Json::Object(members)) => to.node(key, |node| members_to(names, fields, members, node)),
        (Type::Map(value), Json::Object(members)) => {
            let fields = Field::of_map(value);
            to.node(key, |node| members_to(names, &fields, members, node))
        }
        (Type::Packets(fields), Json::Object(_)) => {
            let inside = Names { fields: fields.clone(), types: names.types.clone() };
            let mut bytes = Vec::new();
            inside.encode_json(json, &mut bytes)?;
            Ok(to.put(key, &bytes[..])?)
        }
        (Type::Slice(item), Json::List(items)) => to.slice(key, |slice| {
            items.iter().enumerate().try_for_each(|(place, json)| item_to(names, Some(item), place, json, slice))
        }),
        (Type::Tuple(kinds), Json::List(items)) if kinds.len() == items.len() => to.slice(key, |slice| {
            let mut pairs = kinds.iter().zip(items).enumerate();
            pairs.try_for_each(|(place, (kind, json))| item_to(names, Some(kind), place, json, slice))
        }),
        (Type::OneOf(variants), Json::Text(name)) => match variants.iter().find(|variant| variant.name == *name) {
            Some(variant) if variant.kind == Type::Unit => Ok(to.put(key, u32::from(variant.key))?),
            Some(_) => fail(format!("variant `{name}` has content: write {{\"{name}\": …}}")),
            None => {
                let near = nearest(name, variants.iter().map(|variant| &*variant.name));
                fail(format!(
                    "no variant is named `{name}`{}",
                    near.map_or(String::new(), |near| format!("; `{near}` is near"))
                ))
            }
        },
        (Type::OneOf(_), Json::Integer(number)) => integer(key, *number, to, |number| u32::try_from(number).ok()),
        (Type::OneOf(variants), Json::Object(members)) if members.len() == 1 => {
            to.node(key, |node| members_to(names, variants, members, node))
        }
        (Type::Unit, json) => unnamed(key, json, to),
        (kind, json) => fail(format!("the names file says {}, and this is {}", short(kind), what(json))),
    }
}

fn item_to(names: &Names, kind: Option<&Type>, place: usize, json: &Json, slice: &mut To<'_>) -> Result<()> {
    let inside = |error: EncodeError| {
        let path = core::iter::once(place.to_string()).chain(error.path).collect();
        EncodeError { path, ..error }
    };
    if *json == Json::Null {
        return fail("an item of a slice cannot be absent").map_err(inside);
    }
    packet_to(names, kind, 0, json, slice).map_err(inside)
}

/// A packet that the file does not name: hexadecimal, an object, an array, or the whole packet after `y3:`.
fn unnamed(key: u8, json: &Json, to: &mut To<'_>) -> Result<()> {
    const NONE: &Fields = &Vec::new();
    let names = Names::default();
    match json {
        Json::Object(members) => to.node(key, |node| members_to(&names, NONE, members, node)),
        Json::List(items) => to.slice(key, |slice| {
            items.iter().enumerate().try_for_each(|(place, json)| item_to(&names, None, place, json, slice))
        }),
        Json::Text(text) => match text.strip_prefix("y3:") {
            None => Ok(to.put(key, &unhex(text)?[..])?),
            Some(packet) => {
                let bytes = unhex(packet)?;
                let packet = Packet::from_slice(&bytes)?;
                if packet.key().get() != key {
                    return fail(format!("the packet has key 0x{:02x}", packet.key().get()));
                }
                Ok(to.put(key, packet)?)
            }
        },
        _ => fail(format!("a key without a name holds hexadecimal text, an object or an array, not {}", what(json))),
    }
}

fn unhex(text: &str) -> Result<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    });
    pairs.collect::<Option<_>>().map_or_else(|| fail("not hexadecimal with two digits a byte"), Ok)
}

/// An integer, if it is in the range of its type.
fn integer<T: Encode>(key: u8, number: i128, to: &mut To<'_>, fits: impl Fn(i128) -> Option<T>) -> Result<()> {
    match fits(number) {
        Some(number) => Ok(to.put(key, number)?),
        None => fail(format!("{number} is out of the range of its type")),
    }
}

fn value_to(value: Value, key: u8, json: &Json, to: &mut To<'_>) -> Result<()> {
    macro_rules! number {
        ($number:expr, $type:ty) => {
            integer(key, *$number, to, |number| <$type>::try_from(number).ok())
        };
        ($number:expr, pvar $type:ty) => {
            integer(key, *$number, to, |number| <$type>::try_from(number).ok().map(PVarInt))
        };
    }
    match (value, json) {
        (Value::Bytes, Json::Text(text)) => Ok(to.put(key, &unhex(text)?[..])?),
        (Value::Text, Json::Text(text)) => Ok(to.put(key, text.as_str())?),
        (Value::Bool, Json::Bool(value)) => Ok(to.put(key, *value)?),
        (Value::Signed(8, _), Json::Integer(number)) => number!(number, i8),
        (Value::Signed(16, _), Json::Integer(number)) => number!(number, i16),
        (Value::Signed(32, Dialect::N), Json::Integer(number)) => number!(number, i32),
        (Value::Signed(32, Dialect::P), Json::Integer(number)) => number!(number, pvar i32),
        (Value::Signed(_, Dialect::N), Json::Integer(number)) => number!(number, i64),
        (Value::Signed(_, Dialect::P), Json::Integer(number)) => number!(number, pvar i64),
        (Value::Unsigned(8, _), Json::Integer(number)) => number!(number, u8),
        (Value::Unsigned(16, _), Json::Integer(number)) => number!(number, u16),
        (Value::Unsigned(32, Dialect::N), Json::Integer(number)) => number!(number, u32),
        (Value::Unsigned(32, Dialect::P), Json::Integer(number)) => number!(number, pvar u32),
        (Value::Unsigned(_, Dialect::N), Json::Integer(number)) => number!(number, u64),
        (Value::Unsigned(_, Dialect::P), Json::Integer(number)) => number!(number, pvar u64),
        (Value::F32, json) => {
            let bits = |bits: u64| u32::try_from(bits).ok().map(|bits| f64::from(f32::from_bits(bits))).map(|_| bits);
            match float(json, u64::from(f32::NAN.to_bits()), bits)? {
                Float::Bits(bits) => Ok(to.put(key, f32::from_bits(u32::try_from(bits).unwrap_or_default()))?),
                #[allow(clippy::cast_possible_truncation, reason = "the nearest number of 32 bits")]
                Float::Number(number) => Ok(to.put(key, number as f32)?),
            }
        }
        (Value::F64, json) => match float(json, f64::NAN.to_bits(), Some)? {
            Float::Bits(bits) => Ok(to.put(key, f64::from_bits(bits))?),
            Float::Number(number) => Ok(to.put(key, number)?),
        },
        (value, json) => fail(format!("the names file says {value}, and this is {}", what(json))),
    }
}

enum Float {
    Number(f64),
    Bits(u64),
}

/// A number, or one of the texts for what is no number.
fn float(json: &Json, nan: u64, fits: impl Fn(u64) -> Option<u64>) -> Result<Float> {
    let text = match json {
        Json::Float(number) => return Ok(Float::Number(*number)),
        #[allow(clippy::cast_precision_loss, reason = "as any reader of JSON does: the nearest float")]
        Json::Integer(number) => return Ok(Float::Number(*number as f64)),
        Json::Text(text) => text,
        _ => return fail(format!("the names file says a float, and this is {}", what(json))),
    };
    match &**text {
        "inf" => Ok(Float::Number(f64::INFINITY)),
        "-inf" => Ok(Float::Number(f64::NEG_INFINITY)),
        "nan" => Ok(Float::Bits(nan)),
        text => {
            let bits = text.strip_prefix("nan:").and_then(|bits| u64::from_str_radix(bits, 16).ok());
            match bits.and_then(fits) {
                Some(bits) => Ok(Float::Bits(bits)),
                None => fail(format!("`{text}` is no float: write a number, inf, -inf, nan, or nan: and its bits")),
            }
        }
    }
}
