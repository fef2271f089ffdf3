//! Tests of reading a stream in chunks: no cut changes what is found, and no sender decides what is kept.

#[cfg(feature = "codec")]
mod codec;
mod cuts;
#[cfg(feature = "codec")]
mod edges;
#[cfg(feature = "alloc")]
mod explain;
mod hostile;
#[cfg(feature = "alloc")]
mod keys;
mod limits;
#[cfg(feature = "std")]
mod panics;
#[cfg(feature = "codec")]
mod resume;
