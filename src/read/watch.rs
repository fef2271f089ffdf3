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
use super::path::{Path, PathSet, Prefix};
use super::value::Decode;
use crate::error::{Error, ErrorKind};

/// A packet at the end of a watched path.
///
/// # Examples
/// ```
/// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01, 0x11)]);
///
/// let hit = WATCHED.watch(&[0x81, 0x03, 0x11, 0x01, 0x07]).next().unwrap()?;
/// assert_eq!((hit.path(), hit.offset(), hit.to::<i32>()?), (0, 2, 7));
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: SPEC §9
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hit<'a> {
    packet: Packet<'a>,
    path: u8,
}

impl<'a> Hit<'a> {
    /// Which path: its place in the array given to [`PathSet::new`].
    #[must_use]
    pub const fn path(&self) -> usize {
        self.path as usize
    }

    /// The packet itself.
    #[must_use]
    pub const fn packet(&self) -> Packet<'a> {
        self.packet
    }

    /// The value's bytes, borrowed from the input; see [`Packet::value`].
    #[must_use]
    #[inline]
    pub fn value(&self) -> &'a [u8] {
        self.packet.value()
    }

    /// The value as a type; see [`Packet::to`].
    ///
    /// # Errors
    /// As [`Packet::to`].
    #[inline]
    pub fn to<T: Decode<'a>>(&self) -> Result<T, Error> {
        self.packet.to()
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
    /// All that is watched.
    input: &'a [u8],
    /// The offset of its first byte, and what it was given as.
    base: u64,
    bound: Bound,
    /// Where in the input each level ends, the outermost first.
    ends: [usize; Path::MAX_LEN],
    /// The innermost level that the input cuts short, and by how many bytes; the levels inside it are whole.
    cut: (usize, usize),
    /// Where in the input the outermost packet begins, while inside it.
    outermost: usize,
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
    /// let readings: Result<Vec<i32>, _> = WATCHED.watch(&bytes).map(|hit| hit?.to()).collect();
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
    /// let payload = frame.find(0x02)?.unwrap().payload();
    /// assert_eq!(INNER.watch_packets(payload).next().unwrap()?.offset(), 4);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    #[allow(clippy::needless_pass_by_value, reason = "an iterator is used up")]
    pub fn watch_packets<'a>(&self, packets: Packets<'a>) -> Watch<'a, '_, N> {
        let input = packets.remainder();
        let mut ends = [0; Path::MAX_LEN];
        ends[0] = input.len();
        // The input may go on one day, a node may not: only there is a packet that needs more bytes a fault at once.
        let missing = if packets.bound() == Bound::Input { usize::MAX } else { 0 };
        Watch {
            paths: self,
            rest: input,
            keys: self.keys_at(Prefix::ROOT),
            prefix: Prefix::ROOT,
            input,
            base: packets.offset(),
            bound: packets.bound(),
            ends,
            cut: (0, missing),
            outermost: 0,
        }
    }
}

/// What the front of a level comes to.
enum Front {
    /// A packet whose key matters.
    Watched(Header),
    /// A packet whose key does not, and it wants so many bytes more than there are.
    Unwatched(usize),
    Stop(Err<Fault>),
}

// The cold functions take words, not `self`: a watcher whose address nobody holds lives in registers.
impl<'a, const N: usize> Watch<'a, '_, N> {
    /// Where in the input the level being read ends.
    #[inline(always)]
    fn end(&self) -> usize {
        self.ends.get(self.prefix.depth()).copied().unwrap_or_default()
    }

    /// Where in the input `rest` begins.
    #[inline(always)]
    fn place(&self) -> usize {
        self.end() - self.rest.len()
    }

    /// How many bytes of the level being read the input does not have.
    #[inline(always)]
    fn missing(&self) -> usize {
        if self.cut.0 == self.prefix.depth() { self.cut.1 } else { 0 }
    }

    /// What the packet at the front, whose key matters, comes to: a hit, an error, or nothing because a path goes on in it.
    #[inline(always)]
    fn enter(&mut self, header: Header) -> Option<Result<Hit<'a>, Error>> {
        let start = self.place();
        let step = self.paths.step(self.prefix, header.tag().key());
        let goes_on = header.tag().is_node() && !step.keys.is_empty();
        if let Some((bytes, after)) = self.rest.split_at_checked(header.packet_len()) {
            let packet = Packet::new(header, bytes, self.base.saturating_add(start as u64));
            if goes_on {
                self.descend(step.prefix, step.keys, packet.value(), start + bytes.len());
            } else {
                self.rest = after;
            }
            return step.watched.map(|path| Ok(Hit { packet, path }));
        }
        let missing = header.packet_len() - self.rest.len();
        if missing > self.missing() || !goes_on {
            return Some(Err(self.fail(missing)));
        }
        // The input cuts the node short, but what is there of it can be watched.
        let value = self.rest.get(header.size()..).unwrap_or_default();
        self.descend(step.prefix, step.keys, value, self.input.len());
        self.cut = (step.prefix.depth(), missing);
        None
    }

    #[inline(always)]
    fn descend(&mut self, prefix: Prefix, keys: KeySet, value: &'a [u8], end: usize) {
        if self.prefix.depth() == 0 {
            self.outermost = self.place();
        }
        if let Some(level) = self.ends.get_mut(prefix.depth()) {
            *level = end;
            (self.prefix, self.keys, self.rest) = (prefix, keys, value);
        }
    }

    /// At the end of a level: back to the one above, behind the node just read. `None` from the outermost.
    #[inline(always)]
    fn ascend(&mut self) -> Option<()> {
        let start = self.end();
        self.prefix = self.prefix.parent()?;
        self.rest = self.input.get(start..self.end())?;
        self.keys = self.paths.keys_at(self.prefix);
        Some(())
    }

    /// The packet at the front, or the level itself, wants so many bytes more than there are.
    #[inline(always)]
    fn fail(&mut self, missing: usize) -> Error {
        let place = self.place();
        let outermost = if self.prefix.depth() == 0 { place } else { self.outermost };
        let (kind, place) = shortage(self.bound, missing <= self.missing(), place, outermost);
        self.end_with(kind, place)
    }

    #[inline(always)]
    fn end_with(&mut self, kind: ErrorKind, place: usize) -> Error {
        (self.rest, self.prefix, self.cut) = (&[], Prefix::ROOT, (0, 0));
        Error::new(kind, self.base.saturating_add(place as u64))
    }
}

/// Bytes are missing: `within_input` if only the input has to go on to have them, a node would not have to.
#[cold]
fn shortage(bound: Bound, within_input: bool, place: usize, outermost: usize) -> (ErrorKind, usize) {
    match bound {
        Bound::Primitive => (ErrorKind::NotANode, place),
        _ if within_input => (ErrorKind::UnexpectedEnd, outermost),
        _ => (ErrorKind::Overrun, place),
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
                match parser::header::<Fault>().process::<Headers>(rest) {
                    Ok((_, header)) if keys.contains(header.tag().key()) => break Front::Watched(header),
                    Ok((_, header)) => match rest.get(header.packet_len()..) {
                        Some(after) => rest = after,
                        None => break Front::Unwatched(header.packet_len() - rest.len()),
                    },
                    Err(stop) => break Front::Stop(stop),
                }
            };
            self.rest = rest;
            match front {
                Front::Watched(header) => {
                    if let Some(item) = self.enter(header) {
                        return Some(item);
                    }
                }
                Front::Stop(_) if rest.is_empty() && (self.prefix.depth() == 0 || self.missing() == 0) => {
                    self.ascend()?;
                }
                Front::Stop(Err::Incomplete(_)) => return Some(Err(self.fail(1))),
                Front::Stop(Err::Error(Fault(kind)) | Err::Failure(Fault(kind))) => {
                    return Some(Err(self.end_with(kind, self.place() + 1)));
                }
                Front::Unwatched(missing) => return Some(Err(self.fail(missing))),
            }
        }
    }
}

impl<const N: usize> FusedIterator for Watch<'_, '_, N> {}
