//! Changes encoded packets. An [`Edit`] is a set of rules that keep, remove, rename, insert or replace packets. The
//! functions in this module overwrite a value in place and rewrite packets to canonical form.
//!
//! Values are copied as bytes and are never decoded. Only changed packets and the nodes around them get new headers.
//!
//! | call | what it does | cost |
//! |---|---|---|
//! | [`Edit::apply`] | applies a set of rules and writes the output to a sink | reads each header in the nodes on the paths once, copies the output once |
//! | [`Edit::pieces_in`] | applies a set of rules and returns the output as slices for a vectored write | reads each header in the nodes on the paths once, copies nothing |
//! | `Edit::stream` (feature `alloc`) | applies a set of rules to a stream that arrives in chunks of any size | buffers at most one top-level packet |
//! | [`patch`], [`patch_padded`] | overwrite a value in place | read one header for each earlier packet in the nodes on the path, copy the value once |
//! | [`first_deviation`] | finds the first deviation from canonical form | reads one header per packet |
//! | [`canonicalize`] | rewrites packets to canonical form | O(n) for packets that are already canonical, else O(depth × n) |
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
