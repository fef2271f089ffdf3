//! Writes values as canonical bytes. This module imports `wire` and `error`, and never `read` or `value`.

pub(crate) mod count;
pub(crate) mod encoder;
#[cfg(feature = "alloc")]
mod growing;
#[cfg(feature = "std")]
pub(crate) mod io;
pub(crate) mod sink;
#[cfg(feature = "serde")]
mod steps;
pub(crate) mod writer;
