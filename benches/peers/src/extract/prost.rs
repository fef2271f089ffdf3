//! prost: protobuf, where each value follows the field's number and the value's kind. Fields can have any order; here they have the
//! model's.
//!
//! Its documentation recommends the message that prost-build generates, with copied texts. To read some fields, a user declares a
//! message with only these fields, because protobuf skips unknown ones. An expert calls the functions that the generated code calls, and
//! stops at the field.

use prost::encoding::{self, DecodeContext, WireType, float, sint32, sint64};
use prost::{DecodeError, Message as _};

use super::prelude::*;

#[allow(clippy::all, clippy::pedantic, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/prost/extract.rs"));
}
pub use generated::C63;

readers! {
    ($message:ident $only:ident $type:ty, $key:literal $field:ident $one:ident $(, $keys:literal $fields:ident $ones:ident)*) => {
        Ways::of("prost", encode)
            .reader("message", |bytes| generated::$message::decode(bytes).ok()?.$field$(?.$fields)*.digest())
            .reader("message, one field", |bytes| generated::$only::decode(bytes).ok()?.$field$(?.$fields)*.digest())
            .reader("decode_key, skip_field", |bytes| {
                let field = find(bytes, $key)?;
                $(let field = find(delimited(field)?, $keys)?;)*
                let text = |field| str::from_utf8(delimited(field)?).ok();
                <$type>::by(field, merged(sint64::merge), merged(sint32::merge), merged(float::merge), text).digest()
            })
    }
}

/// The kind of a field, and the bytes from its value on.
type Field<'a> = (WireType, &'a [u8]);

fn find(message: &[u8], number: u32) -> Option<Field<'_>> {
    let mut rest = message;
    while !rest.is_empty() {
        let (tag, wire_type) = encoding::decode_key(&mut rest).ok()?;
        if tag == number {
            return Some((wire_type, rest));
        }
        encoding::skip_field(wire_type, tag, &mut rest, DecodeContext::default()).ok()?;
    }
    None
}

fn merged<'a, T: Default>(
    merge: impl FnOnce(WireType, &mut T, &mut &'a [u8], DecodeContext) -> Result<(), DecodeError>,
) -> impl FnOnce(Field<'a>) -> Option<T> {
    |(wire_type, mut rest)| {
        let mut value = T::default();
        merge(wire_type, &mut value, &mut rest, DecodeContext::default()).ok()?;
        Some(value)
    }
}

fn delimited((wire_type, mut rest): Field<'_>) -> Option<&[u8]> {
    encoding::check_wire_type(WireType::LengthDelimited, wire_type).ok()?;
    let len = encoding::decode_varint(&mut rest).ok()?;
    rest.get(..usize::try_from(len).ok()?)
}

/// Writes the fields in the order of the model.
pub fn encode(model: &Node) -> Vec<u8> {
    let mut out = Vec::new();
    for (key, item) in &model.0 {
        let tag = u32::from(*key);
        match item {
            Item::Text(text) => encoding::string::encode(tag, text, &mut out),
            Item::I32(number) => encoding::sint32::encode(tag, number, &mut out),
            Item::U32(number) => encoding::uint32::encode(tag, number, &mut out),
            Item::I64(number) => encoding::sint64::encode(tag, number, &mut out),
            Item::U64(number) => encoding::uint64::encode(tag, number, &mut out),
            Item::F32(number) => encoding::float::encode(tag, number, &mut out),
            Item::F64(number) => encoding::double::encode(tag, number, &mut out),
            Item::Node(node) => encoding::bytes::encode(tag, &encode(node), &mut out),
        }
    }
    out
}

pub fn message(model: &Node) -> C63 {
    C63::decode(&*encode(model)).expect("just written")
}
