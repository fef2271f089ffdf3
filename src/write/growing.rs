//! Growing: the sinks `Vec<u8>` and `BytesMut`, which grow as needed.

use core::ops::Range;

use super::sink::{SHORT, Sink, copy, replace_first};
use crate::error::ErrorKind;

/// Reserves memory for `bytes` more bytes.
#[inline]
fn reserve_in_vec(sink: &mut alloc::vec::Vec<u8>, bytes: usize) -> Result<(), ErrorKind> {
    if bytes <= sink.capacity() - sink.len() {
        return Ok(());
    }
    // A vector doubles its memory when it grows. On a 32-bit machine, doubling can fail even if the exact size can be
    // allocated.
    let room = sink.try_reserve(bytes).or_else(|_| sink.try_reserve_exact(bytes));
    room.map_err(|_| ErrorKind::BufferTooSmall)
}

/// Reserves memory in a `BytesMut`. The method `BytesMut::reserve` panics if doubling the memory exceeds the largest
/// allocation.
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

/// Implements `Sink` for a vector of bytes. The vectors differ only in their type and in the function that makes them
/// grow.
macro_rules! growing_sink {
    ($type:ty, $reserve:path) => {
        impl Sink for $type {
            #[inline]
            fn position(&self) -> usize {
                self.len()
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

            // Appends zero bytes once for many packets. The unused bytes are cut off after the last packet. Appending a
            // constant number of bytes takes few instructions.
            #[inline(always)]
            fn make_room(&mut self, position: usize, len: usize) -> Result<(), ErrorKind> {
                #[inline(always)]
                fn zeros<const N: usize>(sink: &mut $type) -> Result<(), ErrorKind> {
                    $reserve(sink, N)?;
                    sink.extend_from_slice(&[0; N]);
                    Ok(())
                }
                self.truncate(position);
                match len {
                    ..=48 => zeros::<64>(self),
                    ..=112 => zeros::<128>(self),
                    ..=240 => zeros::<256>(self),
                    // Most numbers are shorter than the maximum, so 512 bytes are usually enough. If not, the sink
                    // grows once more.
                    ..=1008 => zeros::<512>(self),
                    _ => {
                        let more = len.saturating_add(SHORT);
                        $reserve(self, more)?;
                        self.resize(position.saturating_add(more), 0);
                        Ok(())
                    }
                }
            }

            #[inline(always)]
            fn window(&mut self, position: usize, len: usize) -> Option<&mut [u8]> {
                self.get_mut(position..position.checked_add(len)?)
            }

            #[inline]
            fn finish(&mut self, position: usize) {
                self.truncate(position);
            }
        }
    };
}

growing_sink!(alloc::vec::Vec<u8>, reserve_in_vec);
#[cfg(feature = "bytes")]
growing_sink!(::bytes::BytesMut, reserve_in_bytes);
