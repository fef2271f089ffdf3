//! From bytes that arrive in pieces to the same packets and values. It imports `read`, `wire`, `limits` and `error`, never `write`.

#[cfg(feature = "codec")]
pub(crate) mod async_reader;
#[cfg(feature = "bytes")]
pub(crate) mod bytes;
#[cfg(feature = "codec")]
pub(crate) mod codec;
#[cfg(feature = "alloc")]
pub(crate) mod collect;
mod machine;
#[cfg(feature = "alloc")]
pub(crate) mod observe;
#[cfg(feature = "std")]
pub(crate) mod reader;
pub(crate) mod watcher;

/// The longest header in bytes: a tag and five of length.
pub(crate) const LONGEST: usize = 6;
