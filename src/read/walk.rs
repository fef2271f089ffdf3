//! Walk: every packet of a tree, at any depth.
//!
//! In: packets, back to back. Out: each packet, a node before the packets inside it; `check` returns only the first error.

use core::iter::FusedIterator;

use super::packet::Packet;
use super::packets::{Container, Packets, packets, packets_from};
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_DEPTH;

/// Iterates over every packet at any depth, a node before the packets inside it.
///
/// Made by [`walk`] and [`Walk::new`]. The maximum nesting depth is [`MAX_DEPTH`], or lower with
/// [`with_max_depth`](Self::with_max_depth). A fixed array holds one number for each open node: no recursion, no
/// allocation. After an error it yields `None`.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    /// All packets that are walked.
    input: Packets<'a>,
    /// Those of the current level.
    packets: Packets<'a>,
    /// The end of the current level and of the levels around it, as positions in `input`.
    end: usize,
    ends: [usize; MAX_DEPTH],
    depth: usize,
    max_depth: usize,
    /// The node returned last, which the next step enters unless its packets are skipped.
    entered_next: Option<Packet<'a>>,
}

/// Iterates over every packet of a buffer at any depth, a node before the packets inside it.
///
/// Bytes: packets, back to back. Cost: at most O(n), one header per packet; allocates never, 512 bytes of stack. Primitives
/// are not entered, even if their bytes are packets.
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
/// Every header must be valid, and every packet must end inside its node and the input, at any depth up to [`MAX_DEPTH`]
/// nodes. The bytes of primitives, padded lengths and the keys of slice items are not checked. Cost: at most O(n), one
/// header per packet; allocates never.
///
/// # Errors
/// [`UnexpectedEnd`](ErrorKind::UnexpectedEnd), [`Overrun`](ErrorKind::Overrun),
/// [`NegativeLength`](ErrorKind::NegativeLength), [`LengthOverflow`](ErrorKind::LengthOverflow),
/// [`DepthLimit`](ErrorKind::DepthLimit).
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
    /// Walks these packets: those of a buffer, of a node, or embedded in a primitive. Depth counts from here.
    #[must_use]
    pub fn new(packets: Packets<'a>) -> Self {
        let end = packets.remainder().len();
        let input = packets.clone();
        Self { input, packets, end, ends: [0; MAX_DEPTH], depth: 0, max_depth: MAX_DEPTH, entered_next: None }
    }

    /// Sets the maximum nesting depth, at most [`MAX_DEPTH`]: a larger number is taken as that. A node beyond that depth is
    /// [`ErrorKind::DepthLimit`].
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

    /// The number of nodes around the packet returned last.
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// Skips the packets inside the node returned last.
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
        self.entered_next = None;
    }

    #[inline]
    fn descend(&mut self, node: Packet<'a>) {
        if let Some(end) = self.ends.get_mut(self.depth) {
            *end = self.end;
            self.end -= self.packets.remainder().len();
            self.packets = node.children();
            self.depth += 1;
        }
    }

    /// Returns to the outer level, after the node that was just read. `None` at the top level.
    #[inline]
    fn ascend(&mut self) -> Option<()> {
        let depth = self.depth.checked_sub(1)?;
        let (start, end) = (self.end, *self.ends.get(depth)?);
        let rest = self.input.remainder().get(start..end)?;
        let container = if depth == 0 { self.input.container() } else { Container::Node };
        let packets = packets_from(rest, self.input.offset().wrapping_add(start as u64), container);
        self.packets = packets.with_mode(self.input.mode().deeper(depth));
        (self.end, self.depth) = (end, depth);
        Some(())
    }

    fn fail(&mut self, error: Error) -> Error {
        self.packets = packets(&[]);
        self.depth = 0;
        error
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Result<Packet<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(node) = self.entered_next.take() {
            self.descend(node);
        }
        loop {
            match self.packets.next() {
                Some(Ok(packet)) if packet.is_node() => {
                    if self.depth >= self.max_depth {
                        return Some(Err(self.fail(Error::new(ErrorKind::DepthLimit, packet.offset()))));
                    }
                    self.entered_next = Some(packet);
                    return Some(Ok(packet));
                }
                Some(Ok(packet)) => return Some(Ok(packet)),
                Some(Err(error)) => return Some(Err(self.fail(error))),
                None => self.ascend()?,
            }
        }
    }
}

impl FusedIterator for Walk<'_> {}

impl Packets<'_> {
    /// Checks every header of these packets, at any depth, and returns the first error; see [`check`](crate::check).
    ///
    /// # Errors
    /// Those of [`check`](crate::check); [`NotANode`](ErrorKind::NotANode) if these are the children of a primitive.
    pub fn check(self) -> Result<(), Error> {
        Walk::new(self).try_for_each(|packet| packet.map(drop))
    }
}

impl Packet<'_> {
    /// Checks every header of the packet, at any depth, and returns the first error; see [`check`](crate::check).
    ///
    /// # Errors
    /// Those of [`check`](crate::check).
    pub fn check(&self) -> Result<(), Error> {
        packets_from(self.as_bytes(), self.offset(), Container::Input).check()
    }
}
