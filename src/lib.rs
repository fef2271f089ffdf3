//! y3
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

mod error;
mod read;
mod wire;
mod write;

pub use error::{Error, ErrorKind};
pub use read::keys::{KeySet, WatchKeys};
#[cfg(feature = "bytes")]
pub use read::lift::lift;
pub use read::packet::Packet;
pub use read::packets::{Packets, packets};
pub use read::parser;
pub use read::path::{Path, PathSet};
pub use read::value::Decode;
pub use read::walk::{MAX_DEPTH, Search, Walk, check, walk};
pub use read::watch::{Hit, Watch};
pub use wire::integer::PVar;
pub use wire::key::Key;
pub use wire::tag::Tag;
pub use write::encoder::{Encoder, Items, encoded_len};
pub use write::sink::{Count, Sink, SliceSink};
pub use write::value::{Encode, Value};
