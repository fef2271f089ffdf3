//! Encode: converts JSON to packets, using the names and types of a names file.
//!
//! The packets are canonical. An error has the byte offset of the faulty value and the names on the path to the value.

use y3::show::escape;
use y3::{Encoder, Packet};

use crate::encode_error::{EncodeError, Result, fault};
use crate::json::{Reader, Token};
use crate::model::{Names, Type};
use crate::parse::near;
use crate::scalar::Scalar;
use crate::schema::Schema;
use crate::value::{Float, float, float_word, unhex};

type To<'s> = Encoder<'s, Vec<u8>>;

impl Names {
    /// Encodes a sequence of JSON objects in the form of [`show_json`](Self::show_json), and appends the packets to
    /// `bytes`. The packets are in the order of the members.
    ///
    /// # Errors
    /// Returns [`EncodeError`] for invalid JSON, an unknown name, a value that does not match its type, or a missing
    /// required field. After an error, `bytes` is unchanged.
    pub fn encode_json(&self, text: &str, bytes: &mut Vec<u8>) -> Result<()> {
        let (mut written, mut json) = (Vec::new(), Reader::new(text));
        while !json.is_end() {
            let (at, token) = (json.at(), json.token()?);
            if token != Token::Object {
                let message = format!("expected an object with the packet's name as its key, found {}", token.what());
                return Err(EncodeError::new(message, at));
            }
            Encoder::new(&mut written).packets(|to| members_to(self.top(), false, &mut json, to).map(|_| ()))?;
        }
        bytes.append(&mut written);
        Ok(())
    }
}

impl Schema<'_> {
    /// Encodes a JSON value as a packet with this key. Text, bytes, names of variants, `inf`, `-inf` and `nan` need no
    /// quotation marks.
    ///
    /// # Errors
    /// Returns [`EncodeError`] for the same reasons as [`Names::encode_json`].
    ///
    /// # Examples
    /// ```
    /// use y3_names::{Names, Type};
    ///
    /// let (names, kind) = (Names::default(), "pvar i64".parse::<Type>().unwrap());
    /// assert_eq!(names.schema(&kind).encode(0x12, "-65").unwrap(), [0x12, 0x02, 0xff, 0x3f]);
    /// ```
    pub fn encode(self, key: u8, text: &str) -> Result<Vec<u8>> {
        let (mut bytes, mut json) = (Vec::new(), Reader::new(text));
        let is_word = !text.starts_with(|first: char| first.is_ascii_digit() || "\"[{".contains(first));
        let is_float = matches!(text, "inf" | "-inf" | "nan") || text.starts_with("nan:");
        let bare = match self.kind() {
            Some(Type::Scalar(Scalar::Text | Scalar::Bytes)) => !text.starts_with('"'),
            Some(Type::Scalar(Scalar::F32 | Scalar::F64)) => is_float,
            Some(Type::OneOf(_)) => is_word,
            _ => false,
        };
        Encoder::new(&mut bytes).packets(|to| match self.kind() {
            Some(kind) if bare => text_to(kind, key, text, to),
            _ => packet_to(self, key, &mut json, to).map(|_| ()),
        })?;
        if !bare && !json.is_end() {
            return Err(EncodeError::new("more than one value", json.at()));
        }
        Packet::from_slice(&bytes).map_err(|_| fault("null is not a packet"))?;
        Ok(bytes)
    }
}

/// Encodes the members of an object as packets, and returns the number of packets.
fn members_to(schema: Schema<'_>, is_embedded: bool, json: &mut Reader<'_>, to: &mut To<'_>) -> Result<usize> {
    let (mut seen, mut count, at) = (0_u64, 0, json.at());
    json.members(|json, name, at| {
        let bare = match name.split_once('#') {
            Some((bare, times)) if times.parse::<u32>().is_ok_and(|times| times > 1) => bare,
            _ => name,
        };
        let key = schema.member(bare, is_embedded).map_err(|message| EncodeError::new(message, at))?;
        let inside = schema.inside(Some(key), is_embedded).schema;
        if packet_to(inside, key.get(), json, to).map_err(|error| error.within(name))? {
            seen |= 1 << key.get();
            count += 1;
        }
        Ok(())
    })?;
    match schema.missing(is_embedded, seen) {
        Some(field) => Err(EncodeError::new(format!("field `{}` ({:02x}) is missing", field.name, field.key), at)),
        None => Ok(count),
    }
}

/// Encodes a value as a packet. Returns false for `null`, which is not encoded.
fn packet_to(schema: Schema<'_>, key: u8, json: &mut Reader<'_>, to: &mut To<'_>) -> Result<bool> {
    let (at, token) = (json.at(), json.token()?);
    if token == Token::Null {
        return Ok(false);
    }
    match schema.kind() {
        Some(kind) => typed(schema, kind, key, token, json, to),
        None => unnamed(schema, key, token, json, to),
    }
    .map_err(|error| error.or_at(at))
    .map(|()| true)
}

fn typed(
    schema: Schema<'_>,
    kind: &Type,
    key: u8,
    token: Token<'_>,
    json: &mut Reader<'_>,
    to: &mut To<'_>,
) -> Result<()> {
    match (kind, token) {
        (Type::Scalar(Scalar::Bool), Token::Bool(value)) => Ok(to.put(key, value)?),
        (Type::Scalar(scalar), Token::Number(digits)) => number_to(*scalar, key, digits, to),
        (Type::Scalar(_) | Type::OneOf(_), Token::Text(text)) => text_to(kind, key, &text, to),
        (Type::OneOf(_), Token::Number(digits)) => number_to(Scalar::U32, key, digits, to),
        (Type::Node(_) | Type::Map(_), Token::Object) => {
            to.node(key, |node| members_to(schema, false, json, node).map(|_| ()))
        }
        (Type::OneOf(_), Token::Object) => to.node(key, |node| match members_to(schema, false, json, node)? {
            1 => Ok(()),
            _ => Err(fault("a variant with content is an object with one member")),
        }),
        (Type::Packets(_), Token::Object) => {
            let mut bytes = Vec::new();
            Encoder::new(&mut bytes).packets(|inside| members_to(schema, true, json, inside).map(|_| ()))?;
            Ok(to.put(key, &bytes[..])?)
        }
        (Type::Slice(_), Token::List) => to.slice(key, |slice| items_to(schema, json, slice).map(|_| ())),
        (Type::Tuple(items), Token::List) => to.slice(key, |slice| match items_to(schema, json, slice)? {
            count if count == items.len() => Ok(()),
            count => Err(fault(format!("expected {} items, found {count}", items.len()))),
        }),
        (Type::Unit | Type::Named(_), token) => unnamed(schema, key, token, json, to),
        (kind, token) => Err(fault(format!("expected {}, found {}", kind.short(), token.what()))),
    }
}

/// Encodes the items of an array as packets, and returns the number of packets.
fn items_to(schema: Schema<'_>, json: &mut Reader<'_>, to: &mut To<'_>) -> Result<usize> {
    let mut count = 0;
    json.items(|json, place| {
        let is_there = packet_to(schema.item(place), 0, json, to).map_err(|error| error.within(&place.to_string()))?;
        count += usize::from(is_there);
        Ok(())
    })?;
    Ok(count)
}

/// Encodes a packet that the names file does not describe. The JSON value is hexadecimal digits, an object or an array.
/// A string that begins with `y3:` contains the whole packet as hexadecimal digits.
fn unnamed(schema: Schema<'_>, key: u8, token: Token<'_>, json: &mut Reader<'_>, to: &mut To<'_>) -> Result<()> {
    let schema = schema.unknown();
    match token {
        Token::Object => to.node(key, |node| members_to(schema, false, json, node).map(|_| ())),
        Token::List => to.slice(key, |slice| items_to(schema, json, slice).map(|_| ())),
        Token::Text(text) => {
            let Some(packet) = text.strip_prefix("y3:") else {
                return text_to(&Type::Scalar(Scalar::Bytes), key, &text, to);
            };
            let bytes = unhex(packet).ok_or_else(|| fault(HEX))?;
            let packet = Packet::from_slice(&bytes)?;
            if packet.key().get() != key {
                return Err(fault(format!(
                    "expected a packet with key 0x{key:02x}, found key 0x{:02x}",
                    packet.key().get()
                )));
            }
            Ok(to.put(key, packet)?)
        }
        token => Err(fault(format!(
            "expected hexadecimal text, an object or an array for a key without a name, found {}",
            token.what()
        ))),
    }
}

const HEX: &str = "expected hexadecimal with two digits per byte";

/// Encodes a JSON number as a scalar.
fn number_to(scalar: Scalar, key: u8, number: &str, to: &mut To<'_>) -> Result<()> {
    // The message does not repeat a long number.
    let shown = || if number.len() > 40 { "this number" } else { number };
    let wrong = || format!("{scalar} cannot represent {}", shown());
    match scalar {
        Scalar::F32 => float_to(key, float::<f32>(number), to, wrong),
        Scalar::F64 => float_to(key, float::<f64>(number), to, wrong),
        scalar if scalar.is_integer() && !number.contains(['.', 'e', 'E']) => {
            let written = number.parse().ok().and_then(|number| scalar.put_integer(key, number, to));
            match written {
                Some(written) => Ok(written?),
                None => Err(fault(format!("{} is out of the range of {scalar}", shown()))),
            }
        }
        scalar => Err(fault(format!("expected {scalar}, found {}", shown()))),
    }
}

/// Encodes a JSON string as a scalar, or as a variant without content.
fn text_to(kind: &Type, key: u8, text: &str, to: &mut To<'_>) -> Result<()> {
    let shown = escape(if text.len() > 40 { "this text" } else { text });
    match kind {
        Type::Scalar(Scalar::Text) => Ok(to.put(key, text)?),
        Type::Scalar(Scalar::Bytes) => match unhex(text) {
            Some(bytes) => Ok(to.put(key, &bytes[..])?),
            None => Err(fault(HEX)),
        },
        Type::Scalar(scalar @ (Scalar::F32 | Scalar::F64)) => {
            let wrong =
                || format!("`{shown}` is not an {scalar}: write a number, inf, -inf, nan, or `nan:` and the bits");
            match scalar {
                Scalar::F32 => float_to(key, float_word::<f32>(text), to, wrong),
                _ => float_to(key, float_word::<f64>(text), to, wrong),
            }
        }
        Type::OneOf(variants) => match variants.iter().find(|variant| variant.name == text) {
            Some(variant) if variant.kind == Type::Unit => Ok(to.put(key, u32::from(variant.key))?),
            Some(_) => Err(fault(format!("variant `{text}` has content: write {{\"{text}\": ..}}"))),
            None => {
                let near = near(text, variants.iter().map(|variant| &*variant.name));
                Err(fault(format!("no variant is named `{shown}`{near}")))
            }
        },
        kind => Err(fault(format!("expected {}, found text", kind.short()))),
    }
}

fn float_to<T: Float>(key: u8, float: Option<T>, to: &mut To<'_>, wrong: impl FnOnce() -> String) -> Result<()> {
    let float = float.ok_or_else(|| fault(wrong()))?;
    Ok(to.put(key, float)?)
}
