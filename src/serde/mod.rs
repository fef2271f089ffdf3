//! Reads and writes whole structs with serde. This module maps serde's data model to packets. The wire format does not
//! change.
//!
//! A struct becomes a node. The name of each field must be its key, such as `0x11`. Write `#[serde(rename = "0x11")]`
//! to set the name.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct Reading<'a> {
//!     #[serde(rename = "0x11")]
//!     noise: f32,
//!     #[serde(rename = "0x12")]
//!     at: Option<i64>,
//!     #[serde(rename = "0x13")]
//!     from: &'a str,
//! }
//!
//! let reading = Reading { noise: 23.0, at: None, from: "lab" };
//! let bytes = y3::serde::to_vec(&reading)?;
//! assert_eq!(bytes, [0x81, 0x09, 0x11, 0x02, 0x41, 0xb8, 0x13, 0x03, 0x6c, 0x61, 0x62]);
//! assert_eq!(y3::serde::from_slice::<Reading>(&bytes)?, reading);
//! # Ok::<(), y3::serde::Error>(())
//! ```
//!
//! The table in the module [`value`](crate::value) also holds for serde. The table below lists types that serde writes
//! in another way and types that exist only in serde. Use `serde_bytes` for bytes. Without it, serde treats bytes as a
//! list of numbers.
//!
//! | Rust | Y3 |
//! |---|---|
//! | `&[u8]` when reading, `serde_bytes` | bytes |
//! | unit structs | a primitive with an empty value |
//! | newtype structs | the same packet as for the inner value |
//! | maps whose keys are integers (0..=63), [`Key`]s or unit variants | a node |
//! | unit variants | the variant's number as a `u32`. The name of the variant must be this number, such as `0x01`. |
//! | variants with content | a node that contains one packet. The name of the variant must be the key of this packet. |
//!
//! Y3 cannot represent integers of 128 bits, maps with text as keys, flattened types, untagged types, and `None`
//! outside of a field. Reading or writing these types returns an error. Section 6.3 of `docs/spec/serde.md` has the
//! full list with the errors.
//!
//! # What reading skips
//!
//! Reading a struct skips packets whose keys are not fields of the struct. The values of these packets are not read, so
//! errors inside them go unnoticed, as with a watcher. A duplicate key in a struct or a map is an error. If an enum has
//! a `#[serde(other)]` variant, an unknown variant is read as this variant, and the content of the unknown variant is
//! skipped.
//!
//! # Dialect, root and depth
//!
//! The mode of the [`Packet`] or the [`Encoder`] determines whether integers are NVarInt or PVarInt. This example
//! writes and reads the bytes that `NewCodec(0x10).Marshal` of y3-codec-golang writes:
//! ```
//! use y3::{Encoder, Packet, serde::{from_packet, put}};
//!
//! let mut bytes = Vec::new();
//! Encoder::new(&mut bytes).pvar().node(0x01, |root| put(root, 0x10, &-65))?;
//! assert_eq!(bytes, [0x81, 0x04, 0x10, 0x02, 0xff, 0x3f]);
//! let watched = Packet::from_slice(&bytes)?.find(0x10)?.unwrap();
//! assert_eq!(from_packet::<i32>(watched.pvar())?, -65);
//! # Ok::<(), y3::serde::Error>(())
//! ```
//! Reading and writing are recursive. At most 64 nodes can be nested. [`Packet::with_max_depth`] and
//! [`Encoder::with_max_depth`] set a lower limit. At most 128 options, newtypes and variant contents can be nested.
//! Deeper nesting is an error, not a stack overflow.

mod budget;
mod de;
mod error;
mod impls;
mod key;
mod name;
mod ser;

pub use error::Error;

use ::serde::{Deserialize, Serialize};

use self::budget::Steps;
use crate::read::packet::Packet;
use crate::read::packets::single_error;
use crate::wire::key::Key;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

/// Writes a value as one packet with key 0x01 into a new vector.
///
/// Cost: O(n), one pass over the value. To reuse a vector, call [`to_sink`]. To write a packet with another
/// key, call [`put`].
///
/// # Errors
/// Returns the errors of [`to_sink`].
///
/// # Examples
/// ```
/// assert_eq!(y3::serde::to_vec("Y3")?, [0x01, 0x02, 0x59, 0x33]);
/// assert_eq!(y3::serde::to_vec(&[1, -1])?, [0xc1, 0x06, 0x00, 0x01, 0x01, 0x00, 0x01, 0xff]);
/// # Ok::<(), y3::serde::Error>(())
/// ```
/// Source: [SPEC §7](crate::spec#7-canonical-form)
#[cfg(feature = "alloc")]
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<alloc::vec::Vec<u8>, Error> {
    let mut out = alloc::vec::Vec::new();
    to_sink(&mut out, value)?;
    Ok(out)
}

/// Writes a value as one packet with key 0x01 at the end of a [`Sink`]. After an error, the sink is as it was before
/// the call.
///
/// Cost: O(n). Allocates only when the sink grows or an error occurs. This function is faster than [`put`], because
/// `put` must check the mode of its encoder.
///
/// # Errors
/// Returns an [`Error`] with the keys on the path to the failing field, and the position in the output. The causes are:
///
/// - a name that is not a key, a duplicate key, or a map key above 63
/// - a type that Y3 cannot represent, or `None` where a value is required
/// - nesting deeper than the limits
/// - an error of the sink
///
/// # Examples
/// ```
/// let mut buffer = [0; 16];
/// let mut sink = y3::SliceSink::new(&mut buffer);
/// y3::serde::to_sink(&mut sink, &-1)?;
/// assert_eq!(sink.written(), [0x01, 0x01, 0xff]);
/// # Ok::<(), y3::serde::Error>(())
/// ```
// Not `#[inline]`: if this function is inlined, the type's own `serialize` is not inlined, which costs 80 more
// instructions per message of 29 bytes.
pub fn to_sink<S: Sink, T: Serialize + ?Sized>(sink: &mut S, value: &T) -> Result<(), Error> {
    put(&mut Encoder::new(sink), Key::ROOT.get(), value)
}

/// Writes a value as one packet with this key, inside or outside of a node, as [`Encoder::put`] does. Returns an error
/// for `None`.
///
/// Cost: O(n). The path of an error begins with `key`.
///
/// # Errors
/// Returns the errors of [`to_sink`], and [`InvalidKey`](crate::ErrorKind::InvalidKey) for a key above 63.
///
/// # Examples
/// ```
/// let mut out = Vec::new();
/// y3::Encoder::new(&mut out).node(0x3f, |frame| y3::serde::put(frame, 0x10, "Y3"))?;
/// assert_eq!(out, [0xbf, 0x04, 0x10, 0x02, 0x59, 0x33]);
/// # Ok::<(), y3::serde::Error>(())
/// ```
pub fn put<S: Sink, T: Serialize + ?Sized, const NESTED: bool>(
    encoder: &mut Encoder<'_, S, NESTED>,
    key: u8,
    value: &T,
) -> Result<(), Error> {
    let key = encoder.key(key)?;
    let mut packet = encoder.unfinished();
    let end = ser::write(packet.encoder(), Steps::ALL, key, value)?;
    packet.end(end);
    Ok(())
}

/// Reads a value from a slice of bytes that is exactly one packet. The packet can have any key.
///
/// Cost: O(1) per value read, and one skip per packet that the type does not request. Allocates only what the type
/// allocates. A type that only borrows allocates nothing.
///
/// # Errors
/// Returns an [`Error`] with the keys on the path to the faulty packet, and a byte offset. The causes are:
///
/// - the errors of reading packets and their values
/// - a node where a primitive is expected, or a primitive where a node is expected
/// - nesting deeper than the limits
/// - a duplicate key, or a missing field
/// - an error of the type's `Deserialize`
///
/// # Examples
/// ```
/// let bytes = [0x01, 0x02, 0x59, 0x33];
/// assert_eq!(y3::serde::from_slice::<&str>(&bytes)?, "Y3");
/// let error = y3::serde::from_slice::<bool>(&bytes).unwrap_err();
/// assert_eq!(error.to_string(), "value does not fit the requested type in 0x01 at byte 2");
/// # Ok::<(), y3::serde::Error>(())
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
pub fn from_slice<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Error> {
    match Packet::single(bytes) {
        Some(packet) => from_packet(packet),
        None => Err(single_error(bytes).into()),
    }
}

/// Reads the value of a packet, such as a hit of a watcher. The packet can have any key.
///
/// Cost: the cost of [`from_slice`]. Error offsets count from the start of the input that contains the packet.
///
/// # Errors
/// Returns the errors of [`from_slice`].
///
/// # Examples
/// ```
/// let root = y3::Packet::from_slice(&[0x81, 0x05, 0x90, 0x03, 0x00, 0x01, 0x07])?;
/// let items: Vec<u8> = y3::serde::from_packet(root.find(0x10)?.unwrap())?;
/// assert_eq!(items, [7]);
/// # Ok::<(), y3::serde::Error>(())
/// ```
pub fn from_packet<'a, T: Deserialize<'a>>(packet: Packet<'a>) -> Result<T, Error> {
    de::read(packet, Steps::ALL)
}
