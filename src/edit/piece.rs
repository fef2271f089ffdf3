//! Piece: a part of the output of an edit.

use crate::wire::tag::Tag;
use crate::wire::word::Word;

/// A part of the output of an edit. A piece borrows bytes from the input or from the edit, or it stores a rewritten
/// header of two to six bytes.
///
/// Made by [`Edit::pieces_in`](super::Edit::pieces_in). A piece is `Copy` and has 24 bytes.
/// Source: docs/spec/editing.md
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a>(Form<'a>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form<'a> {
    Input(&'a [u8]),
    /// Bytes that a rule writes.
    Written(&'a [u8]),
    Header {
        bytes: [u8; 6],
        len: u8,
    },
    /// The header of a node whose length is not known yet. The number is the position of the header in a sink, if the
    /// header is already in a sink.
    Open(Tag, usize),
}

impl<'a> Piece<'a> {
    /// An empty piece, for filling storage before a call.
    pub const EMPTY: Piece<'static> = Piece(Form::Input(&[]));

    /// Returns the bytes of the piece.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Form::Input(bytes) | Form::Written(bytes) => bytes,
            Form::Header { bytes, len } => bytes.get(..usize::from(*len)).unwrap_or_default(),
            Form::Open(..) => &[],
        }
    }

    /// Returns the bytes if they are part of the input. Returns `None` for a rewritten header and for bytes that a rule
    /// writes.
    #[must_use]
    pub const fn borrowed(&self) -> Option<&'a [u8]> {
        match self.0 {
            Form::Input(bytes) => Some(bytes),
            Form::Written(_) | Form::Header { .. } | Form::Open(..) => None,
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

    pub(super) const fn open(tag: Tag, position: usize) -> Self {
        Piece(Form::Open(tag, position))
    }

    /// Returns the tag and the position if this piece is the header of a node of unknown length.
    pub(super) const fn as_open(&self) -> Option<(Tag, usize)> {
        if let Form::Open(tag, position) = self.0 { Some((tag, position)) } else { None }
    }
}

const _: () = assert!(size_of::<Piece<'_>>() <= 24);
