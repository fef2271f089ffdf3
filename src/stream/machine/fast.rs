//! Fast: a cursor over whole packets, which reads ahead of the machine.
//!
//! In: a chunk. Out: the hits that lie in it. Where a packet is cut, refused or invalid, the machine decides.

use core::ops::ControlFlow;

use super::{Machine, Output, SplitPacket, State, front};
use crate::read::keys::KeySet;
use crate::read::lookup::sealed::Lookup;
use crate::read::lookup::{PathLookup, Plain, Prefix};
use crate::read::packet::Packet;
use crate::read::watch::Hit;
use crate::stream::event::Start;
use crate::wire::header::Header;

/// A chunk being read.
///
/// While packets are whole, the cursor reads ahead of the machine, as [`Watch`](crate::Watch) does, with its own copy of
/// the state. A cursor that is not borrowed anywhere lives in registers, so the cold functions take and return words.
///
/// How its state relates to the machine's:
/// - `left` always begins at the machine's `offset`.
/// - While `slow` is false, `rest` begins `ahead` bytes after `left`, and `prefix` and `keys` are those of the level of
///   `rest`. The machine is then between packets with nothing pending, and its `prefix`, `keys` and `offset` do not change.
///   Its `ends` and `outermost` are updated as soon as a node is entered.
/// - `catch_up` copies `prefix`, `keys` and the position of `rest` to the machine and sets `slow`. While `slow` is true,
///   `rest` equals `left`, and `prefix` and `keys` are not used.
#[derive(Clone, Copy, Debug)]
pub(in crate::stream) struct Cursor<'c> {
    /// The part of the chunk that the machine has not taken.
    left: &'c [u8],
    /// The part of `left` that belongs to the current level. At the outermost level it is no longer than the longest packet
    /// allowed, so that a longer packet is not jumped over unnoticed.
    rest: &'c [u8],
    keys: KeySet,
    prefix: Prefix,
    /// The level of the machine. The chunk has the whole of every node below it.
    whole_below: usize,
    /// Whether the machine has to decide what comes next.
    slow: bool,
}

#[cfg(feature = "alloc")]
impl<'c> Cursor<'c> {
    /// The rest of the chunk, after the machine has stopped in it.
    pub(in crate::stream) const fn left(&self) -> &'c [u8] {
        self.left
    }

    /// Skips bytes of the chunk that were copied to the buffer, from which the machine reads them later.
    pub(in crate::stream) fn pass(&mut self, bytes: usize) {
        self.left = self.left.get(bytes..).unwrap_or_default();
        self.rest = self.left;
    }
}

impl Cursor<'_> {
    /// How many bytes the cursor is ahead of the machine.
    #[inline(always)]
    fn ahead(&self) -> usize {
        self.rest.as_ptr().addr().wrapping_sub(self.left.as_ptr().addr())
    }
}

impl Machine {
    /// Begins to read a chunk. An earlier error is emitted again for each chunk.
    #[inline(always)]
    pub(in crate::stream) fn chunk<'c>(&mut self, chunk: &'c [u8]) -> Cursor<'c> {
        self.emit_again();
        self.cursor(chunk)
    }

    /// Begins to read a chunk, or continues with the rest of one.
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

    /// Reads on to the next output of the chunk; `None` at its end.
    #[inline(always)]
    pub(in crate::stream) fn next_output<'c, P: PathLookup>(
        &mut self,
        paths: &P,
        cursor: &mut Cursor<'c>,
    ) -> Option<Output<'c>> {
        if paths.is_plain() {
            return self.read_ahead(paths, &Plain(paths), cursor);
        }
        let (after, output) = self.read_ahead_special(paths, *cursor);
        *cursor = after;
        output
    }

    #[cold]
    #[inline(never)]
    fn read_ahead_special<'c, P: PathLookup>(
        &mut self,
        paths: &P,
        mut cursor: Cursor<'c>,
    ) -> (Cursor<'c>, Option<Output<'c>>) {
        let output = self.read_ahead(paths, paths, &mut cursor);
        (cursor, output)
    }

    /// Reads whole packets with `lookup`, which is the same set as `paths`.
    #[inline(always)]
    fn read_ahead<'c, P: PathLookup>(
        &mut self,
        paths: &P,
        lookup: &impl Lookup,
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
            // The loop over packets that are not watched.
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
                    if let Some(output) = self.select_ahead(lookup, cursor, header, value) {
                        return Some(output);
                    }
                }
                None if rest.is_empty() && cursor.prefix.depth() > cursor.whole_below => self.ascend(lookup, cursor),
                None => self.catch_up(cursor),
            }
        }
    }

    /// Reads the packet at the front, whose key matters. Returns a hit, or `None` if it is not a hit or may not be whole.
    #[inline(always)]
    fn select_ahead<'c>(
        &mut self,
        paths: &impl Lookup,
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
        if selection.enters(paths) {
            self.note(&selection, start, header);
            (cursor.prefix, cursor.keys, cursor.rest) = (selection.prefix, selection.keys, inside);
        } else {
            cursor.rest = after;
        }
        let hit = |path_index| Output::Hit(Hit::new(Packet::new(header, packet, inside).at(start), path_index));
        selection.path_index.map(hit)
    }

    /// Leaves a whole level at its end and continues after the node just read.
    #[inline(always)]
    fn ascend(&mut self, paths: &impl Lookup, cursor: &mut Cursor<'_>) {
        let ahead = cursor.ahead();
        // A branch, not a choice of pointers: the next header would wait for the pointer.
        let (Some(prefix), Some(level)) = (cursor.prefix.parent(), cursor.left.get(ahead..)) else {
            return self.catch_up(cursor);
        };
        (cursor.prefix, cursor.keys) = (prefix, paths.keys_at(prefix));
        cursor.rest = front(level, self.reach(prefix, self.offset.saturating_add(ahead as u64)));
    }

    /// The bytes of the current level that the cursor may read from here.
    #[inline(always)]
    fn reach(&self, prefix: Prefix, here: u64) -> u64 {
        if prefix.depth() == 0 { self.limits.max_packet_len() as u64 } else { self.end(prefix).saturating_sub(here) }
    }

    /// Moves the machine to the position of the cursor.
    #[inline(always)]
    fn catch_up(&mut self, cursor: &mut Cursor<'_>) {
        let ahead = cursor.ahead();
        (self.prefix, self.keys) = (cursor.prefix, cursor.keys);
        self.take(&mut cursor.left, ahead);
        (cursor.rest, cursor.slow) = (cursor.left, true);
    }

    /// Starts a watched packet that is not wholly in the chunk.
    #[inline(always)]
    pub(in crate::stream) fn start(&mut self, packet: SplitPacket, cursor: &mut Cursor<'_>) -> Start {
        let (start, left) = self.start_at(packet, cursor.left);
        *cursor = self.load(left, true);
        start
    }

    /// Consumes the rest of a chunk.
    #[cold]
    pub(in crate::stream) fn take_all<P: PathLookup>(&mut self, paths: &P, mut cursor: Cursor<'_>) {
        while let Some(output) = self.next_output(paths, &mut cursor) {
            if let Output::Split(packet) = output {
                self.start(packet, &mut cursor);
            }
        }
        self.take(&mut cursor.left, usize::MAX);
    }

    /// Leaves a chunk before its end and returns the rest.
    #[cfg(feature = "alloc")]
    pub(in crate::stream) fn leave<'c>(&mut self, mut cursor: Cursor<'c>) -> &'c [u8] {
        self.catch_up(&mut cursor);
        cursor.left
    }
}
