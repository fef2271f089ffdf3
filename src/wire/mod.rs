//! Encodes and decodes bytes. No other room knows the meaning of a byte. This room imports only `error`.

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
