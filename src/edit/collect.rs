//! Collect: the output of an edit as pieces.
//!
//! In: parts in wire order, and the headers of nodes when they end. Out: the pieces, in a slice that the caller lends.

use super::pieces::Piece;
use super::weave::Target;
use crate::error::{Error, ErrorKind};
use crate::wire::tag::Tag;
use crate::wire::word::Word;

/// Collects the output as pieces.
pub(super) struct Collect<'s, 'a> {
    pub(super) store: &'s mut [Piece<'a>],
    /// The number of pieces, including the headers of open nodes.
    pub(super) count: usize,
}

impl<'a> Target<'a> for Collect<'_, 'a> {
    const IN_PLACE: bool = false;

    #[inline(always)]
    fn put(&mut self, piece: Piece<'a>, offset: usize) -> Result<(), Error> {
        let next = self.store.get_mut(self.count);
        *next.ok_or(Error::new(ErrorKind::BufferTooSmall, offset as u64))? = piece;
        self.count += 1;
        Ok(())
    }

    fn open(&mut self, _: Tag, offset: usize) -> Result<usize, Error> {
        self.put(Piece::EMPTY, offset)?;
        Ok(self.count - 1)
    }

    fn close(&mut self, position: usize, header: Word) -> Result<(), Error> {
        if let Some(piece) = self.store.get_mut(position) {
            *piece = Piece::header(header);
        }
        Ok(())
    }
}
