//! Sink: where encoded bytes go.
//!
//! In: bytes, in order. Out: a `Vec<u8>`, a `BytesMut`, a plain slice, or nothing but their count.

use core::ops::Range;

use crate::error::ErrorKind;

/// A place for encoded bytes, written by position.
///
/// Implemented for `Vec<u8>` (feature `alloc`), `bytes::BytesMut` (feature `bytes`) and [`SliceSink`]. The encoder keeps
/// the position, so that a put need not wait for the length that the put before it has stored. It starts at
/// [`position`](Self::position), stores upwards from there, and says with [`finish`](Self::finish) where it ended;
/// bytes behind that are scratch.
pub trait Sink {
    /// How many bytes the sink holds: the position to start at. They are not touched.
    fn position(&self) -> usize;

    /// Stores the first `len` of sixteen bytes, the highest of `bytes` first, at a position, which is at most the end of what
    /// was stored before.
    ///
    /// All sixteen may be stored, as the last are then overwritten or cut off: a copy of known length is the cheaper one.
    ///
    /// # Errors
    /// [`ErrorKind::BufferTooSmall`] when there is no room for `len` bytes.
    fn store_short(&mut self, position: usize, bytes: u128, len: usize) -> Result<(), ErrorKind>;

    /// Stores bytes at a position, which is at most the end of what was stored before.
    ///
    /// # Errors
    /// [`ErrorKind::BufferTooSmall`] when there is no room.
    fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind>;

    /// Puts `bytes`, one to five of them, in the place of the first byte of a range stored before; the others of the range
    /// move behind them.
    ///
    /// # Errors
    /// [`ErrorKind::BufferTooSmall`] when there is no room.
    fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind>;

    /// Makes the sink hold the bytes before a position and no more.
    fn finish(&mut self, position: usize);
}

/// A [`Sink`] over a plain slice, for machines without an allocator.
///
/// Bytes behind the written part are scratch: a packet that fails may leave anything there.
///
/// # Examples
/// ```
/// let mut buffer = [0; 8];
/// let mut sink = y3::SliceSink::new(&mut buffer);
/// y3::Encoder::new(&mut sink).node(0x01, |node| node.put(0x02, -1i32))?;
/// assert_eq!(sink.written(), [0x81, 0x03, 0x02, 0x01, 0xff]);
/// # Ok::<(), y3::Error>(())
/// ```
#[derive(Debug)]
pub struct SliceSink<'a> {
    buffer: &'a mut [u8],
    written: usize,
}

impl<'a> SliceSink<'a> {
    /// An empty sink that has room for as many bytes as the slice.
    #[must_use]
    pub const fn new(buffer: &'a mut [u8]) -> Self {
        Self { buffer, written: 0 }
    }

    /// The bytes written so far.
    #[must_use]
    pub fn written(&self) -> &[u8] {
        self.buffer.get(..self.written).unwrap_or_default()
    }

    /// The bytes written, for as long as the slice lives.
    ///
    /// # Examples
    /// ```
    /// let mut buffer = [0; 8];
    /// let mut sink = y3::SliceSink::new(&mut buffer);
    /// y3::Encoder::new(&mut sink).put(0x02, true)?;
    /// let packet: &[u8] = sink.into_written();
    /// assert_eq!(packet, [0x02, 0x01, 0x01]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn into_written(self) -> &'a mut [u8] {
        self.buffer.get_mut(..self.written).unwrap_or_default()
    }
}

impl Sink for SliceSink<'_> {
    #[inline]
    fn position(&self) -> usize {
        self.written
    }

    #[inline(always)]
    fn store_short(&mut self, position: usize, bytes: u128, len: usize) -> Result<(), ErrorKind> {
        match room(self.buffer, position) {
            Some(room) => store_short(room, bytes),
            None => return store_last(self, position, bytes, len),
        }
        Ok(())
    }

    #[inline]
    fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
        copy(self.buffer, position, bytes).ok_or(ErrorKind::BufferTooSmall)
    }

    #[inline]
    fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
        replace_first(self.buffer, range, bytes)
    }

    #[inline]
    fn finish(&mut self, position: usize) {
        self.written = position;
    }
}

/// Near the end of the slice there is room for fewer than sixteen bytes, perhaps for enough.
#[cold]
fn store_last(sink: &mut SliceSink<'_>, position: usize, bytes: u128, len: usize) -> Result<(), ErrorKind> {
    sink.store(position, bytes.to_be_bytes().get(..len).unwrap_or_default())
}

/// Sixteen bytes at a position.
#[inline(always)]
fn room(buffer: &mut [u8], position: usize) -> Option<&mut [u8; 16]> {
    buffer.get_mut(position..)?.first_chunk_mut()
}

/// Two stores of eight bytes: as one of sixteen it goes through the stack and waits there (measured: 8 ns a put instead of 2).
#[inline(always)]
fn store_short(room: &mut [u8; 16], bytes: u128) {
    let (high, low) = (u64::try_from(bytes >> 64), u64::try_from(bytes & u128::from(u64::MAX)));
    if let (Some(first), Ok(high)) = (room.first_chunk_mut(), high) {
        *first = high.to_be_bytes();
    }
    if let (Some(last), Ok(low)) = (room.last_chunk_mut(), low) {
        *last = low.to_be_bytes();
    }
}

/// Copies bytes to a position, if there is room.
#[inline(always)]
fn copy(buffer: &mut [u8], position: usize, bytes: &[u8]) -> Option<()> {
    #[inline(always)]
    fn ends<const N: usize>(to: &mut [u8], from: &[u8]) -> Option<()> {
        *to.first_chunk_mut::<N>()? = *from.first_chunk()?;
        *to.last_chunk_mut::<N>()? = *from.last_chunk()?;
        Some(())
    }
    let room = buffer.get_mut(position..)?.get_mut(..bytes.len())?;
    // Names and words: two copies of known length, which may overlap, cost less than a call for one of any length.
    match bytes.len() {
        8..=16 => ends::<8>(room, bytes),
        4..=7 => ends::<4>(room, bytes),
        _ => {
            room.copy_from_slice(bytes);
            Some(())
        }
    }
}

#[inline]
fn replace_first(buffer: &mut [u8], range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
    #[cold]
    fn make_way(buffer: &mut [u8], range: Range<usize>, bytes: usize) -> Option<()> {
        let target = buffer.get_mut(range.start..(range.end + bytes).checked_sub(1)?)?;
        // `copy_within` panics outside of the slice; a range that is empty has no first byte to replace, nor has one for which
        // no bytes come.
        match target.len().checked_sub(bytes) {
            Some(last) if last < target.len() => target.copy_within(1..=last, bytes),
            _ => {}
        }
        Some(())
    }
    // Nearly every node is shorter than 64 bytes, and its length takes the byte that was kept for it.
    if let ([byte], Some(place)) = (bytes, buffer.get_mut(range.start)) {
        *place = *byte;
        return Ok(());
    }
    make_way(buffer, range.clone(), bytes.len()).ok_or(ErrorKind::BufferTooSmall)?;
    let place = buffer.get_mut(range.start..).and_then(|rest| rest.get_mut(..bytes.len()));
    place.ok_or(ErrorKind::BufferTooSmall)?.copy_from_slice(bytes);
    Ok(())
}

/// Vectors of bytes differ in name alone; none of them runs out of room but by running out of memory.
#[cfg(feature = "alloc")]
macro_rules! growing_sink {
    ($type:ty) => {
        impl Sink for $type {
            #[inline]
            fn position(&self) -> usize {
                self.len()
            }

            #[inline(always)]
            fn store_short(&mut self, position: usize, bytes: u128, _: usize) -> Result<(), ErrorKind> {
                // Room for the puts to come too: bytes are made here, once for many of them, and cut off at the end. Few at
                // first, since many messages are small, and more when they turn out not to be enough.
                #[cold]
                fn grow(sink: &mut $type, position: usize, bytes: u128) {
                    let is_first = sink.len() == position;
                    sink.truncate(position);
                    if is_first {
                        sink.extend_from_slice(&[0; 64]);
                    } else {
                        sink.extend_from_slice(&[0; 256]);
                    }
                    if let Some(room) = room(sink, position) {
                        store_short(room, bytes);
                    }
                }
                match room(self, position) {
                    Some(room) => store_short(room, bytes),
                    None => grow(self, position, bytes),
                }
                Ok(())
            }

            #[inline]
            fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
                #[cold]
                fn grow(sink: &mut $type, position: usize, bytes: &[u8]) {
                    sink.truncate(position);
                    sink.extend_from_slice(bytes);
                }
                if copy(self, position, bytes).is_none() {
                    grow(self, position, bytes);
                }
                Ok(())
            }

            #[inline]
            fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
                #[cold]
                fn make_room(sink: &mut $type, end: usize) {
                    sink.resize(sink.len().max(end), 0);
                }
                if bytes.len() > 1 {
                    make_room(self, range.end + bytes.len() - 1);
                }
                replace_first(self, range, bytes)
            }

            #[inline]
            fn finish(&mut self, position: usize) {
                self.truncate(position);
            }
        }
    };
}

#[cfg(feature = "alloc")]
growing_sink!(alloc::vec::Vec<u8>);
#[cfg(feature = "bytes")]
growing_sink!(::bytes::BytesMut);

/// A [`Sink`] that stores nothing; [`encoded_len`](crate::encoded_len) counts with it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count(());

impl Sink for Count {
    fn position(&self) -> usize {
        0
    }

    fn store_short(&mut self, _: usize, _: u128, _: usize) -> Result<(), ErrorKind> {
        Ok(())
    }

    fn store(&mut self, _: usize, _: &[u8]) -> Result<(), ErrorKind> {
        Ok(())
    }

    fn replace_first(&mut self, _: Range<usize>, _: &[u8]) -> Result<(), ErrorKind> {
        Ok(())
    }

    fn finish(&mut self, _: usize) {}
}
