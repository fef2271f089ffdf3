//! Stream: filters a stream that comes in chunks of any size.
//!
//! In: chunks. Out: each outermost packet, filtered, as soon as it is complete; until then its bytes are buffered, up to a
//! limit.

use alloc::vec::Vec;

use super::filter::Filter;
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::read::lookup::WatchedPaths;
use crate::wire::header::{Header, Stop};
use crate::write::sink::Sink;

/// Filters a stream, one outermost packet at a time.
///
/// A packet is written when it is complete, and only if the filter finds no error in it, so [`remove`](super::remove) fails
/// closed here too. A packet that lies whole in a chunk is filtered there. A packet split between chunks is buffered, at most
/// [`Limits::max_packet_len`] bytes; memory grows with the bytes received, not with the declared length.
/// Cost: that of [`Filter::write`], and one more copy of each split packet.
///
/// # Examples
/// ```
/// use y3::{Limits, PathSet, edit::{Filter, FilterStream}, path};
///
/// const SECRETS: PathSet<1> = PathSet::new([path!(0x01, 0x13)]);
///
/// let mut stream = FilterStream::new(Filter::remove(&SECRETS), Limits::DEFAULT);
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
pub struct FilterStream<P> {
    filter: Filter<P>,
    limits: Limits,
    /// The first bytes of a packet that is not complete yet.
    held: Vec<u8>,
    /// The offset in the stream of the next packet to filter.
    offset: u64,
    error: Option<Error>,
}

impl<P: WatchedPaths> FilterStream<P> {
    /// A filter for a new stream.
    #[must_use]
    pub const fn new(filter: Filter<P>, limits: Limits) -> Self {
        Self { filter, limits, held: Vec::new(), offset: 0, error: None }
    }

    /// Reads the next chunk, and writes the filtered packets that it completes.
    ///
    /// # Errors
    /// As [`Filter::write`], with offsets in the stream, and [`SizeLimit`](ErrorKind::SizeLimit) for a packet whose header
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
        // The header of a split packet is completed byte by byte; then the length of the packet is known.
        while !self.held.is_empty() {
            let missing = match self.missing(&self.held)? {
                0 => break,
                missing => missing,
            };
            let Some((more, rest)) =
                chunk.split_at_checked(missing.min(chunk.len())).filter(|(more, _)| !more.is_empty())
            else {
                return Ok(());
            };
            self.held.extend_from_slice(more);
            chunk = rest;
        }
        if !self.held.is_empty() {
            let held = core::mem::take(&mut self.held);
            self.packet(&held, sink)?;
            // Reuses its memory.
            self.held = held;
            self.held.clear();
        }
        while !chunk.is_empty() {
            let missing = self.missing(chunk)?;
            if missing > 0 {
                self.held.extend_from_slice(chunk);
                return Ok(());
            }
            // Nothing is missing, so the chunk holds a whole packet.
            let len = Header::long(chunk).map_or(chunk.len(), Header::packet_len);
            let (packet, rest) = chunk.split_at_checked(len).unwrap_or((chunk, &[]));
            self.packet(packet, sink)?;
            chunk = rest;
        }
        Ok(())
    }

    /// The least number of bytes missing from the packet at the front.
    fn missing(&self, front: &[u8]) -> Result<usize, Error> {
        match Header::long(front) {
            Ok(header) if header.packet_len() > self.limits.max_packet_len() => {
                Err(Error::new(ErrorKind::SizeLimit, self.offset))
            }
            Ok(header) => Ok(header.packet_len().saturating_sub(front.len())),
            Err(Stop::Missing(missing)) => Ok(missing),
            Err(Stop::Fault(kind)) => Err(Error::new(kind, self.offset.saturating_add(1))),
        }
    }

    /// Filters one whole packet.
    fn packet<S: Sink>(&mut self, packet: &[u8], sink: &mut S) -> Result<(), Error> {
        self.filter.write(packet, sink).map_err(|error| match error.kind() {
            // This offset counts in the sink.
            ErrorKind::BufferTooSmall => error,
            _ => error.rebased(self.offset),
        })?;
        self.offset = self.offset.saturating_add(packet.len() as u64);
        Ok(())
    }
}
