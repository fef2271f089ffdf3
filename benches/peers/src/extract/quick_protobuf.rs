//! quick-protobuf: protobuf, the same bytes as prost's, read into structs that borrow their texts.
//!
//! Its documentation recommends the structs that pb-rs generates; to read a part, a user declares a message with that part.
//! An expert calls the functions that the generated code calls, and stops at the field.

use quick_protobuf::{BytesReader, MessageRead as _, MessageWrite as _, Writer as BytesWriter};

use super::prelude::*;
use super::prost::encode;

/// What pb-rs makes of the schema.
#[allow(clippy::all, clippy::pedantic, unused_imports, reason = "generated")]
mod generated {
    pub mod extract {
        include!(concat!(env!("OUT_DIR"), "/quick_protobuf/extract.rs"));
    }
}
use generated::extract;

/// The end of an inner message is not enforced: a field may overrun it, and then a length may lead back.
const OVERRUN: &str = "an endless loop if a field is longer than its message, or a panic if overflow checks are on";

const VARINT: u32 = 0;
const DELIMITED: u32 = 2;
const FIXED32: u32 = 5;

pub fn readers(shape: Shape) -> Vec<Reader> {
    let quick = Codec("quick-protobuf", encode);
    macro_rules! value {
        ($message:ident $only:ident $type:ty, $key:literal $field:ident $one:ident $(, $keys:literal $fields:ident $ones:ident)*) => {{
            let readers = [
                quick.reader("message", |bytes| {
                    let message = extract::$message::from_reader(&mut BytesReader::from_bytes(bytes), bytes).ok()?;
                    Some(message.$field$(?.$fields)*.digest())
                }),
                quick.reader("message, one field", |bytes| {
                    let message = extract::$only::from_reader(&mut BytesReader::from_bytes(bytes), bytes).ok()?;
                    Some(message.$field$(?.$fields)*.digest())
                }),
            ];
            let is_nested = matches!(shape, Shape::Nested | Shape::Frame);
            let overrun = |reader: Reader| if is_nested { reader.dangerous(OVERRUN) } else { reader };
            let by_hand = quick.reader("next_tag, read_unknown", |bytes| {
                let key = $key;
                $(
                    let bytes = find(bytes, key << 3 | DELIMITED)?.read_bytes(bytes).ok()?;
                    let key = $keys;
                )*
                Some(<$type>::by(
                    |wire_type| find(bytes, key << 3 | wire_type),
                    |at| at(VARINT)?.read_sint64(bytes).ok(),
                    |at| at(VARINT)?.read_sint32(bytes).ok(),
                    |at| at(FIXED32)?.read_float(bytes).ok(),
                    |at| at(DELIMITED)?.read_string(bytes).ok(),
                )?.digest())
            });
            readers.map(overrun).into_iter().chain([by_hand]).collect()
        }};
    }
    of_shape!(shape, value)
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

pub fn writers() -> Vec<Writer> {
    // The bytes from which it is made live as long as the program.
    let made = |model: &Node| {
        let bytes = Vec::leak(encode(model));
        extract::C63::from_reader(&mut BytesReader::from_bytes(bytes), bytes).expect("just written")
    };
    vec![Writer::new("quick-protobuf", "write_message", made, |record, out| {
        record.write_message(&mut BytesWriter::new(out)).expect("a vector takes all");
    })]
}
