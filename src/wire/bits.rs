//! Bits: the parts of the first byte of a packet.
//!
//! In: nothing. Out: constants for keys, tags and error messages.

/// The bit that marks a node.
pub(crate) const NODE: u8 = 0x80;
/// The bit that, together with [`NODE`], marks a slice.
pub(crate) const SLICE: u8 = 0x40;
/// The bits of the key. As a number, this is also the highest key.
pub(crate) const KEY: u8 = 0x3f;
