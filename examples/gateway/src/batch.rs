//! Batch: messages that leave in one vectored write.
//!
//! In: contents of messages in a read buffer, each with the id it gets. Out: parts, borrowed from the read buffer, with new
//! headers and ids between them.

use std::io::{self, IoSlice};

use tokio::net::TcpStream;
use y3::edit::{Edit, Piece};
use y3::{Encoder, ErrorKind, Packet, SliceSink};

use crate::message::{ID, put_header};

/// Slices of one vectored write, the system's limit.
const SLICES: usize = 1024;
/// Pieces of one message without a copy; one of more pieces is copied.
const PIECES: usize = 16;

/// An id as a packet.
#[derive(Clone, Copy, Debug)]
pub struct Id {
    bytes: [u8; 10],
    len: u8,
}

impl Id {
    /// The id of a message, if it is a primitive of at most eight bytes.
    #[inline]
    pub fn of(packet: &Packet<'_>) -> Option<Id> {
        let value = packet.value();
        let len = u8::try_from(value.len()).ok().filter(|len| (1..=8).contains(len) && !packet.is_node())?;
        let mut bytes = [0; 10];
        bytes[..2].copy_from_slice(&[ID, len]);
        bytes[2..2 + value.len()].copy_from_slice(value);
        Some(Id { bytes, len: len + 2 })
    }

    /// A number as an id.
    #[inline]
    pub fn new(number: u64) -> Id {
        let mut bytes = [0; 10];
        let mut sink = SliceSink::new(&mut bytes);
        // A number and its header take at most ten bytes.
        let put = Encoder::new(&mut sink).put(ID, number);
        debug_assert!(put.is_ok(), "{put:?}");
        let len = sink.written().len() as u8;
        Id { bytes, len }
    }

    /// The packet.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// A part of a message: a range of the batch's own bytes, or of the read buffer.
#[derive(Clone, Copy, Debug)]
struct Part {
    own: bool,
    start: u32,
    end: u32,
}

/// Messages to one peer. Its buffers are reused.
#[derive(Debug, Default)]
pub struct Batch {
    /// Headers, ids, and what a policy sets.
    fronts: Vec<u8>,
    parts: Vec<Part>,
    /// The first part that is not written, and its bytes that are.
    part: usize,
    written: usize,
}

impl Batch {
    /// Forgets all messages and keeps the buffers.
    pub fn clear(&mut self) {
        self.fronts.clear();
        self.parts.clear();
        (self.part, self.written) = (0, 0);
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn own(&mut self, start: usize) {
        let (start, end) = (start as u32, self.fronts.len() as u32);
        match self.parts.last_mut() {
            Some(last) if last.own && last.end == start => last.end = end,
            _ if start < end => self.parts.push(Part { own: true, start, end }),
            _ => {}
        }
    }

    /// Adds a message: `content`, a part of `source`, without what the edit removes, with this id before it and `set` after it.
    ///
    /// # Errors
    /// Those of the edit. Nothing is added then.
    #[inline]
    pub fn message(
        &mut self,
        tag: u8,
        id: &Id,
        source: &[u8],
        content: &[u8],
        edit: &Edit<'_>,
        set: &[u8],
    ) -> Result<(), y3::Error> {
        let start = self.fronts.len();
        let around = usize::from(id.len) + set.len();
        let mut storage = [Piece::EMPTY; PIECES];
        match edit.pieces_in(content, &mut storage) {
            Ok(pieces) => {
                let len: usize = pieces.iter().map(|piece| piece.as_bytes().len()).sum();
                put_header(&mut self.fronts, tag, around + len);
                self.fronts.extend_from_slice(id.as_bytes());
                self.own(start);
                for piece in pieces {
                    match piece.borrowed() {
                        Some(bytes) => {
                            // Pieces are slices of the source, so this is their place in it.
                            let at = (bytes.as_ptr().addr() - source.as_ptr().addr()) as u32;
                            self.parts.push(Part { own: false, start: at, end: at + bytes.len() as u32 });
                        }
                        None => {
                            let start = self.fronts.len();
                            self.fronts.extend_from_slice(piece.as_bytes());
                            self.own(start);
                        }
                    }
                }
            }
            Err(error) if error.kind() == ErrorKind::BufferTooSmall => {
                let len = edit.output_len(content)?;
                put_header(&mut self.fronts, tag, around + len);
                self.fronts.extend_from_slice(id.as_bytes());
                if let Err(error) = edit.apply(content, &mut self.fronts) {
                    self.fronts.truncate(start);
                    return Err(error);
                }
                self.own(start);
            }
            Err(error) => return Err(error),
        }
        let start = self.fronts.len();
        self.fronts.extend_from_slice(set);
        self.own(start);
        Ok(())
    }

    /// The slices that are left to write, at most as many as `slices` has.
    fn slices<'a, 's>(&'a self, source: &'a [u8], slices: &'s mut [IoSlice<'a>]) -> &'s [IoSlice<'a>] {
        let left = self.parts.get(self.part..).unwrap_or_default();
        let count = left.len().min(slices.len());
        let mut skip = self.written;
        for (slice, part) in slices.iter_mut().zip(left) {
            let from = if part.own { &self.fronts[..] } else { source };
            *slice = IoSlice::new(&from[part.start as usize + skip..part.end as usize]);
            skip = 0;
        }
        &slices[..count]
    }

    fn advance(&mut self, bytes: usize) {
        self.written += bytes;
        while let Some(part) = self.parts.get(self.part) {
            let len = (part.end - part.start) as usize;
            if self.written < len {
                break;
            }
            self.written -= len;
            self.part += 1;
        }
    }

    fn write_some<const N: usize>(&self, source: &[u8], stream: &TcpStream) -> io::Result<usize> {
        let mut slices = [IoSlice::new(&[]); N];
        stream.try_write_vectored(self.slices(source, &mut slices))
    }

    /// Writes what is left, as far as the peer takes it now: `true` if that was all.
    ///
    /// # Errors
    /// Those of the connection.
    pub fn write(&mut self, source: &[u8], stream: &TcpStream) -> io::Result<bool> {
        while self.part < self.parts.len() {
            let few = self.parts.len() - self.part <= 8;
            let wrote =
                if few { self.write_some::<8>(source, stream) } else { self.write_some::<SLICES>(source, stream) };
            match wrote {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(bytes) => self.advance(bytes),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Copies what is left: the peer takes it later, and the read buffer is needed before.
    pub fn copy_rest(&self, source: &[u8], out: &mut Vec<u8>) {
        let mut skip = self.written;
        for part in self.parts.get(self.part..).unwrap_or_default() {
            let from = if part.own { &self.fronts[..] } else { source };
            out.extend_from_slice(&from[part.start as usize + skip..part.end as usize]);
            skip = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use y3::path;

    fn edit() -> Edit<'static> {
        Edit::new().remove(path!(0x10)).remove(path!(0x13, 0x02))
    }

    /// `10 id, 93 { 01 'n', 02 secret }, 11 body`.
    fn content() -> Vec<u8> {
        let mut bytes = vec![0x10, 0x01, 0x05, 0x93, 0x07, 0x01, 0x01, b'n', 0x02, 0x02, b's', b's', 0x11, 0x20];
        bytes.extend_from_slice(&[7; 32]);
        bytes
    }

    #[test]
    fn a_message_keeps_its_values_in_the_read_buffer_and_gets_its_id() {
        let content = content();
        let mut batch = Batch::default();
        batch.message(0x81, &Id::new(300), &content, &content, &edit(), &[0x14, 0x01, 0x07]).unwrap();
        let mut slices = [IoSlice::new(&[]); 16];
        let slices = batch.slices(&content, &mut slices);
        let inside = |slice: &&IoSlice<'_>| content.as_ptr_range().contains(&slice.as_ptr());
        let borrowed: usize = slices.iter().filter(inside).map(|slice| slice.len()).sum();
        assert_eq!(borrowed, 3 + 34, "the name and the body");
        let mut out = Vec::new();
        batch.copy_rest(&content, &mut out);
        let mut expected = vec![0x81, 0x2e, 0x10, 0x02, 0x01, 0x2c, 0x93, 0x03, 0x01, 0x01, b'n'];
        expected.extend_from_slice(&content[12..]);
        expected.extend_from_slice(&[0x14, 0x01, 0x07]);
        assert_eq!(out, expected);
    }

    #[test]
    fn a_write_goes_on_after_any_number_of_bytes() {
        let content = content();
        let mut batch = Batch::default();
        for id in 0..3 {
            batch.message(0x81, &Id::new(id), &content, &content, &edit(), &[]).unwrap();
        }
        let mut whole = Vec::new();
        batch.copy_rest(&content, &mut whole);
        for written in 0..=whole.len() {
            (batch.part, batch.written) = (0, 0);
            batch.advance(written);
            let mut rest = Vec::new();
            batch.copy_rest(&content, &mut rest);
            assert_eq!(rest, whole[written..], "after {written} bytes");
            let mut slices = [IoSlice::new(&[]); 64];
            let joined: Vec<u8> = batch.slices(&content, &mut slices).iter().flat_map(|slice| slice.to_vec()).collect();
            assert_eq!(joined, rest);
        }
    }

    #[test]
    fn a_message_that_cannot_be_followed_leaves_nothing_behind() {
        let mut batch = Batch::default();
        // 13 is a primitive here, and another reader may find the secret inside it.
        let content = [0x10, 0x01, 0x05, 0x13, 0x03, 0x02, 0x01, b's'];
        assert!(batch.message(0x81, &Id::new(1), &content, &content, &edit(), &[]).is_err());
        // More pieces than there is storage for, and then one that cannot be followed.
        let mut many: Vec<u8> = (0..40).flat_map(|_| [0x93, 0x06, 0x01, 0x01, b'n', 0x02, 0x01, b's']).collect();
        many.extend_from_slice(&[0x13, 0x00]);
        assert!(batch.message(0x81, &Id::new(1), &many, &many, &edit(), &[]).is_err());
        assert!(batch.is_empty() && batch.fronts.is_empty());
        many.truncate(many.len() - 2);
        batch.message(0x81, &Id::new(1), &many, &many, &edit(), &[]).unwrap();
        let mut out = Vec::new();
        batch.copy_rest(&many, &mut out);
        assert!(!out.contains(&b's'), "{out:02x?}");
        assert_eq!(out.len(), 3 + 3 + 40 * 5);
    }

    #[test]
    fn an_id_is_a_primitive_of_up_to_eight_bytes() {
        let of = |bytes: &[u8]| Id::of(&Packet::from_slice(bytes).unwrap()).is_some();
        assert!(of(&[0x10, 0x01, 0x00]) && of(&[0x10, 0x08, 0, 0, 0, 0, 0, 0, 0, 1]));
        assert!(!of(&[0x10, 0x00]) && !of(&[0x10, 0x09, 0, 0, 0, 0, 0, 0, 0, 0, 1]) && !of(&[0x90, 0x02, 0x01, 0x00]));
        assert_eq!(Id::new(u64::MAX >> 1).as_bytes().len(), 10);
    }
}
