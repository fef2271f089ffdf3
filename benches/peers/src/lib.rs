//! The peers: one value out of a message by every codec (`extract`), and whole structs (`structs`).
//!
//! In: nothing. Out: readers, writers and cases of all codecs, over the same data; each answer is asserted before it is timed.

pub mod edits;
pub mod extract;
mod formats;
pub mod groups;
pub mod structs;
