//! Encodes and decodes the bytes of headers and values. No other module interprets these bytes. This module imports
//! only `error`.

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
