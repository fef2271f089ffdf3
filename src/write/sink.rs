//! Sink: the destinations of encoded bytes.
//!
//! In: bytes, in order. Out: a `Vec<u8>`, a `BytesMut`, a plain slice, or only a count.

use core::ops::Range;

use crate::error::ErrorKind;

/// A destination for encoded bytes, written by position.
///
/// Implemented for `Vec<u8>` (feature `alloc`), `bytes::BytesMut` (feature `bytes`), [`SliceSink`], `WriteSink` over a
/// `std::io::Write` (feature `std`), and a `&mut` to any of them. To implement it for a buffer of your own, write the four
/// methods without a body.
///
/// The encoder keeps the position, so one `put` does not wait for the length that the one before it stores. It starts at
/// [`position`](Self::position), stores upwards from there, and passes the end to [`finish`](Self::finish). Bytes after
/// that end have no meaning. After an error the encoder stores the next packet where the failed one began, so a sink may
/// have stored a part of it.
///
/// # Examples
/// ```
/// use std::ops::Range;
/// use y3::{Encoder, ErrorKind, Sink};
///
/// /// Keeps bytes in a vector of limited size.
/// struct Capped(Vec<u8>, usize);
///
/// impl Sink for Capped {
///     fn position(&self) -> usize {
///         self.0.len()
///     }
///     fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
///         self.0.truncate(position);
///         self.0.extend_from_slice(bytes);
///         if self.0.len() > self.1 { Err(ErrorKind::BufferTooSmall) } else { Ok(()) }
///     }
///     fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
///         self.0.truncate(range.end);
///         self.0.splice(range.start..=range.start, bytes.iter().copied());
///         if self.0.len() > self.1 { Err(ErrorKind::BufferTooSmall) } else { Ok(()) }
///     }
///     fn finish(&mut self, position: usize) {
///         self.0.truncate(position);
///     }
/// }
///
/// let mut sink = Capped(Vec::new(), 8);
/// let mut encoder = Encoder::new(&mut sink);
/// encoder.put(0x01, "four")?;
/// assert_eq!(encoder.put(0x02, "four").unwrap_err().kind(), ErrorKind::BufferTooSmall);
/// assert_eq!(sink.0, *b"\x01\x04four");
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §7](crate::spec#7-canonical-form)
pub trait Sink {
    /// How many bytes the sink holds: the position to start at. The encoder does not change these bytes.
    fn position(&self) -> usize;

    /// Stores bytes at a position, which is at most the end of the bytes stored before.
    ///
    /// # Errors
    /// [`ErrorKind::BufferTooSmall`] if there is no room.
    fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind>;

    /// Stores the first `len` of sixteen bytes, from the lowest byte of `bytes` on, as [`store`](Self::store) does, and
    /// returns the position after them.
    ///
    /// The sinks of this crate store all sixteen bytes, since the surplus is overwritten or cut off later: a copy of
    /// constant length is cheaper.
    ///
    /// # Errors
    /// Those of [`store`](Self::store); [`ErrorKind::SizeLimit`] if the position is too large for a `usize`.
    #[doc(hidden)]
    #[inline]
    fn store_word(&mut self, position: usize, bytes: u128, len: usize) -> Result<usize, ErrorKind> {
        let end = behind(position, len)?;
        self.store(position, bytes.to_le_bytes().get(..len).unwrap_or_default())?;
        Ok(end)
    }

    /// Replaces the first byte of a stored range with `bytes`, one to five of them; the rest of the range moves after
    /// them.
    ///
    /// # Errors
    /// [`ErrorKind::BufferTooSmall`] if there is no room.
    fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind>;

    /// Makes room for `len` bytes from `position` on, if the sink can grow.
    ///
    /// # Errors
    /// [`ErrorKind::BufferTooSmall`] if there is no room and none can be made.
    #[inline]
    fn reserve(&mut self, position: usize, len: usize) -> Result<(), ErrorKind> {
        let _ = (position, len);
        Ok(())
    }

    /// All bytes from `position` on that the sink can store without growing again, `len` of them or more; `None` if there are
    /// fewer and no room can be made.
    #[doc(hidden)]
    #[inline]
    fn window(&mut self, position: usize, len: usize) -> Option<&mut [u8]> {
        let _ = (position, len);
        None
    }

    /// Makes the sink hold the bytes before `position` and no others. Called after each outermost packet, whole or refused,
    /// and while a panic unwinds through the body of an outermost node.
    fn finish(&mut self, position: usize);
}

impl<S: Sink + ?Sized> Sink for &mut S {
    #[inline]
    fn position(&self) -> usize {
        (**self).position()
    }

    #[inline]
    fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
        (**self).store(position, bytes)
    }

    #[inline(always)]
    fn store_word(&mut self, position: usize, bytes: u128, len: usize) -> Result<usize, ErrorKind> {
        (**self).store_word(position, bytes, len)
    }

    #[inline]
    fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
        (**self).replace_first(range, bytes)
    }

    #[inline]
    fn reserve(&mut self, position: usize, len: usize) -> Result<(), ErrorKind> {
        (**self).reserve(position, len)
    }

    #[inline(always)]
    fn window(&mut self, position: usize, len: usize) -> Option<&mut [u8]> {
        (**self).window(position, len)
    }

    #[inline]
    fn finish(&mut self, position: usize) {
        (**self).finish(position);
    }
}

/// The position `len` bytes after `position`. Only a sink that counts can reach the maximum of a 32-bit `usize`.
#[inline(always)]
pub(super) fn behind(position: usize, len: usize) -> Result<usize, ErrorKind> {
    position.checked_add(len).ok_or(ErrorKind::SizeLimit)
}

/// A [`Sink`] over a plain slice, for machines without an allocator.
///
/// Bytes after the written part have no meaning: a packet that fails may change them.
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
    /// An empty sink with room for as many bytes as the slice has.
    #[must_use]
    pub const fn new(buffer: &'a mut [u8]) -> Self {
        Self { buffer, written: 0 }
    }

    /// The bytes written so far.
    #[must_use]
    pub fn written(&self) -> &[u8] {
        self.buffer.get(..self.written).unwrap_or_default()
    }

    /// The bytes written so far, borrowed for the lifetime of the slice.
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
    fn store_word(&mut self, position: usize, bytes: u128, len: usize) -> Result<usize, ErrorKind> {
        match room(self.buffer, position) {
            Some(room) => store_both(room, bytes),
            None => store_last(self, position, bytes, len)?,
        }
        // No overflow: the position is inside the buffer.
        Ok(position + len)
    }

    #[inline]
    fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
        copy(self.buffer, position, bytes).ok_or(ErrorKind::BufferTooSmall)
    }

    #[inline]
    fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
        replace_first(self.buffer, range, bytes)
    }

    #[inline(always)]
    fn window(&mut self, position: usize, _: usize) -> Option<&mut [u8]> {
        self.buffer.get_mut(position..)
    }

    #[inline]
    fn finish(&mut self, position: usize) {
        self.written = position;
    }
}

/// Stores at most sixteen bytes near the end of the slice, where there is no room for sixteen.
#[cold]
fn store_last(sink: &mut SliceSink<'_>, position: usize, bytes: u128, len: usize) -> Result<(), ErrorKind> {
    sink.store(position, bytes.to_le_bytes().get(..len).unwrap_or_default())
}

/// The sixteen bytes at a position, if there is room.
#[inline(always)]
pub(super) fn room(buffer: &mut [u8], position: usize) -> Option<&mut [u8; 16]> {
    buffer.get_mut(position..)?.first_chunk_mut()
}

/// Stores sixteen bytes as two halves: one store of sixteen goes through the stack and waits there (measured: 8 ns per put
/// instead of 2).
#[inline(always)]
pub(super) fn store_both(room: &mut [u8; 16], bytes: u128) {
    let (low, high) = (u64::try_from(bytes & u128::from(u64::MAX)), u64::try_from(bytes >> 64));
    if let (Some(first), Ok(low)) = (room.first_chunk_mut(), low) {
        *first = low.to_le_bytes();
    }
    if let (Some(last), Ok(high)) = (room.last_chunk_mut(), high) {
        *last = high.to_le_bytes();
    }
}

/// Copies bytes to a position, if there is room.
#[inline(always)]
pub(super) fn copy(buffer: &mut [u8], position: usize, bytes: &[u8]) -> Option<()> {
    #[inline(always)]
    fn ends<const N: usize>(to: &mut [u8], from: &[u8]) -> Option<()> {
        *to.first_chunk_mut::<N>()? = *from.first_chunk()?;
        *to.last_chunk_mut::<N>()? = *from.last_chunk()?;
        Some(())
    }
    let room = buffer.get_mut(position..)?.get_mut(..bytes.len())?;
    // For names and words: two copies of constant length, which may overlap, cost less than a call for a variable length.
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
pub(super) fn replace_first(buffer: &mut [u8], range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
    #[cold]
    fn make_way(buffer: &mut [u8], range: Range<usize>, bytes: usize) -> Option<()> {
        let target = buffer.get_mut(range.start..range.end.checked_add(bytes)?.checked_sub(1)?)?;
        // `copy_within` panics outside of the slice. An empty range has no first byte to replace, and without new bytes
        // nothing moves.
        match target.len().checked_sub(bytes) {
            Some(last) if last < target.len() => target.copy_within(1..=last, bytes),
            _ => {}
        }
        Some(())
    }
    // Nearly every node is shorter than 64 bytes, and its length fits the byte reserved for it.
    if let ([byte], Some(place)) = (bytes, buffer.get_mut(range.start)) {
        *place = *byte;
        return Ok(());
    }
    make_way(buffer, range.clone(), bytes.len()).ok_or(ErrorKind::BufferTooSmall)?;
    let place = buffer.get_mut(range.start..).and_then(|rest| rest.get_mut(..bytes.len()));
    place.ok_or(ErrorKind::BufferTooSmall)?.copy_from_slice(bytes);
    Ok(())
}

/// Reserves memory for `bytes` more bytes.
#[cfg(feature = "alloc")]
#[inline]
fn reserve_in_vec(sink: &mut alloc::vec::Vec<u8>, bytes: usize) -> Result<(), ErrorKind> {
    if bytes <= sink.capacity() - sink.len() {
        return Ok(());
    }
    // A vector doubles its memory. On a 32-bit machine that can fail where the exact amount does not.
    let room = sink.try_reserve(bytes).or_else(|_| sink.try_reserve_exact(bytes));
    room.map_err(|_| ErrorKind::BufferTooSmall)
}

/// As above for `BytesMut`, which panics if doubling exceeds the largest allocation.
#[cfg(feature = "bytes")]
#[inline]
fn reserve_in_bytes(sink: &mut ::bytes::BytesMut, bytes: usize) -> Result<(), ErrorKind> {
    const MOST: usize = isize::MAX.unsigned_abs() / 2;
    if bytes <= sink.capacity() - sink.len() {
        return Ok(());
    }
    match sink.len().checked_add(bytes) {
        Some(..=MOST) => sink.reserve(bytes),
        _ => return Err(ErrorKind::BufferTooSmall),
    }
    Ok(())
}

/// The sinks that are vectors of bytes differ in their type and in how they grow.
#[cfg(feature = "alloc")]
macro_rules! growing_sink {
    ($type:ty, $reserve:path) => {
        impl Sink for $type {
            #[inline]
            fn position(&self) -> usize {
                self.len()
            }

            #[inline(always)]
            fn store_word(&mut self, position: usize, bytes: u128, len: usize) -> Result<usize, ErrorKind> {
                // Reserves room for later puts too: zero bytes are appended once for many puts and cut off at the end. Few
                // at first, since many messages are small, and more if those are not enough.
                #[cold]
                fn grow(sink: &mut $type, position: usize, bytes: u128) -> Result<(), ErrorKind> {
                    if sink.len() == position {
                        let mut first = [0; 64];
                        if let Some(room) = first.first_chunk_mut() {
                            store_both(room, bytes);
                        }
                        $reserve(sink, first.len())?;
                        sink.extend_from_slice(&first);
                        return Ok(());
                    }
                    sink.truncate(position);
                    $reserve(sink, 256)?;
                    sink.extend_from_slice(&[0; 256]);
                    if let Some(room) = room(sink, position) {
                        store_both(room, bytes);
                    }
                    Ok(())
                }
                match room(self, position) {
                    Some(room) => store_both(room, bytes),
                    None => grow(self, position, bytes)?,
                }
                // No overflow: the position is inside the vector.
                Ok(position + len)
            }

            #[inline]
            fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
                #[cold]
                fn grow(sink: &mut $type, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
                    sink.truncate(position);
                    $reserve(sink, bytes.len())?;
                    sink.extend_from_slice(bytes);
                    Ok(())
                }
                match copy(self, position, bytes) {
                    Some(()) => Ok(()),
                    None => grow(self, position, bytes),
                }
            }

            #[inline]
            fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
                #[cold]
                fn extend_to(sink: &mut $type, end: usize) -> Result<(), ErrorKind> {
                    if let Some(more) = end.checked_sub(sink.len()) {
                        $reserve(sink, more)?;
                        sink.resize(end, 0);
                    }
                    Ok(())
                }
                if bytes.len() > 1 {
                    extend_to(self, range.end.saturating_add(bytes.len() - 1))?;
                }
                replace_first(self, range, bytes)
            }

            #[inline]
            fn reserve(&mut self, position: usize, len: usize) -> Result<(), ErrorKind> {
                // Short packets are stored as sixteen bytes.
                let end = position.saturating_add(len).saturating_add(16);
                if let Some(more) = end.checked_sub(self.len()) {
                    $reserve(self, more)?;
                    self.resize(end, 0);
                }
                Ok(())
            }

            #[inline(always)]
            fn window(&mut self, position: usize, len: usize) -> Option<&mut [u8]> {
                #[cold]
                fn grow(sink: &mut $type, position: usize, len: usize) -> bool {
                    // More if packets were written before, as others will be.
                    let len = if sink.len() == position { len } else { len.saturating_add(256) };
                    sink.truncate(position);
                    let done = $reserve(sink, len).is_ok();
                    if done {
                        sink.resize(position.saturating_add(len), 0);
                    }
                    done
                }
                if self.len().saturating_sub(position) < len && !grow(self, position, len) {
                    return None;
                }
                self.get_mut(position..)
            }

            #[inline]
            fn finish(&mut self, position: usize) {
                self.truncate(position);
            }
        }
    };
}

#[cfg(feature = "alloc")]
growing_sink!(alloc::vec::Vec<u8>, reserve_in_vec);
#[cfg(feature = "bytes")]
growing_sink!(::bytes::BytesMut, reserve_in_bytes);

/// A [`Sink`] that stores nothing and counts bytes; [`encoded_len`](crate::encoded_len) uses it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count(());

impl Sink for Count {
    fn position(&self) -> usize {
        0
    }

    fn store(&mut self, _: usize, _: &[u8]) -> Result<(), ErrorKind> {
        Ok(())
    }

    fn replace_first(&mut self, _: Range<usize>, _: &[u8]) -> Result<(), ErrorKind> {
        Ok(())
    }

    fn finish(&mut self, _: usize) {}
}
