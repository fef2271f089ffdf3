//! One packet, borrowed from the input: its tag, length and value.
//!
//! The files `packets` and `walk` add the methods that read the packets inside a packet.

use core::fmt;
use core::ops::Range;

use crate::error::{Error, ErrorKind, Wanted};
use crate::value::Decode;
use crate::wire::key::Key;
use crate::wire::mode::Mode;
use crate::wire::tag::Tag;

/// One packet, borrowed from the input.
///
/// Bytes: `81 03 02 01 ff` (tag, length, value). A `Packet` is `Copy` and has 48 bytes. Two packets are equal if
/// their bytes and their offsets are equal.
/// Source: [SPEC §3](crate::spec#3-packet-tag-length-value)
///
/// # Examples
/// ```
/// let bytes = [0x81, 0x03, 0x02, 0x01, 0xff];
/// let packet = y3::Packet::from_slice(&bytes)?;
/// assert!(packet.is_node() && packet.key() == 0x01);
/// assert_eq!(packet.value(), [0x02, 0x01, 0xff]);
/// let child = packet.find(0x02)?.unwrap();
/// assert_eq!((child.offset(), child.decode::<i32>()?), (2, -1));
/// # Ok::<(), y3::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Packet<'a> {
    bytes: &'a [u8],
    value: &'a [u8],
    /// The offset of the byte after the packet. The offsets of the tag and the value are computed from this offset and
    /// the lengths of the slices.
    end: u64,
    tag: Tag,
    mode: Mode,
}

const _: () = assert!(size_of::<Packet<'_>>() <= 4 * size_of::<usize>() + 16);

impl<'a> Packet<'a> {
    /// Makes the packet at the start of `input` from its tag and value. `rest` is the part of `input` after the packet.
    /// The offset of the packet is 0.
    #[inline(always)]
    pub(crate) fn new(tag: Tag, input: &'a [u8], value: &'a [u8], rest: &[u8]) -> Self {
        // Does not take the size of the header, because a loop over packets would then have to keep it in a register.
        // `get` never fails, because `rest` is a part of the input.
        let bytes = input.get(..input.len().saturating_sub(rest.len())).unwrap_or(input);
        Self { bytes, value, end: bytes.len() as u64, tag, mode: Mode::default() }
    }

    /// Returns the first byte of the packet, which holds the kind and the key.
    #[must_use]
    pub const fn tag(&self) -> Tag {
        self.tag
    }

    /// Returns the key, 0 to 63.
    #[must_use]
    pub const fn key(&self) -> Key {
        self.tag.key()
    }

    /// True if the packet is a node: its value is a sequence of packets. A slice is a node too.
    #[must_use]
    pub const fn is_node(&self) -> bool {
        self.tag.is_node()
    }

    /// True if the packet is a slice: a node that contains the items of a list.
    #[must_use]
    pub const fn is_slice(&self) -> bool {
        self.tag.is_slice()
    }

    /// Returns the bytes of the value, borrowed from the input. They are not checked.
    #[must_use]
    #[inline]
    pub const fn value(&self) -> &'a [u8] {
        self.value
    }

    /// Returns the bytes of the whole packet, including tag and length, borrowed from the input.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the offset of the tag in bytes from the start of the input.
    #[must_use]
    #[inline(always)]
    pub const fn offset(&self) -> u64 {
        self.end.wrapping_sub(self.bytes.len() as u64)
    }

    /// Returns the same packet with its tag at `offset`.
    #[inline(always)]
    pub(crate) fn at(self, offset: u64) -> Self {
        self.ending_at(offset.wrapping_add(self.bytes.len() as u64))
    }

    /// Returns the same packet with its end at the offset `end`.
    #[inline(always)]
    pub(crate) fn ending_at(self, end: u64) -> Self {
        Self { end, ..self }
    }

    /// Returns the same packet with the nesting depth and the integer dialect of `mode`.
    #[inline(always)]
    pub(crate) fn with_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    #[inline(always)]
    pub(crate) const fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the offset of the byte after the packet.
    #[inline(always)]
    pub(crate) const fn end(&self) -> u64 {
        self.end
    }

    /// Returns the same packet, set to the dialect `PVarInt`. Decoding then reads all integers in the packet, at any
    /// depth, as `PVarInt`.
    ///
    /// # Examples
    /// ```
    /// let node = y3::Packet::from_slice(&[0x81, 0x04, 0x02, 0x02, 0x81, 0x00])?;
    /// assert_eq!(node.get::<i32>(0x02)?, Some(-32512));
    /// assert_eq!(node.pvar().get::<i32>(0x02)?, Some(128));
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    pub const fn pvar(self) -> Self {
        Self { mode: self.mode.pvar(), ..self }
    }

    /// Returns the same packet with a depth limit. Decoding then enters at most `nodes` nested nodes, including this
    /// one. If a node is nested deeper, decoding returns the error [`DepthLimit`](crate::ErrorKind::DepthLimit). The
    /// default limit is [`MAX_DEPTH`](crate::MAX_DEPTH) nodes.
    ///
    /// # Examples
    /// ```
    /// let list = y3::Packet::from_slice(&[0xc1, 0x03, 0x00, 0x01, 0x07])?;
    /// assert_eq!(list.with_max_depth(1).decode::<[i32; 1]>()?, [7]);
    /// assert_eq!(list.with_max_depth(0).decode::<[i32; 1]>().unwrap_err().kind(), y3::ErrorKind::DepthLimit);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub const fn with_max_depth(self, nodes: usize) -> Self {
        Self { mode: self.mode.with_max_depth(nodes), ..self }
    }

    /// True if this packet is a primitive, and its integers have the default dialect.
    #[inline(always)]
    pub(crate) const fn is_plain(&self) -> bool {
        self.mode.is_plain_tag(self.tag.get())
    }

    /// Returns the error for a packet that does not have the requested type.
    #[inline(always)]
    pub(crate) fn refused(&self, wanted: Wanted) -> Error {
        refused(self.is_node(), self.end, self.start(), self.value, wanted)
    }

    /// Returns the address of the packet in memory. A cold function computes the size of the header from it, so that
    /// the hot path does not have to.
    #[inline(always)]
    pub(crate) const fn start(&self) -> *const u8 {
        self.bytes.as_ptr()
    }

    /// Returns the offset of the first byte of the value, in bytes from the start of the input. For an empty value,
    /// this is the end of the packet.
    #[must_use]
    #[inline(always)]
    pub const fn value_offset(&self) -> u64 {
        self.end.wrapping_sub(self.value.len() as u64)
    }

    /// Returns the position of the value in the input, as a range of indices. Use the range to overwrite the value in
    /// place.
    ///
    /// The range is valid for the slice that was passed to [`packets`](crate::packets), to
    /// [`from_slice`](Self::from_slice) or to a watch. For a hit of a stream, there is no such slice. If the offset of
    /// the value exceeds `usize::MAX`, the range is empty and begins at `usize::MAX`.
    ///
    /// # Examples
    /// ```
    /// let mut bytes = [0x81, 0x03, 0x02, 0x01, 0xff];
    /// let range = y3::Packet::from_slice(&bytes)?.find(0x02)?.unwrap().value_range();
    /// bytes[range].fill(0);
    /// assert_eq!(bytes, [0x81, 0x03, 0x02, 0x01, 0x00]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn value_range(&self) -> Range<usize> {
        let start = usize::try_from(self.value_offset()).unwrap_or(usize::MAX);
        start..start.saturating_add(self.value.len())
    }

    /// Decodes the packet as a type: a number, a text, bytes, a struct, an enum or a sequence. The module
    /// [`value`](crate::value) lists the supported types and how they are encoded.
    ///
    /// Packets do not contain types, so the caller has to name the type. Cost: O(1), but O(n) for texts and for values
    /// that are copied.
    ///
    /// # Errors
    /// Returns [`NotAPrimitive`](ErrorKind::NotAPrimitive) if the type is a number, a text or bytes, but the packet is
    /// a node. Returns [`NotANode`](ErrorKind::NotANode) if the type needs a node, but the packet is a primitive.
    /// Returns [`InvalidValue`](ErrorKind::InvalidValue) if the value has the wrong width for the type, is out of
    /// range, or is empty. The offset of this error is the first byte of the value. Returns
    /// [`InvalidUtf8`](ErrorKind::InvalidUtf8) at the first invalid sequence of a text. Structs, enums and sequences
    /// also return the errors of the packets inside them.
    ///
    /// # Examples
    /// ```
    /// use y3::{ErrorKind, PVarInt, Packet};
    ///
    /// let packet = Packet::from_slice(&[0x01, 0x02, 0x81, 0x00])?;
    /// assert_eq!(packet.decode::<i32>()?, -32512);
    /// assert_eq!(packet.decode::<PVarInt<i32>>()?, PVarInt(128));
    /// assert_eq!(packet.decode::<bool>().unwrap_err().offset(), 2);
    /// let node = Packet::from_slice(&[0x81, 0x03, 0x02, 0x01, 0x05])?;
    /// assert_eq!(node.decode::<i32>().unwrap_err().kind(), ErrorKind::NotAPrimitive);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[inline(always)]
    pub fn decode<T: Decode<'a>>(self) -> Result<T, Error> {
        // A hand-written `Decode` can decode its own type recursively. It passes here once per node, so the recursion
        // ends at the depth limit.
        if self.is_node() && self.mode.is_deepest() {
            return Err(Error::new(ErrorKind::DepthLimit, self.offset()));
        }
        T::decode(self)
    }
}

/// Returns the error for a packet that does not have the requested type. `start` is the address of the packet, and
/// `end` is the offset of the packet's end in the input.
// Takes words instead of the packet: the compiler would store the packet in memory, even if this function is never
// called.
#[cold]
#[inline(never)]
pub(crate) fn refused(is_node: bool, end: u64, start: *const u8, value: &[u8], wanted: Wanted) -> Error {
    let offset = end.wrapping_sub(value.len() as u64);
    if is_node {
        let header = value.as_ptr().addr().wrapping_sub(start.addr());
        Error::new(ErrorKind::NotAPrimitive, offset.wrapping_sub(header as u64))
    } else {
        Error::naming(ErrorKind::InvalidValue, offset, wanted, value.len())
    }
}

impl PartialEq for Packet<'_> {
    fn eq(&self, other: &Packet<'_>) -> bool {
        (self.bytes, self.end) == (other.bytes, other.end)
    }
}

impl Eq for Packet<'_> {}

/// Shows the tag, the offset, and all bytes of the packet in hexadecimal. Use [`dump`](crate::dump()) to show the
/// packets inside a node.
impl fmt::Debug for Packet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut packet = f.debug_struct("Packet");
        packet.field("tag", &self.tag).field("offset", &self.offset());
        packet.field("bytes", &format_args!("{:02x?}", self.bytes)).finish()
    }
}
