//! Shows packets to people: as a tree in which faults are marked, and as text that can be encoded again. This module
//! also finds the packet that caused an error.
//!
//! | call | result |
//! |---|---|
//! | [`dump`](crate::dump()) | any bytes as an indented tree: for each packet the offset, bytes, key, length, possible meanings of the value, and faults |
//! | [`Dump::rows`] | an iterator over the rows of a dump, one [`Row`] per packet |
//! | [`text()`] | packets as text for tests, documents and bug reports |
//! | [`encode_text`] | the encoded bytes of packets that are given as text |
//! | [`explain`] | the path of the packet that caused an [`Error`](crate::Error), the length that it declares, and the bytes that are present |
//! | [`escape()`], [`escape_json`] | text from a packet; control characters are escaped, so the text is safe to print |
//! | [`hex()`] | bytes as hexadecimal digits |
//!
//! All calls in this table accept any input and need no allocator.

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
