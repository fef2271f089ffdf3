//! Apply: runs an edit and writes its output to a sink, returns it as pieces, or only computes its length.

use super::piece::Piece;
use super::rules::Edit;
use super::target::{FEW, Length, Pieces, Written};
use crate::error::Error;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

impl Edit<'_> {
    /// Edits the packets in `bytes`, appends the result to `sink`, and returns the number of bytes written.
    ///
    /// Cost: reads each header in the nodes on the paths once, and copies the output once. The reading ends when no
    /// rule can apply to later packets. If the output has more than 16 [`pieces`](Self::pieces_in), the edit copies the
    /// body of each changed node of at least 64 bytes once more, to make room for a longer length field. Allocates
    /// nothing unless the sink grows.
    ///
    /// # Errors
    /// - The errors of [`packets`](crate::packets): a header in a node on the paths is faulty.
    /// - The errors that [`Edit`] lists for the rules. [`NotFound`](crate::ErrorKind::NotFound) has the offset of the
    ///   end of the input.
    /// - [`SizeLimit`](crate::ErrorKind::SizeLimit): a node becomes too long, or more than 64 rules write packets.
    /// - [`BufferTooSmall`](crate::ErrorKind::BufferTooSmall): the sink is full.
    ///
    /// After an error, the sink is as it was before the call. [`Edit`] has examples. [`Rule`](super::Rule) has an
    /// example with rules in an array.
    pub fn apply<S: Sink>(&self, bytes: &[u8], sink: &mut S) -> Result<usize, Error> {
        self.write(bytes, sink, true)
    }

    /// Edits packets as [`apply`](Self::apply) does. `is_whole` is false for one packet of a stream. The edit then adds
    /// no packet after this packet.
    pub(super) fn write<S: Sink>(&self, bytes: &[u8], sink: &mut S, is_whole: bool) -> Result<usize, Error> {
        let mut encoder = Encoder::new(sink);
        let mut output = encoder.unfinished();
        let writer = output.writer();
        let start = writer.position();
        let mut waiting = [Piece::EMPTY; FEW];
        let mut written = Written::new(writer, &mut waiting);
        self.run(bytes, &mut written, is_whole)?;
        let end = written.finish()?;
        output.end(end);
        Ok(end - start)
    }

    /// Returns the length in bytes of the output of [`apply`](Self::apply).
    ///
    /// Cost: reads each header in the nodes on the paths once. Never allocates.
    ///
    /// # Errors
    /// Returns the errors of [`apply`](Self::apply).
    pub fn output_len(&self, bytes: &[u8]) -> Result<usize, Error> {
        self.run(bytes, &mut Length, true)
    }

    /// Returns the output as a list of pieces, for a vectored write. A piece is a borrowed part of the input, a part of
    /// a packet that a rule writes, or a rewritten header.
    ///
    /// The concatenated pieces are the bytes that [`apply`](Self::apply) writes. No value is copied. If no rule changes
    /// anything, the whole input is one piece. Cost: reads each header in the nodes on the paths once. Never allocates.
    /// Each run of adjacent unchanged packets is one piece. Each node that contains a change adds at most one piece,
    /// its new header. Each packet that a rule writes adds at most two pieces.
    ///
    /// # Errors
    /// Returns the errors of [`apply`](Self::apply). If `storage` is too short, returns
    /// [`BufferTooSmall`](crate::ErrorKind::BufferTooSmall) with the input offset of the first piece that does not fit.
    ///
    /// # Examples
    /// ```
    /// use y3::{edit::{Edit, Piece, Rule}, path};
    ///
    /// static REDACT: Edit<'static> = Edit::from_rules(&[Rule::remove(path!(0x01, 0x13))]);
    ///
    /// let bytes = [0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61];
    /// let mut storage = [Piece::EMPTY; 8];
    /// let pieces = REDACT.pieces_in(&bytes, &mut storage)?;
    /// assert_eq!(pieces.len(), 2);
    /// assert_eq!(pieces[0].as_bytes(), [0x81, 0x03]);
    /// assert_eq!(pieces[1].as_bytes().as_ptr(), bytes[2..].as_ptr());
    /// # Ok::<(), y3::Error>(())
    /// ```
    pub fn pieces_in<'e, 's>(
        &'e self,
        bytes: &'e [u8],
        storage: &'s mut [Piece<'e>],
    ) -> Result<&'s [Piece<'e>], Error> {
        let mut pieces = Pieces::new(storage);
        self.run(bytes, &mut pieces, true)?;
        Ok(pieces.finish())
    }

    /// Returns the output as pieces in a new vector. [`pieces_in`](Self::pieces_in) explains the pieces.
    ///
    /// # Errors
    /// Returns the errors of [`apply`](Self::apply).
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use std::io::{IoSlice, Write};
    /// use y3::{edit::Edit, path};
    ///
    /// let bytes = [0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61];
    /// let edit = Edit::new().remove(path!(0x01, 0x13));
    /// let pieces = edit.pieces(&bytes)?;
    /// let parts: Vec<IoSlice<'_>> = pieces.iter().map(|piece| IoSlice::new(piece.as_bytes())).collect();
    /// let mut socket = Vec::new();
    /// assert_eq!(socket.write_vectored(&parts).unwrap(), 5);
    /// assert_eq!(socket, [0x81, 0x03, 0x11, 0x01, 0x07]);
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn pieces<'e>(&'e self, bytes: &'e [u8]) -> Result<alloc::vec::Vec<Piece<'e>>, Error> {
        let mut pieces = alloc::vec::Vec::with_capacity(16);
        self.run(bytes, &mut pieces, true)?;
        Ok(pieces)
    }
}
