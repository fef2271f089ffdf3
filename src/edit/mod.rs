//! Edits encoded packets: keeps, removes, renames or writes packets, overwrites values, rewrites to canonical form.
//!
//! Values are copied as bytes, never decoded. Only the headers of nodes whose content changes are rewritten.
//!
//! | call | does | cost |
//! |---|---|---|
//! | [`Edit::apply`] | applies a set of rules: keep, remove, rename, set, replace, insert, append | one pass over the levels entered, one copy of the output |
//! | [`Edit::pieces_in`] | the same as borrowed slices for a vectored write | one pass, no copy |
//! | `Edit::stream` (feature `alloc`) | the same for a stream in chunks of any size | buffers at most one top-level packet |
//! | [`patch`], [`patch_padded`] | overwrites a value in place | one jump per sibling before it at the levels entered, one copy of the value |
//! | [`first_deviation`], [`canonicalize`] | tests for canonical form, rewrites to it | one header per packet; O(depth × bytes) to rewrite |
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
