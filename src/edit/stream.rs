//! Stream: edits a stream that comes in chunks of any size.
//!
//! In: chunks. Out: each top-level packet, edited, as soon as it is complete; until then its bytes are buffered, up to a limit.

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
    packets: Collector<PathSet<1>>,
    error: Option<Error>,
}

impl<'a> Edit<'a> {
    /// The edit for a new stream, which owns it.
    #[must_use]
    pub fn stream(self, limits: Limits) -> EditStream<'a> {
        const ANY: PathSet<1> = PathSet::new([Path::ANY]);
        EditStream { edit: self, packets: Collector::new(ANY, limits.with_max_value_len(usize::MAX)), error: None }
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
        let mut packets = self.packets.feed(chunk);
        while let Some(packet) = packets.next_hit() {
            let done = packet.and_then(|packet| {
                let written = self.edit.write(packet.as_bytes(), sink, false);
                written.map_err(|error| match error.kind() {
                    // This offset counts in the sink.
                    ErrorKind::BufferTooSmall => error,
                    _ => error.rebased(packet.offset()),
                })
            });
            if let Err(error) = done {
                self.error = Some(error);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// [`UnexpectedEnd`](ErrorKind::UnexpectedEnd) at the tag of a packet that is not complete; an error that
    /// [`feed`](Self::feed) returned.
    pub fn finish(&mut self) -> Result<(), Error> {
        let cut = self.packets.finish().next_hit().and_then(Result::err);
        self.error = self.error.or(cut);
        self.error.map_or(Ok(()), Err)
    }
}
