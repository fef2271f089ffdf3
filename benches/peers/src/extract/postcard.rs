//! postcard: values one after the other, without keys, types or lengths of records; so always in the order of the fields,
//! whatever the model's.
//!
//! Its documentation recommends a whole struct through serde, here with borrowed texts. An expert reads a shorter struct
//! that ends with the field, since the rest may stay unread. A reader cannot jump, since values have no lengths.

use serde::Serialize;

use super::generic::{C03, C16, C32, C63, Frame, Outer, Texts, prefix};
use super::mode::{Hostile, Reader, Way, Writer};
use super::scenario::{Digest, Shape};
use kit::data::Node;

/// The readers of a value: one decodes the whole struct, one only its first fields.
macro_rules! value {
    ($whole:ident $(.$field:ident)+, $prefix:ident $(.$place:tt)+) => {{
        let first = |bytes: &[u8]| {
            Some(postcard::take_from_bytes::<prefix::$prefix<'_>>(bytes).ok()?.0$(.$place)+.digest())
        };
        let encode = encode::<$whole<String>>;
        vec![
            Reader::new("postcard", "struct", Way::Recommended, Hostile::Safe, encode, |bytes| {
                Some(postcard::from_bytes::<$whole<&str>>(bytes).ok()?$(.$field)+.digest())
            }),
            Reader::new("postcard", "first fields", Way::Expert, Hostile::Safe, encode, first),
            Reader::looped("postcard", "batch: first fields", Way::Expert, Hostile::Safe, encode, first),
        ]
    }};
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => value!(C63.k32, C63.4),
        Shape::C32 => value!(C32.k16, C32.2),
        Shape::C16 => value!(C16.k8, C16.1),
        Shape::C03 => value!(C03.k2, C03.1),
        Shape::Texts => value!(Texts.k32, Texts.1),
        Shape::Nested => value!(Outer.k4.k4.k4, Nested.1.1.3),
        Shape::Frame => value!(Frame.k2.k17, Frame.1.0),
    }
}

fn encode<T: for<'a> From<&'a Node> + Serialize>(model: &Node) -> Vec<u8> {
    postcard::to_stdvec(&T::from(model)).expect("lengths are known")
}

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("postcard", "to_extend", Way::Recommended, |record: &C63<String>, out| {
        *out = postcard::to_extend(record, std::mem::take(out)).expect("lengths are known");
    })]
}
