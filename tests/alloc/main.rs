//! Tests of functions that promise not to allocate, in a binary of their own: the counter is its global allocator.

mod counting;
#[cfg(feature = "alloc")]
mod edit;
mod packets;
mod show;
#[cfg(feature = "codec")]
mod streams;
#[cfg(all(feature = "serde", feature = "alloc"))]
mod structs;
