//! Steps: opens, writes and closes packets in separate calls, for serde.
//!
//! In: keys and values, one per call. Out: bytes, and the position after these bytes.

use super::encoder::Encoder;
use super::sink::Sink;
use super::writer::Writer;
use crate::error::{Error, ErrorKind};
use crate::wire::tag::Tag;

impl<'s, S: Sink> Encoder<'s, S> {
    /// Returns an encoder for the next packet. The position of `self` stays the same until a call of [`go_on_at`](Self::go_on_at).
    #[inline(always)]
    pub(crate) fn nested(&mut self) -> Encoder<'_, S> {
        Encoder { writer: self.writer.nested(), ..*self }
    }

    #[inline(always)]
    pub(crate) fn go_on_at(&mut self, position: usize) {
        self.writer.go_on_at(position);
    }

    pub(crate) fn into_writer(self) -> Writer<'s, S> {
        self.writer
    }

    /// Begins a node or slice. Later calls write the packets inside it. Unlike in [`Encoder::slice`], items get the key that the caller
    /// passes.
    #[inline(always)]
    pub(crate) fn enter(&mut self, tag: Tag) -> Result<(), Error> {
        if self.mode.is_deepest() {
            return Err(self.error(ErrorKind::DepthLimit));
        }
        self.writer.open(tag)?;
        self.mode = self.mode.inside(false);
        Ok(())
    }

    /// Closes the packet that begins at `start`.
    #[inline(always)]
    pub(crate) fn leave(&mut self, start: usize) -> Result<(), Error> {
        self.writer.close(start)
    }
}
