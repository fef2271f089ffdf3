//! Output: what a filter's walk calls for what it keeps. Here it is measured or copied; `pieces` borrows it.

use core::ops::Range;

use super::follow::place;
use crate::error::Error;
use crate::read::packet::Packet;
use crate::wire::length;
use crate::wire::tag::Tag;
use crate::wire::word::Word;
use crate::write::sink::Sink;
use crate::write::writer::Writer;

/// Receives what a filter keeps.
pub(super) trait Output<'a> {
    /// What is remembered of a node until it is left.
    type Place;

    /// Bytes of the input that stay, at least one.
    fn copy(&mut self, range: Range<usize>) -> Result<(), Error>;

    /// A node that a path leads through: what stays of its content comes next. `body` measures that first.
    fn enter(&mut self, node: &Packet<'a>, body: impl FnOnce() -> Result<usize, Error>) -> Result<Self::Place, Error>;

    /// The end of that node, its header now and how long its content is.
    fn leave(&mut self, place: Self::Place, node: &Packet<'a>, header: Word, body: usize) -> Result<(), Error>;

    /// The end of that node: nothing of it stays.
    fn drop_node(&mut self, place: Self::Place);
}

/// The minimal header of a node whose content is at most as long as it was.
pub(super) fn header(tag: Tag, body: usize) -> Word {
    length::encode(body).unwrap_or(Word::new(0, 0)).behind(tag.get())
}

/// How many nodes have their lengths kept between two passes.
pub(super) const NODES: usize = 512;

/// Only lengths are wanted: that of everything, which the walk itself counts, and those of the first nodes in the order they begin.
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

    /// It stays 0.
    fn drop_node(&mut self, _: usize) {}
}

/// Copies what stays into a sink. Adjacent ranges wait in `run`, so that they move in one copy.
pub(super) struct Copier<'a, 'w, 's, S> {
    pub(super) input: &'a [u8],
    pub(super) writer: &'w mut Writer<'s, S>,
    pub(super) run: Range<usize>,
    /// Of the nodes that are entered next, as far as they are known.
    pub(super) lengths: &'w [u32],
    /// Whether a node of which nothing stays goes too.
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
