//! Stream: edits a stream that comes in chunks of any size.
//!
//! In: chunks. Out: each top-level packet, edited, as soon as it is complete; until then its bytes are buffered, up to a limit.

use alloc::vec::Vec;

use super::rules::Edit;
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::wire::header::{Header, Stop};
use crate::write::sink::Sink;

/// Edits a stream, one top-level packet at a time; made by [`Edit::stream`].
///
/// Each packet is an input of its own: a rule for the first packet at a path means the first in each of them. A packet is written
/// when it is complete, and only if there is no error in it, so `remove` fails closed here too. A packet that lies whole in
/// a chunk is edited there. A packet split between chunks is buffered, at most [`Limits::max_packet_len`] bytes; memory grows with
/// the bytes received, not with the declared length.
/// Cost: that of [`Edit::apply`], and one more copy of each split packet.
///
/// # Examples
/// ```
/// use y3::{Limits, edit::Edit, path};
///
/// let mut stream = Edit::new().remove(path!(0x01, 0x13)).stream(Limits::DEFAULT);
/// let mut out = Vec::new();
/// for chunk in [&[0x81, 0x06, 0x11][..], &[0x01, 0x07, 0x13, 0x01, 0x61, 0x02], &[0x00]] {
///     stream.feed(chunk, &mut out)?;
/// }
/// stream.finish()?;
/// assert_eq!(out, [0x81, 0x03, 0x11, 0x01, 0x07, 0x02, 0x00]);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: docs/spec/editing.md
#[derive(Clone, Debug)]
pub struct EditStream<'a> {
    edit: Edit<'a>,
    limits: Limits,
    /// The first bytes of a packet that is not complete yet.
    held: Vec<u8>,
    /// The offset in the stream of the next packet to edit.
    offset: u64,
    error: Option<Error>,
}

impl<'a> Edit<'a> {
    /// The edit for a new stream, which owns it.
    #[must_use]
    pub const fn stream(self, limits: Limits) -> EditStream<'a> {
        EditStream { edit: self, limits, held: Vec::new(), offset: 0, error: None }
    }
}

impl EditStream<'_> {
    /// Reads the next chunk, and writes the edited packets that it completes.
    ///
    /// # Errors
    /// As [`Edit::apply`], with offsets in the stream, and [`SizeLimit`](ErrorKind::SizeLimit) for a packet whose header
    /// declares more than the limit. The packets before that one were written, nothing of it is, and every later call returns
    /// the same error.
    pub fn feed<S: Sink>(&mut self, chunk: &[u8], sink: &mut S) -> Result<(), Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.take(chunk, sink).inspect_err(|error| self.error = Some(*error))
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// [`UnexpectedEnd`](ErrorKind::UnexpectedEnd) at the tag of a packet that is not complete; an error that
    /// [`feed`](Self::feed) returned.
    pub fn finish(&mut self) -> Result<(), Error> {
        if self.error.is_none() && !self.held.is_empty() {
            self.error = Some(Error::new(ErrorKind::UnexpectedEnd, self.offset));
        }
        self.error.map_or(Ok(()), Err)
    }

    fn take<S: Sink>(&mut self, mut chunk: &[u8], sink: &mut S) -> Result<(), Error> {
        while !chunk.is_empty() {
            let is_split = !self.held.is_empty();
            let missing = self.missing(if is_split { &self.held } else { chunk })?;
            if missing > 0 {
                // The header of a split packet is completed byte by byte; then the length of the packet is known.
                let more = if is_split { missing.min(chunk.len()) } else { chunk.len() };
                let (more, rest) = chunk.split_at_checked(more).unwrap_or((chunk, &[]));
                self.held.extend_from_slice(more);
                chunk = rest;
                if !is_split || self.missing(&self.held)? > 0 {
                    continue;
                }
                let held = core::mem::take(&mut self.held);
                self.packet(&held, sink)?;
                // Reuses its memory.
                self.held = held;
                self.held.clear();
            } else {
                // Nothing is missing, so the chunk holds a whole packet.
                let len = Header::long(chunk).map_or(chunk.len(), Header::packet_len);
                let (packet, rest) = chunk.split_at_checked(len).unwrap_or((chunk, &[]));
                self.packet(packet, sink)?;
                chunk = rest;
            }
        }
        Ok(())
    }

    /// The least number of bytes missing from the packet at the front.
    fn missing(&self, front: &[u8]) -> Result<usize, Error> {
        match Header::long(front) {
            Ok(header) => match self.limits.refuse_packet(header.packet_len(), self.offset) {
                Some(error) => Err(error),
                None => Ok(header.packet_len().saturating_sub(front.len())),
            },
            Err(Stop::Missing(missing)) => Ok(missing),
            Err(Stop::Fault(kind)) => Err(Error::new(kind, self.offset.saturating_add(1))),
        }
    }

    /// Edits one whole packet.
    fn packet<S: Sink>(&mut self, packet: &[u8], sink: &mut S) -> Result<(), Error> {
        self.edit.write(packet, sink, false).map_err(|error| match error.kind() {
            // This offset counts in the sink.
            ErrorKind::BufferTooSmall => error,
            _ => error.rebased(self.offset),
        })?;
        self.offset = self.offset.saturating_add(packet.len() as u64);
        Ok(())
    }
}
