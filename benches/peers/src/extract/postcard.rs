//! postcard: values one after the other, without keys, types or lengths of records; so always in the order of the fields,
//! whatever the model's.
//!
//! Its documentation recommends a whole struct through serde, here with borrowed texts. An expert reads a shorter struct
//! that ends with the field, since the rest may stay unread. A reader cannot jump, since values have no lengths.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::prelude::*;
use super::shape::prefix;

pub fn readers(shape: Shape) -> Vec<Reader> {
    macro_rules! value {
        ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {{
            let codec = Codec("postcard", encode::<owned::$message>);
            let first = |bytes: &[u8]| Some(postcard::take_from_bytes::<prefix::$message>(bytes).ok()?.0.1.digest());
            vec![
                codec.reader("struct", |bytes| Some(postcard::from_bytes::<borrowed::$message<'_>>(bytes).ok()?$(.$field)+.digest())),
                codec.reader("first fields", first),
                codec.looped("batch: first fields", first),
            ]
        }};
    }
    of_shape!(shape, value)
}

fn encode<R: DeserializeOwned + Serialize>(model: &Node) -> Vec<u8> {
    postcard::to_stdvec(&record::<R>(model)).expect("lengths are known")
}

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("postcard", "to_extend", record::<owned::C63>, |record, out| {
        *out = postcard::to_extend(record, std::mem::take(out)).expect("lengths are known");
    })]
}
