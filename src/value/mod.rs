//! Values as packets: the trait [`Encode`] writes a value as one packet, and the trait [`Decode`] reads a value from
//! one packet.
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
//! | `bool`, `f32`, `f64`, `i32`, `u32`, `i64`, `u64` | a primitive. Integers are NVarInt. |
//! | `i8`, `u8`, `i16`, `u16`, `isize`, `usize` | the same packet as for the integer type with 32 or 64 bits. Reading checks the range. |
//! | [`PVarInt<T>`](crate::PVarInt) | the same packet as for `T`, but integers are PVarInt |
//! | `&str`, `String`, `Cow<str>`, `char` | text. `&str` and `Cow` borrow from the input. |
//! | `&[u8]`, `[u8; N]`, `Vec<u8>`, `Cow<[u8]>`, `bytes::Bytes` (only writing) | bytes |
//! | `Ipv4Addr`, `Ipv6Addr`, `IpAddr` | the 4 or 16 bytes of the address in network byte order |
//! | `Option<T>` in a node | `None`: no packet. `Some`: the same packet as for `T`. |
//! | `()` | a primitive with an empty value |
//! | structs and enums that derive the traits | usually a node. The documentation of the derives has a table. |
//! | `Vec<T>`, `[T; N]`, `&[T]` (only writing) | a slice. Reading accepts any node. To read the items without an allocator, use [`children`](crate::Packet::children). |
//! | tuples of two to eight elements | a slice with one item per element |
//! | `BTreeSet`, `HashSet` | a slice. Reading ignores duplicate items. |
//! | `BTreeMap`, `HashMap` | a node if the map's keys are [`MapKey`]s. Maps with other keys need `#[y3(with = y3::value::pairs)]`, which writes a slice of pairs. |
//! | `Duration`, `SystemTime` | a number. The field needs `#[y3(with = y3::value::time::millis)]` or another module of [`time`]. |
//! | `Box<T>`, `Rc<T>`, `Arc<T>`, `&T` (only writing) | the same packet as for `T` |
//! | [`Packet`](crate::Packet), [`UnknownFields`] | the packets, unchanged |
//!
//! A Rust literal without a type is an `i32`. Therefore `[0; 4]` is a slice of four numbers, and `[0u8; 4]` is four
//! bytes.
//!
//! A field of the type `Duration` or `SystemTime` needs `with`, which selects a unit. Seconds, milliseconds and
//! nanoseconds are all common units, and a reader would not notice a number in the wrong unit.
//!
//! `bytes::Bytes` does not implement `Decode`, because a packet borrows from its input and cannot share ownership of a
//! `Bytes`. Read a `&[u8]` instead. `y3::bytes::slice_ref(&source, slice)` turns this slice into `Bytes` without a
//! copy.
//!
//! # Limits
//!
//! At most [`MAX_DEPTH`](crate::MAX_DEPTH) nodes can be nested when reading or writing. Deeper nesting is an error.
//! Reading allocates memory only for items that are present in the input, never for a declared length.
//!
#![cfg_attr(not(feature = "alloc"), doc = "[`MapKey`]: crate#features")]

// The functions of this module are called only by derived code.
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

/// Functions for derived code. Other code should not call them, because they can change in any version.
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
