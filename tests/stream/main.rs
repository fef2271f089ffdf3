//! Everything that reads a stream in chunks: no cut changes what is found, and no sender decides what is kept.

#[cfg(feature = "codec")]
mod codec;
mod cuts;
#[cfg(feature = "std")]
mod dispatch;
#[cfg(feature = "codec")]
mod edges;
#[cfg(feature = "alloc")]
mod explain;
mod hostile;
mod limits;
#[cfg(feature = "codec")]
mod resume;
