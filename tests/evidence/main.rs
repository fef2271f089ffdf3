//! Tests against outside evidence: the rules and rows of SPEC.md, the output of Go implementations, a recording.

mod head;
mod recording;
mod rows;
mod spec;
mod streams;
mod text;
#[cfg(feature = "serde")]
mod types;
mod vectors;
