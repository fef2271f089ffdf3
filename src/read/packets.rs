//! Packets: the sibling iterator.
//!
//! In: bytes that are packets back to back. Out: each of them, borrowed, or one fault and then nothing more.

use core::iter::FusedIterator;

use nom::{Emit, Err, OutputM, Parser, Streaming};

use super::packet::Packet;
use super::parser::{self, Fault};
use crate::error::{Error, ErrorKind};
use crate::wire::tag::Tag;

/// Packets back to back: in a buffer, in a node, in a payload.
///
/// Made by [`packets`], [`Packet::children`] and [`Packet::embedded`]. After a fault it yields `None` for ever.
#[derive(Clone, Debug)]
pub struct Packets<'a> {
    rest: &'a [u8],
    /// The offset behind the last byte of `rest`: offsets of packets follow from what is left, and a hop counts nothing.
    end: u64,
    bound: Bound,
}

/// What ends the bytes: it decides what a packet that needs more of them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Input,
    Node,
    /// No packets here at all: the bytes are a primitive.
    Primitive,
}

/// The packets of a slice that holds them back to back; an empty slice holds none.
///
/// Bytes: `01 01 05 82 00 …`. Cost: O(1) a packet, values are jumped over unread; allocates never.
/// A packet that the slice cuts short is [`ErrorKind::UnexpectedEnd`] at its tag; [`Packets::remainder`] before that
/// step gives its bytes, and [`parser::packet`] says how many are missing.
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
/// Source: SPEC §3, §8
#[must_use]
#[inline]
pub fn packets(bytes: &[u8]) -> Packets<'_> {
    packets_from(bytes, 0, Bound::Input)
}

/// `bytes` begin at `offset` of the input.
#[inline]
pub(crate) fn packets_from(bytes: &[u8], offset: u64, bound: Bound) -> Packets<'_> {
    packets_to(bytes, offset.saturating_add(bytes.len() as u64), bound)
}

/// Packets of a part of an input that ends at an offset.
#[inline]
fn packets_to(bytes: &[u8], end: u64, bound: Bound) -> Packets<'_> {
    Packets { rest: bytes, end, bound }
}

impl<'a> Packets<'a> {
    /// Where the next packet begins: bytes from the first byte of the input. After a fault, the end of the bytes.
    ///
    /// # Examples
    /// ```
    /// let mut packets = y3::packets(&[0x01, 0x01, 0x05, 0x02, 0x00]);
    /// packets.next();
    /// assert_eq!(packets.offset(), 3);
    /// ```
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.end - self.rest.len() as u64
    }

    /// The bytes not yet given out. After a fault, none.
    ///
    /// # Examples
    /// ```
    /// let mut packets = y3::packets(&[0x01, 0x01, 0x05, 0x02, 0x00]);
    /// packets.next();
    /// assert_eq!(packets.remainder(), [0x02, 0x00]);
    /// ```
    #[must_use]
    pub const fn remainder(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) const fn bound(&self) -> Bound {
        self.bound
    }

    /// Jumps to the first packet whose tag is wanted, and gives it.
    #[inline(always)]
    pub(crate) fn next_with(&mut self, mut wanted: impl FnMut(Tag) -> bool) -> Option<Result<Packet<'a>, Error>> {
        let mut rest = self.rest;
        // Nodes end here as a rule, and the parser's word for it comes from a cold path.
        if rest.is_empty() {
            return None;
        }
        loop {
            match parser::packet::<Fault>().process::<OutputM<Emit, Emit, Streaming>>(rest) {
                Ok((after, packet)) => {
                    if wanted(packet.tag()) {
                        let packet = packet.at(self.end - rest.len() as u64);
                        self.rest = after;
                        return Some(Ok(packet));
                    }
                    rest = after;
                }
                Err(stop) => {
                    self.rest = &[];
                    return stopped(stop, rest.len() as u64, self.end, self.bound);
                }
            }
        }
    }
}

/// The end of the bytes, or the fault of the packet at the front, which has so many bytes from its tag to the end.
///
/// Not a method: the iterator stays in registers where nothing takes its address.
#[cold]
fn stopped<T>(stop: Err<Fault>, rest: u64, end: u64, bound: Bound) -> Option<Result<T, Error>> {
    if rest == 0 {
        return None;
    }
    let tag = end - rest;
    Some(Err(match (stop, bound) {
        (_, Bound::Primitive) => Error::new(ErrorKind::NotANode, tag),
        (Err::Incomplete(_), Bound::Input) => Error::new(ErrorKind::UnexpectedEnd, tag),
        (Err::Incomplete(_), Bound::Node) => Error::new(ErrorKind::Overrun, tag),
        // Both faults of a header lie in its length field.
        (Err::Error(Fault(kind)) | Err::Failure(Fault(kind)), _) => Error::new(kind, tag.saturating_add(1)),
    }))
}

impl<'a> Iterator for Packets<'a> {
    type Item = Result<Packet<'a>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_with(|_| true)
    }

    /// A packet takes two bytes at the least.
    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::from(!self.rest.is_empty()), Some(self.rest.len().div_ceil(2)))
    }
}

impl FusedIterator for Packets<'_> {}

/// What a primitive has for children: one error.
///
/// Cold, so that the branch predictor guesses that a packet is a node; a choice without a branch would make the first child
/// wait for the tag.
#[cold]
fn none_inside(primitive: &[u8], offset: u64) -> Packets<'_> {
    // The tag alone is no packet, so the first step fails, at the tag.
    packets_from(primitive.get(..1).unwrap_or_default(), offset, Bound::Primitive)
}

/// What is wrong with bytes that are not one packet: they are read once more to say it.
#[cold]
pub(crate) fn single_error(bytes: &[u8]) -> Error {
    let mut packets = packets(bytes);
    match packets.next() {
        Some(Ok(_)) => Error::new(ErrorKind::TrailingBytes, packets.offset()),
        Some(Err(error)) => error,
        None => Error::new(ErrorKind::UnexpectedEnd, 0),
    }
}

impl<'a> Packet<'a> {
    /// The one packet that fills a slice, from its first byte to its last.
    ///
    /// For packets back to back, or a packet with other bytes behind it, use [`packets`](crate::packets).
    /// Cost: O(1), the value is not read.
    ///
    /// # Errors
    /// [`UnexpectedEnd`](ErrorKind::UnexpectedEnd), [`NegativeLength`](ErrorKind::NegativeLength),
    /// [`LengthOverflow`](ErrorKind::LengthOverflow), or [`TrailingBytes`](ErrorKind::TrailingBytes) at the first byte
    /// behind the packet.
    ///
    /// # Examples
    /// ```
    /// use y3::{ErrorKind, Packet};
    ///
    /// assert_eq!(Packet::from_slice(&[0x01, 0x01, 0x05])?.value(), [0x05]);
    /// assert_eq!(Packet::from_slice(&[0x01, 0x01]).unwrap_err().kind(), ErrorKind::UnexpectedEnd);
    /// assert_eq!(Packet::from_slice(&[0x01, 0x00, 0x05]).unwrap_err().offset(), 2);
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: SPEC §8
    #[inline]
    pub fn from_slice(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::single(bytes).ok_or_else(|| single_error(bytes))
    }

    /// As [`from_slice`](Self::from_slice), for callers with errors of their own: [`single_error`] says what is wrong. Without an
    /// error in the way the packet stays in registers.
    #[inline(always)]
    pub(crate) fn single(bytes: &'a [u8]) -> Option<Self> {
        let mut packets = packets(bytes);
        match packets.next() {
            Some(Ok(packet)) if packets.remainder().is_empty() => Some(packet),
            _ => None,
        }
    }

    /// The packets inside a node, in the order sent. A primitive gives one error and no packet.
    ///
    /// # Examples
    /// ```
    /// let node = y3::Packet::from_slice(&[0x81, 0x05, 0x02, 0x01, 0xff, 0x03, 0x00])?;
    /// let keys: Result<Vec<u8>, _> = node.children().map(|child| Ok(child?.key().get())).collect();
    /// assert_eq!(keys, Ok::<_, y3::Error>(vec![2, 3]));
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: SPEC §6
    #[must_use]
    #[inline]
    pub fn children(&self) -> Packets<'a> {
        if self.is_node() {
            packets_to(self.value(), self.end(), Bound::Node)
        } else {
            none_inside(self.as_bytes(), self.offset())
        }
    }

    /// Packets that a primitive carries as bytes, as the payload of a YoMo DataFrame does.
    ///
    /// Nothing on the wire says that a primitive's bytes are packets; the reader has to know. Offsets go on counting
    /// from the first byte of the outer input.
    ///
    /// # Examples
    /// ```
    /// let frame = y3::Packet::from_slice(&[0xbf, 0x05, 0x02, 0x03, 0x11, 0x01, 0x07])?;
    /// let reading = frame.find(0x02)?.unwrap().embedded().next().unwrap()?;
    /// assert_eq!((reading.offset(), reading.decode::<i32>()?), (4, 7));
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: SPEC §6
    #[must_use]
    #[inline]
    pub fn embedded(&self) -> Packets<'a> {
        packets_to(self.value(), self.end(), Bound::Input)
    }
}
