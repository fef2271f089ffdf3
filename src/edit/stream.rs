//! Stream: edits a stream that comes in chunks of any size.
//!
//! In: chunks. Out: each top-level packet, edited, as soon as it is complete; until then its bytes are buffered, up to a limit.

use alloc::vec::Vec;

use super::rules::Edit;
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::read::path::Path;
use crate::read::path_set::PathSet;
use crate::stream::collect::Collector;
use crate::write::sink::Sink;

/// Edits a stream, one top-level packet at a time; made by [`Edit::stream`].
///
/// Each packet is an input of its own: a rule for the first packet at a path means the first in each of them. A packet is written
/// when it is complete, and only if there is no error in it, so `remove` fails closed here too. A packet that lies whole in
/// a chunk is edited there. A packet split between chunks is buffered, at most [`Limits::max_packet_len`] bytes; memory grows with
/// the bytes received, not with the declared length. After an error the rest of its chunk is buffered, for [`resume`](Self::resume).
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
    /// Joins the packets.
    collector: Collector<PathSet<1>>,
    /// The rest of the chunk that had the last error, and how much of it has been read since.
    unread: (Vec<u8>, usize),
    error: Option<Error>,
    /// Whether bytes were not read after an error, or the stream has ended.
    is_lost: bool,
}

impl<'a> Edit<'a> {
    /// The edit for a new stream, which owns it.
    #[must_use]
    pub fn stream(self, limits: Limits) -> EditStream<'a> {
        let packets = PathSet::new([Path::ANY]);
        EditStream {
            edit: self,
            collector: Collector::new(packets, limits.with_max_value_len(usize::MAX)),
            unread: (Vec::new(), 0),
            error: None,
            is_lost: false,
        }
    }
}

impl EditStream<'_> {
    /// Reads the next chunk, and writes the edited packets that it completes.
    ///
    /// # Errors
    /// As [`Edit::apply`], with offsets in the stream, and [`SizeLimit`](ErrorKind::SizeLimit) for a packet whose header
    /// declares more than the limit. The packets before that one were written, nothing of it is, and every later call returns
    /// the same error until [`resume`](Self::resume).
    pub fn feed<S: Sink>(&mut self, chunk: &[u8], sink: &mut S) -> Result<(), Error> {
        self.feed_unread(sink).inspect_err(|_| self.is_lost |= !chunk.is_empty())?;
        let mut rest = chunk;
        self.take(&mut rest, sink).inspect_err(|_| self.unread = (rest.to_vec(), 0))
    }

    /// After an error, drops the packet that has it, and goes on with the next top-level packet. Returns `false` if that is not
    /// possible. Without an error it changes nothing and returns `true`.
    ///
    /// No byte of the dropped packet is written. The next packet is found by the length in the header of the dropped one, so this is
    /// impossible after an error in a top-level header, after [`finish`](Self::finish), and once a chunk was fed that the error kept
    /// from being read. What follows the dropped packet in its chunk is read by the next call of [`feed`](Self::feed), which may return
    /// another error: feed an empty chunk until there is none, and then the next chunk.
    ///
    /// # Examples
    /// ```
    /// use y3::{Limits, edit::Edit, path};
    ///
    /// let mut stream = Edit::new().remove(path!(0x01, 0x13)).stream(Limits::DEFAULT);
    /// let mut out = Vec::new();
    /// // A length in the second packet is negative.
    /// let mut chunk = &[0x81, 0x02, 0x13, 0x00, 0x81, 0x02, 0x11, 0x7f, 0x81, 0x02, 0x11, 0x00][..];
    /// while let Err(error) = stream.feed(chunk, &mut out) {
    ///     assert_eq!(error.offset(), 7);
    ///     if !stream.resume() {
    ///         return Err(error);
    ///     }
    ///     chunk = &[];
    /// }
    /// stream.finish()?;
    /// assert_eq!(out, [0x81, 0x00, 0x81, 0x02, 0x11, 0x00]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    pub fn resume(&mut self) -> bool {
        if !self.is_lost && self.collector.resume() {
            self.error = None;
        }
        self.error.is_none()
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// [`UnexpectedEnd`](ErrorKind::UnexpectedEnd) at the tag of a packet that is not complete, or was not read after a
    /// [`resume`](Self::resume); an error that [`feed`](Self::feed) returned.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.is_lost = true;
        if self.error.is_none() {
            let unread = Error::new(ErrorKind::UnexpectedEnd, self.collector.offset());
            let end = self.collector.finish().next_hit().and_then(Result::err);
            self.error = end.or((!self.unread.0.is_empty()).then_some(unread));
        }
        self.error.map_or(Ok(()), Err)
    }

    /// Reads on after an error, in the chunk that had it.
    fn feed_unread<S: Sink>(&mut self, sink: &mut S) -> Result<(), Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if self.unread.0.is_empty() {
            return Ok(());
        }
        let (unread, done) = core::mem::take(&mut self.unread);
        let mut rest = unread.get(done..).unwrap_or_default();
        let result = self.take(&mut rest, sink);
        if result.is_err() {
            let done = unread.len() - rest.len();
            self.unread = (unread, done);
        }
        result
    }

    /// Reads from the front of a chunk, up to its end or the end of a packet that has an error.
    fn take<S: Sink>(&mut self, chunk: &mut &[u8], sink: &mut S) -> Result<(), Error> {
        let mut packets = self.collector.feed(chunk);
        self.error = loop {
            let packet = match packets.next_hit() {
                None => break None,
                Some(Err(error)) => break Some(error),
                Some(Ok(packet)) => packet,
            };
            match self.edit.write(packet.as_bytes(), sink, false) {
                Ok(_) => {}
                // This offset counts in the sink.
                Err(error) if error.kind() == ErrorKind::BufferTooSmall => break Some(error),
                Err(error) => break Some(error.rebased(packet.offset())),
            }
        };
        *chunk = packets.leave();
        self.error.map_or(Ok(()), Err)
    }
}
