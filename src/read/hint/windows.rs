//! Windows: bytes of a packet, compared with those of an earlier packet of the same length, under masks.
//!
//! In: the ranges of headers. Out: windows of 32 bytes that are equal in any packet with the same bytes in these ranges. No
//! comparison waits for another, so that a processor has all loads in flight at once.

use core::ops::Range;

/// The bytes of a window.
const WIDTH: usize = 32;
/// The shortest packet that is compared.
pub(super) const SHORTEST: usize = WIDTH;
/// The most windows of one packet, and one if a cut divides a window.
const MOST: usize = 64;

type Words = [u64; WIDTH / 8];

#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    start: usize,
    /// The bytes, zero where the mask is.
    want: Words,
    mask: Words,
}

impl Window {
    pub(super) const NONE: Window = Window { start: 0, want: [0; WIDTH / 8], mask: [0; WIDTH / 8] };

    /// Adds the bits of these words that differ under the mask to `found`.
    #[inline(always)]
    fn add_differences(&self, words: Words, found: &mut Words) {
        for (((found, word), want), mask) in found.iter_mut().zip(words).zip(self.want).zip(self.mask) {
            *found |= (word & mask) ^ want;
        }
    }
}

/// Whether a packet, of the length of that which the windows were made of, has the same bytes under the masks.
#[inline(always)]
pub(super) fn are_equal(windows: &[Window], bytes: &[u8]) -> bool {
    let mut found = [0; WIDTH / 8];
    for window in windows {
        let Some(there) = bytes.get(window.start..).and_then(|bytes| bytes.first_chunk()) else { return false };
        window.add_differences(words(there), &mut found);
    }
    // A comparison of arrays would store them.
    found.into_iter().fold(0, |all, found| all | found) == 0
}

#[inline(always)]
fn words(bytes: &[u8; WIDTH]) -> Words {
    [0, 8, 16, 24].map(|at| word(bytes, at))
}

/// The eight bytes at a position, which are there.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk()).map_or(0, |word| u64::from_le_bytes(*word))
}

/// The windows of one packet while they are made: those up to a cut, then the others.
pub(super) struct Sketch<'a> {
    bytes: &'a [u8],
    /// One more than is added, for a window that the cut divides.
    windows: [Window; MOST + 1],
    used: usize,
    /// The number of windows at the cut, and the last of them.
    cut: Option<(usize, Window)>,
}

impl<'a> Sketch<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, windows: [Window::NONE; MOST + 1], used: 0, cut: None }
    }

    /// Adds the bytes of a range, which begins after the one before. `None` if there are not enough windows.
    pub(super) fn add(&mut self, range: Range<usize>) -> Option<()> {
        for at in range {
            let is_inside = self.last().is_some_and(|window| at < window.start + WIDTH);
            if !is_inside {
                self.windows.get_mut(..MOST)?.get_mut(self.used)?.start =
                    at.min(self.bytes.len().saturating_sub(WIDTH));
                self.used += 1;
            }
            let window = self.windows.get_mut(self.used.checked_sub(1)?)?;
            let place = at.checked_sub(window.start)?;
            *window.mask.get_mut(place / 8)? |= 0xff << (place % 8 * 8);
        }
        Some(())
    }

    /// Cuts behind the last range added; the cut before is forgotten.
    pub(super) fn cut(&mut self) {
        self.cut = self.last().map(|window| (self.used, window));
    }

    fn last(&self) -> Option<Window> {
        self.windows.get(self.used.checked_sub(1)?).copied()
    }

    /// The windows, and how many of them compare all ranges up to the cut; the others compare all ranges behind it. Without
    /// `has_rest` there are none of these. `None` if there is no cut.
    pub(super) fn finish(&mut self, has_rest: bool) -> Option<(&[Window], usize)> {
        let (head, at_cut) = self.cut?;
        let last = self.windows.get_mut(head.checked_sub(1)?)?;
        // Bytes of that window behind the cut.
        let mut rest = *last;
        rest.mask.iter_mut().zip(at_cut.mask).for_each(|(rest, cut)| *rest &= !cut);
        *last = at_cut;
        if !has_rest {
            self.used = head;
        } else if rest.mask != Window::NONE.mask {
            *self.windows.get_mut(self.used)? = rest;
            self.used += 1;
        }
        let windows = self.windows.get_mut(..self.used)?;
        for window in &mut *windows {
            let there = self.bytes.get(window.start..)?.first_chunk().map(words)?;
            for ((want, word), mask) in window.want.iter_mut().zip(there).zip(window.mask) {
                *want = word & mask;
            }
        }
        Some((windows, head))
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn packet(len: usize) -> Vec<u8> {
        (0..=u8::MAX).cycle().take(len).collect()
    }

    /// Windows of two ranges, cut between them, compared with the packet in which one byte differs.
    #[test]
    fn compares_each_byte_of_the_ranges_and_no_other() {
        // Miri takes minutes for all of them.
        let lens = if cfg!(miri) { SHORTEST..SHORTEST + 2 } else { SHORTEST..70 };
        for len in lens.chain([100, 101, 333].into_iter().filter(|_| !cfg!(miri))) {
            let bytes = packet(len);
            for (first, second) in
                [(0..2, 2..5), (0..3, len - 2..len), (len / 2..len / 2 + 2, len - 1..len), (1..2, 6..8)]
            {
                let mut sketch = Sketch::new(&bytes);
                sketch.add(first.clone()).unwrap();
                sketch.cut();
                sketch.add(second.clone()).unwrap();
                let (windows, head) = sketch.finish(true).unwrap();
                let (head, rest) = windows.split_at(head);
                assert!(are_equal(head, &bytes) && are_equal(rest, &bytes));
                for at in 0..len {
                    let mut other = bytes.clone();
                    other[at] ^= 0x10;
                    assert_eq!(are_equal(head, &other), !first.contains(&at), "byte {at} of {len} in {first:?}");
                    // The ranges may overlap here; then the byte is compared up to the cut.
                    let behind = second.contains(&at) && !first.contains(&at);
                    assert_eq!(are_equal(rest, &other), !behind, "byte {at} of {len} in {second:?}");
                }
            }
        }
    }

    #[test]
    fn takes_sixty_four_windows_and_no_more() {
        let bytes = packet(40 * 65);
        let mut sketch = Sketch::new(&bytes);
        for window in 0..MOST {
            assert_eq!(sketch.add(window * 40..window * 40 + 2), Some(()), "{window}");
        }
        sketch.cut();
        assert_eq!(sketch.add(MOST * 40..MOST * 40 + 2), None);
        assert_eq!(sketch.finish(false).unwrap().1, MOST);
        assert!(Sketch::new(&bytes).finish(true).is_none());
    }
}
