//! bincode: values one after the other, without keys, types or lengths of records; so always in the order of the fields,
//! whatever the model's.
//!
//! Its documentation recommends a whole struct, here with borrowed texts, through its own traits and the standard
//! configuration. An expert reads a shorter struct that ends with the field, since the rest may stay unread. A reader
//! cannot jump, since values have no lengths.

use bincode::config::{Configuration, standard};
use bincode::{Encode, borrow_decode_from_slice};
use serde::de::DeserializeOwned;

use super::prelude::*;
use super::shape::prefix;

const STANDARD: Configuration = standard();

/// More than the record takes.
const ROOM: usize = 1024;

pub fn readers(shape: Shape) -> Vec<Reader> {
    macro_rules! value {
        ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {{
            let codec = Codec("bincode", encode::<owned::$message>);
            let first = |bytes: &[u8]| Some(borrow_decode_from_slice::<prefix::$message, _>(bytes, STANDARD).ok()?.0.1.digest());
            vec![
                codec.reader("struct", |bytes| Some(borrow_decode_from_slice::<borrowed::$message<'_>, _>(bytes, STANDARD).ok()?.0$(.$field)+.digest())),
                codec.reader("first fields", first),
                codec.looped("batch: first fields", first),
            ]
        }};
    }
    of_shape!(shape, value)
}

fn encode<R: DeserializeOwned + Encode>(model: &Node) -> Vec<u8> {
    bincode::encode_to_vec(record::<R>(model), STANDARD).expect("a vector takes all")
}

pub fn writers() -> Vec<Writer> {
    vec![
        Writer::new("bincode", "encode_into_std_write", record::<owned::C63>, |record, out| {
            bincode::encode_into_std_write(record, out, STANDARD).expect("a vector takes all");
        }),
        Writer::new("bincode", "encode_into_slice", record::<owned::C63>, |record, out| {
            out.resize(ROOM, 0);
            let len = bincode::encode_into_slice(record, out, STANDARD).expect("there is room");
            out.truncate(len);
        }),
    ]
}
