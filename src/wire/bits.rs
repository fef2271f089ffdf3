//! The bits of a tag, which is the first byte of a packet.

/// The bit that marks a node.
pub(crate) const NODE: u8 = 0x80;
/// The bit that marks a slice if [`NODE`] is set too.
pub(crate) const SLICE: u8 = 0x40;
/// The bits of the key. This number is also the highest key.
pub(crate) const KEY: u8 = 0x3f;
