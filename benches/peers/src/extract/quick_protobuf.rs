//! quick-protobuf: reads the same protobuf bytes as prost, into structs that borrow their texts.
//!
//! Its documentation recommends the structs that pb-rs generates. To read some fields, a user declares a message with only these fields.
//! An expert calls the functions that the generated code calls, and stops at the field.

use quick_protobuf::{BytesReader, MessageRead, MessageWrite as _, Writer as BytesWriter};

use super::prelude::*;
use super::prost::encode;

#[allow(clippy::all, clippy::pedantic, unused_imports, reason = "generated")]
mod generated {
    pub mod extract {
        include!(concat!(env!("OUT_DIR"), "/quick_protobuf/extract.rs"));
    }
}
use generated::extract;

/// quick-protobuf does not check that a field ends inside its message. After an overrun, a length can lead back to earlier bytes.
const OVERRUN: &str = "an endless loop if a field is longer than its message, or a panic if overflow checks are on";

const VARINT: u32 = 0;
const DELIMITED: u32 = 2;
const FIXED32: u32 = 5;

readers! {
    ($message:ident $only:ident $type:ty, $key:literal $field:ident $one:ident $(, $keys:literal $fields:ident $ones:ident)*) => {{
        let inner: &[u32] = &[$($keys),*];
        let overrun = (!inner.is_empty()).then_some(OVERRUN);
        Ways::of("quick-protobuf", encode)
            .reader("message", |bytes| read::<extract::$message>(bytes)?.$field$(?.$fields)*.digest())
            .dangerous(overrun)
            .reader("message, one field", |bytes| read::<extract::$only>(bytes)?.$field$(?.$fields)*.digest())
            .dangerous(overrun)
            .reader("next_tag, read_unknown", |bytes| {
                let key = $key;
                $(
                    let bytes = find(bytes, key << 3 | DELIMITED)?.read_bytes(bytes).ok()?;
                    let key = $keys;
                )*
                <$type>::by(
                    |wire_type| find(bytes, key << 3 | wire_type),
                    |at| at(VARINT)?.read_sint64(bytes).ok(),
                    |at| at(VARINT)?.read_sint32(bytes).ok(),
                    |at| at(FIXED32)?.read_float(bytes).ok(),
                    |at| at(DELIMITED)?.read_string(bytes).ok(),
                ).digest()
            })
    }}
}

/// Returns a reader that is positioned at the value after a tag.
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

fn read<'a, M: MessageRead<'a>>(bytes: &'a [u8]) -> Option<M> {
    M::from_reader(&mut BytesReader::from_bytes(bytes), bytes).ok()
}

/// Leaks the bytes that the message borrows.
pub fn message(model: &Node) -> extract::C63<'static> {
    read(Vec::leak(encode(model))).expect("just written")
}

pub fn write(message: &extract::C63<'_>, out: &mut Vec<u8>) {
    message.write_message(&mut BytesWriter::new(out)).expect("a vector takes all");
}
