//! Reads and writes structs and enums whose keys are attributes of their fields.
//!
//! In: a value of a type that derives [`ToPacket`], or a packet. Out: one packet, or a value of a type that derives
//! [`FromPacket`]. The compiler checks the keys; names are not on the wire.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! use y3::record::Rest;
//! use y3::{FromPacket, ToPacket};
//!
//! #[derive(Debug, PartialEq, ToPacket, FromPacket)]
//! #[y3(root = 0x01)]
//! struct Reading<'a> {
//!     #[y3(0x11)]
//!     noise: f32,
//!     #[y3(0x12)]
//!     at: Option<i64>, // absent when None
//!     #[y3(0x13)]
//!     from: &'a str, // borrowed from the input
//!     #[y3(0x14, pvar)]
//!     count: i32, // the other dialect
//!     #[y3(0x15)]
//!     parts: Vec<Part>, // a slice of nodes
//!     #[y3(rest)]
//!     unknown: Rest<'a>, // packets with other keys, kept and written back
//! }
//!
//! #[derive(Debug, PartialEq, ToPacket, FromPacket)]
//! struct Part {
//!     #[y3(0x01)]
//!     id: u16,
//! }
//!
//! let parts = vec![Part { id: 7 }];
//! let reading = Reading { noise: 23.0, at: None, from: "lab", count: -65, parts, unknown: Rest::default() };
//! let packet = reading.encode_to_vec().unwrap();
//! assert_eq!(packet, [
//!     0x81, 0x14, 0x11, 0x02, 0x41, 0xb8, 0x13, 0x03, 0x6c, 0x61, 0x62, 0x14, 0x02, 0xff, 0x3f, 0xd5, 0x05, 0x80, 0x03,
//!     0x01, 0x01, 0x07,
//! ]);
//! assert_eq!(Reading::from_slice(&packet).unwrap(), reading);
//! # }
//! ```
//!
//! | Rust | Y3 |
//! |---|---|
//! | `bool`, `f32`, `f64`, `i32`, `u32`, `i64`, `u64` | a primitive; integers are NVarInt, or PVarInt with `pvar` |
//! | `i8`, `u8`, `i16`, `u16` | as the 32-bit type; reading checks the range |
//! | `&str`, `String`, `Cow<str>`, `char` | text; `&str` and `Cow` borrow from the input |
//! | `&[u8]`, `[u8; N]`, `Vec<u8>`, `Cow<[u8]>` | bytes |
//! | `Option` as a field | no packet for `None`, otherwise the value itself |
//! | `()`, unit structs | a primitive with no bytes |
//! | structs with one field that has no key | the value inside |
//! | other structs | a node |
//! | `Vec<T>`, `[T; N]`, `&[T]` to write, [`Items`] to read | a slice; when reading, any node |
//! | `BTreeMap`, `HashMap` with keys of a [`MapKey`] type | a node |
//! | variants without content | a `u32`: the number of the variant |
//! | variants with content | a node with one packet, whose key is the number of the variant |
//! | `Box<T>`, `&T` to write | the value inside |
//! | [`PVarInt<T>`](crate::PVarInt) | the value inside, with integers as PVarInt |
//! | [`Packet`](crate::Packet) | any packet, not decoded |
//!
//! # Attributes
//!
//! | at a field | |
//! |---|---|
//! | `0x11` | its key, 0..=63; every field has a key, or `rest`, or `skip` |
//! | `pvar` | all integers inside are PVarInt |
//! | `default`, `default = expression` | the value of an absent field |
//! | `skip_if = function` | the field is not written if `function(&field)` is `true` |
//! | `duplicates = first`, `last`, `error` | which of several packets with the key is read; the default is `error` |
//! | `with = module` | `module::encode(&T) -> U` and `module::decode(U) -> Result<T, y3::ErrorKind>` convert to and from a field type `U` |
//! | `rest` | the packets with other keys: a [`Rest`], or a `Vec<u8>` |
//! | `skip` | not on the wire; reading sets it to `Default::default()` |
//!
//! | at a variant | |
//! |---|---|
//! | `0x01` | its number; for a variant with content the key inside the node, 0..=63 |
//! | `other` | all numbers and keys that no other variant has; it holds one value that reads the whole packet: a `Packet`, or a `u32` if only numbers are expected |
//! | `9, other` | the same for a variant without content; it is written as this number |
//!
//! | at a type | |
//! |---|---|
//! | `root = 0x01` | the key of the outermost packet; the default is 0x01; reading ignores it |
//! | `pvar` | all integers inside are PVarInt |
//! | `duplicates = …` | for all fields |
//! | `crate = path` | the path of this crate, if it is not `::y3` |
//!
//! # What reading skips
//!
//! Packets with keys that a struct does not have are jumped over. Their values are not read, so an error there goes unnoticed,
//! as with watching. The same holds for further packets of a field with `duplicates = first`.
//!
//! # Limits
//!
//! Reading and writing allow at most 64 nested nodes, and at most 128 nested options, newtypes and variants; more is an error.
//! Reading allocates memory for items in the input, never for a declared length.

mod bound;
mod budget;
mod error;
mod from_packet;
mod items;
mod place;
mod read_fields;
mod rest;
mod run;
mod sequences;
mod source;
mod to_packet;
mod values;
mod write_fields;

pub use bound::Bound;
pub use error::{Cause, Error, ErrorKind};
pub use from_packet::{FromField, FromPacket};
pub use items::Items;
pub use place::{Node, Place, Slice, Written};
pub use rest::{PutRest, Rest, TakeRest};
#[doc(hidden)]
pub use run::{InRun, Run};
#[cfg(feature = "alloc")]
pub use sequences::MapKey;
#[doc(hidden)]
pub use source::FieldsInOrder;
pub use source::{Fields, Source, Sources};
pub use to_packet::{ToField, ToPacket};

use crate::read::keys::KeySet;
use crate::wire::key::Key;

/// A key that the derive macro has checked.
#[doc(hidden)]
#[must_use]
pub const fn key(number: u8) -> Key {
    match Key::new(number) {
        Some(key) => key,
        None => Key::ROOT,
    }
}

/// A set of keys that the derive macro has checked.
#[doc(hidden)]
#[must_use]
pub const fn keys(keys: &[u8]) -> KeySet {
    match KeySet::new(keys) {
        Some(keys) => keys,
        None => KeySet::EMPTY,
    }
}

/// The converted value of an absent field.
#[doc(hidden)]
pub fn absent<'a, T, U: FromField<'a>>(decode: impl FnOnce(U) -> Result<T, crate::ErrorKind>) -> Option<T> {
    decode(U::absent()?).ok()
}
