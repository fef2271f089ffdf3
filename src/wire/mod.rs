//! Encodes and decodes bytes. No other room knows what a byte means, and this one imports nothing of the crate but `error`.

pub(crate) mod bits;
pub(crate) mod bool;
pub(crate) mod float;
pub(crate) mod header;
pub(crate) mod integer;
pub(crate) mod key;
pub(crate) mod length;
pub(crate) mod mode;
pub(crate) mod tag;
pub(crate) mod word;
