//! Bits: what the first byte of a packet is made of.
//!
//! In: nothing. Out: the numbers that key and tag, and messages about them, share.

/// The packet is a node.
pub(crate) const NODE: u8 = 0x80;
/// With [`NODE`], a slice.
pub(crate) const SLICE: u8 = 0x40;
/// The key; the highest one, too.
pub(crate) const KEY: u8 = 0x3f;
