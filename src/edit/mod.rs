//! Edits encoded packets: keeps, removes, renames or writes packets, overwrites values, and rewrites packets to canonical form.
//!
//! Values are copied as bytes and never decoded. Only the nodes around a change get new headers.
//!
//! | call | does | cost |
//! |---|---|---|
//! | [`Edit::apply`] | applies a set of rules: keep, remove, rename, set, replace, insert, append | one pass over the headers in the nodes on the paths, one copy of the output |
//! | [`Edit::pieces_in`] | applies a set of rules, and returns the output as slices for a vectored write | one pass, no copy |
//! | `Edit::stream` (feature `alloc`) | applies a set of rules to a stream in chunks of any size | buffers at most one top-level packet |
//! | [`patch`], [`patch_padded`] | overwrites a value in place | one jump for each earlier packet in the nodes on the path, one copy of the value |
//! | [`first_deviation`], [`canonicalize`] | tests whether packets are canonical; makes them canonical | one header per packet; O(depth × bytes) for rewriting |
//!
//! # Examples
//! ```
//! # #[cfg(feature = "alloc")] {
//! use y3::{edit::Edit, path};
//!
//! let redact = Edit::new().remove(path!(0x01, 0x13));
//! let mut out = Vec::new();
//! redact.apply(&[0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61], &mut out)?;
//! assert_eq!(out, [0x81, 0x03, 0x11, 0x01, 0x07]);
//! # }
//! # Ok::<(), y3::Error>(())
//! ```

mod apply;
#[cfg(feature = "alloc")]
mod builder;
mod canonical;
mod patch;
mod piece;
mod rule;
mod rules;
mod run;
mod splice;
#[cfg(feature = "alloc")]
mod stream;
mod target;

pub use canonical::{canonicalize, first_deviation};
pub use patch::{patch, patch_padded};
pub use piece::Piece;
pub use rule::Rule;
pub use rules::Edit;
#[cfg(feature = "alloc")]
pub use stream::EditStream;
