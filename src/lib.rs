//! Zero-copy codec for the Y3 TLV wire format: give it bytes and the keys you watch, and it returns borrowed slices of
//! exactly those values. Everything else is jumped over: not read, not copied, not allocated for.
//!
//! An object is nested packets. Each has a tag (node or primitive, and a key of 0..=63), a length and a value. SPEC.md
//! defines the wire format; these docs cite its sections.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! use y3::{Encoder, PathSet, path};
//!
//! const WATCHED: PathSet<2> = PathSet::new([path!(0x01, 0x10, 0x11), path!(0x01, 0x10, 0x13)]);
//!
//! let mut bytes = Vec::new();
//! Encoder::new(&mut bytes).node(0x01, |root| {
//!     root.node(0x10, |reading| {
//!         reading.put(0x11, 45.12f32)?;
//!         reading.put(0x12, "nobody watches this")?;
//!         reading.put(0x13, "10.0.3.113")
//!     })
//! })?;
//!
//! let mut hits = WATCHED.watch(&bytes);
//! assert_eq!(hits.next().unwrap()?.decode::<f32>()?, 45.12);
//! assert_eq!(hits.next().unwrap()?.decode::<&str>()?, "10.0.3.113");
//! assert!(hits.next().is_none());
//! # }
//! # Ok::<(), y3::Error>(())
//! ```
//!
//! # Ways in
//!
//! - [`packets`], [`Packet`]: packet by packet, node by node. [`Packet::find`] returns the first child with a key,
//!   [`Packet::get`] its value.
//! - [`KeySet`] (made by [`keys!`]): packets with some keys among siblings, or anywhere in the tree ([`KeySet::search`]).
//! - [`PathSet`] (of [`path!`]s): packets at the end of nested paths. Other nodes are not entered.
//! - [`walk`], [`check`]: every packet; the first error.
//! - [`Watcher`]: watches paths in bytes that arrive in pieces, cut anywhere. The readers and codecs use it.
//! - [`parser`]: the nom parsers, for grammars of your own.
//! - [`Encoder`]: writes packets into a `Vec<u8>`, a `BytesMut` or a plain slice, always canonical.
//!
//! # What skipping does not check
//!
//! A jump uses one header. Bytes inside an unwatched value are not read, so a fault there goes unnoticed by watching;
//! [`check`] walks everything. Watching enters nodes only along watched paths, so nesting depth costs nothing and needs no
//! stack beyond the longest path. Searching at any depth walks with a fixed-size stack and stops at [`MAX_DEPTH`] nodes.
//!
//! # Hostile input
//!
//! No input causes a panic or an endless loop, and there is no `unsafe`. A fault is an [`Error`] with its byte offset, and an
//! iterator ends after it. Time is linear in the input. Parsing and watching neither allocate nor recurse. Joining split
//! values allocates for bytes that have arrived, never for declared lengths. Only the feature `serde` recurses, at most
//! [`MAX_DEPTH`] nodes deep, and allocates what the types it reads own.
//!
//! # Features
//!
//! - none: `core` alone; no allocator.
//! - `alloc`: `Vec<u8>` as a [`Sink`], `Collector`, `Dispatcher`.
//! - `std` (default): `Reader` and `WriteSink` over `std::io`.
//! - `bytes`: `BytesMut` as a [`Sink`], `slice_ref`, hits of a stream as `Bytes`.
//! - `codec`: `AsyncReader` and `PacketCodec` over tokio.
//! - `derive`: structs and enums with keys beside their fields, checked when they are compiled; see the module `record`.
//! - `serde`: whole structs in both directions, keys from field names; see the module `serde`.
//! - `arbitrary`: keys, paths, limits and well-formed packets from a fuzzer's bytes, for fuzz targets of your own.
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
mod arbitrary;
mod error;
mod limits;
mod read;
#[cfg(feature = "derive")]
pub mod record;
#[cfg(feature = "serde")]
pub mod serde;
mod stream;
mod wire;
mod write;

#[cfg(feature = "arbitrary")]
pub use arbitrary::ArbitraryPacket;
pub use error::{Error, ErrorKind};
pub use limits::{Limits, MAX_DEPTH};
pub use read::keys::{KeySet, KeySetIter};
pub use read::packet::Packet;
pub use read::packets::{Packets, packets};
pub use read::parser;
pub use read::path::{Path, PathSet};
pub use read::siblings::WatchKeys;
#[cfg(feature = "bytes")]
pub use read::slice_ref::slice_ref;
pub use read::value::Decode;
pub use read::walk::{Search, Walk, check, walk};
pub use read::watch::{Hit, Watch};
#[cfg(feature = "derive")]
pub use record::{FromPacket, ToPacket};
#[cfg(feature = "codec")]
pub use stream::async_reader::AsyncReader;
#[cfg(feature = "bytes")]
pub use stream::bytes::{BytesHit, BytesHits};
#[cfg(feature = "codec")]
pub use stream::codec::{CheckedPacketCodec, PacketCodec};
#[cfg(feature = "alloc")]
pub use stream::collect::{Collector, Hits};
#[cfg(feature = "alloc")]
pub use stream::dispatch::{Dispatcher, Handler, HandlerArgument};
#[cfg(feature = "std")]
pub use stream::error::ReadError;
pub use stream::event::{Event, Start};
#[cfg(feature = "std")]
pub use stream::reader::Reader;
pub use stream::watcher::{Events, Watcher};
pub use wire::integer::PVarInt;
pub use wire::key::Key;
pub use wire::tag::Tag;
pub use write::encoder::{Encoder, SliceEncoder, encoded_len};
#[cfg(feature = "std")]
pub use write::io::WriteSink;
pub use write::sink::{Count, Sink, SliceSink};
pub use write::value::{Encode, Encoded};
#[cfg(feature = "derive")]
#[doc(inline)]
pub use y3_derive::{FromPacket, ToPacket};

#[cfg(all(doctest, feature = "alloc", feature = "serde"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(all(doctest, feature = "alloc", feature = "derive", feature = "serde"))]
#[doc = include_str!("../docs/GUIDE.md")]
struct Guide;
