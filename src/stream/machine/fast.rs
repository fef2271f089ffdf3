//! Fast: a cursor that runs over whole packets, ahead of the machine.
//!
//! In: a chunk. Out: hits that lie in it; where a packet is cut, refused or faulty, the machine is asked.

use core::ops::ControlFlow;

use super::{Machine, Output, SplitPacket, State, front};
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::path::{PathSet, Prefix};
use crate::read::watch::Hit;
use crate::stream::event::Start;
use crate::wire::header::Header;

/// A chunk being read.
///
/// Where packets follow one another it goes ahead of the machine, as [`Watch`](crate::Watch) would, in words of its own: a
/// cursor that is not borrowed anywhere lives in registers, so the cold functions take and give words.
///
/// What may differ from the machine:
/// - `left` never does: it begins at the machine's `offset`.
/// - While `slow` is false, `rest` begins `ahead` bytes behind `left`, and `prefix` and `keys` are those of the level that
///   `rest` is in, not the machine's. The machine is then between packets with nothing pending, and its `prefix`, `keys` and
///   `offset` stand still. Its `ends` and `outermost` are ahead too: they are noted at once for each node that is entered.
/// - `catch_up` hands `prefix`, `keys` and the bytes up to `rest` to the machine and sets `slow`. While it is true, `rest`
///   is `left`, and `prefix` and `keys` are not looked at.
#[derive(Clone, Copy, Debug)]
pub(in crate::stream) struct Cursor<'c> {
    /// What the machine has not taken of the chunk.
    left: &'c [u8],
    /// Of that, what is left of the level being read: at the outermost level no more than the longest packet, so that a
    /// longer one is not jumped over unnoticed.
    rest: &'c [u8],
    keys: KeySet,
    prefix: Prefix,
    /// The level at which the machine was left; the chunk has all of those below it.
    whole_below: usize,
    /// Whether the machine has to be asked what comes next.
    slow: bool,
}

impl<'c> Cursor<'c> {
    /// What is left of the chunk, when the machine has stopped in it.
    #[cfg(feature = "alloc")]
    pub(in crate::stream) const fn left(&self) -> &'c [u8] {
        self.left
    }

    /// Passes over bytes that the machine is to get by another way.
    #[cfg(feature = "alloc")]
    pub(in crate::stream) fn pass(&mut self, bytes: usize) {
        self.left = self.left.get(bytes..).unwrap_or_default();
        self.rest = self.left;
    }

    /// How far it is ahead of the machine.
    #[inline(always)]
    fn ahead(&self) -> usize {
        self.rest.as_ptr().addr().wrapping_sub(self.left.as_ptr().addr())
    }
}

impl Machine {
    /// Begins to read a chunk; an error is emitted with each.
    #[inline(always)]
    pub(in crate::stream) fn chunk<'c>(&mut self, chunk: &'c [u8]) -> Cursor<'c> {
        self.emit_again();
        self.cursor(chunk)
    }

    /// Begins to read a chunk, or goes on with what is left of one.
    #[inline(always)]
    pub(in crate::stream) fn cursor<'c>(&mut self, chunk: &'c [u8]) -> Cursor<'c> {
        (self.pending, self.ending, self.over) = (self.open, None, false);
        let slow = self.pending != 0 || !matches!(self.state, State::Packet);
        self.load(chunk, slow)
    }

    #[inline(always)]
    fn load<'c>(&self, left: &'c [u8], slow: bool) -> Cursor<'c> {
        let rest = if slow { left } else { front(left, self.reach(self.prefix, self.offset)) };
        Cursor { left, rest, keys: self.keys, prefix: self.prefix, whole_below: self.prefix.depth(), slow }
    }

    /// Goes through the chunk to its next output; `None` at its end.
    #[inline(always)]
    pub(in crate::stream) fn next_output<'c, const N: usize>(
        &mut self,
        paths: &PathSet<N>,
        cursor: &mut Cursor<'c>,
    ) -> Option<Output<'c>> {
        loop {
            if cursor.slow {
                let (left, progress) = self.go_on(paths, cursor.left);
                *cursor = self.load(left, progress.is_break());
                if let ControlFlow::Break(output) = progress {
                    return output;
                }
            }
            // The loop over what nobody watches.
            let (keys, mut rest) = (cursor.keys, cursor.rest);
            let watched = loop {
                let Some((header, value)) = Header::split(rest) else { break None };
                if keys.contains(header.tag().key()) {
                    break Some((header, value));
                }
                let Some(after) = value.get(header.value_len()..) else { break None };
                rest = after;
            };
            cursor.rest = rest;
            match watched {
                Some((header, value)) => {
                    if let Some(output) = self.select_ahead(paths, cursor, header, value) {
                        return Some(output);
                    }
                }
                None if rest.is_empty() && cursor.prefix.depth() > cursor.whole_below => self.ascend(paths, cursor),
                None => self.catch_up(cursor),
            }
        }
    }

    /// What the packet at the front comes to, whose key matters: a hit, or no output, and then it may not be whole.
    #[inline(always)]
    fn select_ahead<'c, const N: usize>(
        &mut self,
        paths: &PathSet<N>,
        cursor: &mut Cursor<'c>,
        header: Header,
        value: &'c [u8],
    ) -> Option<Output<'c>> {
        let selection = paths.select(cursor.prefix, cursor.keys, header.tag());
        let is_too_long = self.is_too_long(&selection, header);
        let Some((inside, after)) = value.split_at_checked(header.value_len()).filter(|_| !is_too_long) else {
            self.catch_up(cursor);
            return None;
        };
        let (packet, start) = (cursor.rest, self.offset.saturating_add(cursor.ahead() as u64));
        if selection.enters() {
            self.note(&selection, start, header);
            (cursor.prefix, cursor.keys, cursor.rest) = (selection.prefix, selection.keys, inside);
        } else {
            cursor.rest = after;
        }
        let hit = |path_index| Output::Hit(Hit::new(Packet::new(header, packet, inside).at(start), path_index));
        selection.path_index.map(hit)
    }

    /// At the end of a level that is whole: back to the one above, behind the node just read.
    #[inline(always)]
    fn ascend<const N: usize>(&mut self, paths: &PathSet<N>, cursor: &mut Cursor<'_>) {
        let ahead = cursor.ahead();
        // A branch, not a choice of pointers: the next header waits for the pointer.
        let (Some(prefix), Some(level)) = (cursor.prefix.parent(), cursor.left.get(ahead..)) else {
            return self.catch_up(cursor);
        };
        (cursor.prefix, cursor.keys) = (prefix, paths.keys_at(prefix));
        cursor.rest = front(level, self.reach(prefix, self.offset.saturating_add(ahead as u64)));
    }

    /// How far a cursor may see from here.
    #[inline(always)]
    fn reach(&self, prefix: Prefix, here: u64) -> u64 {
        if prefix.depth() == 0 { self.limits.max_packet_len() as u64 } else { self.end(prefix).saturating_sub(here) }
    }

    /// Catches up with the cursor.
    #[inline(always)]
    fn catch_up(&mut self, cursor: &mut Cursor<'_>) {
        let ahead = cursor.ahead();
        (self.prefix, self.keys) = (cursor.prefix, cursor.keys);
        self.take(&mut cursor.left, ahead);
        (cursor.rest, cursor.slow) = (cursor.left, true);
    }

    /// Starts a watched packet that is not whole in the chunk.
    #[inline(always)]
    pub(in crate::stream) fn start(&mut self, packet: SplitPacket, cursor: &mut Cursor<'_>) -> Start {
        let (start, left) = self.start_at(packet, cursor.left);
        *cursor = self.load(left, true);
        start
    }

    /// Takes the rest of a chunk, whatever it holds.
    #[cold]
    pub(in crate::stream) fn take_all<const N: usize>(&mut self, paths: &PathSet<N>, mut cursor: Cursor<'_>) {
        while let Some(output) = self.next_output(paths, &mut cursor) {
            if let Output::Split(packet) = output {
                self.start(packet, &mut cursor);
            }
        }
        self.take(&mut cursor.left, usize::MAX);
    }

    /// Leaves a chunk before its end: what is left of it, to go on with.
    #[cfg(feature = "alloc")]
    pub(in crate::stream) fn leave<'c>(&mut self, mut cursor: Cursor<'c>) -> &'c [u8] {
        self.catch_up(&mut cursor);
        cursor.left
    }
}
