//! Error: why one packet was not changed.
//!
//! In: an error of the input or the sink, or a packet that is not as the edit needs it. Out: which, where, and the bytes needed.

use core::fmt;

use crate::error::Error;

/// Why [`patch`](super::patch), [`replace`](super::replace), [`insert`](super::insert) or [`append`](super::append) changed
/// nothing.
///
/// # Examples
/// ```
/// use y3::{edit, edit::EditError, path};
///
/// let mut bytes = [0x81, 0x03, 0x12, 0x01, 0x07];
/// let error = edit::patch(&mut bytes, path!(0x01, 0x12), 300i32).unwrap_err();
/// assert_eq!(error, EditError::Width { offset: 4, has: 1, needs: 2 });
/// assert_eq!(error.to_string(), "value has 1 bytes, the new one needs 2, at byte 4");
/// ```
/// Source: docs/spec/editing.md
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// A fault of the input on the way to the packet, a key above 63, a value too long, or a sink without room.
    Failed(Error),
    /// The input has no packet at the path.
    NotFound,
    /// The packet at the path is a node, so it has no value to overwrite.
    NotAPrimitive {
        /// Where its tag lies.
        offset: u64,
    },
    /// The new value has another number of bytes than the old one.
    Width {
        /// Where the old value lies.
        offset: u64,
        /// The bytes of the old value.
        has: usize,
        /// The bytes of the new value.
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
                write!(f, "node where a primitive is to be patched at byte {offset}")
            }
            EditError::Width { offset, has, needs } => {
                write!(f, "value has {has} bytes, the new one needs {needs}, at byte {offset}")
            }
        }
    }
}

impl core::error::Error for EditError {}
