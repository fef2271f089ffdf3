//! Pieces: the output of an edit as borrowed slices and rewritten headers.
//!
//! In: the parts of the output in wire order, and the headers of nodes when they end. Out: pieces in the caller's storage.

use crate::error::{Error, ErrorKind};
use crate::wire::tag::Tag;
use crate::wire::word::Word;

/// A part of an edited output: bytes borrowed from the input or from the edit, or a rewritten header of two to six bytes, owned.
///
/// Made by [`Edit::pieces_in`](super::Edit::pieces_in). Cost: 24 bytes, `Copy`; allocates never.
/// Source: docs/spec/editing.md
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece<'a>(Form<'a>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Form<'a> {
    Input(&'a [u8]),
    /// What a rule writes.
    Written(&'a [u8]),
    Header {
        bytes: [u8; 6],
        len: u8,
    },
}

impl<'a> Piece<'a> {
    /// An empty piece, to initialize storage with.
    pub const EMPTY: Piece<'static> = Piece(Form::Input(&[]));

    /// The bytes of the piece.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Form::Input(bytes) | Form::Written(bytes) => bytes,
            Form::Header { bytes, len } => bytes.get(..usize::from(*len)).unwrap_or_default(),
        }
    }

    /// The bytes if they are part of the input; `None` for a rewritten header and for what a rule writes.
    #[must_use]
    pub const fn borrowed(&self) -> Option<&'a [u8]> {
        match self.0 {
            Form::Input(bytes) => Some(bytes),
            Form::Written(_) | Form::Header { .. } => None,
        }
    }

    pub(super) const fn of(input: &'a [u8]) -> Self {
        Piece(Form::Input(input))
    }

    pub(super) const fn written(value: &'a [u8]) -> Self {
        Piece(Form::Written(value))
    }

    pub(super) fn header(header: Word) -> Self {
        let bytes = header.to_bytes().first_chunk().copied().unwrap_or_default();
        let [len, ..] = header.len().to_le_bytes();
        Piece(Form::Header { bytes, len })
    }
}

const _: () = assert!(size_of::<Piece<'_>>() <= 24);

impl AsRef<[u8]> for Piece<'_> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// Receives the output in order, except for the headers of nodes, which are known when the node ends.
pub(super) trait Target<'a> {
    /// Whether all that is inside a node has to be there when it is closed.
    const IN_PLACE: bool;

    /// The next part of the output; `offset` is that in the input, for errors.
    fn put(&mut self, piece: Piece<'a>, offset: usize) -> Result<(), Error>;

    /// Leaves out a header, and returns its place.
    fn open(&mut self, tag: Tag, offset: usize) -> Result<usize, Error>;

    /// That header.
    fn close(&mut self, position: usize, header: Word) -> Result<(), Error>;
}

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
