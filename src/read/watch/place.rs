//! Place: where a watch stands, and a watch that reads one packet at a time.
//!
//! In: a watch. Out: the header of each packet that it reads, and positions with which a watch of another input goes on.

use core::ops::Range;

use nom::Parser;

use super::{Streamed, Watch};
use crate::read::keys::KeySet;
use crate::read::lookup::{PathLookup, Prefix};
use crate::read::parser::{self, Fault};
use crate::read::path::Path;

/// The state of a watch as positions in its input.
#[derive(Clone, Copy, Debug)]
pub(in crate::read) struct Place {
    start: usize,
    keys: KeySet,
    prefix: Prefix,
    end: usize,
    ends: [usize; Path::MAX_LEN - 1],
}

/// One packet that a watch reads: where its header is, and the index of its path if it is a hit.
pub(in crate::read) struct Step {
    pub(in crate::read) header: Range<usize>,
    pub(in crate::read) path_index: Option<u32>,
}

impl Place {
    /// The end of an input: nothing is left.
    pub(in crate::read) const END: Place =
        Place { start: 0, keys: KeySet::EMPTY, prefix: Prefix::ROOT, end: 0, ends: [0; Path::MAX_LEN - 1] };
}

impl<P: PathLookup> Watch<'_, P> {
    pub(in crate::read) fn place(&self) -> Place {
        Place { start: self.here(), keys: self.keys, prefix: self.prefix, end: self.end, ends: self.ends }
    }

    /// Goes on at a place of a watch of the same paths, whose input was as long and had the same headers before that place.
    #[inline(always)]
    pub(in crate::read) fn go_to(&mut self, place: Place) {
        let Place { start, keys, prefix, end, ends } = place;
        self.rest = self.input.get(start..end.min(self.input.len())).unwrap_or_default();
        (self.keys, self.prefix, self.end, self.ends) = (keys, prefix, end, ends);
    }

    /// The next packet that the watch reads, whether it is watched or jumped over. `None` at the end; an error where no whole
    /// packet begins.
    pub(in crate::read) fn next_read(&mut self) -> Result<Option<Step>, ()> {
        while self.is_at_end() {
            if self.ascend().is_none() {
                return Ok(None);
            }
        }
        let (after, packet) = parser::packet::<Fault>().process::<Streamed>(self.rest).map_err(|_| ())?;
        let start = self.here();
        let path_index = self.decide(packet, after).map(|hit| hit.path_index);
        let size = packet.as_bytes().len() - packet.value().len();
        Ok(Some(Step { header: start..start + size, path_index }))
    }
}
