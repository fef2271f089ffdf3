//! An error with its place in the tree of packets.
//!
//! `Display` writes a message of one line.

use core::fmt;

use crate::error::{Bytes, Error, ErrorKind};
use crate::limits::MAX_DEPTH;
use crate::wire::key::Key;

/// The place of an error in the tree of packets.
///
/// [`show::explain`](crate::show::explain) returns the context of an error in a slice of bytes.
/// [`Watcher::explain`](crate::Watcher::explain) returns the context of an error in a stream. The context contains the
/// keys on the path to the faulty packet, the declared length of this packet, and the number of bytes that are present.
/// The context is `Copy` and has at most 144 bytes.
#[derive(Clone, Copy, Debug)]
pub struct ErrorContext {
    error: Error,
    keys: [Key; MAX_DEPTH + 1],
    depth: usize,
    /// The offset of the faulty packet. If this is `Some`, the last key in `keys` is the key of the faulty packet.
    offset: Option<u64>,
    /// The declared length and the number of bytes that are present. `None` if the header of the faulty packet cannot
    /// be read.
    lengths: Option<(u64, u64)>,
}

impl ErrorContext {
    pub(crate) const fn new(error: Error) -> Self {
        Self { error, keys: [Key::ITEM; MAX_DEPTH + 1], depth: 0, offset: None, lengths: None }
    }

    /// Adds the keys of the packets around the error.
    pub(crate) fn inside(mut self, keys: impl Iterator<Item = Key>) -> Self {
        self.depth = 0;
        for (to, key) in self.keys.iter_mut().zip(keys) {
            *to = key;
            self.depth += 1;
        }
        self
    }

    /// Adds the faulty packet, which is at `offset`. The key of this packet becomes the last key.
    pub(crate) fn at(mut self, key: Key, offset: u64, lengths: Option<(u64, u64)>) -> Self {
        if let Some(own) = self.keys.get_mut(self.depth) {
            *own = key;
            self.depth += 1;
        }
        Self { offset: Some(offset), lengths, ..self }
    }

    /// Returns the error that this context describes.
    #[must_use]
    pub const fn error(&self) -> Error {
        self.error
    }

    /// Returns the keys on the path from the top-level packet to the faulty packet. The last key is the key of the
    /// faulty packet. If [`offset`](Self::offset) is `None`, the faulty packet is unknown, and the last key is the key
    /// of the innermost node around the error. If no keys are known, the result is empty.
    #[must_use]
    pub fn keys(&self) -> &[Key] {
        self.keys.get(..self.depth).unwrap_or_default()
    }

    /// Returns the offset of the tag of the faulty packet, or `None` if the packet is unknown.
    #[must_use]
    pub const fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// Returns the length that the faulty packet declares for its value. Returns `None` if the header of the packet
    /// cannot be read.
    #[must_use]
    pub fn declared(&self) -> Option<u64> {
        self.lengths.map(|(declared, _)| declared)
    }

    /// Returns the same context, with offsets counted from the start of an outer input. `offset` is the position of the
    /// inner input in the outer input.
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

    /// Returns how many bytes of the faulty packet's value are present. The value ends after the declared length, at
    /// the end of the parent node, or at the end of the input, whichever comes first. In a stream, bytes of the parent
    /// node count even if they have not arrived yet. Returns `None` if the header of the packet cannot be read.
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
            (ErrorKind::Overrun | ErrorKind::UnexpectedEnd, None) => f.write_str(" has an incomplete length field"),
            (_, None) => Ok(()),
            (_, Some((declared, available))) if declared == available => write!(f, " has {}", Bytes(declared)),
            (_, Some((declared, available))) => write!(f, " declares {} but has {available}", Bytes(declared)),
        }
    }
}
