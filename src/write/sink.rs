//! Sink: destinations for encoded bytes.

use core::ops::Range;

use crate::error::ErrorKind;

/// A destination for encoded bytes, such as a vector or a buffer of your own.
///
/// The crate implements `Sink` for `Vec<u8>` (feature `alloc`), `bytes::BytesMut` (feature `bytes`), [`SliceSink`],
/// `WriteSink` (feature `std`), and a `&mut` to any sink.
///
/// To implement `Sink` for your own buffer, write the four required methods. For speed, also implement
/// [`window`](Self::window): the encoder then stores short packets without calling `store`. Measured with 64 values and
/// a larger buffer: the example below takes 90 ns, and without `window` it takes 312 ns. A [`SliceSink`] takes 95 ns.
/// For a buffer that can grow, also implement [`make_room`](Self::make_room).
///
/// The encoder passes a position to each call. It starts at [`position`](Self::position), stores bytes from this
/// position on, and passes the end to [`finish`](Self::finish). Bytes after that end have no meaning. After an error, a
/// sink can contain a part of the failed packet until the next packet overwrites it.
///
/// The write position is stored in the encoder and not in the sink. If it were in the sink, each `put` would wait until
/// the previous `put` has written the position to memory.
///
/// # Examples
/// ```
/// use std::ops::Range;
/// use y3::{Encoder, ErrorKind, Sink};
///
/// struct Page {
///     bytes: [u8; 8],
///     len: usize,
/// }
///
/// impl Sink for Page {
///     fn position(&self) -> usize {
///         self.len
///     }
///     fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
///         self.window(position, bytes.len()).ok_or(ErrorKind::BufferTooSmall)?.copy_from_slice(bytes);
///         Ok(())
///     }
///     fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
///         let len = range.len() + bytes.len() - 1;
///         let room = self.window(range.start, len).ok_or(ErrorKind::BufferTooSmall)?;
///         room.copy_within(1..range.len(), bytes.len());
///         room[..bytes.len()].copy_from_slice(bytes);
///         Ok(())
///     }
///     // Not needed, but faster.
///     fn window(&mut self, position: usize, len: usize) -> Option<&mut [u8]> {
///         self.bytes.get_mut(position..position.checked_add(len)?)
///     }
///     fn finish(&mut self, position: usize) {
///         self.len = position;
///     }
/// }
///
/// let mut page = Page { bytes: [0; 8], len: 0 };
/// let mut encoder = Encoder::new(&mut page);
/// encoder.put(0x01, "four")?;
/// assert_eq!(encoder.put(0x02, "four").unwrap_err().kind(), ErrorKind::BufferTooSmall);
/// assert_eq!(page.bytes[..page.len], *b"\x01\x04four");
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §7](crate::spec#7-canonical-form)
pub trait Sink {
    /// Returns the number of bytes in the sink. The encoder starts at this position, and does not change the bytes
    /// before it.
    fn position(&self) -> usize;

    /// Stores `bytes` at `position`, which is never beyond the end of the bytes stored so far.
    ///
    /// # Errors
    /// Returns [`ErrorKind::BufferTooSmall`] if the sink is full.
    fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind>;

    /// Replaces the first byte of a stored range with `bytes`, which contains one to five bytes. The implementation
    /// must move the other bytes of the range, so they follow directly after `bytes`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::BufferTooSmall`] if the sink is full.
    fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind>;

    /// Returns the `len` bytes at `position`, or `None` if the sink does not have that many bytes there. The default
    /// implementation returns `None`.
    ///
    /// The encoder stores sixteen bytes for each short packet, even if the packet is shorter. The next packet
    /// overwrites the surplus bytes, or `finish` removes them. The encoder also writes the lengths of nodes into a
    /// window.
    #[inline]
    fn window(&mut self, position: usize, len: usize) -> Option<&mut [u8]> {
        let _ = (position, len);
        None
    }

    /// Makes a growing sink longer, so that [`window`](Self::window) can return about `len` bytes at `position`. The
    /// bytes before `position` do not change. The default implementation does nothing.
    ///
    /// # Errors
    /// Returns [`ErrorKind::BufferTooSmall`] if a growing sink cannot allocate the memory.
    #[inline]
    fn make_room(&mut self, position: usize, len: usize) -> Result<(), ErrorKind> {
        let _ = (position, len);
        Ok(())
    }

    /// Cuts the sink at `position`. The sink then contains exactly the bytes before this position. The encoder calls
    /// `finish` after each top-level packet. It also calls `finish` after a failed packet, and after a panic in the
    /// body of a top-level node.
    fn finish(&mut self, position: usize);
}

/// Implements `Sink` for a type that forwards all calls to an inner sink.
macro_rules! forwarding_sink {
    ($(#[$doc:meta])* [$($params:tt)*] $type:ty: $self:ident => $to:expr) => {
        $(#[$doc])*
        impl<$($params)*> Sink for $type {
            #[inline]
            fn position(&$self) -> usize {
                $to.position()
            }

            #[inline]
            fn store(&mut $self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
                $to.store(position, bytes)
            }

            #[inline]
            fn replace_first(&mut $self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
                $to.replace_first(range, bytes)
            }

            #[inline]
            fn make_room(&mut $self, position: usize, len: usize) -> Result<(), ErrorKind> {
                $to.make_room(position, len)
            }

            #[inline(always)]
            fn window(&mut $self, position: usize, len: usize) -> Option<&mut [u8]> {
                $to.window(position, len)
            }

            #[inline]
            fn finish(&mut $self, position: usize) {
                $to.finish(position);
            }
        }
    };
}
#[cfg(feature = "std")]
pub(super) use forwarding_sink;

forwarding_sink!([S: Sink + ?Sized] &mut S: self => (**self));

/// Returns the position `len` bytes after `position`. The sum can exceed a 32-bit `usize` only in a sink that counts
/// bytes.
#[inline(always)]
pub(super) fn after(position: usize, len: usize) -> Result<usize, ErrorKind> {
    position.checked_add(len).ok_or(ErrorKind::SizeLimit)
}

/// A [`Sink`] that writes into a plain slice, for machines without an allocator.
///
/// Bytes after the written part have no meaning, because a failed packet can change them.
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
    /// Makes an empty sink that writes into `buffer`.
    #[must_use]
    pub const fn new(buffer: &'a mut [u8]) -> Self {
        Self { buffer, written: 0 }
    }

    /// Returns the bytes written so far.
    #[must_use]
    pub fn written(&self) -> &[u8] {
        self.buffer.get(..self.written).unwrap_or_default()
    }

    /// Returns the bytes written so far, borrowed for the lifetime of the buffer.
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

    #[inline]
    fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
        copy(self.buffer, position, bytes).ok_or(ErrorKind::BufferTooSmall)
    }

    #[inline]
    fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
        replace_first(self.buffer, range, bytes)
    }

    #[inline(always)]
    fn window(&mut self, position: usize, len: usize) -> Option<&mut [u8]> {
        self.buffer.get_mut(position..position.checked_add(len)?)
    }

    #[inline]
    fn finish(&mut self, position: usize) {
        self.written = position;
    }
}

/// The number of bytes that the encoder stores for a short packet.
pub(crate) const SHORT: usize = 16;

/// Copies `bytes` into `buffer` at `position`. Returns `None` if the bytes do not fit.
#[inline(always)]
pub(super) fn copy(buffer: &mut [u8], position: usize, bytes: &[u8]) -> Option<()> {
    buffer.get_mut(position..)?.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(())
}

#[inline]
pub(super) fn replace_first(buffer: &mut [u8], range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
    #[cold]
    fn make_way(buffer: &mut [u8], range: Range<usize>, bytes: usize) -> Option<()> {
        let target = buffer.get_mut(range.start..range.end.checked_add(bytes)?.checked_sub(1)?)?;
        // `copy_within` panics outside of the slice. If the range is empty, it has no first byte to replace. If `bytes`
        // is 0, nothing moves.
        match target.len().checked_sub(bytes) {
            Some(last) if last < target.len() => target.copy_within(1..=last, bytes),
            _ => {}
        }
        Some(())
    }
    // Nearly every node is shorter than 64 bytes, so its length fits in the one reserved byte.
    if let ([byte], Some(place)) = (bytes, buffer.get_mut(range.start)) {
        *place = *byte;
        return Ok(());
    }
    make_way(buffer, range.clone(), bytes.len()).ok_or(ErrorKind::BufferTooSmall)?;
    let place = buffer.get_mut(range.start..).and_then(|rest| rest.get_mut(..bytes.len()));
    place.ok_or(ErrorKind::BufferTooSmall)?.copy_from_slice(bytes);
    Ok(())
}
