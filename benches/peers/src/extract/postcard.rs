//! postcard: values one after the other, without keys, types or lengths of records; so always in the order of the fields,
//! whatever the model's.
//!
//! Its documentation recommends a whole struct through serde, here with borrowed texts. An expert reads a shorter struct
//! that ends with the field, since the rest may stay unread. A reader cannot jump, since values have no lengths.

use formats::postcard::{read, write};
use postcard::take_from_bytes;

use super::prelude::*;

readers! {
    ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
        Ways::of("postcard", |model| encoded(model, write::<owned::$message>))
            .reader("struct", |bytes| read::<borrowed::$message>(bytes)?$(.$field)+.digest())
            .both("first fields", |bytes| take_from_bytes::<prefix::$message>(bytes).ok()?.0.1.digest())
    }
}
