//! Values as packets: one trait to write them, one to read them.
//!
//! In: a number, a text, a struct, a sequence, and a key. Out: one packet; and back.
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
//! | `Ipv4Addr`, `Ipv6Addr`, `IpAddr` | 4 or 16 bytes, as in a packet of IP |
//! | `Option<T>` in a node | no packet for `None`, otherwise the value itself |
//! | `()` | a primitive with no bytes |
//! | structs and enums that derive the traits | a node; the derive's documentation has the table |
//! | `Vec<T>`, `[T; N]`, `&[T]` to write, [`Items`] to read | a slice; when reading, any node |
//! | tuples of two to eight | a slice with as many items |
//! | `BTreeMap`, `HashMap` with keys that are [`MapKey`]s | a node |
//! | `Box<T>`, `Rc<T>`, `Arc<T>`, `&T` to write | the value inside |
//! | [`Packet`], [`Rest`] | packets as they are |
//!
//! A literal without a type is an `i32` in Rust, so `[0; 4]` is a slice of four numbers and `[0u8; 4]` four bytes. `Duration` and
//! `SystemTime` are not in the table: seconds, milliseconds and nanoseconds are all in use, and a number of one read as another
//! would go unnoticed. Write the number.
//!
//! # Limits
//!
//! Reading and writing allow at most [`MAX_DEPTH`](crate::MAX_DEPTH) nested nodes; more is an error. Reading allocates memory for
//! items in the input, never for a declared length.

mod fields;
#[cfg(feature = "alloc")]
mod maps;
mod numbers;
mod pointers;
mod rest;
mod sequences;
mod shape;
mod texts;

#[cfg(feature = "alloc")]
pub use maps::MapKey;
pub use rest::Rest;
pub use sequences::Items;
#[cfg(feature = "alloc")]
pub use shape::names;

use crate::error::Error;
use crate::read::packet::Packet;
use crate::wire::key::Key;
use crate::write::encoder::Encoder;
use crate::write::sink::{SHORT, Sink};

/// A type whose values are written as one packet.
///
/// `#[derive(y3::Encode)]` implements it for structs and enums; the [module](crate::value) lists the other types. To read them,
/// see [`Decode`].
///
/// # Examples
/// ```
/// use y3::{Encode, Encoder, Error, Key, Sink};
///
/// struct Millis(i64);
///
/// impl Encode for Millis {
///     fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
///         self.0.encode(key, to)
///     }
/// }
///
/// struct Point(i32, i32);
///
/// impl Encode for Point {
///     fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
///         to.node(key.get(), |node| {
///             node.put(0x01, self.0)?;
///             node.put(0x02, self.1)
///         })
///     }
/// }
///
/// # #[cfg(feature = "alloc")] {
/// assert_eq!(y3::to_vec(0x11, &Millis(7))?, [0x11, 0x01, 0x07]);
/// assert_eq!(y3::to_vec(0x11, &Point(7, 8))?, [0x91, 0x06, 0x01, 0x01, 0x07, 0x02, 0x01, 0x08]);
/// # }
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §7](crate::spec#7-canonical-form)
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no packet: it does not implement `y3::Encode`",
    label = "cannot be written as a packet",
    note = "`#[derive(y3::Encode)]` makes a struct or an enum a packet, and `#[y3(with = module)]` converts a field"
)]
pub trait Encode {
    /// Whether there may be no packet: an `Option`, and what holds nothing else. Such a value cannot be an item.
    #[doc(hidden)]
    const OPTIONAL: bool = false;

    /// The room to make beforehand: the longest packet of a number, a guess for texts and sequences.
    #[doc(hidden)]
    const ROOM: usize = 34;

    /// Whether [`encode_short`](Self::encode_short) writes it.
    #[doc(hidden)]
    const IS_SHORT: bool = false;

    /// Writes the packet of a number, or none for `None`, into room that is there, with integers in the usual dialect, and returns its
    /// length.
    // A way of its own for what most fields are: it has no error, so that one call of a cold function is all that stands beside it.
    #[doc(hidden)]
    #[inline(always)]
    fn encode_short(&self, key: Key, room: &mut [u8; SHORT]) -> usize {
        let _ = (key, room);
        0
    }

    /// Writes the value as one packet with this key.
    ///
    /// # Errors
    /// Those of [`Encoder::put`].
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error>;

    /// Writes these values as one packet: a slice, for bytes a primitive.
    #[doc(hidden)]
    #[inline]
    fn encode_all<S: Sink>(values: &[Self], key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error>
    where
        Self: Sized,
    {
        sequences::encode(values, key, to)
    }

    /// What a names file says of the type. A function that only [`names`] calls.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    fn shape() -> shape::Shape {
        shape::Shape::Any
    }

    /// The same for a sequence of such values.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    fn shape_all() -> shape::Shape {
        shape::Shape::Slice(Self::shape)
    }
}

/// A type whose values are read from one packet.
///
/// `#[derive(y3::Decode)]` implements it for structs and enums; the [module](crate::value) lists the other types. To write them,
/// see [`Encode`].
///
/// # Examples
/// ```
/// use y3::{Decode, Error, Packet};
///
/// #[derive(Debug, PartialEq)]
/// struct Millis(i64);
///
/// impl<'a> Decode<'a> for Millis {
///     fn decode(packet: Packet<'a>) -> Result<Self, Error> {
///         packet.decode().map(Millis)
///     }
/// }
///
/// assert_eq!(y3::decode::<Millis>(&[0x11, 0x01, 0x07])?, Millis(7));
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §4](crate::spec#4-integers), [SPEC §5](crate::spec#5-floats-bool-text-bytes)
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a packet: it does not implement `y3::Decode`",
    label = "cannot be read from a packet",
    note = "`#[derive(y3::Decode)]` reads a struct or an enum from a packet, and `#[y3(with = module)]` converts a field"
)]
pub trait Decode<'a>: Sized {
    /// Whether there may be no packet; see [`Encode`].
    #[doc(hidden)]
    const OPTIONAL: bool = false;

    /// Reads the value from a packet.
    ///
    /// # Errors
    /// Those of [`Packet::decode`].
    fn decode(packet: Packet<'a>) -> Result<Self, Error>;

    /// The value of an absent field, if it may be absent.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    fn absent() -> Option<Self> {
        None
    }

    /// Reads a sequence of such values.
    #[cfg(feature = "alloc")]
    #[doc(hidden)]
    #[inline]
    fn decode_vec(packet: Packet<'a>) -> Result<alloc::vec::Vec<Self>, Error> {
        sequences::vec(packet)
    }

    /// Reads a sequence of so many such values.
    #[doc(hidden)]
    #[inline]
    fn decode_array<const N: usize>(packet: Packet<'a>) -> Result<[Self; N], Error>
    where
        Self: Default,
    {
        sequences::array(packet)
    }
}

/// Writes a value as one packet with a key, into a new vector.
///
/// [`Encoder::put`] writes it into any other sink.
///
/// # Errors
/// Those of [`Encoder::put`]; [`AbsentValue`](crate::ErrorKind::AbsentValue) for `None`.
///
/// # Examples
/// ```
/// assert_eq!(y3::to_vec(0x01, "lab")?, [0x01, 0x03, 0x6c, 0x61, 0x62]);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §7](crate::spec#7-canonical-form)
#[cfg(feature = "alloc")]
#[inline]
pub fn to_vec<T: Encode + ?Sized>(key: u8, value: &T) -> Result<alloc::vec::Vec<u8>, Error> {
    let mut out = alloc::vec::Vec::new();
    Encoder::new(&mut out).put(key, value)?;
    if T::OPTIONAL && out.is_empty() {
        return Err(Error::new(crate::error::ErrorKind::AbsentValue, 0));
    }
    Ok(out)
}

/// Reads a value from the one packet that fills a slice.
///
/// # Errors
/// Those of [`Packet::from_slice`] and of [`Packet::decode`].
///
/// # Examples
/// ```
/// assert_eq!(y3::decode::<&str>(&[0x01, 0x03, 0x6c, 0x61, 0x62])?, "lab");
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[inline]
pub fn decode<'a, T: Decode<'a>>(bytes: &'a [u8]) -> Result<T, Error> {
    Packet::from_slice(bytes)?.decode()
}

/// What the derive calls. No other code should: it may change with any version.
///
/// To read: `Node::new(packet, keys)`, `node.fields()?`, then for each field `fields.get(field)?`, `get_or(field, || value)?`,
/// `convert(field, with::decode)?` or `convert_or(field, with::decode, || value)?`, of `fields.first(field)?` or `fields.last(field)?`
/// if the field may be there several times; at the end `fields.finish(value)`. `field` is `const { &Field::new(key, name) }`; `keys` are
/// those of the fields that must not be there twice. `rest(packet, keys)?` are the other packets, `content(packet)?` the one packet in the
/// node of a variant, `unknown_variant(packet)` the error of a variant that no arm has read, `convert(packet, with::decode)?` the value
/// of a newtype, `expect_key(packet, key)?` checks the key of a root.
///
/// To write: `to.open(Tag::node(key))?`, with `.long()` if its length takes two bytes most likely, then for each field
/// `T::encode(&value, key, &mut open.encoder)?`, `put_rest(&mut open.encoder, &rest, keys)?`, and `open.close()`.
/// `write_key(to, key, root)?` checks the key of a root.
///
/// For a names file: a `Shape` of functions; `converted(with::encode)` is that of a converted field.
///
/// `key` and `keys` make constants of numbers, `never_absent` refuses an `Option` in one.
#[doc(hidden)]
pub mod derive {
    pub use super::fields::{
        Fields, Node, content, convert, expect_key, key, keys, never_absent, unknown_variant, write_key,
    };
    pub use super::rest::{RestField, put_rest, rest};
    pub use super::shape::{Shape, converted};
    pub use crate::error::Field;
    pub use crate::wire::tag::Tag;
    pub use crate::write::encoder::Open;
}
