//! Pieces: the output of a filter as borrowed slices and rewritten headers.
//!
//! In: the packets that the filter keeps. Out: pieces in the caller's storage; adjacent parts of the input are one piece.

use core::fmt;
use core::ops::Range;

use super::follow::place;
use super::output::Output;
use crate::error::{Error, ErrorKind};
use crate::read::packet::Packet;
use crate::wire::word::Word;

/// A part of an edited output: bytes borrowed from the input, or a rewritten header of two to six bytes, owned.
///
/// Made by [`Filter::pieces`](super::Filter::pieces). Cost: 24 bytes, `Copy`; allocates never.
///
/// # Examples
/// ```
/// use y3::edit::Piece;
///
/// assert!(Piece::EMPTY.as_bytes().is_empty());
/// ```
/// Source: docs/spec/editing.md
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Piece<'a>(Form<'a>);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Form<'a> {
    Input(&'a [u8]),
    Header { bytes: [u8; 6], len: u8 },
}

impl<'a> Piece<'a> {
    /// An empty piece, to initialize storage with.
    pub const EMPTY: Piece<'static> = Piece(Form::Input(&[]));

    /// The bytes of the piece.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Form::Input(bytes) => bytes,
            Form::Header { bytes, len } => bytes.get(..usize::from(*len)).unwrap_or_default(),
        }
    }

    /// The bytes with the lifetime of the input, or `None` for a rewritten header.
    #[must_use]
    pub const fn borrowed(&self) -> Option<&'a [u8]> {
        match self.0 {
            Form::Input(bytes) => Some(bytes),
            Form::Header { .. } => None,
        }
    }

    fn header(header: Word) -> Self {
        let bytes = header.to_bytes().first_chunk().copied().unwrap_or_default();
        let [len, ..] = header.len().to_le_bytes();
        Piece(Form::Header { bytes, len })
    }
}

impl AsRef<[u8]> for Piece<'_> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Default for Piece<'_> {
    fn default() -> Self {
        Piece::EMPTY
    }
}

impl fmt::Debug for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple(if self.borrowed().is_some() { "Input" } else { "Header" }).field(&self.as_bytes()).finish()
    }
}

/// Storage for pieces.
pub(super) trait Store<'a> {
    /// Stores a piece at an index; `None` if there is no room. Pieces are not always stored in the order of their indices.
    fn put(&mut self, index: usize, piece: Piece<'a>) -> Option<()>;
}

impl<'a> Store<'a> for [Piece<'a>] {
    fn put(&mut self, index: usize, piece: Piece<'a>) -> Option<()> {
        *self.get_mut(index)? = piece;
        Some(())
    }
}

#[cfg(feature = "alloc")]
impl<'a> Store<'a> for alloc::vec::Vec<Piece<'a>> {
    fn put(&mut self, index: usize, piece: Piece<'a>) -> Option<()> {
        if self.len() <= index {
            self.resize(index + 1, Piece::EMPTY);
        }
        self.as_mut_slice().put(index, piece)
    }
}

/// Collects the packets kept as pieces. A piece is stored once it is final.
pub(super) struct Plan<'a, 's, T: ?Sized> {
    input: &'a [u8],
    store: &'s mut T,
    /// The number of pieces, including the headers of open nodes.
    count: usize,
    /// The range of the last piece in the input, if that piece is not stored yet.
    run: Range<usize>,
}

impl<'a, 's, T: Store<'a> + ?Sized> Plan<'a, 's, T> {
    pub(super) fn new(input: &'a [u8], store: &'s mut T) -> Self {
        Self { input, store, count: 0, run: 0..0 }
    }

    /// Stores the last piece and returns the number of pieces.
    pub(super) fn finish(mut self) -> Result<usize, Error> {
        self.put_run(self.count, self.run.clone())?;
        Ok(self.count)
    }

    /// Stores a run as the last of `count` pieces.
    fn put_run(&mut self, count: usize, run: Range<usize>) -> Result<(), Error> {
        let start = run.start;
        match (count.checked_sub(1), self.input.get(run)) {
            (Some(index), Some(bytes)) if !bytes.is_empty() => self.put(index, Piece(Form::Input(bytes)), start),
            _ => Ok(()),
        }
    }

    fn put(&mut self, index: usize, piece: Piece<'a>, start: usize) -> Result<(), Error> {
        self.store.put(index, piece).ok_or(Error::new(ErrorKind::BufferTooSmall, start as u64))
    }
}

impl<'a, T: Store<'a> + ?Sized> Output<'a> for Plan<'a, '_, T> {
    /// The number of pieces before the node, and the run of the last one.
    type Place = (usize, Range<usize>);

    fn copy(&mut self, range: Range<usize>) -> Result<(), Error> {
        if self.run.is_empty() || self.run.end != range.start {
            self.put_run(self.count, self.run.clone())?;
            self.run.start = range.start;
            self.count += 1;
        }
        self.run.end = range.end;
        Ok(())
    }

    fn enter(&mut self, _: &Packet<'a>, _: impl FnOnce() -> Result<usize, Error>) -> Result<Self::Place, Error> {
        let before = (self.count, self.run.clone());
        // The index of the header, which is stored when the node ends and its length is known.
        self.count += 1;
        self.run = 0..0;
        Ok(before)
    }

    fn leave(&mut self, (count, run): Self::Place, node: &Packet<'a>, header: Word, body: usize) -> Result<(), Error> {
        let start = place(node.offset());
        if header.len() + body == node.as_bytes().len() {
            // A filter only shortens nodes, so a node of the same length is unchanged.
            (self.count, self.run) = (count, run);
            return self.copy(start..start + node.as_bytes().len());
        }
        self.put_run(count, run)?;
        self.put(count, Piece::header(header), start)
    }

    fn drop_node(&mut self, before: Self::Place) {
        (self.count, self.run) = before;
    }
}
