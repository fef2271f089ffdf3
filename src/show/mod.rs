//! Formats packets for people: as a tree with marked faults, and as a text form that can be encoded again. Also finds the place of an
//! error.
//!
//! | call | gives |
//! |---|---|
//! | [`dump`](crate::dump()) | an indented tree of any bytes: offset, bytes, key, length, possible meanings of the value, and faults |
//! | [`Dump::rows`] | the packets of a dump as data: an iterator of [`Row`]s |
//! | [`text()`], [`encode_text`] | packets as text for tests, documents and bug reports; and the bytes of such a text |
//! | [`explain`] | the place of an [`Error`](crate::Error): the path of keys, and the lengths involved |
//! | [`escape()`], [`escape_json`] | text from a packet, made safe to print |
//! | [`hex()`] | bytes as hexadecimal digits |
//!
//! All calls in this table work on any input and need no allocator.

pub(crate) mod dump;
mod encode;
mod escape;
mod explain;
mod hex;
mod literal;
mod meaning;
mod row;
mod steps;
mod text;

pub use dump::Dump;
pub use encode::encode_text;
#[cfg(feature = "alloc")]
pub use encode::parse_text;
pub use escape::{escape, escape_json};
pub use explain::explain;
pub use hex::hex;
pub use row::{Inside, Row};
pub use steps::Rows;
pub use text::text;
