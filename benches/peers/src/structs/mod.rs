//! Structs: the shoot-out: a message, three fields of sixty-three and a DNS cache entry, in the form that suits each
//! serializer.
//!
//! In: nothing. Out: cases to time and to count. A case is made only if its answer is right.

mod cases;
mod dns;
mod message;
mod partial;

pub use cases::{Case, cases};

/// Structs defined once for texts that are owned or borrowed, with the derives and attributes of every serializer. A field has its
/// position from 0, its number from 1, its key in Y3, and its type.
macro_rules! records {
    ($($name:ident { $($place:tt $number:tt $key:tt $field:ident: $type:ty,)* })*) => {$(
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[derive(bincode::Encode, bincode::Decode, minicbor::Encode, minicbor::Decode)]
        #[derive(bilrost::Message, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, y3::Encode, y3::Decode)]
        pub struct $name<Text> {
            $(#[n($place)] #[bilrost($number)] #[y3($key)] pub $field: $type,)*
        }
    )*};
}

/// Structs for serde with y3, whose field names are keys.
macro_rules! keyed {
    ($($name:ident $(<$text:ident>)? { $($key:literal $field:ident: $type:ty,)* })*) => {$(
        #[allow(dead_code, reason = "decoded all the same")]
        #[derive(Debug, serde::Deserialize)]
        pub struct $name $(<$text>)? {
            $(#[serde(rename = $key)] pub $field: $type,)*
        }
    )*};
}

use {keyed, records};
