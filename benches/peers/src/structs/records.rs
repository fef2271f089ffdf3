//! Records: a struct defined once, with the derives and attributes of every serializer.
//!
//! In: names and fields, each with its position from 0, its number from 1 or its key, and its type. Out: the structs.

/// Structs that own their texts.
macro_rules! owned {
    ($($name:ident { $($place:tt $number:tt $field:ident: $type:ty,)* })*) => {$(
        #[derive(Clone, Debug, Default, PartialEq)]
        #[derive(serde::Serialize, serde::Deserialize, bincode::Encode, bincode::Decode, minicbor::Encode)]
        #[derive(minicbor::Decode, bilrost::Message, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
        pub struct $name {
            $(#[n($place)] #[bilrost($number)] pub $field: $type,)*
        }
    )*};
}

/// Structs that borrow their texts from the input: `b` marks fields that borrow, `n` the others.
macro_rules! borrowed {
    ($($name:ident { $($(#[$borrow:meta])* $index:ident $place:tt $number:tt $field:ident: $type:ty,)* })*) => {$(
        #[derive(Clone, Debug, Default, PartialEq)]
        #[derive(serde::Serialize, serde::Deserialize, bincode::Encode, bincode::BorrowDecode, minicbor::Encode)]
        #[derive(minicbor::Decode, bilrost::Message)]
        #[bilrost(borrowed_only)]
        pub struct $name<'a> {
            $($(#[$borrow])* #[$index($place)] #[bilrost($number)] pub $field: $type,)*
        }
    )*};
}

/// Structs for y3, whose field names are keys.
macro_rules! keyed {
    ($($name:ident $(<$lifetime:lifetime>)? { $($(#[$borrow:meta])* $key:literal $field:ident: $type:ty,)* })*) => {$(
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct $name $(<$lifetime>)? {
            $($(#[$borrow])* #[serde(rename = $key)] pub $field: $type,)*
        }
    )*};
}

pub(crate) use {borrowed, keyed, owned};
