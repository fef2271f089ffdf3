//! Returns whole watched packets, even if they span several chunks.
//!
//! A hit inside one chunk is borrowed from that chunk. Any other hit is joined in a buffer. The buffer stores nothing
//! else.

use alloc::vec::Vec;

use super::machine::fast::Cursor;
use super::machine::{Output, front};
use super::watcher::Watcher;
use crate::error::{Error, ErrorKind, Wanted};
use crate::limits::Limits;
use crate::read::lookup::WatchedPaths;
use crate::read::path::Path;
use crate::read::watch::Hit;

/// A [`Watcher`](crate::Watcher) that returns only whole hits. The hits are those of
/// [`PathSet::watch`](crate::PathSet::watch), in the same order.
///
/// A hit inside one chunk is borrowed from that chunk. A hit that spans several chunks is joined in a buffer. The
/// collector uses the same buffer for all such hits. The buffer grows with the bytes that have arrived, not with
/// declared lengths. [`Limits::max_value_len`] limits its size. If there is no memory for a hit, the collector drops
/// the hit, frees the buffer, and returns a [`SizeLimit`](crate::ErrorKind::SizeLimit) error. If a watched packet that
/// spans several chunks contains another watched packet, the hit of the outer packet comes first. Cost: the same as a
/// [`Watcher`](crate::Watcher), and one copy of each hit that spans several chunks.
///
/// # Examples
/// ```
/// use y3::{Collector, Limits, PathSet, path};
///
/// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
///
/// let mut collector = Collector::new(&WATCHED, Limits::DEFAULT);
/// let mut texts = Vec::new();
/// for chunk in [&[0x81, 0x0a, 0x11, 0x02, 0x59][..], &[0x33, 0x11, 0x04], b"YoMo"] {
///     let mut hits = collector.feed(chunk);
///     while let Some(hit) = hits.next_hit() {
///         texts.push(hit?.decode::<&str>()?.to_owned());
///     }
/// }
/// assert!(collector.finish().next_hit().is_none());
/// assert_eq!(texts, ["Y3", "YoMo"]);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
#[derive(Clone, Debug)]
pub struct Collector<P: WatchedPaths> {
    pub(super) watcher: Watcher<P>,
    /// The bytes that have arrived of the packet that is being joined. When the packet is complete, the machine reads
    /// it from this buffer.
    pub(super) joined: Vec<u8>,
    source: Source,
    /// True if the end of the stream must still be reported, after the last hits.
    ends: bool,
}

/// Where the machine reads its next bytes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Chunks,
    /// The chunks, until the buffer contains the whole packet, which has this many bytes. The machine then reads the
    /// buffer.
    Joining(usize),
    /// The buffer, from this position on.
    Buffer(usize),
}

impl<P: WatchedPaths> Collector<P> {
    /// Makes a collector for a stream that starts with the next byte.
    #[must_use]
    pub fn new(paths: P, limits: Limits) -> Self {
        Self { watcher: Watcher::new(paths, limits), joined: Vec::new(), source: Source::Chunks, ends: false }
    }

    /// Feeds the next chunk of the stream. The chunk can have any length. Returns the hits that are now complete.
    ///
    /// The collector consumes the whole chunk. If you drop [`Hits`] before you have read all hits, the other hits are
    /// lost.
    pub fn feed<'h, 'c>(&'h mut self, chunk: &'c [u8]) -> Hits<'h, 'c, P> {
        let cursor = self.watcher.machine.chunk(chunk);
        Hits { collector: self, cursor }
    }

    /// Ends the stream. If the stream ends inside a watched packet, returns the complete hits inside that packet. If
    /// the stream ends inside a packet, returns an error after these hits.
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<2> = y3::PathSet::new([y3::path!(0x01), y3::path!(0x01, 0x11)]);
    ///
    /// let mut collector = y3::Collector::new(&WATCHED, y3::Limits::DEFAULT);
    /// collector.feed(&[0x81, 0x04, 0x11, 0x01, 0x07]);
    /// let mut hits = collector.finish();
    /// assert_eq!(hits.next_hit().unwrap()?.value(), [0x07]);
    /// let error = hits.next_hit().unwrap().unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (y3::ErrorKind::UnexpectedEnd, 0));
    /// # Ok::<(), y3::Error>(())
    /// ```
    pub fn finish(&mut self) -> Hits<'_, 'static, P> {
        self.end();
        self.feed(&[])
    }

    /// Returns how many of the next bytes belong to an unwatched packet. See
    /// [`Watcher::skip_hint`](crate::Watcher::skip_hint).
    #[must_use]
    pub fn skip_hint(&self) -> u64 {
        self.watcher.skip_hint()
    }

    /// Tells the collector that the source has skipped bytes. See [`Watcher::skip`](crate::Watcher::skip).
    pub fn skip(&mut self, bytes: u64) -> u64 {
        self.watcher.skip(bytes)
    }

    /// Returns the capacity in bytes of the buffer for hits that span several chunks.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.joined.capacity()
    }

    stream_methods!(watcher);
}

/// The hits of a chunk, returned by [`Collector::feed`] and [`Collector::finish`].
///
/// `Hits` is not an `Iterator`, because a hit can be borrowed from the buffer that the next hit needs. Use `while let`.
/// After an error that ends the watch, [`next_hit`](Self::next_hit) returns `None` until [`resume`](Self::resume)
/// succeeds. When `Hits` is dropped, it consumes the rest of the chunk. The collector therefore continues correctly
/// with the next chunk, even if the caller stops early or panics.
#[derive(Debug)]
pub struct Hits<'h, 'c, P: WatchedPaths> {
    collector: &'h mut Collector<P>,
    cursor: Cursor<'c>,
}

impl<P: WatchedPaths> Hits<'_, '_, P> {
    /// Returns the next hit. The hit is borrowed until the next call.
    ///
    /// # Errors
    /// Returns the errors of [`PathSet::watch`](crate::PathSet::watch), and [`SizeLimit`](crate::ErrorKind::SizeLimit).
    #[inline]
    pub fn next_hit(&mut self) -> Option<Result<Hit<'_>, Error>> {
        Some(self.collector.find(&mut self.cursor)?.and_then(|found| self.collector.hit(found)))
    }

    stream_methods!(collector);
}

/// Consumes the rest of the chunk. Hits in it are lost.
impl<P: WatchedPaths> Drop for Hits<'_, '_, P> {
    fn drop(&mut self) {
        while !self.collector.watcher.machine.over && self.collector.find(&mut self.cursor).is_some() {}
        let machine = &mut self.collector.watcher.machine;
        let left = machine.leave(self.cursor).len();
        machine.drop_rest(left);
    }
}

/// Where a hit is stored.
#[derive(Clone, Copy)]
pub(super) enum Located<'c> {
    InChunk(Hit<'c>),
    /// The buffer of joined packets.
    Joined(HitSpan),
}

/// The position of a hit in a buffer. `start` is the index of the first byte of the hit.
#[derive(Clone, Copy, Debug)]
pub(super) struct HitSpan {
    start: usize,
    offset: u64,
    path: Path,
    path_index: u32,
}

impl HitSpan {
    /// Returns the position of a hit that is borrowed from `buffer`.
    pub(super) fn of(hit: &Hit<'_>, buffer: &[u8]) -> Self {
        let start = hit.packet().as_bytes().as_ptr().addr().wrapping_sub(buffer.as_ptr().addr());
        Self { start, offset: hit.offset(), path: hit.path, path_index: hit.path_index }
    }

    /// Borrows the hit from the buffer again. A position outside the buffer is an error, because `None` would mean the
    /// end of the stream.
    pub(super) fn hit<'b>(&self, buffer: &'b [u8]) -> Result<Hit<'b>, Error> {
        Hit::at(buffer, self.start, self.offset, self.path, self.path_index)
            .ok_or(Error::new(ErrorKind::UnexpectedEnd, self.offset))
    }
}

// The rest of the collector: it joins hits that span several chunks.
impl<P: WatchedPaths> Collector<P> {
    /// Returns the next hit: in the chunk, or in a packet that was joined with bytes of the chunk. After the last hit,
    /// returns the error of the stream, if there is one.
    #[inline]
    pub(super) fn find<'c>(&mut self, cursor: &mut Cursor<'c>) -> Option<Result<Located<'c>, Error>> {
        loop {
            if self.source != Source::Chunks {
                match self.join(cursor) {
                    Some(Some(joined)) => return Some(joined.map(Located::Joined)),
                    Some(None) => continue,
                    None => return self.report_end(),
                }
            }
            match self.watcher.next_output(cursor) {
                Some(Output::Hit(hit)) => return Some(Ok(Located::InChunk(hit))),
                Some(Output::Error(error)) => return Some(Err(error)),
                Some(Output::Split(packet)) => {
                    let (held, len) = (self.watcher.machine.give_back(), packet.header.packet_len());
                    self.joined.clear();
                    self.source = Source::Joining(len);
                    if !self.append(held.as_slice(), len) {
                        // These bytes of the stream are consumed, although they are not in the buffer.
                        self.watcher.machine.drop_rest(held.as_slice().len());
                    }
                }
                // The collector joins split packets itself, so the machine emits no parts.
                Some(Output::Data(..) | Output::End(_)) => {}
                None => return self.report_end(),
            }
        }
    }

    #[inline]
    pub(super) fn hit<'h>(&'h self, found: Located<'h>) -> Result<Hit<'h>, Error> {
        match found {
            Located::InChunk(hit) => Ok(hit),
            Located::Joined(span) => span.hit(&self.joined),
        }
    }

    #[inline]
    fn report_end<T>(&mut self) -> Option<Result<T, Error>> {
        if core::mem::take(&mut self.ends) { self.watcher.machine.end_stream().map(Err) } else { None }
    }

    /// Returns the next hit or error from the buffer. Returns `None` if the packet in the buffer needs more bytes than
    /// the chunk has. Returns `Some(None)` if the whole buffer was read.
    #[cold]
    #[allow(clippy::option_option, reason = "to wait, to go on, to give something out")]
    fn join(&mut self, cursor: &mut Cursor<'_>) -> Option<Option<Result<HitSpan, Error>>> {
        if let Source::Joining(len) = self.source {
            let missing = len.saturating_sub(self.joined.len());
            let part = front(cursor.left(), missing as u64);
            if !self.append(part, len) {
                *cursor = self.watcher.machine.cursor(cursor.left());
                return Some(None);
            }
            cursor.pass(part.len());
            if part.len() < missing {
                return None;
            }
            self.read_joined();
        }
        let Source::Buffer(start) = self.source else { return Some(None) };
        let rest = self.joined.get(start..).unwrap_or_default();
        let mut inner = self.watcher.machine.cursor(rest);
        let found = loop {
            match self.watcher.next_output(&mut inner) {
                Some(Output::Hit(hit)) => break Some(Ok(HitSpan::of(&hit, &self.joined))),
                Some(Output::Error(error)) => break Some(Err(error)),
                // This happens only at the end of the stream.
                Some(Output::Split(packet)) => _ = self.watcher.machine.start(packet, &mut inner),
                Some(Output::Data(..) | Output::End(_)) => {}
                None => break None,
            }
        };
        let left = self.watcher.machine.leave(inner).len();
        self.source = Source::Buffer(self.joined.len() - left);
        if found.is_none() || left == 0 {
            // After an error, the rest of the buffer stays unread.
            self.watcher.machine.drop_rest(left);
            self.source = Source::Chunks;
        }
        *cursor = self.watcher.machine.cursor(cursor.left());
        Some(found)
    }

    /// Appends bytes to the incomplete packet in the buffer. The whole packet has `len` bytes. If there is no memory
    /// for the new bytes, the method refuses the packet and returns `false`.
    fn append(&mut self, bytes: &[u8], len: usize) -> bool {
        let held = self.joined.len();
        // A vector doubles its memory. On a 32-bit machine the doubled size can be too large even if the exact size is
        // not.
        let room = self.joined.try_reserve(bytes.len()).or_else(|_| self.joined.try_reserve_exact(bytes.len()));
        if room.is_ok() {
            self.joined.extend_from_slice(bytes);
            self.watcher.machine.drop_rest(bytes.len());
            return true;
        }
        (self.joined, self.source) = (Vec::new(), Source::Chunks);
        let Watcher { paths, machine } = &mut self.watcher;
        let start = machine.offset().saturating_sub(held as u64);
        let error = Error::naming(ErrorKind::SizeLimit, start, Wanted::MEMORY, len);
        machine.refuse(paths, error, len, None);
        false
    }

    /// Marks the end of the stream. A packet that is being joined gets no more bytes.
    pub(super) fn end(&mut self) {
        self.ends = true;
        if let Source::Joining(_) = self.source {
            self.read_joined();
        }
    }

    /// Makes the machine read the joined packet next.
    fn read_joined(&mut self) {
        self.source = Source::Buffer(0);
        self.watcher.machine.go_back(self.joined.len());
    }
}

#[cfg(test)]
mod tests {
    use super::HitSpan;
    use crate::error::ErrorKind;
    use crate::read::path::Path;

    #[test]
    fn a_span_outside_of_its_buffer_is_an_error_and_not_the_end() {
        let span = HitSpan { start: 2, offset: 7, path: Path::EMPTY, path_index: 0 };
        assert_eq!(span.hit(&[0, 0, 0x01, 0x01, 0x05]).unwrap().value(), [0x05]);
        for buffer in [&[][..], &[0, 0], &[0, 0, 0x01, 0x01]] {
            let error = span.hit(buffer).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (ErrorKind::UnexpectedEnd, 7));
        }
    }
}
