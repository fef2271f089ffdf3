//! From values to bytes, always canonical. It imports `wire` and `error`, never `read`.

pub(crate) mod encoder;
pub(crate) mod sink;
pub(crate) mod value;
