//! Shows packets to people: as a tree with faults in place, and as a text form that reads back. Also finds the place of an error.
//!
//! | call | gives |
//! |---|---|
//! | [`dump`](crate::dump()) | an indented tree of any bytes: offset, bytes, key, length, possible meanings of the value; faults in place |
//! | [`Dump::rows`] | the same packets as data: an iterator of [`Row`]s |
//! | [`text()`], [`encode_text`] | packets as text, for tests, documents and bug reports; and the bytes of such a text |
//! | [`explain`] | the place of an [`Error`](crate::Error): the path of keys, and the lengths involved |
//! | [`escape()`], [`escape_json`] | text from a packet, safe to print |
//! | [`hex()`] | bytes as hexadecimal digits |
//!
//! All of this works without an allocator, on any input.

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
