//! Error: why an edit of one packet failed.
//!
//! In: an error of the input or the sink, or a packet that the edit cannot change. Out: the kind, the offset, and the bytes
//! needed.

use core::fmt;

use crate::error::Error;

/// Why [`patch`](super::patch) or [`patch_padded`](super::patch_padded) failed. Nothing was changed.
///
/// # Examples
/// ```
/// use y3::{edit, edit::EditError, path};
///
/// let mut bytes = [0x81, 0x03, 0x12, 0x01, 0x07];
/// let error = edit::patch(&mut bytes, path!(0x01, 0x12), 300i32).unwrap_err();
/// assert_eq!(error, EditError::Width { offset: 4, has: 1, needs: 2 });
/// assert_eq!(error.to_string(), "new value needs 2 bytes, the old one has 1 at byte 4");
/// ```
/// Source: docs/spec/editing.md
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// An error in a header on the path to the packet, a key above 63, a value too long, or a sink without room.
    Failed(Error),
    /// The input has no packet at the path.
    NotFound,
    /// The packet at the path is a node; only the value of a primitive can be overwritten.
    NotAPrimitive {
        /// The offset of its tag.
        offset: u64,
    },
    /// The new value and the old one have different numbers of bytes.
    Width {
        /// The offset of the old value.
        offset: u64,
        /// The length of the old value in bytes.
        has: usize,
        /// The length of the new value in bytes.
        needs: usize,
    },
}

impl From<Error> for EditError {
    fn from(error: Error) -> Self {
        EditError::Failed(error)
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::Failed(error) => error.fmt(f),
            EditError::NotFound => f.write_str("no packet at the path"),
            EditError::NotAPrimitive { offset } => {
                write!(f, "packet is a node, not a primitive at byte {offset}")
            }
            EditError::Width { offset, has, needs } => {
                write!(f, "new value needs {needs} bytes, the old one has {has} at byte {offset}")
            }
        }
    }
}

impl core::error::Error for EditError {}
