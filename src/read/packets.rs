//! The iterator over sibling packets, and the methods that read the packets inside a packet.
//!
//! Packets are borrowed from the input. After an error the iterator yields nothing.

use core::iter::FusedIterator;

use nom::Err;

use super::keys::KeySet;
use super::packet::Packet;
use super::parser::{jump, next_header, next_packet};
use crate::error::{Error, ErrorKind, Wanted};
use crate::value::Decode;
use crate::wire::key::Key;
use crate::wire::mode::Mode;
use crate::wire::tag::Tag;

/// Iterates over packets that follow each other: in a buffer, in a node, or in the bytes of a primitive.
///
/// Returned by [`packets`], [`Packet::children`] and [`Packet::embedded`]. After an error the iterator yields `None`.
#[derive(Clone, Debug)]
pub struct Packets<'a> {
    rest: &'a [u8],
    /// The offset of the byte after `rest`. The offset of a packet is computed from `end` and from the length of
    /// `rest`. For that reason a skip does not update any offset.
    end: u64,
    container: Container,
    mode: Mode,
}

/// Where the packets come from. The error for an incomplete packet depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    Input,
    Node,
    /// A primitive. The caller asked for its children, which is an error.
    Primitive,
}

/// Iterates over the packets in a slice of bytes. An empty slice contains no packets.
///
/// Bytes: packets, one after the other: `01 01 05 82 00 …`. Cost: O(1) per packet, because values are not read; never
/// allocates. If the slice ends inside a packet, the error is [`ErrorKind::UnexpectedEnd`] at the tag of this packet.
/// Before the iterator returns this error, [`Packets::remainder`] returns the bytes of the incomplete packet. Pass
/// these bytes to [`parser::packet`](crate::parser::packet) to find out how many more bytes are needed.
///
/// # Examples
/// ```
/// let bytes = [0x01, 0x01, 0x05, 0x82, 0x00, 0x03];
/// let mut packets = y3::packets(&bytes);
/// assert_eq!(packets.next().unwrap()?.decode::<i32>()?, 5);
/// assert!(packets.next().unwrap()?.is_node());
/// let error = packets.next().unwrap().unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (y3::ErrorKind::UnexpectedEnd, 5));
/// assert!(packets.next().is_none());
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §3](crate::spec#3-packet-tag-length-value), [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[must_use]
#[inline]
pub fn packets(bytes: &[u8]) -> Packets<'_> {
    packets_from(bytes, 0, Container::Input)
}

#[inline]
pub(crate) fn packets_from(bytes: &[u8], offset: u64, container: Container) -> Packets<'_> {
    packets_to(bytes, offset.wrapping_add(bytes.len() as u64), container)
}

/// Returns an iterator over the packets in `bytes`. `end` is the offset of the byte after `bytes`.
#[inline]
fn packets_to(bytes: &[u8], end: u64, container: Container) -> Packets<'_> {
    Packets { rest: bytes, end, container, mode: Mode::default() }
}

impl<'a> Packets<'a> {
    /// Returns the offset of the next packet in bytes from the start of the input. After an error, returns the offset
    /// of the end of the iterator's bytes.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.end.wrapping_sub(self.rest.len() as u64)
    }

    /// Returns the bytes of the packets that the iterator has not returned yet. After an error the slice is empty.
    #[must_use]
    pub const fn remainder(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) const fn container(&self) -> Container {
        self.container
    }

    pub(crate) const fn mode(&self) -> Mode {
        self.mode
    }

    #[inline(always)]
    pub(crate) fn with_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// Iterates over the packets whose key is in the set, and skips all other packets.
    ///
    /// Cost: reads one header per packet. Never allocates.
    #[inline]
    pub fn watch(mut self, keys: KeySet) -> impl Iterator<Item = Result<Packet<'a>, Error>> + Clone {
        core::iter::from_fn(
            #[inline(always)]
            move || self.next_with(|tag| keys.contains(tag.key())),
        )
    }

    /// Skips packets up to the first packet with a wanted tag, and returns that packet.
    #[inline(always)]
    pub(crate) fn next_with(&mut self, wanted: impl FnMut(Tag) -> bool) -> Option<Result<Packet<'a>, Error>> {
        let (rest, front) = jump(self.rest, wanted);
        match front {
            Ok((packet, after)) => Some(Ok(self.pass(packet, after))),
            Err(stop) => self.stop(rest, stop),
        }
    }

    /// Moves past the packet at the front and returns the packet. `after` is the input after the packet.
    #[inline(always)]
    fn pass(&mut self, packet: Packet<'a>, after: &'a [u8]) -> Packet<'a> {
        let end = self.end.wrapping_sub(after.len() as u64);
        self.rest = after;
        packet.ending_at(end).with_mode(self.mode)
    }

    #[inline(always)]
    fn stop(&mut self, rest: &'a [u8], stop: Err<ErrorKind>) -> Option<Result<Packet<'a>, Error>> {
        self.rest = &[];
        // Most readers reach the end of each node here, so this check needs no call.
        if rest.is_empty() {
            self.rest = rest;
            return None;
        }
        let tag = self.end.wrapping_sub(rest.len() as u64);
        Some(Err(error_at(tag, stop, self.container)))
    }
}

/// Returns the error for the packet whose tag is at the offset `tag`.
///
/// This function is not a method: a borrow of the iterator would move the iterator from registers into memory.
#[cold]
fn error_at(tag: u64, stop: Err<ErrorKind>, container: Container) -> Error {
    match (stop, container) {
        (_, Container::Primitive) => Error::new(ErrorKind::NotANode, tag),
        (Err::Incomplete(_), Container::Input) => Error::new(ErrorKind::UnexpectedEnd, tag),
        (Err::Incomplete(_), Container::Node) => Error::new(ErrorKind::Overrun, tag),
        // A header has two possible errors. Both are at its length field, which follows the tag.
        (Err::Error(kind) | Err::Failure(kind), _) => Error::new(kind, tag.saturating_add(1)),
    }
}

impl<'a> Iterator for Packets<'a> {
    type Item = Result<Packet<'a>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        match next_packet(self.rest) {
            Ok((after, packet)) => Some(Ok(self.pass(packet, after))),
            Err(stop) => self.stop(self.rest, stop),
        }
    }

    /// A valid packet has at least two bytes. Only the last packet can be faulty and have one byte.
    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::from(!self.rest.is_empty()), Some(self.rest.len().div_ceil(2)))
    }
}

impl FusedIterator for Packets<'_> {}

/// Returns an iterator that yields only this packet.
impl<'a> From<Packet<'a>> for Packets<'a> {
    #[inline]
    fn from(packet: Packet<'a>) -> Self {
        packets_to(packet.as_bytes(), packet.end(), Container::Input).with_mode(packet.mode())
    }
}

/// Returns an iterator that yields one error, at the tag of the primitive.
///
/// The attribute `cold` keeps the code for nodes free of jumps. Without it, the compiler chooses between node and
/// primitive without a branch, and the first child then has to wait for the tag.
#[cold]
fn children_of_primitive(primitive: &[u8], offset: u64) -> Packets<'_> {
    // A tag without a length is not a packet, so the iterator yields an error at the tag.
    packets_from(primitive.get(..1).unwrap_or_default(), offset, Container::Primitive)
}

/// Returns the error for an input that is not exactly one packet. The function reads the input a second time.
#[cold]
pub(crate) fn single_error(bytes: &[u8]) -> Error {
    let mut packets = packets(bytes);
    match packets.next() {
        Some(Ok(_)) => Error::new(ErrorKind::TrailingBytes, packets.offset()),
        Some(Err(error)) => error,
        None => Error::naming(ErrorKind::UnexpectedEnd, 0, Wanted::EMPTY, 0),
    }
}

impl<'a> Packet<'a> {
    /// Returns the packet that fills the whole slice.
    ///
    /// If the slice contains several packets, or other bytes after the packet, use [`packets`](crate::packets). Cost:
    /// O(1), because the value is not read.
    ///
    /// # Errors
    /// Returns [`UnexpectedEnd`](ErrorKind::UnexpectedEnd), [`NegativeLength`](ErrorKind::NegativeLength) or
    /// [`LengthOverflow`](ErrorKind::LengthOverflow) if the packet is incomplete or invalid. Returns
    /// [`TrailingBytes`](ErrorKind::TrailingBytes), at the first byte after the packet, if other bytes follow.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::Packet::from_slice(&[0x01, 0x01, 0x05])?.value(), [0x05]);
    /// assert_eq!(y3::Packet::from_slice(&[0x01, 0x00, 0x05]).unwrap_err().offset(), 2);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[inline]
    pub fn from_slice(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::single(bytes).ok_or_else(|| single_error(bytes))
    }

    /// Does the same as [`from_slice`](Self::from_slice), for callers with their own error types. They get the error
    /// from [`single_error`]. An `Option` of a packet stays in registers, but a `Result` with a larger error would be
    /// stored in memory.
    #[inline(always)]
    pub(crate) fn single(bytes: &'a [u8]) -> Option<Self> {
        let (value, header) = next_header(bytes).ok()?;
        if value.len() == header.value_len() { Some(Self::new(header.tag(), bytes, value, &[])) } else { None }
    }

    /// Iterates over the packets directly inside a node, in the order of the input. For a primitive, the iterator
    /// yields only the error [`NotANode`](ErrorKind::NotANode).
    ///
    /// # Examples
    /// ```
    /// let node = y3::Packet::from_slice(&[0x81, 0x05, 0x02, 0x01, 0xff, 0x03, 0x00])?;
    /// let keys: Result<Vec<u8>, _> = node.children().map(|child| Ok(child?.key().get())).collect();
    /// assert_eq!(keys, Ok::<_, y3::Error>(vec![2, 3]));
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn children(&self) -> Packets<'a> {
        let packets = if self.is_node() {
            packets_to(self.value(), self.end(), Container::Node)
        } else {
            children_of_primitive(self.as_bytes(), self.offset())
        };
        packets.with_mode(self.mode().inside(false))
    }

    /// Iterates over the packets embedded in the bytes of a primitive, such as the value of a YoMo `DataFrame`.
    ///
    /// The header does not show whether the value consists of packets, so the caller has to know it. Offsets count from
    /// the start of the outer input.
    ///
    /// # Examples
    /// ```
    /// let frame = y3::Packet::from_slice(&[0xbf, 0x05, 0x02, 0x03, 0x11, 0x01, 0x07])?;
    /// let reading = frame.find(0x02)?.unwrap().embedded().next().unwrap()?;
    /// assert_eq!((reading.offset(), reading.decode::<i32>()?), (4, 7));
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn embedded(&self) -> Packets<'a> {
        packets_to(self.value(), self.end(), Container::Input).with_mode(self.mode().inside(false))
    }

    /// Returns the first packet with this key directly inside a node, or `None` if there is no such packet.
    ///
    /// Cost: reads one header for each earlier packet in the node. Later packets are not read.
    ///
    /// # Errors
    /// Returns [`InvalidKey`](crate::ErrorKind::InvalidKey) if `key` is above 63, and
    /// [`NotANode`](crate::ErrorKind::NotANode) if this packet is a primitive. Also returns the errors of
    /// [`packets`](crate::packets) that occur before the wanted packet.
    ///
    /// # Examples
    /// ```
    /// let node = y3::Packet::from_slice(&[0x81, 0x06, 0x02, 0x01, 0x07, 0x02, 0x01, 0x08])?;
    /// assert_eq!(node.find(0x02)?.unwrap().value(), [0x07]);
    /// assert_eq!(node.find(0x03)?, None);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[inline]
    pub fn find(&self, key: u8) -> Result<Option<Packet<'a>>, Error> {
        let Some(key) = Key::new(key) else { return Err(Error::of_key(key, self.offset())) };
        self.children().watch(KeySet::EMPTY.with(key)).next().transpose()
    }

    /// Decodes the first packet with this key directly inside a node. Returns `None` if there is no such packet.
    ///
    /// Cost: the cost of [`find`](Self::find) plus the cost of [`decode`](Self::decode).
    ///
    /// # Errors
    /// Returns the errors of [`find`](Self::find), and the errors of [`decode`](Self::decode) if the value does not fit
    /// the type.
    ///
    /// # Examples
    /// ```
    /// let node = y3::Packet::from_slice(&[0x81, 0x06, 0x02, 0x01, 0x07, 0x03, 0x01, 0xff])?;
    /// assert_eq!(node.get::<i32>(0x02)?, Some(7));
    /// assert_eq!(node.get::<i32>(0x04)?, None);
    /// assert_eq!(node.get::<bool>(0x03).unwrap_err().offset(), 7);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[inline]
    pub fn get<T: Decode<'a>>(&self, key: u8) -> Result<Option<T>, Error> {
        self.find(key)?.map(T::decode).transpose()
    }
}
