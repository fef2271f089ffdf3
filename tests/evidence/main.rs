//! Tests against outside evidence: the rules and rows of SPEC.md, the bytes that the Go implementations wrote, a
//! recorded session.

mod head;
mod recording;
mod rows;
mod spec;
mod streams;
mod text;
#[cfg(feature = "serde")]
mod types;
mod vectors;
