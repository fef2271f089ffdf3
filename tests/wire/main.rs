//! What a byte means: keys, tags and values, and what an error says of them.

mod error;
mod key;
mod number;
