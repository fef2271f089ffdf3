//! From bytes to borrowed packets and values. It imports `wire` and `error`, never `write`.

pub(crate) mod keys;
#[cfg(feature = "bytes")]
pub(crate) mod lift;
pub(crate) mod packet;
pub(crate) mod packets;
pub mod parser;
pub(crate) mod path;
pub(crate) mod value;
pub(crate) mod walk;
pub(crate) mod watch;
