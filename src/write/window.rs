//! Window: a sink over bytes that are there already, for packets whose length is bounded by their types.
//!
//! In: room for all of these packets. Out: the packets, each checked against a constant only.

use core::ops::Range;

use super::sink::{Sink, copy, replace_first, store_both};
use crate::error::ErrorKind;

/// The bytes behind the length of a window: short packets are stored as sixteen bytes.
const SURPLUS: usize = 16;

/// A sink of `N` bytes for packets of [`LEN`](Self::LEN) bytes in all. The only check of a short packet is a comparison with that
/// constant: nothing is loaded for it.
#[derive(Debug)]
pub(crate) struct Window<'a, const N: usize>(&'a mut [u8; N]);

impl<'a, const N: usize> Window<'a, N> {
    /// The length of the packets.
    pub(crate) const LEN: usize = N - SURPLUS;

    #[inline(always)]
    pub(super) const fn new(room: &'a mut [u8; N]) -> Self {
        Self(room)
    }
}

impl<const N: usize> Sink for Window<'_, N> {
    #[inline(always)]
    fn position(&self) -> usize {
        0
    }

    #[inline(always)]
    fn store_word(&mut self, position: usize, bytes: u128, len: usize) -> Result<usize, ErrorKind> {
        if position > Self::LEN {
            return Err(ErrorKind::BufferTooSmall);
        }
        let room = self.0.get_mut(position..).and_then(|room| room.first_chunk_mut());
        store_both(room.ok_or(ErrorKind::BufferTooSmall)?, bytes);
        // No overflow: the position is inside the window.
        Ok(position + len)
    }

    #[inline]
    fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
        copy(self.0, position, bytes).ok_or(ErrorKind::BufferTooSmall)
    }

    #[inline]
    fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
        replace_first(self.0, range, bytes)
    }

    #[inline(always)]
    fn finish(&mut self, _: usize) {}
}
