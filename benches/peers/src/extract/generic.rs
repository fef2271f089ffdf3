//! Generic: typed records that are generic over their texts, `String` to write them and `&str` to read them without a copy;
//! for the codecs that find a field by its position or its number.
//!
//! In: the schema. Out: `C63<Text>` and so on; and for codecs that know only positions, types that end with the watched
//! value.

use serde::{Deserialize, Serialize};

use super::record::{FromItem, from_node, take};
use super::schema::{flat_messages, nested_messages};
use kit::data::{Item, Node};

macro_rules! kind {
    (Text) => { Text };
    (Node $message:ident) => { $message<Text> };
    ($kind:ident) => { super::record::kind!($kind) };
}

macro_rules! record {
    ($name:ident $watched:ident { $($key:tt $field:ident [$($kind:tt)+];)* }) => {
        #[derive(Serialize, Deserialize, bincode::Encode, bincode::BorrowDecode, bilrost::Message)]
        #[serde(bound(serialize = "Text: Serialize", deserialize = "Text: Deserialize<'de>"))]
        pub struct $name<Text> {
            $(#[bilrost($key)] pub $field: kind!($($kind)+),)*
        }

        from_node!($name, $name<String>, $($key $field)*);
    };
}

flat_messages!(record);
nested_messages!(record);

/// The first fields of a record. Values before the watched one are not used, so texts there are bytes, which are not
/// checked for UTF-8.
pub mod prefix {
    type Cycle<'a> = (&'a [u8], i32, u32, i64, u64, f32, f64);
    type Inner<'a> = (Cycle<'a>, &'a [u8]);
    type Middle<'a> = [Inner<'a>; 8];

    pub type C63<'a> = ([Cycle<'a>; 4], &'a [u8], i32, u32, i64);
    pub type C32<'a> = ([Cycle<'a>; 2], &'a [u8], i32);
    pub type C16<'a> = (Cycle<'a>, &'a str);
    pub type C03<'a> = (&'a [u8], i32);
    pub type Texts<'a> = ([&'a [u8]; 31], &'a str);
    pub type Nested<'a> = ([Middle<'a>; 3], ([Inner<'a>; 3], (&'a [u8], i32, u32, i64)));
    pub type Frame<'a> = (u32, (f32,));
}
