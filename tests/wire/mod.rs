//! Keys, tags and errors, as numbers and as text. `evidence` compares the decoding of values with a naive decoder.

#[cfg(feature = "arbitrary")]
mod arbitrary;
mod error;
mod key;
