//! Packet: one tag, length and value, borrowed from the input.
//!
//! In: bytes that hold a whole packet. Out: its parts and its typed value. `packets`, `siblings` and `walk` add the methods that
//! read the packets inside it.

use core::fmt;
use core::ops::Range;

use super::value::Decode;
use crate::error::Error;
use crate::wire::header::Header;
use crate::wire::key::Key;
use crate::wire::tag::Tag;

/// One packet, borrowed from the input.
///
/// Bytes: `81 03 02 01 ff` (tag, length, value). Cost: 48 bytes, `Copy`; allocates never.
/// Source: [SPEC §3](crate::spec#3-packet-tag-length-value)
///
/// # Examples
/// ```
/// let bytes = [0x81, 0x03, 0x02, 0x01, 0xff];
/// let packet = y3::Packet::from_slice(&bytes)?;
/// assert!(packet.is_node());
/// assert_eq!(packet.value(), [0x02, 0x01, 0xff]);
/// assert_eq!(packet.find(0x02)?.unwrap().decode::<i32>()?, -1);
/// # Ok::<(), y3::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Packet<'a> {
    bytes: &'a [u8],
    value: &'a [u8],
    offset: u64,
    tag: Tag,
}

impl<'a> Packet<'a> {
    /// The packet at the start of `input` with this header and this value. Its offset is 0.
    #[inline(always)]
    pub(crate) fn new(header: Header, input: &'a [u8], value: &'a [u8]) -> Self {
        // The packet is whole, so `get` never fails; this form compiles to the fewest instructions.
        let bytes = input.get(..header.packet_len()).unwrap_or(input);
        Self { bytes, value, offset: 0, tag: header.tag() }
    }

    /// The first byte: kind and key.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::Packet::from_slice(&[0xc1, 0x00])?.tag(), y3::Tag::slice(y3::Key::ROOT));
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub const fn tag(&self) -> Tag {
        self.tag
    }

    /// The key, 0..=63.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::Packet::from_slice(&[0x91, 0x00])?.key(), 0x11);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub const fn key(&self) -> Key {
        self.tag.key()
    }

    /// Whether the packet is a node, slices included: its value is packets, back to back.
    ///
    /// # Examples
    /// ```
    /// assert!(!y3::Packet::from_slice(&[0x11, 0x00])?.is_node());
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub const fn is_node(&self) -> bool {
        self.tag.is_node()
    }

    /// Whether the packet is a slice: a node whose packets are the items of a list.
    ///
    /// # Examples
    /// ```
    /// assert!(y3::Packet::from_slice(&[0xd1, 0x00])?.is_slice());
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub const fn is_slice(&self) -> bool {
        self.tag.is_slice()
    }

    /// The value's bytes, borrowed from the input and not checked.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::Packet::from_slice(&[0x01, 0x02, 0xaa, 0xbb])?.value(), [0xaa, 0xbb]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn value(&self) -> &'a [u8] {
        self.value
    }

    /// The bytes of the whole packet, tag and length included, borrowed from the input.
    ///
    /// # Examples
    /// ```
    /// let packet = y3::packets(&[0x01, 0x01, 0xaa, 0x02, 0x00]).next().unwrap()?;
    /// assert_eq!(packet.as_bytes(), [0x01, 0x01, 0xaa]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The offset of the tag: bytes from the first byte of the input.
    ///
    /// # Examples
    /// ```
    /// let node = y3::Packet::from_slice(&[0x81, 0x05, 0x02, 0x00, 0x03, 0x01, 0x07])?;
    /// assert_eq!(node.find(0x03)?.unwrap().offset(), 4);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The same packet with its tag at `offset` of the input.
    #[inline(always)]
    pub(crate) fn at(self, offset: u64) -> Self {
        Self { offset, ..self }
    }

    /// The offset after the packet.
    #[inline(always)]
    pub(crate) fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes.len() as u64)
    }

    /// Where the value's first byte lies, or would lie if it has none: bytes from the first byte of the input.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(y3::Packet::from_slice(&[0x01, 0x80, 0x01, 0xaa])?.value_offset(), 3);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn value_offset(&self) -> u64 {
        self.offset.saturating_add((self.bytes.len() - self.value.len()) as u64)
    }

    /// The range of the input that holds the value, for changing it in place.
    ///
    /// The range counts from the first byte of the input, as [`offset`](Self::offset) does: it indexes the slice given to
    /// [`packets`](crate::packets), [`from_slice`](Self::from_slice) or a watch. A hit of a stream has no such slice; where its
    /// offset exceeds a `usize`, the range is empty at the highest index.
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

    /// The value decoded as a type: `i8..=i64`, `u8..=u64` and `usize` (NVarInt), `PVarInt<…>` of `i32 u32 i64 u64` (PVarInt), `f32 f64
    /// bool`, `&str`, `&[u8]` and `[u8; N]`; with feature `alloc` `String` and `Vec<u8>`.
    ///
    /// The wire does not mark the type; the reader has to know it. Cost: O(1), for text and copies O(n).
    ///
    /// # Errors
    /// [`InvalidValue`](crate::ErrorKind::InvalidValue) at the value's first byte if the value is not of that type (wrong
    /// width, out of range, empty); [`InvalidUtf8`](crate::ErrorKind::InvalidUtf8) at the first byte of the first invalid
    /// sequence.
    ///
    /// # Examples
    /// ```
    /// use y3::{Packet, PVarInt};
    ///
    /// let packet = Packet::from_slice(&[0x01, 0x02, 0x81, 0x00])?;
    /// assert_eq!(packet.decode::<i32>()?, -32512);
    /// assert_eq!(packet.decode::<PVarInt<i32>>()?, PVarInt(128));
    /// assert_eq!(packet.decode::<bool>().unwrap_err().offset(), 2);
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: [SPEC §4](crate::spec#4-integers), [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    #[inline]
    pub fn decode<T: Decode<'a>>(&self) -> Result<T, Error> {
        T::decode(self.value()).map_err(|error| error.rebased(self.value_offset()))
    }
}

/// Shows the tag, the offset and the bytes of the whole packet in hexadecimal; [`dump`](crate::dump()) shows what is inside.
impl fmt::Debug for Packet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut packet = f.debug_struct("Packet");
        packet.field("tag", &self.tag).field("offset", &self.offset);
        packet.field("bytes", &format_args!("{:02x?}", self.bytes)).finish()
    }
}
