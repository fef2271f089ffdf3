//! Watch: the filter that selects the packets at the end of watched paths.
//!
//! In: packets, back to back, and a set of paths. Out: a hit for each packet at the end of a path. The watch enters a
//! packet only if a path continues inside it, and jumps over all other packets.

use core::iter::FusedIterator;
use core::ops::{ControlFlow, Deref};

use nom::Err;

use super::found::Found as _;
use super::keys::KeySet;
use super::lookup::{Prefix, Selection, WatchedPaths};
use super::packet::Packet;
use super::packets::{Container, Packets, packets};
use super::parser::{jump, next_header, next_packet};
use super::path::Path;
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_DEPTH;
use crate::wire::header::Header;
use crate::wire::key::Key;
use crate::wire::tag::Tag;

/// A packet at the end of a watched path.
///
/// # Examples
/// ```
/// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01, 0x11)]);
///
/// let hit = WATCHED.watch(&[0x81, 0x03, 0x11, 0x01, 0x07]).next().unwrap()?;
/// assert_eq!((hit.path_index(), hit.offset(), hit.decode::<i32>()?), (0, 2, 7));
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit<'a> {
    packet: Packet<'a>,
    /// The keys that lead to the packet. Empty if there are more than 8 keys.
    pub(crate) path: Path,
    pub(crate) path_index: u32,
}

impl<'a> Hit<'a> {
    #[inline(always)]
    pub(crate) const fn new(packet: Packet<'a>, path: Path, path_index: u32) -> Self {
        Self { packet, path, path_index }
    }

    /// Makes a hit with the packet that begins at the index `start` of `bytes`. The packet gets the given offset.
    #[inline(always)]
    pub(crate) fn at(bytes: &'a [u8], start: usize, offset: u64, path: Path, path_index: u32) -> Option<Self> {
        let (_, packet) = next_packet(bytes.get(start..)?).ok()?;
        Some(Self { packet: packet.at(offset), path, path_index })
    }

    /// The index of the packet's path in the array given to [`PathSet::new`](crate::PathSet::new).
    /// [`PathSet::get`](crate::PathSet::get) returns the path at this index.
    #[must_use]
    pub const fn path_index(&self) -> usize {
        self.path_index as usize
    }

    /// The keys that lead to this packet. The first key is that of a packet given to the watch, and the last key is
    /// that of this packet; see [`Path::matches`]. Returns `None` if a pattern found the packet and more than 8 keys
    /// lead to it.
    ///
    /// For a [`PathSet<1>`](crate::PathSet), or `Paths` with one path, the result is the path itself. If that path has
    /// a step `*`, the result also has `*` there. Use a larger set to get the keys in place of `*`.
    #[must_use]
    pub fn path(&self) -> Option<Path> {
        if self.path == Path::EMPTY { None } else { Some(self.path) }
    }

    /// The packet at the end of the path.
    #[must_use]
    pub const fn packet(&self) -> Packet<'a> {
        self.packet
    }
}

/// A hit has the methods of its packet: `hit.decode::<f32>()`, `hit.get(0x11)`, `hit.offset()`.
impl<'a> Deref for Hit<'a> {
    type Target = Packet<'a>;

    #[inline(always)]
    fn deref(&self) -> &Packet<'a> {
        &self.packet
    }
}

/// Iterates over the packets at the end of watched paths: see [`PathSet::watch`](crate::PathSet::watch).
#[derive(Clone, Debug)]
pub struct Watch<'a, P: WatchedPaths> {
    paths: P,
    /// The unread bytes of the current level that are present in the input.
    rest: &'a [u8],
    /// The keys that a path can match at this level.
    keys: KeySet,
    prefix: Prefix,
    /// All watched bytes. `base` is the offset of the first byte, and `container` the source of the bytes.
    input: &'a [u8],
    base: u64,
    container: Container,
    /// The end of the current level, as a position in `input`. If the level is cut short, this position is beyond the
    /// end of `input`.
    end: usize,
    /// The ends of the outer levels, the innermost of these levels first. The top of this stack has a fixed index, so
    /// no index depends on the input. A watch that is not borrowed anywhere therefore stays in registers (to watch one
    /// of three pairs: 13 of 150 instructions saved, 5.4 ns instead of 6.1).
    ends: [usize; Path::MAX_LEN - 1],
    found: P::Found,
}

// The cold functions take words and not `self`, so that a watcher that is not borrowed anywhere stays in registers.
impl<'a, P: WatchedPaths> Watch<'a, P> {
    #[inline(always)]
    #[allow(clippy::needless_pass_by_value, reason = "the iterator is consumed")]
    pub(crate) fn new(paths: P, packets: Packets<'a>) -> Self {
        let input = packets.remainder();
        // More input may follow, so a packet that reaches beyond the input is only cut short. A packet that reaches
        // beyond its node is an error at once.
        let end = if packets.container() == Container::Input { usize::MAX } else { input.len() };
        Watch {
            rest: input,
            keys: paths.keys_at(Prefix::ROOT),
            prefix: Prefix::ROOT,
            input,
            base: packets.offset(),
            container: packets.container(),
            end,
            ends: [0; Path::MAX_LEN - 1],
            found: P::Found::default(),
            paths,
        }
    }

    /// The unread bytes of the current level, and the keys that a path can match there.
    #[inline(always)]
    pub(crate) fn front(&self) -> (&'a [u8], KeySet) {
        (self.rest, self.keys)
    }

    /// Continues at the first byte of another input. Offsets count from that byte.
    // Sets single fields: a copy of a new watch would wait for the stores of its parts.
    #[inline(always)]
    pub(crate) fn restart(&mut self, input: &'a [u8]) {
        (self.rest, self.input, self.base, self.container) = (input, input, 0, Container::Input);
        (self.keys, self.prefix, self.end) = (self.paths.keys_at(Prefix::ROOT), Prefix::ROOT, usize::MAX);
    }

    /// Makes one step from the start of `rest`, which may be later in the current level than the watch has read. The
    /// step leads over the packet that starts there, into that packet, or out of the level.
    #[inline(always)]
    pub(crate) fn step(&mut self, rest: &'a [u8]) -> ControlFlow<Option<Result<Hit<'a>, Error>>> {
        self.rest = rest;
        match next_packet(rest) {
            Ok((_, packet)) if self.is_too_deep(packet.tag()) => {
                ControlFlow::Break(Some(Err(self.end_with(ErrorKind::DepthLimit, self.here()))))
            }
            Ok((after, packet)) => match self.select(packet, after) {
                Some(hit) => ControlFlow::Break(Some(Ok(hit))),
                None => ControlFlow::Continue(()),
            },
            Err(stop) => match self.stopped(&stop) {
                Some(Ok(())) => ControlFlow::Continue(()),
                Some(Err(error)) => ControlFlow::Break(Some(Err(error))),
                None => ControlFlow::Break(None),
            },
        }
    }

    /// Whether a packet with this tag is a node inside [`MAX_DEPTH`] other nodes. Only `**` leads that deep, and it
    /// would enter every such node.
    #[inline(always)]
    fn is_too_deep(&self, tag: Tag) -> bool {
        P::ANY_DEPTH && self.prefix.depth() == MAX_DEPTH && tag.is_node()
    }

    /// Moves past the packet at the front, or into it. Returns a hit if a path ends at that packet.
    #[inline(always)]
    fn select(&mut self, packet: Packet<'a>, after: &'a [u8]) -> Option<Hit<'a>> {
        let selection = self.paths.select_in(&self.found, self.prefix, self.keys, packet.tag());
        self.rest = after;
        let end = self.here();
        if selection.enters(&self.paths) {
            self.descend(selection, packet.key(), packet.value(), end);
        } else if P::Found::FIRST_ONLY && selection.path_index.is_some() && self.prefix.depth() > 0 {
            self.keys = self.keys.without(packet.key());
            self.leave_if_found();
        }
        let path_index = selection.path_index?;
        let path = self.paths.path_of(&selection);
        // Passes the end and not the start, so that decoding the hit at once does not need the header's size.
        Some(Hit { packet: packet.ending_at(self.base.saturating_add(end as u64)), path, path_index })
    }

    /// The position in `input` at which `rest` begins.
    #[inline(always)]
    fn here(&self) -> usize {
        self.rest.as_ptr().addr().wrapping_sub(self.input.as_ptr().addr())
    }

    /// The bytes of the current level from the address `start` on.
    #[inline(always)]
    fn level_from(&self, start: *const u8) -> &'a [u8] {
        let start = start.addr().wrapping_sub(self.input.as_ptr().addr());
        self.input.get(start..self.end.min(self.input.len())).unwrap_or_default()
    }

    /// How many bytes of the current level lie beyond the end of the input.
    #[inline(always)]
    fn missing(&self) -> usize {
        self.end.saturating_sub(self.input.len())
    }

    /// Whether all packets of the current level were read.
    #[inline(always)]
    fn is_at_end(&self) -> bool {
        self.rest.is_empty() && (self.prefix.depth() == 0 || self.missing() == 0)
    }

    /// Makes a step where no complete packet begins. At the end of a level, the step leaves the level. If the input
    /// ends inside a node in which a path continues, the step enters that node. Otherwise it returns an error. Returns
    /// `None` at the end of the top level.
    #[inline(always)]
    fn stopped(&mut self, fault: &Err<ErrorKind>) -> Option<Result<(), Error>> {
        if self.is_at_end() {
            self.ascend()?;
            return Some(Ok(()));
        }
        if let Err::Error(kind) | Err::Failure(kind) = fault {
            return Some(Err(self.fault(*kind, self.here() + 1)));
        }
        let Some((header, value)) = partial_packet(self.rest) else { return Some(Err(self.fail(1))) };
        let missing = header.value_len() - value.len();
        let selection = self.paths.select_in(&self.found, self.prefix, self.keys, header.tag());
        if selection.enters(&self.paths) && missing <= self.missing() {
            if self.is_too_deep(header.tag()) {
                return Some(Err(self.end_with(ErrorKind::DepthLimit, self.here())));
            }
            let end = self.here().saturating_add(header.packet_len());
            self.descend(selection, header.tag().key(), value, end);
            return Some(Ok(()));
        }
        Some(Err(self.fail(missing)))
    }

    #[inline(always)]
    fn descend(&mut self, node: Selection, key: Key, value: &'a [u8], end: usize) {
        self.found.enter(self.prefix.depth(), self.keys, key);
        if let Some(level) = self.found.level_mut(self.prefix.depth()) {
            level.end = self.end as u64;
        } else {
            let [second, third, fourth, fifth, sixth, seventh, _] = self.ends;
            self.ends = [self.end, second, third, fourth, fifth, sixth, seventh];
        }
        self.end = end;
        (self.prefix, self.keys, self.rest) = (node.prefix, node.keys, value);
    }

    /// Returns to the outer level, after the node that has ended. Returns `None` at the top level.
    #[inline(always)]
    fn ascend(&mut self) -> Option<()> {
        let start = self.end;
        self.prefix = self.prefix.parent()?;
        self.end = self.pop();
        self.rest = self.input.get(start..self.end.min(self.input.len()))?;
        self.keys = self.paths.keys_after(&self.found, self.prefix, self.keys);
        self.leave_if_found();
        Some(())
    }

    /// If no key is wanted any longer at this level, moves to the end of the level. At the top level, every key stays
    /// wanted.
    #[inline(always)]
    fn leave_if_found(&mut self) {
        if P::Found::FIRST_ONLY && self.keys.is_empty() {
            self.rest = self.rest.get(self.rest.len()..).unwrap_or_default();
        }
    }

    /// Removes the end of the next outer level from the stack and returns it. That level becomes the current level.
    #[inline(always)]
    fn pop(&mut self) -> usize {
        if let Some(level) = self.found.level(self.prefix.depth()) {
            return usize::try_from(level.end).unwrap_or(usize::MAX);
        }
        let [first, second, third, fourth, fifth, sixth, seventh] = self.ends;
        self.ends = [second, third, fourth, fifth, sixth, seventh, 0];
        first
    }

    /// The error for a packet that lacks `missing` bytes. Either the input ends inside the packet, or the packet is
    /// longer than its level.
    #[inline(always)]
    fn fail(&mut self, missing: usize) -> Error {
        if self.container == Container::Primitive {
            return self.end_with(ErrorKind::NotANode, self.here());
        }
        if missing <= self.missing() {
            return self.end_with(ErrorKind::UnexpectedEnd, top_level_start(self.input, self.here()));
        }
        self.fault(self.paths.overrun(self.prefix), self.here())
    }

    /// The error for a packet that is invalid, whatever bytes follow. In embedded packets, the error ends only the
    /// watch of the innermost embedded packets. Elsewhere it ends the whole watch.
    #[inline(always)]
    fn fault(&mut self, kind: ErrorKind, position: usize) -> Error {
        match self.paths.embedded_depth(self.prefix) {
            Some(depth) => {
                self.leave_embedded(depth);
                Error::new(kind, self.base.saturating_add(position as u64))
            }
            None => self.end_with(kind, position),
        }
    }

    /// Continues after the primitive whose value is the level at `depth`.
    #[inline(always)]
    fn leave_embedded(&mut self, depth: usize) {
        while let Some(parent) = self.prefix.parent().filter(|_| self.prefix.depth() > depth) {
            self.prefix = parent;
            self.end = self.pop();
        }
        // In a faulty packet, watched packets may be missing.
        self.keys = KeySet::ALL;
        self.rest = &[];
        if self.missing() == 0 {
            self.ascend();
        } else {
            // The input cuts the primitive short. The next call returns that error.
            self.rest = self.input.get(self.input.len()..).unwrap_or_default();
        }
    }

    #[inline(always)]
    fn end_with(&mut self, kind: ErrorKind, position: usize) -> Error {
        (self.rest, self.prefix) = (&[], Prefix::ROOT);
        Error::new(kind, self.base.saturating_add(position as u64))
    }
}

/// The header of a packet whose value is incomplete, and the bytes of the value that the input has. Returns `None` if
/// the header is incomplete too.
#[cold]
fn partial_packet(rest: &[u8]) -> Option<(Header, &[u8])> {
    let (value, header) = next_header(rest).ok()?;
    Some((header, value))
}

/// Finds the start of the top-level packet around `position`. Only errors need this start, so no watch stores it.
#[cold]
fn top_level_start(input: &[u8], position: usize) -> usize {
    let mut packets = packets(input);
    loop {
        let start = input.len() - packets.remainder().len();
        if !matches!(packets.next(), Some(Ok(_))) || input.len() - packets.remainder().len() > position {
            return start;
        }
    }
}

impl<'a, P: WatchedPaths> Iterator for Watch<'a, P> {
    type Item = Result<Hit<'a>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            // The loop over unwatched packets.
            let keys = self.keys;
            let (rest, front) = jump(self.rest, |tag| keys.contains(tag.key()));
            match front {
                Ok((packet, _)) if self.is_too_deep(packet.tag()) => {
                    self.rest = self.level_from(packet.as_bytes().as_ptr());
                    return Some(Err(self.end_with(ErrorKind::DepthLimit, self.here())));
                }
                Ok((packet, after)) => {
                    if let Some(hit) = self.select(packet, after) {
                        return Some(Ok(hit));
                    }
                }
                Err(stop) => {
                    // Only the start is passed: the loop then stores no length for an incomplete packet, one instruction less per
                    // packet.
                    self.rest = if rest.is_empty() { rest } else { self.level_from(rest.as_ptr()) };
                    if let Err(error) = self.stopped(&stop)? {
                        return Some(Err(error));
                    }
                }
            }
        }
    }
}

impl<P: WatchedPaths> FusedIterator for Watch<'_, P> {}
