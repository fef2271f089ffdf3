//! Packets: the iterator over siblings, and the children of a packet.
//!
//! In: bytes that are packets, back to back. Out: each packet, or each with certain keys, borrowed. After an error, nothing.

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

/// Iterates over packets, back to back: in a buffer, in a node, or embedded in a primitive.
///
/// Made by [`packets`], [`Packet::children`] and [`Packet::embedded`]. After an error it yields `None`.
#[derive(Clone, Debug)]
pub struct Packets<'a> {
    rest: &'a [u8],
    /// The offset after the last byte of `rest`. A packet's offset follows from this and from the length of `rest`, so
    /// a jump updates no counter.
    end: u64,
    container: Container,
    mode: Mode,
}

/// The source of the packets. It decides the error of a packet that is cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    Input,
    Node,
    /// A primitive, whose bytes are not packets.
    Primitive,
}

/// Iterates over the packets of a slice, which holds them back to back. An empty slice holds none.
///
/// Bytes: `01 01 05 82 00 …`. Cost: O(1) per packet, values are not read; never allocates.
/// If the end of the slice cuts a packet short, the error is [`ErrorKind::UnexpectedEnd`] at its tag. Before that step,
/// [`Packets::remainder`] returns the bytes of that packet, and [`parser::packet`](crate::parser::packet) tells how many are missing.
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

/// The packets of `bytes`, which begin at `offset` of the input.
#[inline]
pub(crate) fn packets_from(bytes: &[u8], offset: u64, container: Container) -> Packets<'_> {
    packets_to(bytes, offset.wrapping_add(bytes.len() as u64), container)
}

/// The packets of `bytes`, which end at `end` of the input.
#[inline]
fn packets_to(bytes: &[u8], end: u64, container: Container) -> Packets<'_> {
    Packets { rest: bytes, end, container, mode: Mode::default() }
}

impl<'a> Packets<'a> {
    /// The offset of the next packet: bytes from the first byte of the input. After an error, it is the end of the bytes.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.end.wrapping_sub(self.rest.len() as u64)
    }

    /// The bytes of the packets that have not been returned yet; empty after an error.
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

    /// The same packets, read in this mode.
    #[inline(always)]
    pub(crate) fn with_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// Iterates over the packets with a key in the set and jumps over the others.
    ///
    /// Cost: one jump per packet; never allocates.
    #[inline]
    pub fn watch(mut self, keys: KeySet) -> impl Iterator<Item = Result<Packet<'a>, Error>> + Clone {
        core::iter::from_fn(
            #[inline(always)]
            move || self.next_with(|tag| keys.contains(tag.key())),
        )
    }

    /// Jumps to the next packet with a wanted tag and returns it.
    #[inline(always)]
    pub(crate) fn next_with(&mut self, wanted: impl FnMut(Tag) -> bool) -> Option<Result<Packet<'a>, Error>> {
        let (rest, front) = jump(self.rest, wanted);
        match front {
            Ok((packet, after)) => Some(Ok(self.pass(packet, after))),
            Err(stop) => self.stop(rest, stop),
        }
    }

    /// Returns the packet at the front, where `rest` is the input after it.
    #[inline(always)]
    fn pass(&mut self, packet: Packet<'a>, after: &'a [u8]) -> Packet<'a> {
        let end = self.end.wrapping_sub(after.len() as u64);
        self.rest = after;
        packet.ending_at(end).with_mode(self.mode)
    }

    #[inline(always)]
    fn stop(&mut self, rest: &'a [u8], stop: Err<ErrorKind>) -> Option<Result<Packet<'a>, Error>> {
        self.rest = &[];
        // Most levels end here, so this is checked without a call.
        if rest.is_empty() {
            self.rest = rest;
            return None;
        }
        let tag = self.end.wrapping_sub(rest.len() as u64);
        Some(Err(error_at(tag, stop, self.container)))
    }
}

/// Returns the error of the packet that begins at `tag`.
///
/// This is not a method: a borrow of the iterator would force it from registers into memory.
#[cold]
fn error_at(tag: u64, stop: Err<ErrorKind>, container: Container) -> Error {
    match (stop, container) {
        (_, Container::Primitive) => Error::new(ErrorKind::NotANode, tag),
        (Err::Incomplete(_), Container::Input) => Error::new(ErrorKind::UnexpectedEnd, tag),
        (Err::Incomplete(_), Container::Node) => Error::new(ErrorKind::Overrun, tag),
        // Both errors of a header concern its length field, which follows the tag.
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

    /// A packet takes at least two bytes; a faulty one may take one.
    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::from(!self.rest.is_empty()), Some(self.rest.len().div_ceil(2)))
    }
}

impl FusedIterator for Packets<'_> {}

/// Yields this one packet.
impl<'a> From<Packet<'a>> for Packets<'a> {
    #[inline]
    fn from(packet: Packet<'a>) -> Self {
        packets_to(packet.as_bytes(), packet.end(), Container::Input).with_mode(packet.mode())
    }
}

/// Makes the children of a primitive: one error, at its tag.
///
/// Cold: keeps nodes on the straight path. With a branchless choice the first child would wait for the tag.
#[cold]
fn children_of_primitive(primitive: &[u8], offset: u64) -> Packets<'_> {
    // A tag without a length is not a packet, so the first step returns an error at the tag.
    packets_from(primitive.get(..1).unwrap_or_default(), offset, Container::Primitive)
}

/// Returns the error for input that is not exactly one packet. It reads the input again.
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
    /// Returns the one packet that fills a slice from its first byte to its last.
    ///
    /// For packets back to back, or for a packet with other bytes after it, use [`packets`](crate::packets).
    /// Cost: O(1), the value is not read.
    ///
    /// # Errors
    /// [`UnexpectedEnd`](ErrorKind::UnexpectedEnd), [`NegativeLength`](ErrorKind::NegativeLength),
    /// [`LengthOverflow`](ErrorKind::LengthOverflow), or [`TrailingBytes`](ErrorKind::TrailingBytes) at the first byte
    /// after the packet.
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

    /// Like [`from_slice`](Self::from_slice), for callers with their own error types, which call [`single_error`] for
    /// the error. The packet stays in registers; a `Result` with a larger error would put it in memory.
    #[inline(always)]
    pub(crate) fn single(bytes: &'a [u8]) -> Option<Self> {
        let (value, header) = next_header(bytes).ok()?;
        if value.len() == header.value_len() { Some(Self::new(header.tag(), bytes, value, &[])) } else { None }
    }

    /// Iterates over the packets inside a node, in the order of the wire. A primitive yields one error,
    /// [`NotANode`](ErrorKind::NotANode), and no packet.
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

    /// Iterates over the packets in the bytes of a primitive, such as the value of a YoMo `DataFrame`.
    ///
    /// The wire does not mark whether the bytes of a primitive are packets, so the reader has to know. Offsets count
    /// from the first byte of the outer input.
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

    /// Returns the first packet with that key directly inside a node; `None` if there is none.
    ///
    /// Cost: one jump for each earlier packet; later packets are not read.
    ///
    /// # Errors
    /// [`InvalidKey`](crate::ErrorKind::InvalidKey) if `key` is above 63, [`NotANode`](crate::ErrorKind::NotANode) for
    /// a primitive, and the errors of [`packets`](crate::packets) up to that packet.
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

    /// Decodes the value of the first packet with that key directly inside a node; `None` if there is no such packet.
    ///
    /// Cost: that of [`find`](Self::find) and of [`decode`](Self::decode).
    ///
    /// # Errors
    /// The errors of [`find`](Self::find), and those of [`decode`](Self::decode) if the value is not of that type.
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
