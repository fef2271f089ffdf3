//! Steps: opens, writes and closes packets in separate calls, for serde.

use super::encoder::Encoder;
use super::sink::Sink;
use super::writer::Writer;
use crate::error::{Error, ErrorKind};
use crate::wire::tag::Tag;

impl<'s, S: Sink> Encoder<'s, S> {
    /// Returns an encoder for the next packet. The position of `self` does not change until
    /// [`go_on_at`](Self::go_on_at) is called.
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

    /// Begins a node or slice. Later calls write the packets inside it. Items get the key that the caller passes, not
    /// key 0 as in [`Encoder::slice`].
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
