//! Collect: watched packets whole, also those that chunks have split.
//!
//! In: chunks, cut anywhere. Out: hits, borrowed from the chunk where they lie in it, else from one buffer in which just
//! the split ones are joined.

use alloc::vec::Vec;

use super::machine::{Cursor, Found, Machine, front, header};
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::read::packet::Packet;
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

    /// The fault that ended the watch.
    #[must_use]
    pub const fn fault(&self) -> Option<Error> {
        self.joiner.machine.fault()
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

/// A chunk on its way through a joiner. It is taken whole, asked for or not, so a caller that stops early or panics does
/// not leave the joiner out of step with the stream.
#[derive(Debug)]
pub(super) struct Chunk<'j, 'c, 'p, const N: usize> {
    joiner: &'j mut Joiner,
    paths: &'p PathSet<N>,
    cursor: Cursor<'c>,
    /// Whether the end of the stream is still to be reported behind the chunk.
    ends: bool,
    /// Whether nothing more is to be found in the chunk.
    over: bool,
}

impl<'j, 'c, 'p, const N: usize> Chunk<'j, 'c, 'p, N> {
    pub(super) fn new(joiner: &'j mut Joiner, paths: &'p PathSet<N>, chunk: &'c [u8]) -> Self {
        let cursor = joiner.machine.chunk(chunk);
        Self { joiner, paths, cursor, ends: false, over: false }
    }

    /// The end of the stream.
    pub(super) fn last(joiner: &'j mut Joiner, paths: &'p PathSet<N>) -> Self {
        joiner.end();
        let mut chunk = Self::new(joiner, paths, &[]);
        chunk.ends = true;
        chunk
    }

    #[inline]
    pub(super) fn next_hit(&mut self) -> Option<Result<Hit<'_>, Error>> {
        match self.find()? {
            Ok(Spot::Chunk(hit)) => Some(Ok(hit)),
            Ok(Spot::Joined(place)) => Some(Ok(place.hit(&self.joiner.joined)?)),
            Err(error) => Some(Err(error)),
        }
    }

    #[inline]
    fn find(&mut self) -> Option<Result<Spot<'c>, Error>> {
        let found = self.joiner.find(self.paths, &mut self.cursor);
        if found.is_none() && self.ends {
            self.ends = false;
            return self.joiner.machine.last().map(Err);
        }
        self.over = found.is_none();
        found
    }

    fn resume(&mut self) -> bool {
        self.over = false;
        self.joiner.machine.resume(self.paths)
    }
}

/// Takes the rest of the chunk.
impl<const N: usize> Drop for Chunk<'_, '_, '_, N> {
    fn drop(&mut self) {
        while !self.over {
            self.find();
        }
        self.joiner.drop_rest(self.cursor);
    }
}

/// Where a hit lies.
pub(super) enum Spot<'c> {
    Chunk(Hit<'c>),
    Joined(Place),
}

/// A hit that lies so many bytes behind the first of a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) start: usize,
    offset: u64,
    path: u8,
}

impl Place {
    /// Where in `buffer` a hit lies that was borrowed from it.
    pub(super) fn of(hit: &Hit<'_>, buffer: &[u8]) -> Self {
        let start = hit.packet().as_bytes().as_ptr().addr().wrapping_sub(buffer.as_ptr().addr());
        Self { start, offset: hit.offset(), path: u8::try_from(hit.path_index()).unwrap_or_default() }
    }

    /// The hit, borrowed again.
    pub(super) fn hit<'b>(&self, buffer: &'b [u8]) -> Option<Hit<'b>> {
        let bytes = buffer.get(self.start..)?;
        let (header, value) = header(bytes)?;
        let value = value.get(..header.value_len())?;
        Some(Hit::new(Packet::new(header, bytes, value).at(self.offset), self.path))
    }
}

/// A watcher that waits for split hits to be joined.
#[derive(Clone, Debug)]
pub(super) struct Joiner {
    pub(super) machine: Machine,
    /// The packet being joined, from its first byte; what of it the machine has not taken yet is behind `read`.
    pub(super) joined: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The machine reads chunks.
    Chunks,
    /// A packet of so many bytes is on its way into the buffer.
    Joining(usize),
    /// The machine reads the buffer, from so many bytes on.
    Buffer(usize),
}

impl Joiner {
    pub(super) fn new<const N: usize>(paths: &PathSet<N>, limits: Limits) -> Self {
        Self { machine: Machine::new(paths, limits), joined: Vec::new(), state: State::Chunks }
    }

    /// The next hit of a chunk or of what was joined with it.
    #[inline]
    pub(super) fn find<'c, const N: usize>(
        &mut self,
        paths: &PathSet<N>,
        cursor: &mut Cursor<'c>,
    ) -> Option<Result<Spot<'c>, Error>> {
        loop {
            if self.state != State::Chunks {
                match self.join(paths, cursor)? {
                    Some(spot) => return Some(spot.map(Spot::Joined)),
                    None => continue,
                }
            }
            match self.machine.step(paths, cursor)? {
                Found::Hit(hit) => return Some(Ok(Spot::Chunk(hit))),
                Found::Fault(error) => return Some(Err(error)),
                Found::Split(split) => {
                    let (held, len) = (self.machine.give_back(), split.header.packet_len());
                    self.joined.clear();
                    self.state = State::Joining(len);
                    if !self.append(held.as_slice(), len) {
                        *cursor = self.machine.cursor(cursor.left());
                    }
                }
                // Nothing is ever begun here.
                Found::Data(..) | Found::End(_) => {}
            }
        }
    }

    /// What comes of the buffer: `None` if the chunk has no more for it, `Some(None)` if the buffer is done with.
    #[cold]
    #[allow(clippy::option_option, reason = "to wait, to go on, to give something out")]
    fn join<const N: usize>(
        &mut self,
        paths: &PathSet<N>,
        cursor: &mut Cursor<'_>,
    ) -> Option<Option<Result<Place, Error>>> {
        if let State::Joining(len) = self.state {
            let missing = len.saturating_sub(self.joined.len());
            let part = front(cursor.left(), missing as u64);
            if !self.append(part, len) {
                *cursor = self.machine.cursor(cursor.left());
                return Some(None);
            }
            cursor.pass(part.len());
            if part.len() < missing {
                return None;
            }
            self.state = State::Buffer(0);
        }
        let State::Buffer(start) = self.state else { return Some(None) };
        let rest = self.joined.get(start..).unwrap_or_default();
        let mut inner = self.machine.cursor(rest);
        let found = loop {
            match self.machine.step(paths, &mut inner) {
                Some(Found::Hit(hit)) => break Some(Ok(Place::of(&hit, &self.joined))),
                Some(Found::Fault(error)) => break Some(Err(error)),
                // Only at the end of the stream.
                Some(Found::Split(split)) => (_, inner) = self.machine.begin(split, inner.left()),
                Some(Found::Data(..) | Found::End(_)) => {}
                None => break None,
            }
        };
        let left = self.machine.leave(inner).len();
        self.state = State::Buffer(self.joined.len() - left);
        if found.is_none() {
            // Behind a fault something may be left.
            self.machine.drop_rest(left);
            self.state = State::Chunks;
        }
        *cursor = self.machine.cursor(cursor.left());
        Some(found)
    }

    /// Puts more of the packet of `len` bytes into the buffer. Without memory for it the packet is refused, `false`.
    fn append(&mut self, bytes: &[u8], len: usize) -> bool {
        let held = self.joined.len();
        let room = room(self.joined.capacity(), held, bytes.len(), len);
        if self.joined.try_reserve_exact(room.saturating_sub(held)).is_ok() {
            self.joined.extend_from_slice(bytes);
            return true;
        }
        (self.joined, self.state) = (Vec::new(), State::Chunks);
        self.machine.refuse(ErrorKind::SizeLimit, self.machine.offset(), len);
        self.machine.drop_rest(held);
        false
    }

    /// Takes the rest of a chunk unread, and of the buffer.
    pub(super) fn drop_rest(&mut self, cursor: Cursor<'_>) {
        if let State::Buffer(start) = self.state {
            self.machine.drop_rest(self.joined.len().saturating_sub(start));
            self.state = State::Chunks;
        }
        let left = self.machine.leave(cursor).len();
        self.machine.drop_rest(left);
    }

    /// No more bytes will come: what was joined so far is all there is.
    pub(super) fn end(&mut self) {
        if let State::Joining(_) = self.state {
            self.state = State::Buffer(0);
        }
    }

    pub(super) const fn skip_hint(&self) -> u64 {
        if let State::Chunks = self.state { self.machine.skip_hint() } else { 0 }
    }

    pub(super) fn skip<const N: usize>(&mut self, paths: &PathSet<N>, bytes: u64) -> u64 {
        if self.state == State::Chunks { self.machine.skip(paths, bytes) } else { 0 }
    }

    /// How many bytes were taken, those that were joined and not read yet among them.
    pub(super) fn offset(&self) -> u64 {
        match self.state {
            State::Joining(_) => self.machine.offset().saturating_add(self.joined.len() as u64),
            _ => self.machine.offset(),
        }
    }
}

/// The capacity of a buffer of `capacity` bytes that holds `held` of a packet of `len` and gets `more`: as it is, or else
/// twice what it holds, but never more than the packet. So it stays within twice of what has come, and where `usize` has
/// 32 bits a packet of more than 1 GiB does not ask for more bytes than an allocation can have.
fn room(capacity: usize, held: usize, more: usize, len: usize) -> usize {
    let needed = held.saturating_add(more);
    if needed <= capacity { capacity } else { held.saturating_mul(2).min(len).max(needed) }
}

#[cfg(test)]
mod tests {
    use super::room;

    #[test]
    fn a_joined_packet_gets_no_more_room_than_twice_its_bytes_or_its_length() {
        for (capacity, held, more, len, expected) in [
            (0, 0, 6, 100, 6),
            (6, 6, 1, 100, 12),
            (12, 7, 5, 100, 12),
            (64, 64, 1, 100, 100),
            (64, 64, 36, 100, 100),
            (10, 10, 50, 100, 60),
        ] {
            assert_eq!(room(capacity, held, more, len), expected, "{held} and {more} of {len}");
        }
    }

    /// A capacity above `isize::MAX` is one that `Vec` cannot have: it panics where it doubles to get there.
    #[test]
    fn a_packet_that_an_allocation_can_hold_never_asks_for_a_longer_one() {
        let most = usize::try_from(isize::MAX).unwrap();
        let half = most / 2 + 1;
        assert_eq!(room(half, half, 1, most), most);
        assert_eq!(room(half, half, 1, half + 7), half + 7);
        assert_eq!(room(most, most, usize::MAX, usize::MAX), usize::MAX, "no sum wraps");
    }
}
