//! Packet: one tag, length and value, borrowed from the input.
//!
//! In: bytes that contain a whole packet. Out: the parts of the packet and its typed value. The files `packets` and
//! `walk` add the methods that read the packets inside a packet.

use core::fmt;
use core::ops::Range;

use crate::error::{Error, ErrorKind, Wanted};
use crate::value::Decode;
use crate::wire::key::Key;
use crate::wire::mode::Mode;
use crate::wire::tag::Tag;

/// One packet, borrowed from the input.
///
/// Bytes: `81 03 02 01 ff` (tag, length, value). Cost: 48 bytes, `Copy`; never allocates. Two packets are equal if
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
    /// The offset after the packet. The offsets of the tag and the value are computed from this offset and from the
    /// lengths.
    end: u64,
    tag: Tag,
    mode: Mode,
}

const _: () = assert!(size_of::<Packet<'_>>() <= 4 * size_of::<usize>() + 16);

impl<'a> Packet<'a> {
    /// Makes the packet at the start of `input` from its tag and value. The packet ends where `rest` begins. Its offset
    /// is 0.
    #[inline(always)]
    pub(crate) fn new(tag: Tag, input: &'a [u8], value: &'a [u8], rest: &[u8]) -> Self {
        // Without the header's size, which a loop over packets would keep. `get` never fails: `rest` is a part of the input.
        let bytes = input.get(..input.len().saturating_sub(rest.len())).unwrap_or(input);
        Self { bytes, value, end: bytes.len() as u64, tag, mode: Mode::default() }
    }

    /// The first byte of the packet, which contains the kind and the key.
    #[must_use]
    pub const fn tag(&self) -> Tag {
        self.tag
    }

    /// The key, 0..=63.
    #[must_use]
    pub const fn key(&self) -> Key {
        self.tag.key()
    }

    /// Whether the packet is a node: its value is packets, back to back. A slice is a node too.
    #[must_use]
    pub const fn is_node(&self) -> bool {
        self.tag.is_node()
    }

    /// Whether the packet is a slice: a node whose packets are the items of a list.
    #[must_use]
    pub const fn is_slice(&self) -> bool {
        self.tag.is_slice()
    }

    /// The bytes of the value, borrowed from the input. They are not checked.
    #[must_use]
    #[inline]
    pub const fn value(&self) -> &'a [u8] {
        self.value
    }

    /// The bytes of the whole packet, tag and length included, borrowed from the input.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The offset of the tag, in bytes from the first byte of the input.
    #[must_use]
    #[inline(always)]
    pub const fn offset(&self) -> u64 {
        self.end.wrapping_sub(self.bytes.len() as u64)
    }

    /// The same packet, with `offset` as the offset of its tag.
    #[inline(always)]
    pub(crate) fn at(self, offset: u64) -> Self {
        self.ending_at(offset.wrapping_add(self.bytes.len() as u64))
    }

    /// The same packet, with `end` as the offset after it.
    #[inline(always)]
    pub(crate) fn ending_at(self, end: u64) -> Self {
        Self { end, ..self }
    }

    /// The same packet with the nesting depth and integer dialect of `mode`.
    #[inline(always)]
    pub(crate) fn with_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    #[inline(always)]
    pub(crate) const fn mode(&self) -> Mode {
        self.mode
    }

    /// The offset after the packet.
    #[inline(always)]
    pub(crate) const fn end(&self) -> u64 {
        self.end
    }

    /// The same packet, but its integers and those inside it are read as `PVarInt`.
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

    /// The same packet with a depth limit. Decoding then enters at most `nodes` nested nodes, including this one. A
    /// node nested deeper is the error [`DepthLimit`](crate::ErrorKind::DepthLimit). The default limit is
    /// [`MAX_DEPTH`](crate::MAX_DEPTH) nodes.
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

    /// Whether this packet is a primitive with integers in the default dialect.
    #[inline(always)]
    pub(crate) const fn is_plain(&self) -> bool {
        self.mode.is_plain_tag(self.tag.get())
    }

    /// The error for a packet that is not of the requested type.
    #[inline(always)]
    pub(crate) fn refused(&self, wanted: Wanted) -> Error {
        refused(self.is_node(), self.end, self.start(), self.value, wanted)
    }

    /// The address of the packet in memory. From it, a cold function computes the size of the header, so the hot path
    /// need not compute that size.
    #[inline(always)]
    pub(crate) const fn start(&self) -> *const u8 {
        self.bytes.as_ptr()
    }

    /// The offset of the first byte of the value, in bytes from the first byte of the input. For an empty value, this
    /// is the end of the packet.
    #[must_use]
    #[inline(always)]
    pub const fn value_offset(&self) -> u64 {
        self.end.wrapping_sub(self.value.len() as u64)
    }

    /// The position of the value in the input, as a range of indices. Use it to overwrite the value in place.
    ///
    /// The range counts from the first byte of the input, as [`offset`](Self::offset) does. Use it to index the slice
    /// that was passed to [`packets`](crate::packets), to [`from_slice`](Self::from_slice) or to a watch. For a hit of
    /// a stream there is no such slice. If the offset of the value exceeds `usize::MAX`, the range is empty and lies at
    /// `usize::MAX`.
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
    /// [`value`](crate::value) lists these types and the packets that encode them.
    ///
    /// The wire does not carry the type, so the caller has to specify it. Cost: O(1), for text and copies O(n).
    ///
    /// # Errors
    /// [`NotAPrimitive`](ErrorKind::NotAPrimitive) if the type is a number, a text or bytes and the packet is a node.
    /// [`NotANode`](ErrorKind::NotANode) if the type needs a node and the packet is a primitive.
    /// [`InvalidValue`](ErrorKind::InvalidValue) at the first byte of the value if the value does not fit the type
    /// (wrong width, out of range, empty). [`InvalidUtf8`](ErrorKind::InvalidUtf8) at the first byte of the first
    /// invalid sequence of a text. Structs, enums and sequences also return the errors of the packets inside them.
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
        // A hand-written `Decode` that decodes its own type recursively passes here once per node, so its recursion ends too.
        if self.is_node() && self.mode.is_deepest() {
            return Err(Error::new(ErrorKind::DepthLimit, self.offset()));
        }
        T::decode(self)
    }
}

/// The error for a packet that is not of the requested type. The packet begins at the address `start` and ends at the
/// offset `end` of the input.
// Takes words, not the packet: the packet would be stored in memory even if this is never called.
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

/// Shows the tag, the offset and, in hexadecimal, all bytes of the packet. [`dump`](crate::dump()) also shows the
/// packets inside.
impl fmt::Debug for Packet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut packet = f.debug_struct("Packet");
        packet.field("tag", &self.tag).field("offset", &self.offset());
        packet.field("bytes", &format_args!("{:02x?}", self.bytes)).finish()
    }
}
