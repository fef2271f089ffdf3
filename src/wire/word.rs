//! Up to sixteen encoded bytes in registers: a value of at most fourteen bytes, or a value and its header.
//!
//! A word is made from a number or from bytes in memory. A sink stores a word in two halves.

/// Loads 1 to 8 bytes, big-endian, as an unsigned number. Returns `None` for any other number of bytes.
///
/// Two loads that overlap replace a loop over the bytes. The processor could not predict when such a loop ends.
#[inline(always)]
pub(crate) fn load(bytes: &[u8]) -> Option<u64> {
    let width = bytes.len();
    match width {
        1 => bytes.first().map(|&byte| u64::from(byte)),
        4..=8 => {
            let (head, tail) = (bytes.first_chunk::<4>()?, bytes.last_chunk::<4>()?);
            Some(u64::from(u32::from_be_bytes(*head)) << (8 * (width - 4)) | u64::from(u32::from_be_bytes(*tail)))
        }
        2..=3 => {
            let (head, tail) = (bytes.first_chunk::<2>()?, bytes.last_chunk::<2>()?);
            Some(u64::from(u16::from_be_bytes(*head)) << (8 * (width - 2)) | u64::from(u16::from_be_bytes(*tail)))
        }
        _ => None,
    }
}

/// A value or a small packet to write. A shift of a number is faster than storing single bytes and loading them again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// The lowest byte is the first byte on the wire. Most machines store numbers in this order. One shift makes space
    /// for a header.
    bytes: u128,
    len: u32,
}

impl Word {
    /// Makes a word of `len` bytes. `len` must be at most 14, so that a tag and a length fit before the value. All
    /// bytes after the first `len` bytes must be zero.
    #[inline(always)]
    pub(crate) const fn new(bytes: u128, len: u32) -> Self {
        debug_assert!(len <= 14);
        Self { bytes, len }
    }

    #[inline(always)]
    pub(crate) const fn len(self) -> usize {
        self.len as usize
    }

    /// Makes a word of up to eight bytes. The highest byte of `bytes` is the first byte on the wire. Callers shift a
    /// number of 64 bits, because a variable shift of 128 bits is slow.
    #[inline(always)]
    pub(crate) const fn of_u64(bytes: u64, len: u32) -> Self {
        Self::new(bytes.swap_bytes() as u128, len)
    }

    #[inline(always)]
    pub(crate) const fn of_byte(byte: u8) -> Self {
        Self::new(byte as u128, 1)
    }

    /// Loads up to eight bytes. The first byte becomes the lowest byte. Returns `None` for more than eight bytes.
    #[inline(always)]
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let [width, ..] = bytes.len().to_le_bytes();
        let number = match width {
            _ if bytes.len() > 8 => return None,
            0 => 0,
            1 => u64::from(*bytes.first()?),
            2..=3 => {
                let (head, tail) = (bytes.first_chunk()?, bytes.last_chunk()?);
                u64::from(u16::from_le_bytes(*head)) | u64::from(u16::from_le_bytes(*tail)) << (8 * (width - 2))
            }
            _ => {
                let (head, tail) = (bytes.first_chunk()?, bytes.last_chunk()?);
                u64::from(u32::from_le_bytes(*head)) | u64::from(u32::from_le_bytes(*tail)) << ((8 * (width - 4)) & 63)
            }
        };
        Some(Self::new(u128::from(number), u32::from(width)))
    }

    /// Makes a header from a tag and a length of one byte.
    #[inline(always)]
    pub(crate) const fn header(tag: u8, len: u8) -> Self {
        Self { bytes: (tag as u64 | (len as u64) << 8) as u128, len: 2 }
    }

    /// Puts a tag before these bytes. If they are a length field, the result is a header.
    #[inline(always)]
    pub(crate) const fn after(self, tag: u8) -> Self {
        Self { bytes: tag as u128 | self.bytes << 8, len: self.len + 1 }
    }

    /// Makes a whole packet: the tag, a length of one byte, and this word as the value.
    #[inline(always)]
    pub(crate) const fn into_packet(self, tag: u8) -> Self {
        let header = tag as u64 | (self.len as u64) << 8;
        Self { bytes: header as u128 | self.bytes << 16, len: self.len + 2 }
    }

    /// Returns the sixteen bytes as a number. The lowest byte is the first byte on the wire. Bytes after the first
    /// [`len`](Self::len) are not part of the word.
    #[inline(always)]
    pub(crate) const fn to_u128(self) -> u128 {
        self.bytes
    }

    /// Returns the first eight bytes.
    #[inline(always)]
    pub(crate) fn low_half(self) -> [u8; 8] {
        self.to_bytes().first_chunk().copied().unwrap_or_default()
    }

    /// Returns all sixteen bytes.
    #[inline(always)]
    pub(crate) const fn to_bytes(self) -> [u8; 16] {
        self.bytes.to_le_bytes()
    }
}
