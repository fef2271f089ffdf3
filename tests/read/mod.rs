//! Tests of reading a slice: packets, sets of keys and paths, the nom parsers. `evidence` and `corpora` compare all
//! readers with a naive reader, on any input.

mod batch;
mod hint;
mod keys;
mod packet;
mod parser;
mod path;
mod pattern;
#[cfg(feature = "bytes")]
mod slice_ref;
mod text;
