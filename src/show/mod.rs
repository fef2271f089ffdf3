//! Shows packets to people: a tree with faults in place, a text form that reads back, where an error is.
//!
//! | call | gives |
//! |---|---|
//! | [`dump()`] | an indented tree of any bytes: offset, bytes, key, length, what the value may be; faults where they are |
//! | [`text()`], [`encode_text`] | packets as text, for tests, documents and bug reports; and the bytes of such a text |
//! | [`explain`] | where an [`Error`](crate::Error) is: the path of keys, and the lengths involved |
//! | [`escape()`], [`escape_json`] | text from a packet, safe to print |
//!
//! All of it works without an allocator, on any input.
//!
//! # Examples
//! ```
//! let bytes = [0x81, 0x05, 0x11, 0x07, 0x3e, 0x80, 0x00];
//! let error = y3::check(&bytes).unwrap_err();
//! let shown = y3::dump(&bytes).to_string();
//! assert_eq!(shown.lines().collect::<Vec<_>>(), [
//!     "   0  81 05                    0x01 node: 5 bytes",
//!     "   2  11 07 3e 80 00             0x11: 7 bytes ! packet reaches past the end of its node: 3 bytes there",
//! ]);
//! assert_eq!(y3::show::text(&bytes).to_string(), "01{?11073e8000}");
//! assert_eq!(
//!     y3::show::explain(&bytes, error).to_string(),
//!     "packet reaches past the end of its node at byte 2: in 0x01, packet 0x11 at byte 2 declares 7 bytes, 3 are there"
//! );
//! ```

mod dump;
mod encode;
mod escape;
mod explain;
mod literal;
mod meaning;
mod steps;
mod text;

pub use dump::{Dump, dump};
pub use encode::encode_text;
#[cfg(feature = "alloc")]
pub use encode::text_to_vec;
pub use escape::{escape, escape_json};
pub use explain::explain;
pub use text::text;
