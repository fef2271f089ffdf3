//! Target: receives the output of an edit as bytes for a sink, as a list of pieces, or only as a length.

use super::piece::Piece;
use crate::error::{Error, ErrorKind};
use crate::wire::tag::Tag;
use crate::wire::word::Word;
use crate::write::sink::Sink;
use crate::write::writer::Writer;

/// Receives the parts of the output in order. The header of a node is put when the node ends, because its length is
/// known only then.
pub(super) trait Target<'a> {
    /// True if all bytes of a node's body must be put before the node is closed.
    #[inline(always)]
    fn is_in_place(&self) -> bool {
        false
    }

    /// Puts the next part of the output. `offset` is the part's position in the input and is used in errors.
    #[inline(always)]
    fn put(&mut self, _piece: Piece<'a>, _offset: usize) -> Result<(), Error> {
        Ok(())
    }

    /// Reserves space for a header and returns the position of this space.
    #[inline(always)]
    fn open(&mut self, _tag: Tag, _offset: usize) -> Result<usize, Error> {
        Ok(0)
    }

    /// Puts the header of the innermost open node. `position` is the number that [`open`](Self::open) returned for this
    /// node.
    #[inline(always)]
    fn close(&mut self, _position: usize, _header: Word) -> Result<(), Error> {
        Ok(())
    }
}

/// Stores nothing. This target is used to compute the length of the output.
pub(super) struct Length;

impl Target<'_> for Length {}

/// Collects the output as pieces in a slice.
pub(super) struct Pieces<'s, 'a> {
    store: &'s mut [Piece<'a>],
    /// The number of pieces, including the headers of open nodes.
    count: usize,
}

impl<'s, 'a> Pieces<'s, 'a> {
    pub(super) const fn new(store: &'s mut [Piece<'a>]) -> Self {
        Self { store, count: 0 }
    }

    pub(super) fn finish(self) -> &'s [Piece<'a>] {
        self.store.get(..self.count).unwrap_or_default()
    }
}

impl<'a> Target<'a> for Pieces<'_, 'a> {
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

/// Collects the output as pieces in a vector.
#[cfg(feature = "alloc")]
impl<'a> Target<'a> for alloc::vec::Vec<Piece<'a>> {
    #[inline(always)]
    fn put(&mut self, piece: Piece<'a>, _: usize) -> Result<(), Error> {
        self.push(piece);
        Ok(())
    }

    fn open(&mut self, _: Tag, _: usize) -> Result<usize, Error> {
        self.push(Piece::EMPTY);
        Ok(self.len() - 1)
    }

    fn close(&mut self, position: usize, header: Word) -> Result<(), Error> {
        Pieces { count: 0, store: self }.close(position, header)
    }
}

/// The maximum number of buffered pieces.
pub(super) const FEW: usize = 16;

/// Writes the output to a sink. The first pieces are buffered. An output of fewer than [`FEW`] pieces is written at the
/// end, when all headers are known. A longer output is written directly, piece by piece. An open node then reserves one
/// byte for its length, and the body of the node moves if the length needs more bytes.
pub(super) struct Written<'w, 's, 'a, S> {
    writer: Writer<'s, S>,
    // Borrowed, because moving the array into this struct copies it once more (8 ns of 28).
    waiting: &'w mut [Piece<'a>; FEW],
    /// The number of buffered pieces. It stays at `FEW` when the output is written directly.
    count: usize,
}

impl<'w, 's, 'a, S: Sink> Written<'w, 's, 'a, S> {
    #[inline(always)]
    pub(super) const fn new(writer: Writer<'s, S>, waiting: &'w mut [Piece<'a>; FEW]) -> Self {
        Self { writer, waiting, count: 0 }
    }

    /// Writes the buffered pieces and returns the sink position after the output.
    #[inline(always)]
    pub(super) fn finish(self) -> Result<usize, Error> {
        let mut writer = self.writer;
        let waiting = if self.count < FEW { self.count } else { 0 };
        self.waiting.iter().take(waiting).try_for_each(|piece| writer.append(piece.as_bytes()))?;
        Ok(writer.position())
    }

    /// Writes the buffered pieces. After this, the piece of each open node contains a position in the sink.
    #[cold]
    fn write_waiting(&mut self) -> Result<(), Error> {
        for piece in self.waiting.iter_mut() {
            match piece.as_open() {
                Some((tag, _)) => *piece = Piece::open(tag, self.writer.open(tag)?),
                None => self.writer.append(piece.as_bytes())?,
            }
        }
        Ok(())
    }
}

impl<'a, S: Sink> Target<'a> for Written<'_, '_, 'a, S> {
    #[inline(always)]
    fn is_in_place(&self) -> bool {
        self.count == FEW
    }

    #[inline(always)]
    fn put(&mut self, piece: Piece<'a>, _: usize) -> Result<(), Error> {
        let Some(next) = self.waiting.get_mut(self.count) else { return self.writer.append(piece.as_bytes()) };
        *next = piece;
        self.count += 1;
        if self.is_in_place() { self.write_waiting() } else { Ok(()) }
    }

    fn open(&mut self, tag: Tag, offset: usize) -> Result<usize, Error> {
        if self.is_in_place() {
            return Ok(FEW + self.writer.open(tag)?);
        }
        self.put(Piece::open(tag, 0), offset)?;
        Ok(self.count - 1)
    }

    fn close(&mut self, position: usize, header: Word) -> Result<(), Error> {
        match self.waiting.get_mut(position) {
            Some(piece) if self.count < FEW => *piece = Piece::header(header),
            Some(piece) => self.writer.close(piece.as_open().map_or(0, |(_, position)| position))?,
            None => self.writer.close(position - FEW)?,
        }
        Ok(())
    }
}
