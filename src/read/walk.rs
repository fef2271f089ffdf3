//! Iterates over every packet of a tree, at any depth.
//!
//! A node comes before the packets inside it. `check` returns only the first error.

use core::iter::FusedIterator;

use super::packet::Packet;
use super::packets::{Container, Packets, packets, packets_from};
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_DEPTH;
use crate::wire::header::Header;
use crate::wire::mode::Mode;

/// Iterates over every packet at any depth. A node comes before the packets inside it.
///
/// Returned by [`walk`] and [`Walk::new`]. The maximum nesting depth is [`MAX_DEPTH`].
/// [`with_max_depth`](Self::with_max_depth) sets a lower maximum. The iterator neither recurses nor allocates: an array
/// of fixed size stores one number for each open node. After an error the iterator yields `None`.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    /// The unread bytes, from the next packet on. `end` is the offset of their end.
    rest: &'a [u8],
    end: u64,
    /// The number of unread bytes after the current level. `outer` stores the same number for each enclosing level.
    after: usize,
    outer: [usize; MAX_DEPTH],
    /// The number of nodes around the next packet. At the end of a level the number stays too high until the next call.
    depth: usize,
    max_depth: usize,
    /// True if the last returned packet is a node whose packets come next.
    is_entered: bool,
    /// The mode of the packets in the current level. `top_level` is the source and the mode of the top-level packets.
    mode: Mode,
    top_level: (Container, Mode),
}

/// Iterates over every packet in a buffer, at any depth. A node comes before the packets inside it.
///
/// Bytes: a sequence of packets. Cost: at most O(n), one header per packet. Never allocates. Uses 512 bytes of stack. A
/// walk does not enter primitives, even if their bytes are packets.
///
/// # Examples
/// ```
/// let bytes = [0x81, 0x05, 0x82, 0x03, 0x03, 0x01, 0x07];
/// let mut walk = y3::walk(&bytes);
/// let mut seen = Vec::new();
/// while let Some(packet) = walk.next() {
///     seen.push((walk.depth(), packet?.key().get()));
/// }
/// assert_eq!(seen, [(0, 1), (1, 2), (2, 3)]);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[must_use]
pub fn walk(bytes: &[u8]) -> Walk<'_> {
    Walk::new(packets(bytes))
}

/// Checks every header in a buffer of packets and returns the first error.
///
/// Every header must be valid, and every packet must end inside its parent node and inside the input. A node that is
/// nested deeper than [`MAX_DEPTH`] is an error. The function does not check the bytes of primitives. It accepts length
/// fields that are longer than needed, and slice items with any key. Cost: at most O(n), one header per packet. Never
/// allocates.
///
/// # Errors
/// Returns [`UnexpectedEnd`](ErrorKind::UnexpectedEnd), [`Overrun`](ErrorKind::Overrun),
/// [`NegativeLength`](ErrorKind::NegativeLength), [`LengthOverflow`](ErrorKind::LengthOverflow) or
/// [`DepthLimit`](ErrorKind::DepthLimit) for the first faulty packet.
///
/// # Examples
/// ```
/// let error = y3::check(&[0x81, 0x03, 0x01, 0x02, 0x05]).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (y3::ErrorKind::Overrun, 2));
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
pub fn check(bytes: &[u8]) -> Result<(), Error> {
    packets(bytes).check()
}

impl<'a> Walk<'a> {
    /// Makes a walk over `packets`: the packets in a buffer, in a node, or in the bytes of a primitive. These packets
    /// have depth 0.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "the walk goes on in its place")]
    pub fn new(packets: Packets<'a>) -> Self {
        Self {
            rest: packets.remainder(),
            end: packets.offset().wrapping_add(packets.remainder().len() as u64),
            after: 0,
            outer: [0; MAX_DEPTH],
            depth: 0,
            max_depth: MAX_DEPTH,
            is_entered: false,
            mode: packets.mode(),
            top_level: (packets.container(), packets.mode()),
        }
    }

    /// Sets the maximum nesting depth. Numbers above [`MAX_DEPTH`] become [`MAX_DEPTH`]. If a node is nested deeper,
    /// the walk returns the error [`ErrorKind::DepthLimit`].
    ///
    /// # Examples
    /// ```
    /// let mut flat = y3::walk(&[0x01, 0x00, 0x82, 0x00]).with_max_depth(0);
    /// assert!(flat.next().unwrap().is_ok());
    /// assert_eq!(flat.next().unwrap().unwrap_err().kind(), y3::ErrorKind::DepthLimit);
    /// ```
    #[must_use]
    pub const fn with_max_depth(self, nodes: usize) -> Self {
        Self { max_depth: if nodes < MAX_DEPTH { nodes } else { MAX_DEPTH }, ..self }
    }

    /// Returns the number of nodes around the last returned packet.
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.depth - self.is_entered as usize
    }

    /// Skips the packets inside the last returned packet, if that packet is a node.
    ///
    /// # Examples
    /// ```
    /// let mut walk = y3::walk(&[0x81, 0x02, 0x02, 0x00, 0x03, 0x00]);
    /// walk.next();
    /// walk.skip_children();
    /// assert_eq!(walk.next().unwrap()?.key(), 0x03);
    /// # Ok::<(), y3::Error>(())
    /// ```
    pub const fn skip_children(&mut self) {
        match self.rest.split_at_checked(self.rest.len() - self.after) {
            Some((_, rest)) if self.is_entered => self.rest = rest,
            _ => {}
        }
    }

    /// Leaves a node at its end. Returns `None` at the top level.
    #[inline]
    fn ascend(&mut self) -> Option<()> {
        self.depth = self.depth.checked_sub(1)?;
        self.after = *self.outer.get(self.depth)?;
        let (_, mode) = self.top_level;
        self.mode = mode.deeper(self.depth);
        Some(())
    }

    /// Reads the next packet a second time and returns its error: the packet is invalid, or it is a node that is nested
    /// too deep.
    #[cold]
    fn fail(&mut self) -> Error {
        let start = self.end.wrapping_sub(self.rest.len() as u64);
        let level = self.rest.get(..self.rest.len() - self.after).unwrap_or_default();
        let container = if self.depth == 0 { self.top_level.0 } else { Container::Node };
        (self.rest, self.after, self.depth) = (&[], 0, 0);
        match packets_from(level, start, container).next() {
            Some(Err(error)) => error,
            _ => Error::new(ErrorKind::DepthLimit, start),
        }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Result<Packet<'a>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.is_entered = false;
        while self.rest.len() == self.after {
            self.ascend()?;
        }
        let next = Header::split(self.rest)
            .and_then(|(header, inside)| Some((header, inside, inside.split_at_checked(header.value_len())?)));
        let Some((header, inside, (value, rest))) = next.filter(|(.., (_, rest))| rest.len() >= self.after) else {
            return Some(Err(self.fail()));
        };
        let end = self.end.wrapping_sub(rest.len() as u64);
        let packet = Packet::new(header.tag(), self.rest, value, rest).ending_at(end).with_mode(self.mode);
        if header.tag().is_node() {
            match self.outer.get_mut(self.depth) {
                Some(outer) if self.depth < self.max_depth => *outer = self.after,
                _ => return Some(Err(self.fail())),
            }
            (self.rest, self.after, self.mode) = (inside, rest.len(), self.mode.inside(false));
            (self.depth, self.is_entered) = (self.depth + 1, true);
        } else {
            self.rest = rest;
        }
        Some(Ok(packet))
    }
}

impl FusedIterator for Walk<'_> {}

impl Packets<'_> {
    /// Checks every header of these packets, at any depth, as [`check`](crate::check) does.
    ///
    /// # Errors
    /// Returns the errors of [`check`](crate::check), and [`NotANode`](ErrorKind::NotANode) for the children of a
    /// primitive.
    pub fn check(self) -> Result<(), Error> {
        Walk::new(self).try_for_each(|packet| packet.map(drop))
    }
}

impl Packet<'_> {
    /// Checks every header of the packet, at any depth, as [`check`](crate::check) does.
    ///
    /// # Errors
    /// Returns the errors of [`check`](crate::check).
    pub fn check(&self) -> Result<(), Error> {
        Packets::from(*self).check()
    }
}
