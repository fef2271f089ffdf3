//! Error context: an error with its place in the tree.
//!
//! In: an error, the keys that lead to it, the declared length and the number of bytes present. Out: these parts, and a
//! message of one line.

use core::fmt;

use crate::error::{Bytes, Error, ErrorKind};
use crate::limits::MAX_DEPTH;
use crate::wire::key::Key;

/// The place of an error: the keys that lead to the packet, the length that it declares, and the number of bytes present.
///
/// Made by [`show::explain`](crate::show::explain) for slices and by [`Watcher::explain`](crate::Watcher::explain) for streams.
/// At most 144 bytes, `Copy`.
#[derive(Clone, Copy, Debug)]
pub struct ErrorContext {
    error: Error,
    keys: [Key; MAX_DEPTH + 1],
    depth: usize,
    /// The offset of the faulty packet. If it is known, the last key is the key of this packet.
    offset: Option<u64>,
    /// The declared length, and the number of bytes present. `None` if the header cannot be read.
    lengths: Option<(u64, u64)>,
}

impl ErrorContext {
    /// Makes a context with the error alone.
    pub(crate) const fn new(error: Error) -> Self {
        Self { error, keys: [Key::ITEM; MAX_DEPTH + 1], depth: 0, offset: None, lengths: None }
    }

    /// The same context in a packet that these keys lead to.
    pub(crate) fn inside(mut self, keys: impl Iterator<Item = Key>) -> Self {
        self.depth = 0;
        for (to, key) in self.keys.iter_mut().zip(keys) {
            *to = key;
            self.depth += 1;
        }
        self
    }

    /// The same context for the packet at that offset. Its key becomes the last.
    pub(crate) fn at(mut self, key: Key, offset: u64, lengths: Option<(u64, u64)>) -> Self {
        if let Some(own) = self.keys.get_mut(self.depth) {
            *own = key;
            self.depth += 1;
        }
        Self { offset: Some(offset), lengths, ..self }
    }

    /// The error that this context explains.
    #[must_use]
    pub const fn error(&self) -> Error {
        self.error
    }

    /// The keys from the top-level packet to the faulty one, both included. If [`offset`](Self::offset) is `None`, the
    /// keys of the nodes around the error. Empty if the keys are not known.
    #[must_use]
    pub fn keys(&self) -> &[Key] {
        self.keys.get(..self.depth).unwrap_or_default()
    }

    /// The offset of the faulty packet's tag.
    #[must_use]
    pub const fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// The length that the faulty packet declares for its value. `None` if its header cannot be read.
    #[must_use]
    pub fn declared(&self) -> Option<u64> {
        self.lengths.map(|(declared, _)| declared)
    }

    /// The same error with offsets in an outer input, which contains these bytes at `offset`.
    ///
    /// # Examples
    /// ```
    /// let bytes = [0x01, 0x05, 0xaa];
    /// let place = y3::show::explain(&bytes, y3::check(&bytes).unwrap_err()).moved(100);
    /// assert_eq!((place.error().offset(), place.offset()), (100, Some(100)));
    /// ```
    #[must_use]
    pub fn moved(self, offset: u64) -> Self {
        Self { error: self.error.rebased(offset), offset: self.offset.map(|own| own.saturating_add(offset)), ..self }
    }

    /// How many bytes of the value fit into the enclosing nodes and the input. In a stream, bytes that have not arrived
    /// count too if the enclosing nodes declare them. `None` if the packet's header cannot be read.
    #[must_use]
    pub fn available(&self) -> Option<u64> {
        self.lengths.map(|(_, available)| available)
    }
}

impl fmt::Display for ErrorContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        let (own, around) = match (self.offset, self.keys().split_last()) {
            (_, None) => return Ok(()),
            (None, _) => (None, self.keys()),
            (Some(offset), Some((own, around))) => (Some((own, offset)), around),
        };
        let mut separator = ": in ";
        for key in around {
            write!(f, "{separator}{key}")?;
            separator = "/";
        }
        let Some((own, offset)) = own else { return Ok(()) };
        let separator = if around.is_empty() { ": " } else { ", " };
        write!(f, "{separator}packet {own} at byte {offset}")?;
        match (self.error.kind(), self.lengths) {
            (ErrorKind::Overrun | ErrorKind::UnexpectedEnd, None) => f.write_str(" has no whole length"),
            (_, None) => Ok(()),
            (_, Some((declared, available))) if declared == available => write!(f, " has {}", Bytes(declared)),
            (_, Some((declared, available))) => {
                let are = if available == 1 { "is" } else { "are" };
                write!(f, " declares {}, {available} {are} there", Bytes(declared))
            }
        }
    }
}
