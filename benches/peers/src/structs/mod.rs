//! Whole structs: a message, three fields of sixty-three and an entry of a DNS cache, in the form that suits each serializer.

mod cases;
mod dns;
mod message;
mod partial;

pub use cases::{Case, cases};

/// Defines each struct three times: with the derives of all serializers; in the module `keyed` for serde with y3; and in the module
/// `protobuf` for prost. `Text` is the type of the texts. A field is given by its position from 0, its number from 1, its key in Y3 as a
/// number and as a name, its name and type, and its kind and type in prost.
macro_rules! records {
    ($($name:ident $(<$text:ident>)? {
        $($place:tt $number:tt $key:tt $keyed:literal $field:ident: $type:ty, [$($kind:ident),*] $prost:ty;)*
    })*) => {
        $(
            #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
            #[derive(bincode::Encode, bincode::Decode, minicbor::Encode, minicbor::Decode)]
            #[derive(bilrost::Message, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize, y3::Encode, y3::Decode)]
            pub struct $name$(<$text>)? {
                $(#[n($place)] #[bilrost($number)] #[y3($key)] pub $field: $type,)*
            }
        )*

        #[allow(dead_code, reason = "fields that are decoded all the same")]
        pub mod keyed {
            $(
                #[derive(Debug, PartialEq, serde::Deserialize)]
                pub struct $name$(<$text>)? {
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
