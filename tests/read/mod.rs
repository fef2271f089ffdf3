//! Everything that reads a slice: packets, sets of keys and paths, the parsers of nom. What every reader reads of any input, `evidence` and `corpora` compare with a naive reader.

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
