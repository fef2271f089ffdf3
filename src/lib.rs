//! Zero-copy codec for the Y3 TLV wire format. Given an input and the keys to watch, it returns the values with these
//! keys as borrowed slices. It jumps over all other values without reading, copying or storing them.
//!
//! A message is a tree of packets. Each packet has a tag (node or primitive, and a key of 0..=63), a length and a value. The
//! module [`spec`] defines the wire format.
//!
//! ```
//! use y3::{Packet, PathSet, path};
//!
//! // node 01: 11 = 7, node 12: 13 = "Y3"
//! let bytes = [0x81, 0x09, 0x11, 0x01, 0x07, 0x92, 0x04, 0x13, 0x02, 0x59, 0x33];
//! let message = Packet::from_slice(&bytes)?;
//! assert_eq!(message.get(0x11)?, Some(7));
//!
//! const NAMES: PathSet<1> = PathSet::new([path!(0x01, 0x12, 0x13)]);
//! for hit in NAMES.watch(&bytes) {
//!     assert_eq!(hit?.decode::<&str>()?, "Y3");
//! }
//! # Ok::<(), y3::Error>(())
//! ```
//!
//! # What to use
//!
//! | I have | I want | I use |
//! |---|---|---|
//! | a slice that is one packet | a value in it | [`Packet::from_slice`], [`Packet::get`] |
//! | a slice of packets | each packet; each packet at any depth; the first error | [`packets`]; [`walk`]; [`check`] |
//! | a slice | the values at paths; only the first value at each path | [`PathSet`], [`Paths`]; [`FirstOnly`] |
//! | a slice, or chunks | values at any depth, such as `**/11` | [`Patterns`] |
//! | chunks, cut anywhere | the values at paths, in parts; as a whole | [`Watcher`]; [`Collector`] |
//! | `std::io::Read`, possibly with `Seek` | the values at paths | [`Reader`] |
//! | a tokio source; a tokio connection | the values at paths; whole packets | `AsyncReader`; `PacketCodec` (feature `codec`) |
//! | a value or a struct; its bytes | its bytes; the value or struct again | [`to_vec`], [`decode`], [`Encode`] and [`Decode`] with their derives |
//! | values, one by one | their bytes | [`Encoder`] |
//! | encoded packets | changed packets, with all other values unchanged | [`edit`] |
//! | unknown bytes | a printout of them | [`dump()`], [`show`] |
//! | a grammar for nom | parsers of packets | [`parser`] |
//! | packets of one layout with dozens of fields; many packets at once | a faster watch | [`hint`]; [`batch`] |
//!
//! # What skipping does not check
//!
//! A jump over a packet reads only its header. Bytes inside an unwatched value are not read, so a watch does not find
//! errors there. [`check`] reads every header and finds an error in any of them. A watch enters nodes only along
//! watched paths. Its stack therefore needs no more entries than the longest path has keys, however deep the nodes are
//! nested. However, a watch of [`Patterns`] has a stack of fixed size and enters at most [`MAX_DEPTH`] nested nodes.
//!
//! # Hostile input
//!
//! No input causes a panic or an endless loop. The crate has no `unsafe`. Invalid input results in an [`Error`] with a
//! byte offset. After an error, an iterator yields `None`. However, a watch continues after an error in embedded
//! packets, which are packets inside the bytes of a primitive. Time is linear in the length of the input. Parsing and
//! watching neither allocate nor recurse. A value split across chunks is joined in memory that grows with the bytes
//! received, not with the declared length. Only encoding and decoding of typed values recurses, at most [`MAX_DEPTH`]
//! nodes deep. Decoding allocates only for types that own memory, such as `Vec`.
//!
//! # Features
//!
//! - none: `core` only, no allocator.
//! - `alloc`: `Paths`, `Collector`, `to_vec`, `Vec<u8>` as a [`Sink`], edits of streams.
//! - `std` (default): `Reader` and `WriteSink`, which use `std::io`.
//! - `bytes`: `BytesMut` as a [`Sink`], and slices and hits of a stream as `Bytes`.
//! - `codec`: `AsyncReader` and `PacketCodec`, which use tokio.
//! - `derive`: derives [`Encode`] and [`Decode`] for structs and enums, with keys checked at compile time; see the
//!   module [`value`].
//! - `serde`: reads and writes whole structs. Keys come from the field names; see the module `serde`.
//! - `simdutf8`: checks texts of 64 bytes and more for UTF-8 with SIMD instructions. The results do not change. On
//!   x86-64 this needs `std`, or a target with these instructions.
//! - `arbitrary`: makes keys, paths, limits and well-formed packets from the bytes of a fuzzer, for your own fuzz
//!   targets.
//!
#![cfg_attr(not(feature = "alloc"), doc = "[`Paths`]: #features")]
#![cfg_attr(not(feature = "alloc"), doc = "[`Collector`]: #features")]
#![cfg_attr(not(feature = "alloc"), doc = "[`to_vec`]: #features")]
#![cfg_attr(not(feature = "std"), doc = "[`Reader`]: #features")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs, missing_debug_implementations, rustdoc::broken_intra_doc_links)]
#![deny(clippy::missing_errors_doc, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![deny(clippy::indexing_slicing, clippy::cast_possible_truncation)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

#[cfg(feature = "arbitrary")]
pub mod arbitrary;
pub mod batch;
#[cfg(feature = "bytes")]
pub mod bytes;
pub mod edit;
mod error;
mod error_context;
pub mod hint;
pub mod iter;
mod limits;
mod read;
#[cfg(feature = "serde")]
pub mod serde;
/// The wire format: the text of `SPEC.md`. Its links to `docs/spec` point to files in the package and in the
/// repository.
///
#[cfg(doc)]
#[doc = include_str!("../SPEC.md")]
pub mod spec {}
pub mod show;
mod stream;
pub mod value;
mod wire;
mod write;

pub use error::{Error, ErrorKind};
pub use error_context::ErrorContext;
pub use limits::{Limits, MAX_DEPTH};
pub use read::found::FirstOnly;
pub use read::keys::KeySet;
pub use read::lookup::WatchedPaths;
pub use read::packet::Packet;
pub use read::packets::packets;
pub use read::parser;
pub use read::path::Path;
pub use read::path_set::PathSet;
#[cfg(feature = "alloc")]
pub use read::paths::Paths;
pub use read::pattern::{Pattern, Patterns};
pub use read::set::Set;
pub use read::walk::{check, walk};
pub use read::watch::Hit;
pub use show::dump::dump;
#[cfg(feature = "codec")]
pub use stream::async_reader::AsyncReader;
#[cfg(feature = "codec")]
pub use stream::codec::PacketCodec;
#[cfg(feature = "alloc")]
pub use stream::collect::Collector;
#[cfg(feature = "std")]
pub use stream::error::ReadError;
pub use stream::event::Event;
#[cfg(feature = "std")]
pub use stream::reader::Reader;
pub use stream::watcher::Watcher;
#[doc(hidden)]
pub use value::derive as __derive;
#[cfg(feature = "alloc")]
pub use value::traits::to_vec;
pub use value::traits::{Decode, Encode, decode};
pub use wire::header::Header;
pub use wire::integer::PVarInt;
pub use wire::key::Key;
pub use wire::tag::Tag;
pub use write::count::encoded_len;
pub use write::encoder::Encoder;
#[cfg(feature = "std")]
pub use write::io::WriteSink;
pub use write::sink::{Sink, SliceSink};
// Two separate lines: without the feature, the compiler then names the feature where `#[derive(y3::Encode)]` is not found.
#[cfg(feature = "derive")]
#[doc(inline)]
pub use y3_derive::Decode;
#[cfg(feature = "derive")]
#[doc(inline)]
pub use y3_derive::Encode;

#[cfg(all(doctest, feature = "std", feature = "derive"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(all(doctest, feature = "alloc", feature = "derive", feature = "serde"))]
#[doc = include_str!("../docs/GUIDE.md")]
struct Guide;
