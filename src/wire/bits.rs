//! Bits: the parts of a packet's first byte.
//!
//! In: nothing. Out: constants, for keys, tags and error messages.

/// Marks a node.
pub(crate) const NODE: u8 = 0x80;
/// Together with [`NODE`], marks a slice.
pub(crate) const SLICE: u8 = 0x40;
/// The bits of the key, and also the highest key.
pub(crate) const KEY: u8 = 0x3f;
