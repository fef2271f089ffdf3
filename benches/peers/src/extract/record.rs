//! Record: the messages as typed structs of an application, for every codec that works through serde; and their conversion
//! from a model, for codecs with their own types.

use serde::{Deserialize, Serialize};

use super::schema::{flat_messages, nested_messages};
use kit::data::{Item, Node};

/// A type that is made from a field's value.
pub trait FromItem {
    fn from_item(item: &Item) -> Self;
}

/// The value with a key, as the type of the field.
///
/// # Panics
/// If the model has no such key, or a value of another kind there.
pub fn take<T: FromItem>(model: &Node, key: u8) -> T {
    let pair = model.0.iter().find(|pair| pair.0 == key);
    T::from_item(&pair.unwrap_or_else(|| panic!("no key {key}")).1)
}

macro_rules! from_item {
    ($($kind:ident $type:ty;)*) => {$(
        impl FromItem for $type {
            fn from_item(item: &Item) -> Self {
                match item {
                    Item::$kind(value) => value.clone(),
                    other => panic!("not a {}: {other:?}", stringify!($kind)),
                }
            }
        }
    )*};
}

from_item! { Text String; I32 i32; U32 u32; I64 i64; U64 u64; F32 f32; F64 f64; Node Node; }

/// The Rust type of a kind.
#[rustfmt::skip]
macro_rules! kind {
    (Text) => { String };
    (I32) => { i32 };
    (U32) => { u32 };
    (I64) => { i64 };
    (U64) => { u64 };
    (F32) => { f32 };
    (F64) => { f64 };
    (Node $message:ident) => { $message };
}
pub(crate) use kind;

/// Makes a record of a model, and of a node in one.
macro_rules! from_node {
    ($name:ident, $record:ty, $($key:tt $field:ident)*) => {
        impl From<&Node> for $record {
            fn from(model: &Node) -> Self {
                $name { $($field: take(model, $key),)* }
            }
        }

        impl FromItem for $record {
            fn from_item(item: &Item) -> Self {
                Self::from(&Node::from_item(item))
            }
        }
    };
}
pub(crate) use from_node;

macro_rules! record {
    ($name:ident $watched:ident { $($key:literal $field:ident [$($kind:tt)+];)* }) => {
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, rkyv::Archive, rkyv::Serialize)]
        pub struct $name {
            $(pub $field: kind!($($kind)+),)*
        }

        from_node!($name, $name, $($key $field)*);
    };
}

flat_messages!(record);
nested_messages!(record);
