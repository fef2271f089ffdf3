//! Writes values as bytes, always canonical. It imports `wire` and `error`, never `read`.

pub(crate) mod encoder;
#[cfg(feature = "std")]
pub(crate) mod io;
pub(crate) mod mode;
pub(crate) mod pad;
pub(crate) mod sink;
pub(crate) mod writer;
