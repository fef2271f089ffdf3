//! Structs: the shoot-out: a message, three fields of sixty-three and a DNS cache entry, in the form that suits each
//! serializer.
//!
//! In: nothing. Out: cases to time and to count. A case is made only if its answer is right.

mod cases;
mod dns;
mod message;
mod partial;

pub use cases::{Case, cases};

/// Structs defined once for texts that are owned or borrowed, with the derives and attributes of every serializer; and two with other
/// attributes: `keyed`, for serde with y3, and `protobuf`, for prost. A field has its position from 0, its number from 1, its key in Y3
/// twice, its type, and its kind and type in prost.
macro_rules! records {
    ($($name:ident {
        $($place:tt $number:tt $key:tt $keyed:literal $field:ident: $type:ty, [$($kind:ident),*] $prost:ty;)*
    })*) => {
        $(
            #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
            #[derive(bincode::Encode, bincode::Decode, minicbor::Encode, minicbor::Decode)]
            #[derive(bilrost::Message, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, y3::Encode, y3::Decode)]
            pub struct $name<Text> {
                $(#[n($place)] #[bilrost($number)] #[y3($key)] pub $field: $type,)*
            }
        )*

        #[allow(dead_code, reason = "fields that are decoded all the same")]
        pub mod keyed {
            $(
                #[derive(Debug, serde::Deserialize)]
                pub struct $name<Text> {
                    $(#[serde(rename = $keyed)] pub $field: $type,)*
                }
            )*
        }

        pub mod protobuf {
            $(
                #[derive(Clone, PartialEq, serde::Deserialize, prost::Message)]
                pub struct $name {
                    $(#[prost($($kind,)* tag = $number)] pub $field: $prost,)*
                }
            )*
        }
    };
}

use records;
