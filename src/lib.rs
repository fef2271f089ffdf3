//! Zero-copy codec for the Y3 TLV wire format. The caller passes bytes and the keys to watch. The crate returns the
//! values with these keys as borrowed slices. It skips all other values: it does not read, copy or store their bytes.
//!
//! A message is a tree of packets. Each packet has a tag, a length and a value. The tag holds a key of 0 to 63 and says
//! whether the packet is a node or a primitive. The module [`spec`] defines the wire format.
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
//! | a slice that is one packet | a value in the packet | [`Packet::from_slice`], [`Packet::get`] |
//! | a slice of packets | each packet | [`packets`] |
//! | a slice of packets | each packet at any depth | [`walk`] |
//! | a slice of packets | the first error | [`check`] |
//! | a slice | the values at some paths | [`PathSet`], [`Paths`] |
//! | a slice | the first value at each path | [`FirstOnly`] |
//! | a slice or chunks | values at any depth, such as `**/11` | [`Patterns`] |
//! | chunks, cut anywhere | the values at some paths, each value in pieces | [`Watcher`] |
//! | chunks, cut anywhere | the whole values at some paths | [`Collector`] |
//! | a `std::io::Read` | the values at some paths | [`Reader`] |
//! | an `AsyncRead` of tokio | the values at some paths | `AsyncReader` (feature `codec`) |
//! | a tokio connection | whole packets | `PacketCodec` (feature `codec`) |
//! | a value or a struct | the encoded bytes | [`to_vec`], [`Encode`] and its derive |
//! | encoded bytes | the value or the struct | [`decode`], [`Decode`] and its derive |
//! | several values | one message that contains them | [`Encoder`] |
//! | encoded packets | the same packets with some values changed | [`edit`] |
//! | unknown bytes | a printout of them | [`dump()`], [`show`] |
//! | a grammar for nom | parsers of packets | [`parser`] |
//! | packets of one fixed layout with dozens of fields | a faster watch | [`hint`] |
//! | many packets at once | a faster watch | [`batch`] |
//!
//! # What skipping does not check
//!
//! To skip a packet, a reader reads only the header of the packet. A watch therefore finds no errors inside values that
//! are not watched. [`check`] reads every header and finds any error in a header.
//!
//! A watch of paths enters only nodes on these paths. The stack of this watch is therefore at most as deep as the
//! longest path, even if the input has deeper nodes. A watch of [`Patterns`] has a stack of fixed size and enters at
//! most [`MAX_DEPTH`] nested nodes.
//!
//! # Hostile input
//!
//! No input causes a panic or an endless loop. The crate contains no `unsafe` code. Invalid input results in an
//! [`Error`] with a byte offset. After an error, an iterator yields `None`. There is one exception: if the error is in
//! the embedded packets of a primitive, a watch continues after this primitive.
//!
//! Reading takes time linear in the length of the input. Parsing and watching neither allocate nor recurse. To join a
//! value that is split across chunks, a reader allocates memory as bytes arrive. It does not allocate the declared
//! length in advance. The only recursion is in encoding and decoding of typed values, at most [`MAX_DEPTH`] nodes deep.
//! Decoding allocates only for types that own memory, such as `Vec`.
//!
//! # Features
//!
//! - Without features, the crate needs only `core` and no allocator.
//! - `alloc` adds `Paths`, `Collector`, `to_vec`, edits of streams, and `Vec<u8>` as a [`Sink`].
//! - `std` (default) adds `Reader` and `WriteSink`, which use `std::io`.
//! - `bytes` adds `BytesMut` as a [`Sink`]. It also adds functions that return parts of an input, or the hits of a
//!   stream, as `Bytes`.
//! - `codec` adds `AsyncReader` and `PacketCodec`, which use tokio.
//! - `derive` adds `#[derive(Encode)]` and `#[derive(Decode)]` for structs and enums. The derives check keys at compile
//!   time. See the module [`value`].
//! - `serde` reads and writes whole structs. The names of the fields determine the keys. See the module `serde`.
//! - `simdutf8` uses SIMD instructions to check texts of 64 bytes or more for UTF-8. The results stay the same. On
//!   x86-64 the feature needs `std`, or a target that has these instructions.
//! - `arbitrary` makes keys, paths, limits and well-formed packets from the bytes of a fuzzer, for your own fuzz
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
/// The wire format: the text of `SPEC.md`. The links to `docs/spec` point to files of the package and of the
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
// Two separate lines: without the feature, the compiler then names the feature where `#[derive(y3::Encode)]` is not
// found.
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
