//! Edits encoded packets: keeps or removes parts, overwrites and replaces values, rewrites to canonical form.
//!
//! Values are copied as bytes, never decoded. Only the headers of nodes whose content changes are rewritten.
//!
//! | call | does | cost |
//! |---|---|---|
//! | [`project`], [`remove`] | keeps the watched packets and the nodes around them; keeps all others | one pass over the levels entered, one copy of the output; for large inputs a few more passes |
//! | [`Filter::pieces`] | the same as borrowed slices for a vectored write | one pass, no copy |
//! | `FilterStream` (feature `alloc`) | the same for a stream in chunks of any size | buffers at most one outermost packet |
//! | [`patch`], [`patch_padded`] | overwrites a value in place | one jump per sibling before it at the levels entered, one copy of the value |
//! | [`replace`], [`insert`], [`append`] | replaces or adds a packet at a path | O(depth + bytes): each byte is copied once |
//! | [`is_canonical`], [`first_deviation`], [`canonicalize`] | tests for canonical form, rewrites to it | one header per packet; O(depth × bytes) to rewrite |
//!
//! # Examples
//! ```
//! use y3::{PathSet, SliceSink, edit, path};
//!
//! const SECRETS: PathSet<1> = PathSet::new([path!(0x01, 0x13)]);
//!
//! let bytes = [0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61];
//! let mut buffer = [0; 8];
//! let mut out = SliceSink::new(&mut buffer);
//! edit::remove(&bytes, &SECRETS, &mut out)?;
//! assert_eq!(out.written(), [0x81, 0x03, 0x11, 0x01, 0x07]);
//! # Ok::<(), y3::Error>(())
//! ```

mod canonical;
mod error;
mod filter;
mod follow;
mod output;
mod packet;
mod patch;
mod pieces;
mod splice;
#[cfg(feature = "alloc")]
mod stream;

pub use canonical::{Deviation, DeviationKind, canonicalize, first_deviation, is_canonical};
pub use error::EditError;
pub use filter::{Filter, project, remove};
pub use patch::{patch, patch_padded};
pub use pieces::Piece;
pub use splice::{Content, append, insert, replace};
#[cfg(feature = "alloc")]
pub use stream::FilterStream;

pub use crate::write::pad::{Pad, Padded};
