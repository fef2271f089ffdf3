//! quick-protobuf: protobuf, the same bytes as prost's, read into structs that borrow their texts.
//!
//! Its documentation recommends the structs that pb-rs generates; to read a part, a user declares a message with that part.
//! An expert calls the functions that the generated code calls, and stops at the field.

use quick_protobuf::{BytesReader, MessageRead as _, MessageWrite as _, Writer as BytesWriter};

use super::mode::{Hostile, Reader, Way, Writer};
use super::prost::encode;
use super::record::{kind, take};
use super::scenario::{Digest, Shape};
use super::schema::flat_messages;
use kit::data::Node;

/// What pb-rs makes of the schema.
#[allow(clippy::all, clippy::pedantic, unused_imports, reason = "generated")]
mod generated {
    pub mod extract {
        include!(concat!(env!("OUT_DIR"), "/quick_protobuf/extract.rs"));
    }
}

use generated::extract::{
    C03, C03Only, C16, C16Only, C32, C32Only, C63, C63Only, Frame, FrameOnly, Outer, OuterOnly, Texts, TextsOnly,
};

/// The end of an inner message is not enforced: a field may overrun it, and then a length may lead back.
const OVERRUN: Hostile = Hostile::Unsafe(
    "a field that overruns its message can make the reader loop endlessly, or panic with overflow checks",
);

fn reader(
    mode: &'static str,
    way: Way,
    hostile: Hostile,
    read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static,
) -> Reader {
    Reader::new("quick-protobuf", mode, way, hostile, encode, read)
}

/// The readers of a value: they decode the whole message, a message of only that field, or read by hand.
macro_rules! value {
    ($hostile:expr, $whole:ident, $only:ident, $by_hand:expr, $($access:tt)+) => {
        vec![
            reader("message", Way::Recommended, $hostile, |bytes| {
                let message = $whole::from_reader(&mut BytesReader::from_bytes(bytes), bytes).ok()?;
                Some(message$($access)+.digest())
            }),
            reader("message, one field", Way::Recommended, $hostile, |bytes| {
                let message = $only::from_reader(&mut BytesReader::from_bytes(bytes), bytes).ok()?;
                Some(message$($access)+.digest())
            }),
            reader("next_tag, read_unknown", Way::Expert, Hostile::Safe, $by_hand),
        ]
    };
}

const VARINT: u32 = 0;
const DELIMITED: u32 = 2;
const FIXED32: u32 = 5;

pub fn readers(shape: Shape) -> Vec<Reader> {
    use Hostile::Safe;
    match shape {
        Shape::C63 => value!(Safe, C63, C63Only, |bytes| {
            Some(find(bytes, 32 << 3 | VARINT)?.read_sint64(bytes).ok()?.digest())
        }, .k32),
        Shape::C32 => value!(Safe, C32, C32Only, |bytes| {
            Some(find(bytes, 16 << 3 | VARINT)?.read_sint32(bytes).ok()?.digest())
        }, .k16),
        Shape::C16 => value!(Safe, C16, C16Only, |bytes| {
            Some(find(bytes, 8 << 3 | DELIMITED)?.read_string(bytes).ok()?.digest())
        }, .k8.as_ref()),
        Shape::C03 => value!(Safe, C03, C03Only, |bytes| {
            Some(find(bytes, 2 << 3 | VARINT)?.read_sint32(bytes).ok()?.digest())
        }, .k2),
        Shape::Texts => value!(Safe, Texts, TextsOnly, |bytes| {
            Some(find(bytes, 32 << 3 | DELIMITED)?.read_string(bytes).ok()?.digest())
        }, .k32.as_ref()),
        Shape::Nested => value!(OVERRUN, Outer, OuterOnly, |bytes| {
            let middle = find(bytes, 4 << 3 | DELIMITED)?.read_bytes(bytes).ok()?;
            let inner = find(middle, 4 << 3 | DELIMITED)?.read_bytes(middle).ok()?;
            Some(find(inner, 4 << 3 | VARINT)?.read_sint64(inner).ok()?.digest())
        }, .k4?.k4?.k4),
        Shape::Frame => value!(OVERRUN, Frame, FrameOnly, |bytes| {
            let reading = find(bytes, 2 << 3 | DELIMITED)?.read_bytes(bytes).ok()?;
            Some(find(reading, 17 << 3 | FIXED32)?.read_float(reading).ok()?.digest())
        }, .k2?.k17),
    }
}

/// A reader positioned at the value after a tag.
fn find(message: &[u8], tag: u32) -> Option<BytesReader> {
    let mut reader = BytesReader::from_bytes(message);
    while !reader.is_eof() {
        let next = reader.next_tag(message).ok()?;
        if next == tag {
            return Some(reader);
        }
        reader.read_unknown(message, next).ok()?;
    }
    None
}

macro_rules! message {
    (C63 $watched:ident { $($key:literal $field:ident [$kind:ident];)* }) => {
        impl From<&Node> for C63<'static> {
            fn from(model: &Node) -> Self {
                C63 { $($field: take::<kind!($kind)>(model, $key).into(),)* }
            }
        }
    };
    ($($other:tt)*) => {};
}

flat_messages!(message);

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("quick-protobuf", "write_message", Way::Recommended, |record: &C63<'static>, out| {
        record.write_message(&mut BytesWriter::new(out)).expect("a vector takes all");
    })]
}
