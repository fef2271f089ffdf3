//! Pieces: the output of an edit as borrowed slices and rewritten headers.
//!
//! In: the parts of the output. Out: pieces in the caller's storage; adjacent parts of the input are one piece.

use crate::wire::word::Word;

/// A part of an edited output: bytes borrowed from the input or from the edit, or a rewritten header of two to six bytes, owned.
///
/// Made by [`Edit::pieces_in`](super::Edit::pieces_in). Cost: 24 bytes, `Copy`; allocates never.
///
/// # Examples
/// ```
/// use y3::edit::Piece;
///
/// assert!(Piece::EMPTY.as_bytes().is_empty());
/// ```
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

impl Default for Piece<'_> {
    fn default() -> Self {
        Piece::EMPTY
    }
}
