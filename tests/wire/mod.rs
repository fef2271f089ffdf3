//! What a byte means: keys, tags and values, and what an error says of them.

#[cfg(feature = "arbitrary")]
mod arbitrary;
#[cfg(feature = "alloc")]
mod edges;
mod error;
mod key;
mod number;
