//! Keys, tags and errors, as numbers and as text. What values mean, `evidence` compares with a naive decoder.

#[cfg(feature = "arbitrary")]
mod arbitrary;
mod error;
mod key;
