//! The only room that knows what a byte means, in both directions; it imports nothing of ours but `error`.

pub(crate) mod bool;
pub(crate) mod float;
pub(crate) mod header;
pub(crate) mod integer;
pub(crate) mod key;
pub(crate) mod length;
pub(crate) mod tag;
pub(crate) mod word;
