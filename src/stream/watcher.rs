//! Finds watched packets in bytes that arrive in chunks.
//!
//! A watched packet inside one chunk is a hit. Any other watched packet is returned as its start, its parts and its
//! end. While the watcher skips an unwatched packet, it stores only how many bytes are left to skip.

use super::event::Event;
use super::machine::fast::Cursor;
use super::machine::{Machine, Output};
use crate::error::Error;
use crate::error_context::ErrorContext;
use crate::limits::Limits;
use crate::read::lookup::WatchedPaths;
use crate::read::path_set::PathSet;

/// Watches paths in a stream that arrives in chunks. A chunk can end anywhere, and can be a single byte.
///
/// The hits and the errors do not depend on the chunks: they are the same as those of [`PathSet::watch`] in the whole
/// input. A watcher has no socket, no clock and no buffer. It stores its position in the tree and at most one
/// incomplete header. A watched packet inside one chunk is borrowed from that chunk. A packet that spans several chunks
/// is returned as [`Event::Start`], [`Event::Data`] and [`Event::End`]. A `Collector` joins these parts.
///
/// An error in embedded packets is an `Err` among the events. The watch then continues after the primitive that
/// contains these packets, and [`error`](Self::error) still returns `None`. Any other error ends the watch until
/// [`resume`](Self::resume) succeeds.
///
/// Cost: reads one header for each packet at the top level and in entered packets. A skipped packet costs O(1) per
/// chunk. A watcher has at most 272 bytes and never allocates. Offsets are `u64` and count from the first byte of the
/// stream. A stream can have any length.
///
/// # Examples
/// ```
/// use y3::{Event, Limits, PathSet, Watcher, path};
///
/// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
///
/// let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
/// let mut seen = Vec::new();
/// for chunk in [&[0x81, 0x09, 0x10][..], &[0x02, 0xaa, 0xbb, 0x11, 0x03, 0x59], &[0x6f, 0x4d]] {
///     for event in watcher.feed(chunk) {
///         match event? {
///             Event::Hit(hit) => seen.extend_from_slice(hit.value()),
///             Event::Start { offset, header, .. } => assert_eq!((offset, header.value_len()), (6, 3)),
///             Event::Data { bytes, .. } => seen.extend_from_slice(bytes),
///             Event::End { path_index } => assert_eq!(path_index, 0),
///             other => unreachable!("{other:?}"),
///         }
///     }
/// }
/// watcher.finish()?;
/// assert_eq!(seen, b"YoM");
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
#[derive(Clone, Debug)]
pub struct Watcher<P: WatchedPaths> {
    pub(super) paths: P,
    pub(super) machine: Machine<P::Found>,
}

impl<P: WatchedPaths> Watcher<P> {
    /// Makes a watcher for a stream that starts with the next byte.
    #[must_use]
    pub fn new(paths: P, limits: Limits) -> Self {
        Self { machine: Machine::new(&paths, limits), paths }
    }

    /// Feeds the next chunk of the stream. The chunk can have any length. Returns the events of the chunk.
    ///
    /// The watcher consumes the whole chunk. If you drop [`Events`] before you have read all events, the other events
    /// are lost, but the watcher continues correctly with the next chunk. After an error that ends the watch, each call
    /// returns events with this error again, until [`resume`](Self::resume) succeeds.
    #[inline]
    pub fn feed<'w, 'c>(&'w mut self, chunk: &'c [u8]) -> Events<'w, 'c, P> {
        let cursor = self.machine.chunk(chunk);
        Events { watcher: self, cursor }
    }

    /// Checks that the stream can end here.
    ///
    /// # Errors
    /// Returns the error that ended the watch, if there is one. Otherwise, if the stream ends inside a packet, returns
    /// [`UnexpectedEnd`](crate::ErrorKind::UnexpectedEnd) at the tag of the top-level packet.
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01)]);
    ///
    /// let mut watcher = y3::Watcher::new(&WATCHED, y3::Limits::DEFAULT);
    /// watcher.feed(&[0x02, 0x00, 0x02, 0x05]);
    /// let error = watcher.finish().unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (y3::ErrorKind::UnexpectedEnd, 2));
    /// ```
    pub fn finish(&self) -> Result<(), Error> {
        self.machine.finish()
    }

    /// Returns how many of the next bytes belong to an unwatched packet, or 0 if the next byte must be fed. The source
    /// can skip these bytes instead of feeding them. It then calls [`skip`](Self::skip).
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01)]);
    ///
    /// let mut watcher = y3::Watcher::new(&WATCHED, y3::Limits::DEFAULT);
    /// watcher.feed(&[0x02, 0xbf, 0x7f, 0xaa]);
    /// assert_eq!(watcher.skip_hint(), 8190);
    /// assert_eq!(watcher.skip(8190), 8190);
    /// assert_eq!((watcher.offset(), watcher.finish()), (8194, Ok(())));
    /// ```
    #[must_use]
    pub fn skip_hint(&self) -> u64 {
        self.machine.skip_hint()
    }

    /// Tells the watcher that the source has skipped `bytes` bytes. The watcher accepts at most
    /// [`skip_hint`](Self::skip_hint) bytes and returns the number that it has accepted. The source must feed all other
    /// bytes.
    pub fn skip(&mut self, bytes: u64) -> u64 {
        self.machine.skip(&self.paths, bytes)
    }

    stream_methods!(state machine);

    /// Returns the path of the packet that caused an error in this stream. If the header of this packet can be read,
    /// the result also contains the declared length and the number of bytes that are present.
    ///
    /// Call this method as soon as you receive the error. For an earlier error, or for an error of another stream, the
    /// result contains no place. Cost: O(1). A stream without errors stores nothing for this method.
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01, 0x10, 0x11)]);
    ///
    /// let mut watcher = y3::Watcher::new(&WATCHED, y3::Limits::DEFAULT);
    /// let error = watcher.feed(&[0x81, 0x06, 0x90, 0x04, 0x11, 0x04, 0x42]).next().unwrap().unwrap_err();
    /// assert_eq!(
    ///     watcher.explain(error).to_string(),
    ///     "packet reaches past the end of its node at byte 4: in 0x01/0x10, packet 0x11 at byte 4 declares 4 bytes but has 2"
    /// );
    /// ```
    #[must_use]
    pub fn explain(&self, error: Error) -> ErrorContext {
        self.machine.explain(&self.paths, error)
    }

    #[inline(always)]
    pub(super) fn next_output<'c>(&mut self, cursor: &mut Cursor<'c>) -> Option<Output<'c>> {
        self.machine.next_output(&self.paths, cursor)
    }

    /// After an error, skips to the end of the faulty top-level packet. Returns `false` if the watcher cannot find this
    /// end. If no error has ended the watch, the method does nothing and returns `true`.
    ///
    /// The format has no mark between packets. Only the length of the faulty top-level packet tells where the next
    /// packet begins, and a faulty sender may have sent a wrong length. If the error is in the header of a top-level
    /// packet, the method returns `false`. Call [`Events::resume`] as soon as you receive the error. After the chunk is
    /// consumed, the start of the next packet may be lost.
    ///
    /// # Examples
    /// ```
    /// use y3::{Event, Limits, PathSet, Watcher, path};
    ///
    /// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
    ///
    /// let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
    /// let mut events = watcher.feed(&[0x81, 0x03, 0x11, 0x7f, 0x07, 0x81, 0x03, 0x11, 0x01, 0x08]);
    /// assert_eq!(events.next().unwrap().unwrap_err().offset(), 3);
    /// assert!(events.resume());
    /// assert!(matches!(events.next(), Some(Ok(Event::Hit(hit))) if hit.value() == [0x08]));
    /// ```
    pub fn resume(&mut self) -> bool {
        self.machine.resume(&self.paths)
    }
}

/// An iterator over the events of a chunk, returned by [`Watcher::feed`].
///
/// After an error that ends the watch, the iterator yields `None` until [`resume`](Self::resume) succeeds. For this
/// reason the iterator does not implement `FusedIterator`. [`error`](Self::error) returns the error.
#[derive(Debug)]
pub struct Events<'w, 'c, P: WatchedPaths> {
    watcher: &'w mut Watcher<P>,
    cursor: Cursor<'c>,
}

impl<P: WatchedPaths> Events<'_, '_, P> {
    stream_methods!(watcher);
}

impl<'c, P: WatchedPaths> Iterator for Events<'_, 'c, P> {
    type Item = Result<Event<'c>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        Some(Ok(match self.watcher.next_output(&mut self.cursor)? {
            Output::Hit(hit) => Event::Hit(hit),
            Output::Split(packet) => Event::Start {
                path_index: packet.path_index as usize,
                offset: self.watcher.machine.start(packet, &mut self.cursor),
                header: packet.header,
            },
            Output::Data(path_index, bytes) => Event::Data { path_index: path_index as usize, bytes },
            Output::End(path_index) => Event::End { path_index: path_index as usize },
            Output::Error(error) => return Some(Err(error)),
        }))
    }
}

/// Consumes the rest of the chunk. Events in it are lost.
impl<P: WatchedPaths> Drop for Events<'_, '_, P> {
    #[inline]
    fn drop(&mut self) {
        if !self.watcher.machine.over {
            let Watcher { paths, machine } = &mut *self.watcher;
            machine.take_all(paths, self.cursor);
        }
    }
}

const _: () = assert!(size_of::<Watcher<&PathSet<1>>>() <= 34 * size_of::<u64>());
