//! prost: protobuf, with the number of the field and the kind of the value before each value. Fields may come in any order;
//! here they are in the model's.
//!
//! Its documentation recommends the message that prost-build generates, with copied texts. To read a part, a user declares
//! a message with that part, since protobuf skips unknown fields. An expert calls the functions that the generated code
//! calls, and stops at the field.

use prost::Message as _;
use prost::encoding::{self, DecodeContext, WireType};

use super::mode::{Hostile, Reader, Way, Writer};
use super::record::take;
use super::scenario::{Digest, Shape};
use super::schema::flat_messages;
use kit::data::{Item, Node};

/// What prost-build makes of the schema.
#[allow(clippy::all, clippy::pedantic, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/prost/extract.rs"));
}

use generated::{
    C03, C03Only, C16, C16Only, C32, C32Only, C63, C63Only, Frame, FrameOnly, Outer, OuterOnly, Texts, TextsOnly,
};

fn reader(mode: &'static str, way: Way, read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static) -> Reader {
    Reader::new("prost", mode, way, Hostile::Safe, encode, read)
}

/// The readers of a value: they decode the whole message, a message of only that field, or read by hand.
macro_rules! value {
    ($whole:ident, $only:ident, $by_hand:expr, $($access:tt)+) => {
        vec![
            reader("message", Way::Recommended, |bytes| Some($whole::decode(bytes).ok()?$($access)+.digest())),
            reader("message, one field", Way::Recommended, |bytes| Some($only::decode(bytes).ok()?$($access)+.digest())),
            reader("decode_key, skip_field", Way::Expert, $by_hand),
        ]
    };
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => value!(C63, C63Only, |bytes| Some(find(bytes, 32)?.sint64()?.digest()), .k32),
        Shape::C32 => value!(C32, C32Only, |bytes| Some(find(bytes, 16)?.sint32()?.digest()), .k16),
        Shape::C16 => value!(C16, C16Only, |bytes| Some(find(bytes, 8)?.string()?.digest()), .k8),
        Shape::C03 => value!(C03, C03Only, |bytes| Some(find(bytes, 2)?.sint32()?.digest()), .k2),
        Shape::Texts => value!(Texts, TextsOnly, |bytes| Some(find(bytes, 32)?.string()?.digest()), .k32),
        Shape::Nested => value!(Outer, OuterOnly, |bytes| {
            let middle = find(bytes, 4)?.delimited()?;
            Some(find(find(middle, 4)?.delimited()?, 4)?.sint64()?.digest())
        }, .k4?.k4?.k4),
        Shape::Frame => value!(Frame, FrameOnly, |bytes| {
            Some(find(find(bytes, 2)?.delimited()?, 17)?.float()?.digest())
        }, .k2?.k17),
    }
}

/// A field that was found.
struct Field<'a> {
    wire_type: WireType,
    /// The value, and the bytes after it.
    rest: &'a [u8],
}

fn find(message: &[u8], number: u32) -> Option<Field<'_>> {
    let mut rest = message;
    while !rest.is_empty() {
        let (tag, wire_type) = encoding::decode_key(&mut rest).ok()?;
        if tag == number {
            return Some(Field { wire_type, rest });
        }
        encoding::skip_field(wire_type, tag, &mut rest, DecodeContext::default()).ok()?;
    }
    None
}

macro_rules! scalar {
    ($($name:ident $type:ty;)*) => {$(
        fn $name(mut self) -> Option<$type> {
            let mut value = <$type>::default();
            encoding::$name::merge(self.wire_type, &mut value, &mut self.rest, DecodeContext::default()).ok()?;
            Some(value)
        }
    )*};
}

impl<'a> Field<'a> {
    scalar! { sint32 i32; sint64 i64; float f32; }

    fn string(self) -> Option<&'a str> {
        str::from_utf8(self.delimited()?).ok()
    }

    fn delimited(mut self) -> Option<&'a [u8]> {
        encoding::check_wire_type(WireType::LengthDelimited, self.wire_type).ok()?;
        let len = encoding::decode_varint(&mut self.rest).ok()?;
        self.rest.get(..usize::try_from(len).ok()?)
    }
}

/// Fields in the order of the model.
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

macro_rules! message {
    (C63 $watched:ident { $($key:literal $field:ident [$kind:ident];)* }) => {
        impl From<&Node> for C63 {
            fn from(model: &Node) -> Self {
                C63 { $($field: take(model, $key),)* }
            }
        }
    };
    ($($other:tt)*) => {};
}

flat_messages!(message);

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("prost", "encode", Way::Recommended, |record: &C63, out| {
        record.encode(out).expect("a vector takes all");
    })]
}
