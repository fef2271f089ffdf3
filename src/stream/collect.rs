//! Collect: whole watched packets, also those that span several chunks.
//!
//! In: chunks, cut anywhere. Out: hits, borrowed from the chunk if they lie in one, otherwise from a buffer in which only
//! these are joined.

use super::join::{Chunk, Joiner};
use crate::error::Error;
use crate::fault::Fault;
use crate::limits::Limits;
use crate::read::lookup::PathLookup;
use crate::read::watch::Hit;

/// A [`Watcher`](crate::Watcher) that yields whole hits only: the same hits as [`PathSet::watch`](crate::PathSet::watch), in the same order.
///
/// A hit that lies in one chunk is borrowed from it. A hit that spans several chunks is joined in a buffer. The buffer
/// grows with the bytes that have arrived, not with declared lengths, up to [`Limits::max_value_len`], and is reused for
/// the next hit. If the allocator has no memory for it, the packet is a [`SizeLimit`](crate::ErrorKind::SizeLimit) error
/// and its bytes are freed. Where one watched path leads through another and the outer packet spans several chunks, hits
/// inside it come after it.
/// Cost: that of the watcher, and one copy of each hit that spans several chunks.
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
pub struct Collector<P> {
    pub(super) paths: P,
    pub(super) joiner: Joiner,
}

impl<P: PathLookup> Collector<P> {
    /// A collector for a stream that starts with the next byte.
    #[must_use]
    pub fn new(paths: P, limits: Limits) -> Self {
        Self { joiner: Joiner::new(&paths, limits), paths }
    }

    /// Feeds the next bytes of the stream, any number of them, and returns the hits that end in them.
    ///
    /// The whole chunk is consumed: hits that were not asked for are lost when [`Hits`] is dropped.
    pub fn feed<'h, 'c>(&'h mut self, chunk: &'c [u8]) -> Hits<'h, 'c, P> {
        Hits { chunk: Chunk::new(&mut self.joiner, &self.paths, chunk) }
    }

    /// Ends the stream. Returns the whole hits inside a watched packet that is itself cut short, then the error if the
    /// stream must not end here.
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
        Hits { chunk: Chunk::last(&mut self.joiner, &self.paths) }
    }

    /// How many bytes the source may skip; see [`Watcher::skip_hint`](crate::Watcher::skip_hint).
    #[must_use]
    pub const fn skip_hint(&self) -> u64 {
        self.joiner.skip_hint()
    }

    /// Records that the source has skipped bytes; see [`Watcher::skip`](crate::Watcher::skip).
    pub fn skip(&mut self, bytes: u64) -> u64 {
        self.joiner.skip(&self.paths, bytes)
    }

    /// How many bytes were fed or skipped so far.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.joiner.offset()
    }

    /// Where an error of this stream is; see [`Watcher::explain`](crate::Watcher::explain).
    #[must_use]
    pub fn explain(&self, error: Error) -> Fault {
        self.joiner.explain(&self.paths, error)
    }

    /// The error that ended the watch, until [`resume`](Self::resume).
    #[must_use]
    pub const fn error(&self) -> Option<Error> {
        self.joiner.error()
    }

    /// After an error, skips to the end of the outermost packet that has it; see [`Watcher::resume`](crate::Watcher::resume).
    /// Call it where the error is returned, with [`Hits::resume`].
    pub fn resume(&mut self) -> bool {
        self.joiner.resume(&self.paths)
    }

    /// The capacity of the buffer for hits that span several chunks, in bytes.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.joiner.joined.capacity()
    }
}

/// The hits of a chunk, made by [`Collector::feed`] and [`Collector::finish`].
///
/// Not an `Iterator`, since a hit may be borrowed from the buffer that the next one needs: use `while let`. After an error
/// it returns `None` until [`resume`](Self::resume).
#[derive(Debug)]
pub struct Hits<'h, 'c, P: PathLookup> {
    chunk: Chunk<'h, 'c, P>,
}

impl<P: PathLookup> Hits<'_, '_, P> {
    /// The next hit, borrowed until the next call.
    ///
    /// # Errors
    /// Those of [`PathSet::watch`](crate::PathSet::watch), and [`SizeLimit`](crate::ErrorKind::SizeLimit).
    pub fn next_hit(&mut self) -> Option<Result<Hit<'_>, Error>> {
        self.chunk.next_hit()
    }

    /// After an error, skips to the end of the outermost packet that has it; see [`Watcher::resume`](crate::Watcher::resume).
    pub fn resume(&mut self) -> bool {
        self.chunk.resume()
    }

    /// Where an error of this stream is; see [`Watcher::explain`](crate::Watcher::explain).
    #[must_use]
    pub fn explain(&self, error: Error) -> Fault {
        self.chunk.explain(error)
    }

    /// The error that ended the watch; `None` after an error in the value of a primitive that a path crosses, behind which the
    /// watch goes on.
    #[must_use]
    pub fn error(&self) -> Option<Error> {
        self.chunk.error()
    }
}
