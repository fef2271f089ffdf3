//! Tests of functions that promise not to allocate. They are a binary of their own because the counter replaces the
//! global allocator.

mod counting;
#[cfg(feature = "alloc")]
mod edit;
mod packets;
mod show;
#[cfg(feature = "codec")]
mod streams;
#[cfg(all(feature = "serde", feature = "alloc"))]
mod structs;
