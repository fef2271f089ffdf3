//! Watch: the filter that follows watched paths down the tree.
//!
//! In: packets back to back and a set of paths. Out: a hit for each packet at the end of a path; everything else is jumped
//! over unread, and a node is entered only where a path goes on inside it.

use core::iter::FusedIterator;

use nom::{Emit, Err, OutputM, Parser, Streaming};

use super::keys::KeySet;
use super::packet::Packet;
use super::packets::{Bound, Packets, packets};
use super::parser::{self, Fault, Header};
use super::path::{Path, PathSet, Prefix, Selection};
use super::value::Decode;
use crate::error::{Error, ErrorKind};
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
/// Source: SPEC §9
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hit<'a> {
    packet: Packet<'a>,
    path_index: u8,
}

impl<'a> Hit<'a> {
    #[inline(always)]
    pub(crate) const fn new(packet: Packet<'a>, path_index: u8) -> Self {
        Self { packet, path_index }
    }

    /// Which path: its place in the array given to [`PathSet::new`].
    #[must_use]
    pub const fn path_index(&self) -> usize {
        self.path_index as usize
    }

    /// The packet itself.
    #[must_use]
    pub const fn packet(&self) -> Packet<'a> {
        self.packet
    }

    /// The packet's first byte; see [`Packet::tag`].
    #[must_use]
    pub const fn tag(&self) -> Tag {
        self.packet.tag()
    }

    /// The packet's key, the last of the path's keys.
    #[must_use]
    pub const fn key(&self) -> Key {
        self.packet.key()
    }

    /// The packets inside a node; see [`Packet::children`].
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01, 0x10)]);
    ///
    /// let hit = WATCHED.watch(&[0x81, 0x05, 0x90, 0x03, 0x11, 0x01, 0x07]).next().unwrap()?;
    /// assert_eq!((hit.key().get(), hit.tag().get()), (0x10, 0x90));
    /// assert_eq!(hit.children().next().unwrap()?.decode::<i32>()?, 7);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn children(&self) -> Packets<'a> {
        self.packet.children()
    }

    /// The value's bytes, borrowed from the input; see [`Packet::value`].
    #[must_use]
    #[inline]
    pub fn value(&self) -> &'a [u8] {
        self.packet.value()
    }

    /// The value as a type; see [`Packet::decode`].
    ///
    /// # Errors
    /// As [`Packet::decode`].
    #[inline]
    pub fn decode<T: Decode<'a>>(&self) -> Result<T, Error> {
        self.packet.decode()
    }

    /// Where the tag lies: bytes from the first byte of the input.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.packet.offset()
    }
}

/// The packets at the end of watched paths, made by [`PathSet::watch`].
///
/// A node that the input cuts short is entered all the same: hits that are whole come out, and then the error.
/// After an error it yields `None` for ever.
#[derive(Clone, Debug)]
pub struct Watch<'a, 'p, const N: usize> {
    paths: &'p PathSet<N>,
    /// What is left of the level being read, as far as the input has it.
    rest: &'a [u8],
    /// The keys that matter at this level.
    keys: KeySet,
    prefix: Prefix,
    /// All that is watched, the offset of its first byte, and what it was given as.
    input: &'a [u8],
    base: u64,
    bound: Bound,
    /// Where in the input this level ends; behind the input's end if the input cuts the level short.
    end: usize,
    /// The same of the levels around it, the nearest first: a stack whose top stays in place. No index depends on the input, so
    /// that a watcher whose address nobody holds lives in registers (measured: 13 of 150 instructions for one of three pairs,
    /// 5.4 ns and not 6.1).
    ends: [usize; Path::MAX_LEN - 1],
}

type Headers = OutputM<Emit, Emit, Streaming>;

impl<const N: usize> PathSet<N> {
    /// The packets at the end of these paths in a buffer of packets back to back, in the order of the wire.
    ///
    /// A watched node that holds a watched packet comes out before it. Paths lead through nodes only: bytes of a primitive
    /// are never taken for packets.
    /// Cost: one jump for each packet at the levels entered; nesting costs nothing elsewhere. Allocates never, 64 bytes of
    /// stack for the longest path. Bytes inside packets jumped over are not looked at, so a fault there goes unnoticed;
    /// [`check`](crate::check) would find it.
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01, 0x11)]);
    ///
    /// let bytes = [0x81, 0x03, 0x11, 0x01, 0x07, 0x81, 0x05, 0x10, 0x00, 0x11, 0x01, 0x08];
    /// let readings: Result<Vec<i32>, _> = WATCHED.watch(&bytes).map(|hit| hit?.decode()).collect();
    /// assert_eq!(readings, Ok(vec![7, 8]));
    /// ```
    /// Source: SPEC §9
    #[must_use]
    #[inline(always)]
    pub fn watch<'a>(&self, bytes: &'a [u8]) -> Watch<'a, '_, N> {
        self.watch_packets(packets(bytes))
    }

    /// As [`watch`](Self::watch), for the packets of a node or of a payload; offsets count from their outer input.
    ///
    /// # Examples
    /// ```
    /// const INNER: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x11)]);
    ///
    /// let frame = y3::Packet::from_slice(&[0xbf, 0x05, 0x02, 0x03, 0x11, 0x01, 0x07])?;
    /// let payload = frame.find(0x02)?.unwrap().embedded();
    /// assert_eq!(INNER.watch_packets(payload).next().unwrap()?.offset(), 4);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    #[allow(clippy::needless_pass_by_value, reason = "an iterator is used up")]
    pub fn watch_packets<'a>(&self, packets: Packets<'a>) -> Watch<'a, '_, N> {
        let input = packets.remainder();
        // The input may go on one day, a node may not: only there is a packet that needs more bytes a fault at once.
        let end = if packets.bound() == Bound::Input { usize::MAX } else { input.len() };
        Watch {
            paths: self,
            rest: input,
            keys: self.keys_at(Prefix::ROOT),
            prefix: Prefix::ROOT,
            input,
            base: packets.offset(),
            bound: packets.bound(),
            end,
            ends: [0; Path::MAX_LEN - 1],
        }
    }
}

// The cold functions take words, not `self`: a watcher whose address nobody holds lives in registers.
impl<'a, const N: usize> Watch<'a, '_, N> {
    /// Where in the input `rest` begins.
    #[inline(always)]
    fn place(&self) -> usize {
        self.rest.as_ptr().addr().wrapping_sub(self.input.as_ptr().addr())
    }

    /// How many bytes of the level being read the input does not have.
    #[inline(always)]
    fn missing(&self) -> usize {
        self.end.saturating_sub(self.input.len())
    }

    /// The front of a level is no whole packet: the level's end, a fault, or a node that the input cuts short; what is there of
    /// such a node can be watched. `None` at the end of the outermost level.
    #[inline(always)]
    fn stopped(&mut self, fault: &Err<Fault>) -> Option<Result<(), Error>> {
        if self.rest.is_empty() && (self.prefix.depth() == 0 || self.missing() == 0) {
            self.ascend()?;
            return Some(Ok(()));
        }
        if let Err::Error(Fault(kind)) | Err::Failure(Fault(kind)) = fault {
            return Some(Err(self.end_with(*kind, self.place() + 1)));
        }
        let Some((header, value)) = cut(self.rest) else { return Some(Err(self.fail(1))) };
        let missing = header.value_len() - value.len();
        let selection = self.paths.select(self.prefix, self.keys, header.tag());
        if selection.enters() && missing <= self.missing() {
            self.descend(selection, value, self.place().saturating_add(header.packet_len()));
            return Some(Ok(()));
        }
        Some(Err(self.fail(missing)))
    }

    #[inline(always)]
    fn descend(&mut self, node: Selection, value: &'a [u8], end: usize) {
        let [second, third, fourth, fifth, sixth, seventh, _] = self.ends;
        self.ends = [self.end, second, third, fourth, fifth, sixth, seventh];
        self.end = end;
        (self.prefix, self.keys, self.rest) = (node.prefix, node.keys, value);
    }

    /// At the end of a level: back to the one above, behind the node just read. `None` from the outermost.
    #[inline(always)]
    fn ascend(&mut self) -> Option<()> {
        let start = self.end;
        self.prefix = self.prefix.parent()?;
        let [first, second, third, fourth, fifth, sixth, seventh] = self.ends;
        self.end = first;
        self.ends = [second, third, fourth, fifth, sixth, seventh, 0];
        self.rest = self.input.get(start..self.end.min(self.input.len()))?;
        self.keys = self.paths.keys_at(self.prefix);
        Some(())
    }

    /// The packet at the front, or the level itself, wants so many bytes more than there are.
    #[inline(always)]
    fn fail(&mut self, missing: usize) -> Error {
        let (kind, place) = shortage(self.bound, missing <= self.missing(), self.input, self.place());
        self.end_with(kind, place)
    }

    #[inline(always)]
    fn end_with(&mut self, kind: ErrorKind, place: usize) -> Error {
        (self.rest, self.prefix) = (&[], Prefix::ROOT);
        Error::new(kind, self.base.saturating_add(place as u64))
    }
}

/// Bytes are missing: `within_input` if only the input has to go on to have them, a node would not have to.
#[cold]
fn shortage(bound: Bound, within_input: bool, input: &[u8], place: usize) -> (ErrorKind, usize) {
    match bound {
        Bound::Primitive => (ErrorKind::NotANode, place),
        _ if within_input => (ErrorKind::UnexpectedEnd, outermost(input, place)),
        _ => (ErrorKind::Overrun, place),
    }
}

/// The header at the front of a packet that is not whole, and what there is of its value.
#[cold]
fn cut(rest: &[u8]) -> Option<(Header, &[u8])> {
    let (value, header) = parser::header::<Fault>().process::<Headers>(rest).ok()?;
    Some((header, value))
}

/// Where the outermost packet around `place` begins: found again, once, so that no watcher has to remember it.
fn outermost(input: &[u8], place: usize) -> usize {
    let mut packets = packets(input);
    loop {
        let start = input.len() - packets.remainder().len();
        if !matches!(packets.next(), Some(Ok(_))) || input.len() - packets.remainder().len() > place {
            return start;
        }
    }
}

impl<'a, const N: usize> Iterator for Watch<'a, '_, N> {
    type Item = Result<Hit<'a>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            // The loop over what nobody watches.
            let (keys, mut rest) = (self.keys, self.rest);
            let front = loop {
                match parser::packet::<Fault>().process::<Headers>(rest) {
                    Ok((after, packet)) if keys.contains(packet.key()) => break Ok((packet, after)),
                    Ok((after, _)) => rest = after,
                    Err(stop) => break Err(stop),
                }
            };
            self.rest = rest;
            match front {
                Ok((packet, after)) => {
                    let start = self.place();
                    let selection = self.paths.select(self.prefix, keys, packet.tag());
                    self.rest = after;
                    if selection.enters() {
                        self.descend(selection, packet.value(), self.place());
                    }
                    if let Some(path_index) = selection.path_index {
                        return Some(Ok(Hit { packet: packet.at(self.base.saturating_add(start as u64)), path_index }));
                    }
                }
                Err(stop) => {
                    if let Err(error) = self.stopped(&stop)? {
                        return Some(Err(error));
                    }
                }
            }
        }
    }
}

impl<const N: usize> FusedIterator for Watch<'_, '_, N> {}
