//! buffa: reads the same protobuf bytes as prost, into views that borrow their texts.
//!
//! Its documentation recommends the views that buffa-build generates. To read some fields, a user declares a message with only these
//! fields. Lazy views decode inner messages on demand. An expert calls the functions that the generated code calls, and stops at the
//! field.

use buffa::encoding::WireType::{self, Fixed32, LengthDelimited, Varint};
use buffa::encoding::{Tag, check_wire_type, skip_field};
use buffa::types::{borrow_bytes, borrow_str, decode_float, decode_sint32, decode_sint64};
use buffa::{HasMessageView as _, LazyMessageView as _, Message as _};

use super::prelude::*;
use super::prost::encode;

#[allow(clippy::all, clippy::pedantic, dead_code, unused_imports, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/buffa/extract.mod.rs"));
}
pub use generated::C63;
use generated::{FrameLazyView, OuterLazyView};

pub fn readers(shape: Shape) -> Ways {
    macro_rules! value {
        ($message:ident $only:ident $type:ty, $key:literal $field:ident $one:ident $(, $keys:literal $fields:ident $ones:ident)*) => {
            Ways::of("buffa", encode)
                .reader("view", |bytes| generated::$message::decode_view(bytes).ok()?.$field$(.$fields)*.digest())
                .reader("view, one field", |bytes| generated::$only::decode_view(bytes).ok()?.$field$(.$fields)*.digest())
                .both("Tag, skip_field", |bytes| {
                    let key = $key;
                    $(
                        let bytes = borrow_bytes(&mut find(bytes, key, LengthDelimited)?).ok()?;
                        let key = $keys;
                    )*
                    <$type>::by(
                        |wire_type| find(bytes, key, wire_type),
                        |at| decode_sint64(&mut at(Varint)?).ok(),
                        |at| decode_sint32(&mut at(Varint)?).ok(),
                        |at| decode_float(&mut at(Fixed32)?).ok(),
                        |at| borrow_str(&mut at(LengthDelimited)?).ok(),
                    ).digest()
                })
        };
    }
    let ways = of_shape!(shape, value);
    match shape {
        Shape::Nested => ways.reader("lazy view", |bytes| {
            let middle = OuterLazyView::decode_lazy(bytes).ok()?.k4.get().ok()??;
            middle.k4.get().ok()??.k4.digest()
        }),
        Shape::Frame => {
            ways.reader("lazy view", |bytes| FrameLazyView::decode_lazy(bytes).ok()?.k2.get().ok()??.k17.digest())
        }
        _ => ways,
    }
}

/// Finds a field, and returns the bytes from its value on.
fn find(message: &[u8], number: u32, wire_type: WireType) -> Option<&[u8]> {
    let mut rest = message;
    while !rest.is_empty() {
        let tag = Tag::decode(&mut rest).ok()?;
        if tag.field_number() == number {
            check_wire_type(tag, wire_type).ok()?;
            return Some(rest);
        }
        skip_field(tag, &mut rest).ok()?;
    }
    None
}

pub fn message(model: &Node) -> C63 {
    C63::decode_from_slice(&encode(model)).expect("just written")
}

pub fn write(message: &C63, out: &mut Vec<u8>) {
    message.encode(out);
}
