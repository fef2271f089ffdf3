//! The header of a packet: its tag and its length. To skip a packet, a reader reads only these bytes.
//!
//! Reading returns a header, the number of missing bytes, or the error in the length field.

use super::length;
use super::tag::Tag;
use crate::error::ErrorKind;

/// The tag and length of a packet. A reader needs no other bytes to skip the packet.
///
/// Bytes: two to six, such as `81 08` or `81 80 40`. Source: [SPEC §3](crate::spec#3-packet-tag-length-value)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    // Bytes would be enough, but words are faster: small fields share one register, and unpacking them delays the read
    // of the next header (measured: 11 cycles per packet instead of 6).
    size: usize,
    value_len: usize,
    tag: Tag,
}

/// Why there is no header: at least this number of bytes is missing, or the length field is invalid.
pub(crate) enum Stop {
    Missing(usize),
    Fault(ErrorKind),
}

impl Header {
    /// The maximum size of a header in bytes: one byte for the tag and five for the length.
    pub const MAX_SIZE: usize = 1 + length::MAX_SIZE;

    /// Makes the shortest header for a value of `value_len` bytes. Returns `None` if `value_len` is above 2^31-1.
    ///
    /// Use this function for a vectored write, which sends a value without copying it. To write whole packets, use an
    /// [`Encoder`](crate::Encoder).
    ///
    /// # Examples
    /// ```
    /// use y3::Header;
    /// use y3::{Key, Tag};
    ///
    /// let body = [0; 300];
    /// let header = Header::new(Tag::primitive(Key::ROOT), body.len()).unwrap();
    /// let mut front = [0; Header::MAX_SIZE];
    /// let parts = [header.encode(&mut front), &body];
    /// assert_eq!(parts.concat(), [&[0x01, 0x82, 0x2c], &body[..]].concat());
    /// ```
    #[must_use]
    #[inline]
    pub fn new(tag: Tag, value_len: usize) -> Option<Self> {
        Some(Self { size: 1 + length::encode(value_len)?.len(), value_len, tag })
    }

    /// Writes the header to the front of `buffer` and returns the bytes of the header. If the header was read from an
    /// input, the bytes are the same as in the input, even if the length field is longer than needed.
    #[inline]
    pub fn encode(self, buffer: &mut [u8; Self::MAX_SIZE]) -> &[u8] {
        let [tag, field @ ..] = buffer;
        *tag = self.tag.get();
        length::fill(self.value_len, field.iter_mut().take(self.size.saturating_sub(1)));
        buffer.get(..self.size).unwrap_or_default()
    }

    /// Returns the header at the front, and the bytes after it. Returns `None` if the header is incomplete or invalid.
    #[inline(always)]
    pub(crate) fn split(bytes: &[u8]) -> Option<(Self, &[u8])> {
        /// Returns the size of the header and the length of the value. The compiler returns these two words in
        /// registers. With a larger result, it would also store short headers in memory (measured: eight more
        /// instructions per packet).
        #[cold]
        #[inline(never)]
        fn long(bytes: &[u8]) -> (usize, usize) {
            Header::long(bytes).map_or((usize::MAX, 0), |header| (header.size, header.value_len))
        }
        if let Some(short) = Self::short(bytes) {
            return Some(short);
        }
        let tag = Tag::from(*bytes.first()?);
        let (size, value_len) = long(bytes);
        Some((Self { size, value_len, tag }, bytes.get(size..)?))
    }

    /// Returns the header at the front if it has two or three bytes. Nearly all headers are that short. Returns `None`
    /// if the header is longer or invalid.
    #[inline(always)]
    pub(crate) fn short(input: &[u8]) -> Option<(Self, &[u8])> {
        match input {
            [tag, len @ 0..length::ONE_BYTE, value @ ..] => {
                Some((Self { tag: Tag::from(*tag), size: 2, value_len: usize::from(*len) }, value))
            }
            // In the cold function, such headers would make the skipping of values of 64 bytes or more 1.5 times as
            // slow.
            [tag, high @ length::CONTINUES..length::CONTINUES_NEGATIVE, low @ 0..length::CONTINUES, value @ ..] => {
                Some((Self { tag: Tag::from(*tag), size: 3, value_len: length::two_bytes(*high, *low) }, value))
            }
            _ => None,
        }
    }

    /// Returns the tag of the packet at the front, and the bytes after the packet. Returns `None` if the packet is
    /// incomplete or if its header is not [`short`](Self::short).
    #[inline(always)]
    pub(crate) fn jump(input: &[u8]) -> Option<(Tag, &[u8])> {
        let (header, value) = Self::short(input)?;
        Some((header.tag, value.get(header.value_len..)?))
    }

    /// Does the same as [`jump`](Self::jump), but has no branch on the size of the header. This avoids mispredicted
    /// branches (32 texts of 50 to 150 bytes in a batch: 48 ns instead of 86 ns). Returns `None` if fewer than three
    /// bytes are left, even if two bytes are a whole packet.
    #[inline(always)]
    pub(crate) fn jump_mixed(input: &[u8]) -> Option<(Tag, &[u8])> {
        let &[tag, first, second, ..] = input else { return None };
        Some((Tag::from(tag), input.get(length::mixed(first, second)?..)?))
    }

    /// Returns the header at the front. The header can have any size.
    #[cold]
    pub(crate) fn long(input: &[u8]) -> Result<Self, Stop> {
        let Some((&tag, field)) = input.split_first() else { return Err(Stop::Missing(2)) };
        match length::decode(field) {
            Ok(Some((value_len, size))) => Ok(Self { tag: Tag::from(tag), size: 1 + size, value_len }),
            Ok(None) => Err(Stop::Missing(1)),
            Err(kind) => Err(Stop::Fault(kind)),
        }
    }

    /// Returns the first byte of the packet.
    #[must_use]
    pub const fn tag(self) -> Tag {
        self.tag
    }

    /// Returns the size of the header in bytes, 2 to 6.
    #[must_use]
    pub const fn size(self) -> usize {
        self.size
    }

    /// Returns the length of the value in bytes, 0 to 2^31-1, as the sender declares it. The input may end before the
    /// value does.
    #[must_use]
    pub const fn value_len(self) -> usize {
        self.value_len
    }

    /// Returns the length of the packet in bytes, header included. It is at most 2^31+5, which fits a `usize` of 32
    /// bits.
    #[must_use]
    pub const fn packet_len(self) -> usize {
        self.size + self.value_len
    }
}
