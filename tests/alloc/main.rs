//! No allocation in what says so. The counter is an allocator, so these tests have a binary of their own.

mod counting;
#[cfg(feature = "alloc")]
mod edit;
mod packets;
mod show;
#[cfg(feature = "codec")]
mod streams;
#[cfg(all(feature = "serde", feature = "alloc"))]
mod structs;
