//! Bytes: shows a number of bytes.
//!
//! In: a number. Out: "1 byte", "2 bytes".

use core::fmt;

/// Shows a number of bytes with its unit.
pub(crate) struct Bytes(pub(crate) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} byte{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}
