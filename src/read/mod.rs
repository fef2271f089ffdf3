//! Reads packets and values from bytes. The results borrow these bytes. This module imports `wire` and `error`, but
//! never `write`.

mod compiled;
pub(crate) mod found;
pub(crate) mod keys;
pub(crate) mod lookup;
pub(crate) mod packet;
pub(crate) mod packets;
pub mod parser;
pub(crate) mod path;
pub(crate) mod path_set;
#[cfg(feature = "alloc")]
pub(crate) mod paths;
pub(crate) mod pattern;
pub(crate) mod set;
#[cfg(feature = "bytes")]
pub(crate) mod slice_ref;
pub(crate) mod step;
pub(crate) mod text;
pub(crate) mod walk;
pub(crate) mod watch;
