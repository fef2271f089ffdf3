//! Reads watched packets from any `Read`.
//!
//! Hits are borrowed from two buffers that the reader reuses.

use core::ops::Range;
use std::io::{self, Read, Seek, SeekFrom};
use std::vec::Vec;

use super::collect::{Collector, HitSpan, Located};
use super::error::ReadError;
use crate::error::Error;
use crate::limits::Limits;
use crate::read::lookup::WatchedPaths;
use crate::read::watch::Hit;

/// The maximum number of bytes per read.
pub(super) const BUFFER: usize = 64 << 10;
/// The minimum number of bytes per read, and the shortest seek. A seek takes about as long as a read of this many
/// bytes.
const WINDOW: usize = 4 << 10;

/// Watches paths in any source that implements `Read`.
///
/// A reader reads up to 64 KiB at a time into one buffer. If a hit spans several reads, the reader joins it in a second
/// buffer, as a [`Collector`](crate::Collector) does. The buffers do not grow for unwatched packets. A reader made with
/// [`seeking`](Self::seeking) seeks over unwatched packets, so it reads little more of a large file than the headers
/// and the hits.
///
/// After an interrupted or short read, the reader reads again. It returns any other error of the source as
/// [`ReadError::Io`]. No bytes are lost: the next call reads again, for example after a timeout. A read of zero bytes
/// ends the stream. After the end of the stream, the reader returns `None`. After an error outside embedded packets,
/// the reader returns `None` until [`resume`](Self::resume) succeeds.
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
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
#[derive(Debug)]
pub struct Reader<R, P: WatchedPaths> {
    source: R,
    /// Moves the position in the source forward. `Some` if the reader was made with `seeking`.
    seek: Option<fn(&mut R, i64) -> io::Result<u64>>,
    collector: Collector<P>,
    buffer: Vec<u8>,
    /// The part of the buffer that was read from the source but not parsed yet.
    unread: Range<usize>,
    /// The size of the next read. It is small after a seek, because another seek may follow.
    window: usize,
    ended: bool,
}

impl<R: Read, P: WatchedPaths> Reader<R, P> {
    /// Makes a reader that starts at the current position of the source. Offsets count from that position.
    #[must_use]
    pub fn new(source: R, paths: P, limits: Limits) -> Self {
        Self {
            source,
            seek: None,
            collector: Collector::new(paths, limits),
            buffer: std::vec![0; BUFFER],
            unread: 0..0,
            window: BUFFER,
            ended: false,
        }
    }

    /// Makes a reader that does not read unwatched packets of more than a few KiB, but seeks over them.
    ///
    /// The reader reads the last byte of each packet that it seeks over. If the source ends inside such a packet, the
    /// reader returns an error.
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
    /// encoder.put(0x01, &[0u8; 1 << 20])?;
    /// encoder.put(0x02, true)?;
    ///
    /// let mut reader = Reader::seeking(Cursor::new(file), &WATCHED, Limits::DEFAULT);
    /// assert!(reader.next_hit().unwrap()?.decode::<bool>()?);
    /// # Ok::<(), y3::ReadError>(())
    /// ```
    #[must_use]
    pub fn seeking(source: R, paths: P, limits: Limits) -> Self
    where
        R: Seek,
    {
        let seek: fn(&mut R, i64) -> io::Result<u64> = |source, bytes| source.seek(SeekFrom::Current(bytes));
        Self { seek: Some(seek), window: WINDOW, ..Self::new(source, paths, limits) }
    }

    /// Returns the next hit. The hit is borrowed until the next call.
    ///
    /// # Errors
    /// Returns [`ReadError::Packet`] for the errors of [`PathSet::watch`](crate::PathSet::watch), and for packets that
    /// exceed a limit. Unless the error is in embedded packets, the next calls return `None`. Returns [`ReadError::Io`]
    /// if reading fails.
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
        Some(span.hit(if is_joined { &self.collector.joined } else { &self.buffer }).map_err(ReadError::from))
    }

    stream_methods!(collector, source: R);

    /// Finds the next hit in the bytes that were read so far. Returns the position of the hit, and true if this is a
    /// position in the buffer of joined hits.
    fn find(&mut self) -> Option<Result<(HitSpan, bool), Error>> {
        let chunk = self.buffer.get(self.unread.clone()).unwrap_or_default();
        let mut cursor = self.collector.watcher.machine.cursor(chunk);
        let found = self.collector.find(&mut cursor);
        self.unread.start = self.unread.end - self.collector.watcher.machine.leave(cursor).len();
        Some(found?.map(|found| match found {
            Located::InChunk(hit) => (HitSpan::of(&hit, &self.buffer), false),
            Located::Joined(span) => (span, true),
        }))
    }

    /// Reads more bytes, or marks the end of the stream.
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
            self.collector.end();
        }
        Ok(())
    }

    /// Seeks to the last byte of an unwatched packet.
    fn pass_over(&mut self) -> io::Result<()> {
        let Some(seek) = self.seek else { return Ok(()) };
        let bytes = self.collector.skip_hint().saturating_sub(1);
        if bytes >= WINDOW as u64 {
            seek(&mut self.source, i64::try_from(bytes).map_err(io::Error::other)?)?;
            self.collector.skip(bytes);
            self.window = WINDOW;
        }
        Ok(())
    }
}
