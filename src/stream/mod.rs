//! Reads the same packets and values from bytes that arrive in pieces. It imports `read`, `wire`, `limits` and `error`,
//! never `write`.

#[cfg(feature = "codec")]
pub(crate) mod async_reader;
#[cfg(feature = "bytes")]
pub(crate) mod bytes;
#[cfg(feature = "codec")]
pub(crate) mod codec;
#[cfg(feature = "alloc")]
pub(crate) mod collect;
#[cfg(feature = "alloc")]
pub(crate) mod dispatch;
#[cfg(feature = "std")]
pub(crate) mod error;
pub(crate) mod event;
#[cfg(feature = "alloc")]
mod join;
mod machine;
#[cfg(feature = "std")]
pub(crate) mod reader;
pub(crate) mod watcher;
