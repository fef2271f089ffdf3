//! buffa: protobuf, the same bytes as prost's, read into views that borrow their texts.
//!
//! Its documentation recommends the views that buffa-build generates; to read a part, a user declares a message with that
//! part. Lazy views decode inner messages on demand. An expert calls the functions that the generated code calls, and stops
//! at the field.

use buffa::encoding::{Tag, WireType, check_wire_type, skip_field};
use buffa::types::{borrow_bytes, borrow_str, decode_float, decode_sint32, decode_sint64};
use buffa::{LazyMessageView as _, Message as _, MessageView as _};

use super::mode::{Hostile, Reader, Way, Writer};
use super::prost::encode;
use super::record::take;
use super::scenario::{Digest, Shape};
use super::schema::flat_messages;
use kit::data::Node;

/// What buffa-build makes of the schema.
#[allow(clippy::all, clippy::pedantic, dead_code, unused_imports, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/buffa/extract.mod.rs"));
}

use generated::{
    C03OnlyView, C03View, C16OnlyView, C16View, C32OnlyView, C32View, C63, C63OnlyView, C63View, FrameLazyView,
    FrameOnlyView, FrameView, OuterLazyView, OuterOnlyView, OuterView, TextsOnlyView, TextsView,
};

fn reader(mode: &'static str, way: Way, read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static) -> Reader {
    Reader::new("buffa", mode, way, Hostile::Safe, encode, read)
}

/// The readers of a value: they decode a view of the whole message, a view of only that field, or read by hand.
macro_rules! value {
    ($whole:ident, $only:ident, $by_hand:expr, $($access:tt)+) => {{
        let by_hand = $by_hand;
        vec![
            reader("view", Way::Recommended, |bytes| Some($whole::decode_view(bytes).ok()?$($access)+.digest())),
            reader("view, one field", Way::Recommended, |bytes| Some($only::decode_view(bytes).ok()?$($access)+.digest())),
            reader("Tag, skip_field", Way::Expert, by_hand),
            Reader::looped("buffa", "batch: Tag, skip_field", Way::Expert, Hostile::Safe, encode, by_hand),
        ]
    }};
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    use WireType::{Fixed32, LengthDelimited, Varint};
    match shape {
        Shape::C63 => value!(C63View, C63OnlyView, |bytes: &[u8]| {
            Some(decode_sint64(&mut find(bytes, 32, Varint)?).ok()?.digest())
        }, .k32),
        Shape::C32 => value!(C32View, C32OnlyView, |bytes: &[u8]| {
            Some(decode_sint32(&mut find(bytes, 16, Varint)?).ok()?.digest())
        }, .k16),
        Shape::C16 => value!(C16View, C16OnlyView, |bytes: &[u8]| {
            Some(borrow_str(&mut find(bytes, 8, LengthDelimited)?).ok()?.digest())
        }, .k8),
        Shape::C03 => value!(C03View, C03OnlyView, |bytes: &[u8]| {
            Some(decode_sint32(&mut find(bytes, 2, Varint)?).ok()?.digest())
        }, .k2),
        Shape::Texts => value!(TextsView, TextsOnlyView, |bytes: &[u8]| {
            Some(borrow_str(&mut find(bytes, 32, LengthDelimited)?).ok()?.digest())
        }, .k32),
        Shape::Nested => {
            let mut readers = value!(OuterView, OuterOnlyView, |bytes: &[u8]| {
                let middle = borrow_bytes(&mut find(bytes, 4, LengthDelimited)?).ok()?;
                let inner = borrow_bytes(&mut find(middle, 4, LengthDelimited)?).ok()?;
                Some(decode_sint64(&mut find(inner, 4, Varint)?).ok()?.digest())
            }, .k4.k4.k4);
            readers.push(reader("lazy view", Way::Recommended, |bytes| {
                let middle = OuterLazyView::decode_lazy(bytes).ok()?.k4.get().ok()??;
                Some(middle.k4.get().ok()??.k4.digest())
            }));
            readers
        }
        Shape::Frame => {
            let mut readers = value!(FrameView, FrameOnlyView, |bytes: &[u8]| {
                let reading = borrow_bytes(&mut find(bytes, 2, LengthDelimited)?).ok()?;
                Some(decode_float(&mut find(reading, 17, Fixed32)?).ok()?.digest())
            }, .k2.k17);
            readers.push(reader("lazy view", Way::Recommended, |bytes| {
                Some(FrameLazyView::decode_lazy(bytes).ok()?.k2.get().ok()??.k17.digest())
            }));
            readers
        }
    }
}

/// The bytes from a field's value on.
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
    vec![Writer::new("buffa", "encode", Way::Recommended, |record: &C63, out| record.encode(out))]
}
