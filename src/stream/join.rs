//! Join: whole watched packets, also those that span several chunks.
//!
//! In: a chunk and the paths. Out: where each hit lies: in the chunk, or in the one buffer in which split packets are
//! joined.

use alloc::vec::Vec;

use super::machine::fast::Cursor;
use super::machine::{Machine, Output, front};
use crate::error::{Error, ErrorKind};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::read::lookup::PathLookup;
use crate::read::watch::Hit;

/// A chunk that a joiner reads. When it is dropped, the rest of it is consumed, so a caller that stops early or panics
/// leaves the joiner at the right place in the stream.
#[derive(Debug)]
pub(super) struct Chunk<'j, 'c, P: PathLookup> {
    joiner: &'j mut Joiner,
    paths: &'j P,
    cursor: Cursor<'c>,
    /// Whether the chunk has no more hits.
    over: bool,
}

impl<'j, 'c, P: PathLookup> Chunk<'j, 'c, P> {
    pub(super) fn new(joiner: &'j mut Joiner, paths: &'j P, chunk: &'c [u8]) -> Self {
        let cursor = joiner.machine.chunk(chunk);
        Self { joiner, paths, cursor, over: false }
    }

    /// The end of the stream.
    pub(super) fn last(joiner: &'j mut Joiner, paths: &'j P) -> Self {
        joiner.end();
        Self::new(joiner, paths, &[])
    }

    #[inline]
    pub(super) fn next_hit(&mut self) -> Option<Result<Hit<'_>, Error>> {
        match self.find()? {
            Ok(Found::InChunk(hit)) => Some(Ok(hit)),
            Ok(Found::Joined(span)) => Some(Ok(span.hit(&self.joiner.joined)?)),
            Err(error) => Some(Err(error)),
        }
    }

    pub(super) fn resume(&mut self) -> bool {
        self.over = false;
        self.joiner.resume(self.paths)
    }

    pub(super) const fn error(&self) -> Option<Error> {
        self.joiner.error()
    }

    pub(super) fn explain(&self, error: Error) -> Fault {
        self.joiner.explain(self.paths, error)
    }

    #[inline]
    fn find(&mut self) -> Option<Result<Found<'c>, Error>> {
        let found = self.joiner.find(self.paths, &mut self.cursor);
        self.over = found.is_none();
        found
    }
}

/// Consumes the rest of the chunk.
impl<P: PathLookup> Drop for Chunk<'_, '_, P> {
    fn drop(&mut self) {
        while !self.over {
            self.find();
        }
        self.joiner.drop_rest(self.cursor);
    }
}

/// Where a hit lies.
pub(super) enum Found<'c> {
    InChunk(Hit<'c>),
    /// In the buffer of the joiner.
    Joined(HitSpan),
}

/// A hit as a position in a buffer: how many bytes after its first byte the hit begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct HitSpan {
    start: usize,
    offset: u64,
    path_index: u32,
}

impl HitSpan {
    /// The position in `buffer` of a hit that was borrowed from it.
    pub(super) fn of(hit: &Hit<'_>, buffer: &[u8]) -> Self {
        let start = hit.packet().as_bytes().as_ptr().addr().wrapping_sub(buffer.as_ptr().addr());
        Self { start, offset: hit.offset(), path_index: hit.index() }
    }

    /// The hit, borrowed from the buffer again.
    pub(super) fn hit<'b>(&self, buffer: &'b [u8]) -> Option<Hit<'b>> {
        Hit::at(buffer, self.start, self.offset, self.path_index)
    }
}

/// A watcher that joins split hits.
#[derive(Clone, Debug)]
pub(super) struct Joiner {
    pub(super) machine: Machine,
    /// The packet being joined, from its first byte. The machine has not taken the bytes after `read` yet.
    pub(super) joined: Vec<u8>,
    source: Source,
    /// Whether the end of the stream is still to be reported, after the last hits.
    ends: bool,
}

/// What the machine reads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Chunks,
    /// Nothing: a packet of that many bytes is being copied into the buffer.
    Joining(usize),
    /// The buffer, from this position on.
    Buffer(usize),
}

impl Joiner {
    pub(super) fn new<P: PathLookup>(paths: &P, limits: Limits) -> Self {
        Self { machine: Machine::new(paths, limits), joined: Vec::new(), source: Source::Chunks, ends: false }
    }

    /// The next hit of a chunk or of a packet joined with its bytes; after the last hit of a stream, the stream's error.
    #[inline]
    pub(super) fn find<'c, P: PathLookup>(
        &mut self,
        paths: &P,
        cursor: &mut Cursor<'c>,
    ) -> Option<Result<Found<'c>, Error>> {
        loop {
            if self.source != Source::Chunks {
                match self.join(paths, cursor) {
                    Some(Some(joined)) => return Some(joined.map(Found::Joined)),
                    Some(None) => continue,
                    None => return self.report_end(),
                }
            }
            match self.machine.next_output(paths, cursor) {
                Some(Output::Hit(hit)) => return Some(Ok(Found::InChunk(hit))),
                Some(Output::Error(error)) => return Some(Err(error)),
                Some(Output::Split(packet)) => {
                    let (held, len) = (self.machine.give_back(), packet.header.packet_len());
                    self.joined.clear();
                    self.source = Source::Joining(len);
                    if !self.append(paths, held.as_slice(), len) {
                        *cursor = self.machine.cursor(cursor.left());
                    }
                }
                // The joiner starts no packet, so there are no parts of one.
                Some(Output::Data(..) | Output::End(_)) => {}
                None => return self.report_end(),
            }
        }
    }

    #[inline]
    fn report_end<T>(&mut self) -> Option<Result<T, Error>> {
        if core::mem::take(&mut self.ends) { self.machine.end_stream().map(Err) } else { None }
    }

    /// The next result from the buffer: `None` if the chunk has no more bytes for it, `Some(None)` if the whole buffer is
    /// read.
    #[cold]
    #[allow(clippy::option_option, reason = "to wait, to go on, to give something out")]
    fn join<P: PathLookup>(&mut self, paths: &P, cursor: &mut Cursor<'_>) -> Option<Option<Result<HitSpan, Error>>> {
        if let Source::Joining(len) = self.source {
            let missing = len.saturating_sub(self.joined.len());
            let part = front(cursor.left(), missing as u64);
            if !self.append(paths, part, len) {
                *cursor = self.machine.cursor(cursor.left());
                return Some(None);
            }
            cursor.pass(part.len());
            if part.len() < missing {
                return None;
            }
            self.source = Source::Buffer(0);
        }
        let Source::Buffer(start) = self.source else { return Some(None) };
        let rest = self.joined.get(start..).unwrap_or_default();
        let mut inner = self.machine.cursor(rest);
        let found = loop {
            match self.machine.next_output(paths, &mut inner) {
                Some(Output::Hit(hit)) => break Some(Ok(HitSpan::of(&hit, &self.joined))),
                Some(Output::Error(error)) => break Some(Err(error)),
                // Only at the end of the stream.
                Some(Output::Split(packet)) => drop(self.machine.start(packet, &mut inner)),
                Some(Output::Data(..) | Output::End(_)) => {}
                None => break None,
            }
        };
        let left = self.machine.leave(inner).len();
        self.source = Source::Buffer(self.joined.len() - left);
        if found.is_none() {
            // An error leaves the rest of the buffer unread.
            self.machine.drop_rest(left);
            self.source = Source::Chunks;
        }
        *cursor = self.machine.cursor(cursor.left());
        Some(found)
    }

    /// Appends bytes of the packet of `len` bytes to the buffer. Returns `false`, and refuses the packet, if there is no
    /// memory.
    fn append<P: PathLookup>(&mut self, paths: &P, bytes: &[u8], len: usize) -> bool {
        let held = self.joined.len();
        let room = room(self.joined.capacity(), held, bytes.len(), len);
        if self.joined.try_reserve_exact(room.saturating_sub(held)).is_ok() {
            self.joined.extend_from_slice(bytes);
            return true;
        }
        (self.joined, self.source) = (Vec::new(), Source::Chunks);
        self.machine.refuse(paths, ErrorKind::SizeLimit, self.machine.offset(), len);
        self.machine.drop_rest(held);
        false
    }

    /// Consumes the rest of a chunk unread.
    pub(super) fn drop_rest(&mut self, cursor: Cursor<'_>) {
        let left = self.machine.leave(cursor).len();
        self.machine.drop_rest(left);
    }

    /// Marks the end of the stream: the packet being joined gets no more bytes.
    pub(super) fn end(&mut self) {
        self.ends = true;
        if let Source::Joining(_) = self.source {
            self.source = Source::Buffer(0);
        }
    }

    pub(super) fn resume<P: PathLookup>(&mut self, paths: &P) -> bool {
        self.machine.resume(paths)
    }

    pub(super) const fn error(&self) -> Option<Error> {
        self.machine.error()
    }

    pub(super) fn explain<P: PathLookup>(&self, paths: &P, error: Error) -> Fault {
        self.machine.explain(paths, error)
    }

    /// 0 while a packet is being joined, since the machine's position is before that packet.
    pub(super) const fn skip_hint(&self) -> u64 {
        self.machine.skip_hint()
    }

    pub(super) fn skip<P: PathLookup>(&mut self, paths: &P, bytes: u64) -> u64 {
        self.machine.skip(paths, bytes)
    }

    /// How many bytes were fed or skipped, including joined bytes that the machine has not taken yet.
    pub(super) fn offset(&self) -> u64 {
        match self.source {
            Source::Joining(_) => self.machine.offset().saturating_add(self.joined.len() as u64),
            _ => self.machine.offset(),
        }
    }
}

/// The new capacity of a buffer of `capacity` bytes that holds `held` bytes of a packet of `len` bytes and gets `more`:
/// unchanged if that is enough, otherwise twice what it holds, but never more than the packet. So the capacity stays within
/// twice the bytes that have arrived, and where `usize` has 32 bits a packet of more than 1 GiB never asks for more than an
/// allocation can have.
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

    /// `Vec` cannot have a capacity above `isize::MAX`: doubling to get there panics.
    #[test]
    fn a_packet_that_an_allocation_can_hold_never_asks_for_a_longer_one() {
        let most = usize::try_from(isize::MAX).unwrap();
        let half = most / 2 + 1;
        assert_eq!(room(half, half, 1, most), most);
        assert_eq!(room(half, half, 1, half + 7), half + 7);
        assert_eq!(room(most, most, usize::MAX, usize::MAX), usize::MAX, "no sum wraps");
    }
}
