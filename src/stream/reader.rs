//! Reader: watched packets of anything that can be read.
//!
//! In: a `Read`, perhaps with `Seek`, and a set of paths. Out: hits, one by one, borrowed from two buffers that are used
//! again and again.

use core::ops::Range;
use std::io::{self, Read, Seek, SeekFrom};
use std::vec::Vec;

use super::error::ReadError;
use super::join::{Found, HitSpan, Joiner};
use crate::error::Error;
use crate::limits::Limits;
use crate::read::path::PathSet;
use crate::read::watch::Hit;

/// The most that is read at a time.
pub(super) const BUFFER: usize = 64 << 10;
/// The least that is read at a time, and the least that is worth a seek: about what a seek costs.
const WINDOW: usize = 4 << 10;

/// Watches paths in anything that implements `Read`.
///
/// It reads what is there, up to 64 KiB at a time, into one buffer; hits that lie across two reads are joined in a second
/// one, as a [`Collector`](crate::Collector) does. Neither grows with packets that nobody watches. Made with
/// [`seeking`](Self::seeking), it seeks over these, so that little but headers and hits of a large file is read.
///
/// Interrupted and short reads are taken care of. Other errors of the source come out as [`ReadError::Io`] and lose nothing:
/// the next call reads again, so a time-out can be waited out. A read of no bytes is the end. After that it yields `None`
/// for ever, after a fault until [`resume`](Self::resume).
///
/// # Examples
/// ```
/// use y3::{Limits, PathSet, Reader, path};
///
/// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
///
/// let source: &[u8] = &[0x81, 0x06, 0x10, 0x01, 0xff, 0x11, 0x01, 0x07];
/// let mut reader = Reader::new(source, &WATCHED, Limits::DEFAULT);
/// while let Some(hit) = reader.next_hit() {
///     assert_eq!(hit?.decode::<i32>()?, 7);
/// }
/// # Ok::<(), y3::ReadError>(())
/// ```
/// Source: SPEC §9
#[derive(Debug)]
pub struct Reader<'p, R, const N: usize> {
    source: R,
    /// Passes over bytes of it, if it can.
    seek: Option<fn(&mut R, i64) -> io::Result<u64>>,
    paths: &'p PathSet<N>,
    joiner: Joiner,
    buffer: Vec<u8>,
    /// What of the buffer was read and not looked at.
    unread: Range<usize>,
    /// How much to read next: little behind a seek, since another may follow.
    window: usize,
    ended: bool,
}

impl<'p, R: Read, const N: usize> Reader<'p, R, N> {
    /// A reader from where the source is now; offsets count from there.
    #[must_use]
    pub fn new(source: R, paths: &'p PathSet<N>, limits: Limits) -> Self {
        Self {
            source,
            seek: None,
            paths,
            joiner: Joiner::new(paths, limits),
            buffer: std::vec![0; BUFFER],
            unread: 0..0,
            window: BUFFER,
            ended: false,
        }
    }

    /// The same over a source that can seek: packets of more than a few KiB that nobody watches are not read.
    ///
    /// The last byte of what was passed over is read, so a source that ends before it is found out.
    ///
    /// # Examples
    /// ```
    /// use std::io::{Cursor, Seek};
    /// use y3::{Limits, PathSet, Reader, path};
    ///
    /// const WATCHED: PathSet<1> = PathSet::new([path!(0x02)]);
    ///
    /// let mut file = Vec::new();
    /// let mut encoder = y3::Encoder::new(&mut file);
    /// encoder.put(0x01, &[0; 1 << 20])?;
    /// encoder.put(0x02, true)?;
    ///
    /// let mut reader = Reader::seeking(Cursor::new(file), &WATCHED, Limits::DEFAULT);
    /// assert!(reader.next_hit().unwrap()?.decode::<bool>()?);
    /// # Ok::<(), y3::ReadError>(())
    /// ```
    #[must_use]
    pub fn seeking(source: R, paths: &'p PathSet<N>, limits: Limits) -> Self
    where
        R: Seek,
    {
        let seek: fn(&mut R, i64) -> io::Result<u64> = |source, bytes| source.seek(SeekFrom::Current(bytes));
        Self { seek: Some(seek), window: WINDOW, ..Self::new(source, paths, limits) }
    }

    /// The next hit, for as long as no other is asked for.
    ///
    /// # Errors
    /// [`ReadError::Packet`] for what [`PathSet::watch`] finds wrong and for what is beyond the limits, then `None`;
    /// [`ReadError::Io`] when the source fails.
    pub fn next_hit(&mut self) -> Option<Result<Hit<'_>, ReadError>> {
        let (span, is_joined) = loop {
            match self.find() {
                Some(Ok(found)) => break found,
                Some(Err(error)) => return Some(Err(error.into())),
                None if self.ended || self.error().is_some() => return None,
                None => {
                    if let Err(error) = self.fill() {
                        return Some(Err(error.into()));
                    }
                }
            }
        };
        span.hit(if is_joined { &self.joiner.joined } else { &self.buffer }).map(Ok)
    }

    /// After a fault, goes on behind the outermost packet it lies in; see [`Watcher::resume`](crate::Watcher::resume).
    pub fn resume(&mut self) -> bool {
        self.joiner.resume(self.paths)
    }

    /// The error that ended the watch, until [`resume`](Self::resume).
    #[must_use]
    pub const fn error(&self) -> Option<Error> {
        self.joiner.error()
    }

    /// How many bytes were looked at or passed over.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.joiner.offset()
    }

    /// The source.
    #[must_use]
    pub const fn get_ref(&self) -> &R {
        &self.source
    }

    /// The source; what was read from it and not looked at is lost.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.source
    }

    /// The next hit among what was read: where it lies, and whether that is where split ones are joined.
    fn find(&mut self) -> Option<Result<(HitSpan, bool), Error>> {
        let chunk = self.buffer.get(self.unread.clone()).unwrap_or_default();
        let mut cursor = self.joiner.machine.cursor(chunk);
        let found = self.joiner.find(self.paths, &mut cursor);
        self.unread.start = self.unread.end - self.joiner.machine.leave(cursor).len();
        Some(found?.map(|found| match found {
            Found::InChunk(hit) => (HitSpan::of(&hit, &self.buffer), false),
            Found::Joined(span) => (span, true),
        }))
    }

    /// Reads more, or notes the end.
    fn fill(&mut self) -> io::Result<()> {
        self.pass_over()?;
        let window = self.buffer.get_mut(..self.window).unwrap_or_default();
        let read = loop {
            match self.source.read(window) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.unread = 0..read.min(window.len());
        self.window = (self.window * 2).min(BUFFER);
        if read == 0 {
            self.ended = true;
            self.joiner.end();
        }
        Ok(())
    }

    /// Seeks over a packet that nobody watches, but for its last byte.
    fn pass_over(&mut self) -> io::Result<()> {
        let Some(seek) = self.seek else { return Ok(()) };
        let bytes = self.joiner.skip_hint().saturating_sub(1);
        if bytes >= WINDOW as u64 {
            seek(&mut self.source, i64::try_from(bytes).map_err(io::Error::other)?)?;
            self.joiner.skip(self.paths, bytes);
            self.window = WINDOW;
        }
        Ok(())
    }
}
