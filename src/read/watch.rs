//! Finds the packets at watched paths in a buffer.
//!
//! The watch enters a packet only if a path continues inside it, and skips all other packets.

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

/// A packet at a watched path.
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
    /// The keys that lead to the packet. The path is empty if there are more than 8 keys.
    pub(crate) path: Path,
    pub(crate) path_index: u32,
}

impl<'a> Hit<'a> {
    #[inline(always)]
    pub(crate) const fn new(packet: Packet<'a>, path: Path, path_index: u32) -> Self {
        Self { packet, path, path_index }
    }

    /// Makes a hit of the packet at the index `start` of `bytes`. `offset` becomes the offset of the packet.
    #[inline(always)]
    pub(crate) fn at(bytes: &'a [u8], start: usize, offset: u64, path: Path, path_index: u32) -> Option<Self> {
        let (_, packet) = next_packet(bytes.get(start..)?).ok()?;
        Some(Self { packet: packet.at(offset), path, path_index })
    }

    /// Returns the index of the matching path in the array given to [`PathSet::new`](crate::PathSet::new).
    /// [`PathSet::get`](crate::PathSet::get) returns the path at this index.
    #[must_use]
    pub const fn path_index(&self) -> usize {
        self.path_index as usize
    }

    /// Returns the keys that lead to this packet. The first key is the key of the outermost packet that the caller
    /// passed to the watch. The last key is the key of this packet. See [`Path::matches`]. Returns `None` if a pattern
    /// matched the packet and more than 8 keys lead to it.
    ///
    /// For a [`PathSet<1>`](crate::PathSet), or for `Paths` with one path, the result is the path itself. If that path
    /// has a step `*`, the result has `*` there too, not the key. To get the key, use a set with at least two paths.
    #[must_use]
    pub fn path(&self) -> Option<Path> {
        if self.path == Path::EMPTY { None } else { Some(self.path) }
    }

    /// Returns the packet at the path.
    #[must_use]
    pub const fn packet(&self) -> Packet<'a> {
        self.packet
    }
}

/// A hit has all methods of its packet: `hit.decode::<f32>()`, `hit.get(0x11)`, `hit.offset()`.
impl<'a> Deref for Hit<'a> {
    type Target = Packet<'a>;

    #[inline(always)]
    fn deref(&self) -> &Packet<'a> {
        &self.packet
    }
}

/// Iterates over the packets at watched paths: see [`PathSet::watch`](crate::PathSet::watch).
#[derive(Clone, Debug)]
pub struct Watch<'a, P: WatchedPaths> {
    paths: P,
    /// The unread bytes of the current level that are in the input.
    rest: &'a [u8],
    /// The keys that a path can match at this level.
    keys: KeySet,
    prefix: Prefix,
    /// All watched bytes. `base` is the offset of the first byte, and `container` is where the bytes come from.
    input: &'a [u8],
    base: u64,
    container: Container,
    /// The position in `input` at which the current level ends. If the input ends first, this position is after the end
    /// of `input`.
    end: usize,
    /// The ends of the enclosing levels, innermost first. The innermost end always has the index 0, so no index depends
    /// on the input. A watch that is not borrowed anywhere therefore stays in registers (watching one of three pairs
    /// takes 137 instead of 150 instructions, and 5.4 ns instead of 6.1 ns).
    ends: [usize; Path::MAX_LEN - 1],
    found: P::Found,
}

// The cold functions take words instead of `self`, so that a watch that is not borrowed anywhere stays in registers.
impl<'a, P: WatchedPaths> Watch<'a, P> {
    #[inline(always)]
    #[allow(clippy::needless_pass_by_value, reason = "the iterator is consumed")]
    pub(crate) fn new(paths: P, packets: Packets<'a>) -> Self {
        let input = packets.remainder();
        // Outside a node, more input can follow, so a packet that is longer than the input is only incomplete. A packet
        // that is longer than its node is an error at once.
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

    /// Returns the unread bytes of the current level, and the keys that a path can match there.
    #[inline(always)]
    pub(crate) fn front(&self) -> (&'a [u8], KeySet) {
        (self.rest, self.keys)
    }

    /// Continues at the start of another input. Offsets count from there.
    // Sets single fields, because a copy of a new watch would have to wait until its parts are stored.
    #[inline(always)]
    pub(crate) fn restart(&mut self, input: &'a [u8]) {
        (self.rest, self.input, self.base, self.container) = (input, input, 0, Container::Input);
        (self.keys, self.prefix, self.end) = (self.paths.keys_at(Prefix::ROOT), Prefix::ROOT, usize::MAX);
    }

    /// Makes one step from the start of `rest`: past the packet at the start, into that packet, or out of the level. In
    /// the current level, `rest` can begin after the position of the watch.
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

    /// True if a packet with this tag is a node inside [`MAX_DEPTH`] other nodes. Only patterns with `**` enter so many
    /// nodes, and they would enter this node too.
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
        // Passes the end instead of the start of the packet, so that decoding the hit does not need the size of the
        // header.
        Some(Hit { packet: packet.ending_at(self.base.saturating_add(end as u64)), path, path_index })
    }

    /// Returns the position of `rest` in `input`.
    #[inline(always)]
    fn here(&self) -> usize {
        self.rest.as_ptr().addr().wrapping_sub(self.input.as_ptr().addr())
    }

    /// Returns the bytes of the current level from the address `start` on.
    #[inline(always)]
    fn level_from(&self, start: *const u8) -> &'a [u8] {
        let start = start.addr().wrapping_sub(self.input.as_ptr().addr());
        self.input.get(start..self.end.min(self.input.len())).unwrap_or_default()
    }

    /// Returns how many bytes of the current level are after the end of the input.
    #[inline(always)]
    fn missing(&self) -> usize {
        self.end.saturating_sub(self.input.len())
    }

    /// True if all packets of the current level were read.
    #[inline(always)]
    fn is_at_end(&self) -> bool {
        self.rest.is_empty() && (self.prefix.depth() == 0 || self.missing() == 0)
    }

    /// Makes a step if no complete packet begins here. At the end of a level, the step leaves the level. If the input
    /// ends inside a node, and a path continues in this node, the step enters the node. Otherwise the function returns
    /// an error. Returns `None` at the end of the top level.
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

    /// Leaves a level at its end. Returns `None` at the top level.
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

    /// If no key at this level is wanted any longer, moves to the end of the level. At the top level, every key stays
    /// wanted.
    #[inline(always)]
    fn leave_if_found(&mut self) {
        if P::Found::FIRST_ONLY && self.keys.is_empty() {
            self.rest = self.rest.get(self.rest.len()..).unwrap_or_default();
        }
    }

    /// Removes the end of the next outer level from the stack and returns it.
    #[inline(always)]
    fn pop(&mut self) -> usize {
        if let Some(level) = self.found.level(self.prefix.depth()) {
            return usize::try_from(level.end).unwrap_or(usize::MAX);
        }
        let [first, second, third, fourth, fifth, sixth, seventh] = self.ends;
        self.ends = [second, third, fourth, fifth, sixth, seventh, 0];
        first
    }

    /// Returns the error for a packet that lacks `missing` bytes. Either the input ends inside the packet, or the
    /// packet is longer than its level.
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

    /// Returns the error for a packet that is invalid, whatever bytes follow. In embedded packets, the error ends only
    /// the watch of these embedded packets. Elsewhere the error ends the whole watch.
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

    /// Continues after a primitive. `depth` is the depth of the packets embedded in it.
    #[inline(always)]
    fn leave_embedded(&mut self, depth: usize) {
        while let Some(parent) = self.prefix.parent().filter(|_| self.prefix.depth() > depth) {
            self.prefix = parent;
            self.end = self.pop();
        }
        // Watched packets can be missing in a faulty packet.
        self.keys = KeySet::ALL;
        self.rest = &[];
        if self.missing() == 0 {
            self.ascend();
        } else {
            // The input ends inside the primitive. The next call returns the error for this.
            self.rest = self.input.get(self.input.len()..).unwrap_or_default();
        }
    }

    #[inline(always)]
    fn end_with(&mut self, kind: ErrorKind, position: usize) -> Error {
        (self.rest, self.prefix) = (&[], Prefix::ROOT);
        Error::new(kind, self.base.saturating_add(position as u64))
    }
}

/// Returns the header of a packet whose value is incomplete, and the present bytes of the value. Returns `None` if the
/// header is incomplete too.
#[cold]
fn partial_packet(rest: &[u8]) -> Option<(Header, &[u8])> {
    let (value, header) = next_header(rest).ok()?;
    Some((header, value))
}

/// Finds the start of the top-level packet that contains `position`. Only errors need it, so a watch does not store it.
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
            // This loop skips the unwatched packets.
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
                    // Passes only the start, so that the loop stores no length for an incomplete packet. This saves one
                    // instruction per packet.
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
