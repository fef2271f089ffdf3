//! Window: a sink over bytes that are there already, for packets whose length is bounded by their types.
//!
//! In: room for all of these packets. Out: the packets, each checked against a constant only.

use core::ops::Range;

use super::sink::{SHORT, Sink, copy, ends, replace_first};
use super::writer::store_value;
use crate::error::ErrorKind;
use crate::wire::tag::Tag;
use crate::wire::word::Word;

/// The length of the longest text that [`Window::put_text`] stores.
pub(crate) const SHORT_TEXT: usize = 32;

/// A sink of `N` bytes for packets of [`LEN`](Self::LEN) bytes in all. The only check of a short packet is a comparison with that
/// constant: nothing is loaded for it.
#[derive(Debug)]
pub(crate) struct Window<'a, const N: usize>(&'a mut [u8; N]);

impl<'a, const N: usize> Window<'a, N> {
    /// The length of the packets.
    pub(crate) const LEN: usize = N - SHORT;

    #[inline(always)]
    pub(super) const fn new(room: &'a mut [u8; N]) -> Self {
        Self(room)
    }

    /// Stores a short text as a packet at the start, and returns its length; `None` if the text is longer.
    #[inline(always)]
    pub(crate) fn put_text(&mut self, tag: Tag, text: &[u8]) -> Option<usize> {
        if let Some(word) = Word::of_bytes(text) {
            store_value(self.0.first_chunk_mut()?, tag.get(), word);
            return Some(word.len() + 2);
        }
        let [len, ..] = text.len().to_le_bytes();
        let [header, field, value @ ..] = self.0.first_chunk_mut::<{ SHORT_TEXT + 2 }>()?;
        let value = value.get_mut(..text.len())?;
        (*header, *field) = (tag.get(), len);
        if text.len() <= 16 { ends::<8>(value, text) } else { ends::<16>(value, text) }?;
        Some(usize::from(len) + 2)
    }
}

impl<const N: usize> Sink for Window<'_, N> {
    #[inline(always)]
    fn position(&self) -> usize {
        0
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
    fn window(&mut self, position: usize, len: usize) -> Option<&mut [u8]> {
        if position > Self::LEN {
            return None;
        }
        self.0.get_mut(position..)?.get_mut(..len)
    }

    #[inline(always)]
    fn finish(&mut self, _: usize) {}
}
