//! postcard and bincode: values one after the other, without keys, types or lengths of records. They are always in the order of the
//! struct's fields.
//!
//! Their documentation recommends a whole struct, here with borrowed texts. postcard reads it with serde, bincode with its own traits in
//! the standard configuration. An expert reads a shorter struct that ends with the field, because the rest can stay unread.

use bincode::config::standard;
use formats::{bincode as varints, postcard as values};

use super::prelude::*;

/// A record is shorter than this number of bytes.
const ROOM: usize = 1024;

readers! {
    ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
        Ways::of("postcard", |model| encoded(model, values::write::<owned::$message>))
            .reader("struct", |bytes| values::read::<borrowed::$message>(bytes)?$(.$field)+.digest())
            .both("first fields", |bytes| postcard::take_from_bytes::<prefix::$message>(bytes).ok()?.0.1.digest())
            .and_of("bincode", |model| encoded(model, varints::write::<owned::$message>))
            .reader("struct", |bytes| varints::read::<borrowed::$message>(bytes)?$(.$field)+.digest())
            .both("first fields", |bytes| varints::read::<prefix::$message>(bytes)?.1.digest())
    }
}

pub fn write_into_slice(record: &owned::C63, out: &mut Vec<u8>) {
    out.resize(ROOM, 0);
    let len = bincode::encode_into_slice(record, out, standard()).expect("there is room");
    out.truncate(len);
}
