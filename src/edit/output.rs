//! Output: receives the packets that a filter keeps.
//!
//! In: ranges of the input and the nodes around them, in wire order. Out: their length, or a copy in a sink; `pieces` borrows
//! them.

use core::ops::Range;

use super::follow::place;
use crate::error::Error;
use crate::read::packet::Packet;
use crate::wire::length;
use crate::wire::tag::Tag;
use crate::wire::word::Word;
use crate::write::sink::Sink;
use crate::write::writer::Writer;

/// Receives the packets that a filter keeps.
pub(super) trait Output<'a> {
    /// State kept for a node between `enter` and `leave`.
    type Place;

    /// Bytes of the input that are kept, at least one.
    fn copy(&mut self, range: Range<usize>) -> Result<(), Error>;

    /// The start of a node that a path leads through. Its kept content follows; `body` returns its length in advance.
    fn enter(&mut self, node: &Packet<'a>, body: impl FnOnce() -> Result<usize, Error>) -> Result<Self::Place, Error>;

    /// The end of that node, with its new header and the length of its kept content.
    fn leave(&mut self, place: Self::Place, node: &Packet<'a>, header: Word, body: usize) -> Result<(), Error>;

    /// The end of that node, of which nothing is kept.
    fn drop_node(&mut self, place: Self::Place);
}

/// The minimal header of a node whose content has not become longer.
pub(super) fn header(tag: Tag, body: usize) -> Word {
    length::encode(body).unwrap_or(Word::new(0, 0)).behind(tag.get())
}

/// The number of nodes whose lengths are stored between two passes.
pub(super) const NODES: usize = 512;

/// Stores the lengths of the first nodes, in the order in which they begin. The walk itself counts the length of the output.
#[derive(Default)]
pub(super) struct Measure<'t> {
    pub(super) lengths: &'t mut [u32],
    pub(super) nodes: usize,
}

impl<'a> Output<'a> for Measure<'_> {
    type Place = usize;

    fn copy(&mut self, _: Range<usize>) -> Result<(), Error> {
        Ok(())
    }

    fn enter(&mut self, _: &Packet<'a>, _: impl FnOnce() -> Result<usize, Error>) -> Result<usize, Error> {
        self.nodes += 1;
        Ok(self.nodes - 1)
    }

    fn leave(&mut self, node: usize, _: &Packet<'a>, _: Word, body: usize) -> Result<(), Error> {
        if let (Some(length), Ok(body)) = (self.lengths.get_mut(node), u32::try_from(body)) {
            *length = body;
        }
        Ok(())
    }

    /// The stored length is still 0.
    fn drop_node(&mut self, _: usize) {}
}

/// Copies the packets kept into a sink. Joins adjacent ranges in `run`, so that one copy moves them.
pub(super) struct Copier<'a, 'w, 's, S> {
    pub(super) input: &'a [u8],
    pub(super) writer: &'w mut Writer<'s, S>,
    pub(super) run: Range<usize>,
    /// The stored lengths of the next nodes.
    pub(super) lengths: &'w [u32],
    /// Whether a node with an empty body is dropped.
    pub(super) drops_empty: bool,
}

impl<S: Sink> Copier<'_, '_, '_, S> {
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        let run = core::mem::take(&mut self.run);
        self.writer.append(self.input.get(run).unwrap_or_default())
    }
}

impl<'a, S: Sink> Output<'a> for Copier<'a, '_, '_, S> {
    type Place = ();

    fn copy(&mut self, range: Range<usize>) -> Result<(), Error> {
        if self.run.end != range.start {
            self.flush()?;
            self.run.start = range.start;
        }
        self.run.end = range.end;
        Ok(())
    }

    fn enter(&mut self, node: &Packet<'a>, body: impl FnOnce() -> Result<usize, Error>) -> Result<(), Error> {
        let body = match self.lengths.split_first() {
            Some((length, others)) => {
                self.lengths = others;
                *length as usize
            }
            None => body()?,
        };
        if self.drops_empty && body == 0 {
            return Ok(());
        }
        let header = header(node.tag(), body);
        let start = place(node.offset());
        let old = start..start + node.as_bytes().len() - node.value().len();
        if header.len() == old.len() && body == node.value().len() {
            return self.copy(old);
        }
        self.flush()?;
        self.writer.store(header)
    }

    fn leave(&mut self, (): (), _: &Packet<'a>, _: Word, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn drop_node(&mut self, (): ()) {}
}
