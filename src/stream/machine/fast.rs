//! A cursor that reads complete packets ahead of the machine.
//!
//! The cursor finds the hits in a chunk. It leaves packets that are incomplete, refused or invalid to the machine.

use core::ops::ControlFlow;

use super::{Machine, Output, SplitPacket, State, front};
use crate::read::found::Found;
use crate::read::keys::KeySet;
use crate::read::lookup::sealed::Lookup;
use crate::read::lookup::{Plain, Prefix, WatchedPaths};
use crate::read::packet::Packet;
use crate::read::parser::jump;
use crate::read::watch::Hit;

/// A chunk that is being read.
///
/// As long as packets are complete, the cursor reads ahead of the machine, in the same way as
/// [`Watch`](crate::read::watch::Watch) reads a slice. Between two calls of `next_output`, the machine's `offset` is
/// the offset of the first byte of `left`. `rest` is a part of `left`. The fields `prefix`, `keys` and `ends` of the
/// machine describe the level of `rest`. While `slow` is true, `rest` equals `left`.
#[derive(Clone, Copy, Debug)]
pub(in crate::stream) struct Cursor<'c> {
    /// The part of the chunk that the machine has not consumed.
    left: &'c [u8],
    /// The part of `left` that belongs to the current level. At the top level, this part is not longer than the longest
    /// allowed packet. The cursor therefore cannot skip a packet that is too long.
    rest: &'c [u8],
    /// True if the machine has to make the next step.
    slow: bool,
}

#[cfg(feature = "alloc")]
impl<'c> Cursor<'c> {
    /// Returns the rest of the chunk, from the position of the machine on.
    pub(in crate::stream) const fn left(&self) -> &'c [u8] {
        self.left
    }

    /// Skips bytes that a collector has copied to its buffer. The machine reads them from that buffer later.
    pub(in crate::stream) fn pass(&mut self, bytes: usize) {
        self.left = self.left.get(bytes..).unwrap_or_default();
        self.rest = self.left;
    }
}

impl Cursor<'_> {
    /// Returns how many bytes the cursor is ahead of the machine.
    #[inline(always)]
    fn ahead(&self) -> usize {
        self.rest.as_ptr().addr().wrapping_sub(self.left.as_ptr().addr())
    }
}

impl<F: Found> Machine<F> {
    /// Begins a chunk. If an earlier error has ended the watch, each chunk emits this error again.
    #[inline(always)]
    pub(in crate::stream) fn chunk<'c>(&mut self, chunk: &'c [u8]) -> Cursor<'c> {
        self.emitted = false;
        self.cursor(chunk)
    }

    /// Begins a chunk, or continues with the rest of a chunk.
    #[inline(always)]
    pub(in crate::stream) fn cursor<'c>(&mut self, chunk: &'c [u8]) -> Cursor<'c> {
        (self.pending, self.ending, self.over) = (self.open, None, false);
        let slow = self.is_open() || !matches!(self.state, State::Packet);
        self.load(chunk, slow)
    }

    #[inline(always)]
    fn load<'c>(&self, left: &'c [u8], slow: bool) -> Cursor<'c> {
        let rest = if slow { left } else { front(left, self.reach(self.prefix, self.offset)) };
        Cursor { left, rest, slow }
    }

    /// Reads up to the next output of the chunk. Returns `None` at the end of the chunk.
    #[inline(always)]
    pub(in crate::stream) fn next_output<'c, P: WatchedPaths>(
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
    fn read_ahead_special<'c, P: WatchedPaths>(
        &mut self,
        paths: &P,
        mut cursor: Cursor<'c>,
    ) -> (Cursor<'c>, Option<Output<'c>>) {
        let output = self.read_ahead(paths, paths, &mut cursor);
        (cursor, output)
    }

    /// Reads complete packets with `lookup`, which is the same set as `paths`.
    #[inline(always)]
    fn read_ahead<'c, P: WatchedPaths>(
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
            // This loop skips unwatched packets, up to a packet that is watched or incomplete.
            let keys = self.keys;
            let (rest, front) = jump(cursor.rest, |tag| keys.contains(tag.key()));
            cursor.rest = rest;
            match front {
                Ok((packet, after)) => {
                    if let Some(output) = self.select_ahead(lookup, keys, cursor, packet, after) {
                        return Some(output);
                    }
                }
                Err(_) if rest.is_empty() && self.end(self.prefix) == self.here(cursor) => self.ascend(lookup, cursor),
                Err(_) => self.catch_up(cursor),
            }
        }
    }

    /// Moves past the packet at the front, or into it. `keys` are the keys of the machine, and include the key of the
    /// packet. Returns the packet if it is a hit within the limits.
    #[inline(always)]
    fn select_ahead<'c>(
        &mut self,
        paths: &impl Lookup,
        keys: KeySet,
        cursor: &mut Cursor<'c>,
        packet: Packet<'c>,
        after: &'c [u8],
    ) -> Option<Output<'c>> {
        let selection = paths.select_in(&self.found, self.prefix, keys, packet.tag());
        if self.is_refused(paths, &selection, packet.value().len()) {
            self.catch_up(cursor);
            return None;
        }
        let start = self.here(cursor);
        if selection.enters(paths) {
            self.note(&selection, start, packet.as_bytes().len());
            self.found.enter(self.prefix.depth(), keys, packet.key());
            (self.prefix, self.keys, cursor.rest) = (selection.prefix, selection.keys, packet.value());
        } else {
            cursor.rest = after;
            if selection.path_index.is_some() && self.found(packet.key()) {
                cursor.rest = after.get(after.len()..).unwrap_or_default();
            }
        }
        selection
            .path_index
            .map(|path_index| Output::Hit(Hit::new(packet.at(start), paths.path_of(&selection), path_index)))
    }

    /// At the end of a level, returns to the outer level and continues after the node.
    #[inline(always)]
    fn ascend(&mut self, paths: &impl Lookup, cursor: &mut Cursor<'_>) {
        let ahead = cursor.ahead();
        // A branch instead of a choice of pointers, because the read of the next header would wait for the pointer.
        let (Some(prefix), Some(level)) = (self.prefix.parent(), cursor.left.get(ahead..)) else {
            return self.catch_up(cursor);
        };
        self.prefix = prefix;
        self.keys = self.keys_after(paths, self.keys);
        cursor.rest = front(level, self.reach(prefix, self.here(cursor)));
        if self.is_found() {
            cursor.rest = cursor.rest.get(cursor.rest.len()..).unwrap_or_default();
        }
    }

    /// Returns the offset of the next byte that the cursor reads.
    #[inline(always)]
    fn here(&self, cursor: &Cursor<'_>) -> u64 {
        self.offset.saturating_add(cursor.ahead() as u64)
    }

    /// Returns how many more bytes the cursor can read in the current level.
    #[inline(always)]
    fn reach(&self, prefix: Prefix, here: u64) -> u64 {
        if prefix.depth() == 0 { self.limits.max_packet_len() as u64 } else { self.end(prefix).saturating_sub(here) }
    }

    /// Moves the machine's `offset` to the position of the cursor.
    #[inline(always)]
    fn catch_up(&mut self, cursor: &mut Cursor<'_>) {
        let ahead = cursor.ahead();
        self.take(&mut cursor.left, ahead);
        (cursor.rest, cursor.slow) = (cursor.left, true);
    }

    /// Starts a watched packet that is only partly in the chunk. Returns the offset of its tag.
    #[inline(always)]
    pub(in crate::stream) fn start(&mut self, packet: SplitPacket, cursor: &mut Cursor<'_>) -> u64 {
        let (start, left) = self.start_at(packet, cursor.left);
        *cursor = self.load(left, true);
        start
    }

    /// Consumes the rest of a chunk.
    #[cold]
    pub(in crate::stream) fn take_all<P: WatchedPaths>(&mut self, paths: &P, mut cursor: Cursor<'_>) {
        while let Some(output) = self.next_output(paths, &mut cursor) {
            if let Output::Split(packet) = output {
                self.start(packet, &mut cursor);
            }
        }
        self.take(&mut cursor.left, usize::MAX);
    }

    /// Leaves a chunk before its end. Returns the rest of the chunk.
    #[cfg(feature = "alloc")]
    pub(in crate::stream) fn leave<'c>(&mut self, mut cursor: Cursor<'c>) -> &'c [u8] {
        self.catch_up(&mut cursor);
        cursor.left
    }
}
