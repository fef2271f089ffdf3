//! bincode: values one after the other, without keys, types or lengths of records; so always in the order of the fields,
//! whatever the model's.
//!
//! Its documentation recommends a whole struct, here with borrowed texts, through its own traits and the standard
//! configuration. An expert reads a shorter struct that ends with the field, since the rest may stay unread. A reader
//! cannot jump, since values have no lengths.

use bincode::config::{Configuration, standard};
use bincode::{Encode, borrow_decode_from_slice};

use super::generic::{C03, C16, C32, C63, Frame, Outer, Texts, prefix};
use super::mode::{Hostile, Reader, Way, Writer};
use super::scenario::{Digest, Shape};
use kit::data::Node;

const STANDARD: Configuration = standard();

/// The readers of a value: one decodes the whole struct, one only its first fields.
macro_rules! value {
    ($whole:ident $(.$field:ident)+, $prefix:ident $(.$place:tt)+) => {{
        let first = |bytes: &[u8]| {
            Some(borrow_decode_from_slice::<prefix::$prefix<'_>, _>(bytes, STANDARD).ok()?.0$(.$place)+.digest())
        };
        let encode = encode::<$whole<String>>;
        vec![
            Reader::new("bincode", "struct", Way::Recommended, Hostile::Safe, encode, |bytes| {
                Some(borrow_decode_from_slice::<$whole<&str>, _>(bytes, STANDARD).ok()?.0$(.$field)+.digest())
            }),
            Reader::new("bincode", "first fields", Way::Expert, Hostile::Safe, encode, first),
            Reader::looped("bincode", "batch: first fields", Way::Expert, Hostile::Safe, encode, first),
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

fn encode<T: for<'a> From<&'a Node> + Encode>(model: &Node) -> Vec<u8> {
    bincode::encode_to_vec(T::from(model), STANDARD).expect("a vector takes all")
}

/// More than the record takes.
const ROOM: usize = 1024;

pub fn writers() -> Vec<Writer> {
    vec![
        Writer::new("bincode", "encode_into_std_write", Way::Recommended, |record: &C63<String>, out| {
            bincode::encode_into_std_write(record, out, STANDARD).expect("a vector takes all");
        }),
        Writer::new("bincode", "encode_into_slice", Way::Expert, |record: &C63<String>, out| {
            out.resize(ROOM, 0);
            let len = bincode::encode_into_slice(record, out, STANDARD).expect("there is room");
            out.truncate(len);
        }),
    ]
}
