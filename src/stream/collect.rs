//! Collect: watched packets whole, also those that chunks have split.
//!
//! In: chunks, cut anywhere. Out: hits, borrowed from the chunk where they lie in it, else from one buffer in which just
//! the split ones are joined.

use super::join::{Chunk, Joiner};
use crate::error::Error;
use crate::limits::Limits;
use crate::read::path::PathSet;
use crate::read::watch::Hit;

/// A [`Watcher`](crate::Watcher) that gives whole hits only: exactly those of [`PathSet::watch`], in the same order.
///
/// A hit that lies in one chunk is borrowed from it. One that is split is joined in a buffer that grows with the bytes that
/// have come, never with those declared, up to [`Limits::max_value_len`]; it is kept for the next one. If the allocator
/// refuses it memory, the packet is a [`SizeLimit`](crate::ErrorKind::SizeLimit) like one beyond the limits, and its bytes
/// are freed. Where one watched path leads through another and the outer packet is split, those inside it wait for it.
/// Cost: as the watcher, and one copy of each split hit.
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
/// Source: SPEC §9
#[derive(Clone, Debug)]
pub struct Collector<'p, const N: usize> {
    pub(super) paths: &'p PathSet<N>,
    pub(super) joiner: Joiner,
}

impl<'p, const N: usize> Collector<'p, N> {
    /// A collector at the first byte of a stream.
    #[must_use]
    pub fn new(paths: &'p PathSet<N>, limits: Limits) -> Self {
        Self { paths, joiner: Joiner::new(paths, limits) }
    }

    /// Takes the next bytes of the stream, however many, and gives the hits that are whole with them.
    ///
    /// The chunk is taken whole, asked for or not: hits not asked for are lost when [`Hits`] is dropped.
    pub fn feed<'h, 'c>(&'h mut self, chunk: &'c [u8]) -> Hits<'h, 'c, 'p, N> {
        Hits { chunk: Chunk::new(&mut self.joiner, self.paths, chunk) }
    }

    /// Ends the stream: gives the hits that lie whole inside a watched packet that never became whole, and then the error
    /// if the stream must not end here.
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
    pub fn finish<'h>(&'h mut self) -> Hits<'h, 'static, 'p, N> {
        Hits { chunk: Chunk::last(&mut self.joiner, self.paths) }
    }

    /// How many bytes the source may pass over unseen; see [`Watcher::skip_hint`](crate::Watcher::skip_hint).
    #[must_use]
    pub const fn skip_hint(&self) -> u64 {
        self.joiner.skip_hint()
    }

    /// Tells that the source has passed over bytes; see [`Watcher::skip`](crate::Watcher::skip).
    pub fn skip(&mut self, bytes: u64) -> u64 {
        self.joiner.skip(self.paths, bytes)
    }

    /// How many bytes were taken so far, fed or skipped.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.joiner.offset()
    }

    /// The error that ended the watch, until [`resume`](Self::resume).
    #[must_use]
    pub const fn error(&self) -> Option<Error> {
        self.joiner.error()
    }

    /// After a fault, goes on behind the outermost packet it lies in; see [`Watcher::resume`](crate::Watcher::resume). Ask
    /// for it where the error comes out, with [`Hits::resume`].
    pub fn resume(&mut self) -> bool {
        self.joiner.resume(self.paths)
    }

    /// How many bytes the buffer for split hits has room for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.joiner.joined.capacity()
    }
}

/// The hits of a chunk, made by [`Collector::feed`] and [`Collector::finish`].
///
/// Not an `Iterator`, since a hit may lie in the buffer that the next one needs: ask with `while let`. After an error it
/// yields `None` until [`resume`](Self::resume).
#[derive(Debug)]
pub struct Hits<'h, 'c, 'p, const N: usize> {
    chunk: Chunk<'h, 'c, 'p, N>,
}

impl<const N: usize> Hits<'_, '_, '_, N> {
    /// The next hit, for as long as no other is asked for.
    ///
    /// # Errors
    /// What is wrong with the stream, as [`PathSet::watch`] finds it, or
    /// [`SizeLimit`](crate::ErrorKind::SizeLimit).
    pub fn next_hit(&mut self) -> Option<Result<Hit<'_>, Error>> {
        self.chunk.next_hit()
    }

    /// After a fault, goes on behind the outermost packet it lies in; see [`Watcher::resume`](crate::Watcher::resume).
    pub fn resume(&mut self) -> bool {
        self.chunk.resume()
    }
}
