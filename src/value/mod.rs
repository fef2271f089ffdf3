//! Values as packets: one trait to write them, one to read them.
//!
//! In: a key and a number, a text, a struct or a sequence. Out: one packet, or the value read from it.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! let bytes = y3::to_vec(0x01, &["a", "b"])?;
//! assert_eq!(bytes, [0xc1, 0x06, 0x00, 0x01, 0x61, 0x00, 0x01, 0x62]);
//! assert_eq!(y3::decode::<Vec<&str>>(&bytes)?, ["a", "b"]);
//! # }
//! # Ok::<(), y3::Error>(())
//! ```
//!
//! | Rust | Y3 |
//! |---|---|
//! | `bool`, `f32`, `f64`, `i32`, `u32`, `i64`, `u64` | a primitive; integers are NVarInt |
//! | `i8`, `u8`, `i16`, `u16`; `isize`, `usize` | as the type of 32 or 64 bits; reading checks the range |
//! | [`PVarInt<T>`](crate::PVarInt) | the value inside, with its integers as PVarInt |
//! | `&str`, `String`, `Cow<str>`, `char` | text; `&str` and `Cow` borrow from the input |
//! | `&[u8]`, `[u8; N]`, `Vec<u8>`, `Cow<[u8]>`, `bytes::Bytes` to write | bytes |
//! | `Ipv4Addr`, `Ipv6Addr`, `IpAddr` | 4 or 16 bytes, as in an IP packet |
//! | `Option<T>` in a node | no packet for `None`, otherwise the value itself |
//! | `()` | a primitive with no bytes |
//! | structs and enums that derive the traits | a node; the derive's documentation has the table |
//! | `Vec<T>`, `[T; N]`, `&[T]` to write | a slice; when reading, any node; without an allocator [`children`](crate::Packet::children) |
//! | tuples of two to eight | a slice with as many items |
//! | `BTreeSet`, `HashSet` | a slice; when reading, a duplicate item counts once |
//! | `BTreeMap`, `HashMap` with keys that are [`MapKey`]s | a node; with any other keys `#[y3(with = y3::value::pairs)]` makes it a slice of pairs |
//! | `Duration`, `SystemTime` | with `#[y3(with = y3::value::time::millis)]`, or another module of [`time`], a number |
//! | `Box<T>`, `Rc<T>`, `Arc<T>`, `&T` to write | the value inside |
//! | [`Packet`](crate::Packet), [`UnknownFields`] | packets as they are |
//!
//! A Rust literal without a type is an `i32`, so `[0; 4]` is a slice of four numbers and `[0u8; 4]` is four bytes. A
//! `Duration` has no packet without `with`: seconds, milliseconds and nanoseconds are all common, and reading the wrong
//! unit would go unnoticed. `bytes::Bytes` has no `Decode`: a packet borrows from its input and does not know the
//! `Bytes` that own it. Read a `&[u8]`; `y3::bytes::slice_ref(&source, slice)` turns it into `Bytes` without a copy.
//!
//! # Limits
//!
//! Reading and writing allow at most [`MAX_DEPTH`](crate::MAX_DEPTH) nested nodes; deeper nesting is an error. Reading
//! allocates memory for items in the input, never for a declared length.
//!
#![cfg_attr(not(feature = "alloc"), doc = "[`MapKey`]: crate#features")]

// Only derived code calls this.
#[doc(hidden)]
mod fields;
mod inside;
#[cfg(feature = "alloc")]
mod maps;
#[cfg(feature = "alloc")]
mod names_file;
mod numbers;
pub(crate) mod pad;
#[cfg(feature = "alloc")]
pub mod pairs;
mod pointers;
mod put;
mod sequences;
mod texts;
pub mod time;
pub(crate) mod traits;
mod unknown_fields;

#[cfg(feature = "alloc")]
pub use maps::MapKey;
#[cfg(feature = "alloc")]
pub use names_file::names_file;
pub(crate) use traits::{Decode, Encode};
pub use unknown_fields::UnknownFields;

pub use crate::error::{Field, Reason};

/// Functions for derived code. No other code should call them: they may change with any version.
#[doc(hidden)]
pub mod derive {
    pub use super::fields::{Fields, content, converted, error, other_form, read, refused, write_key};
    pub use super::inside::within;
    pub use super::traits::{Derived, Shape, never_absent};
    pub use super::unknown_fields::RestField;
    pub use crate::error::Field;
    pub use crate::wire::tag::Tag;
    pub use crate::write::encoder::Open;
}
