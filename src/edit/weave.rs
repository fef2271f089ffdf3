//! Weave: copies the input except where it is cut, and writes the headers of the nodes around each cut anew.
//!
//! In: the nodes entered, in wire order, and ranges of the input with what is written in their place. Out: the edited bytes, at a
//! [`Target`].

use core::ops::Range;

use super::pieces::Piece;
use crate::error::{Error, ErrorKind};
use crate::read::packet::Packet;
use crate::read::path::Path;
use crate::wire::length;
use crate::wire::tag::Tag;
use crate::wire::word::Word;
use crate::write::sink::Sink;
use crate::write::writer::Writer;

/// Receives the output in order, except for the headers of nodes, which are known when the node ends.
pub(super) trait Target<'a> {
    /// The next part of the output; `offset` is that in the input, for errors.
    fn put(&mut self, piece: Piece<'a>, offset: usize) -> Result<(), Error>;

    /// Where the next part goes.
    fn position(&self) -> usize;

    /// Takes back what follows a position.
    fn go_back(&mut self, position: usize);

    /// Leaves out a header, which goes to the position before.
    fn open(&mut self, tag: Tag, offset: usize) -> Result<(), Error>;

    /// That header, when all that follows it inside the node is written.
    fn close(&mut self, position: usize, header: Word, offset: usize) -> Result<(), Error>;
}

/// Only the length of the output is wanted, and that is counted here anyway.
pub(super) struct Measure;

impl<'a> Target<'a> for Measure {
    fn put(&mut self, _: Piece<'a>, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn position(&self) -> usize {
        0
    }

    fn go_back(&mut self, _: usize) {}

    fn open(&mut self, _: Tag, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn close(&mut self, _: usize, _: Word, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

/// The length of a node takes one byte until the node is closed; then its body moves if more are needed.
impl<'a, S: Sink> Target<'a> for Writer<'_, S> {
    fn put(&mut self, piece: Piece<'a>, _: usize) -> Result<(), Error> {
        self.append(piece.as_bytes())
    }

    fn position(&self) -> usize {
        Writer::position(self)
    }

    fn go_back(&mut self, position: usize) {
        self.go_on_at(position);
    }

    fn open(&mut self, tag: Tag, _: usize) -> Result<(), Error> {
        Writer::open(self, tag).map(drop)
    }

    fn close(&mut self, position: usize, _: Word, _: usize) -> Result<(), Error> {
        Writer::close(self, position)
    }
}

/// A node, or a primitive whose embedded packets are entered. It is opened at the first cut inside it: without one, its header is
/// copied with all other bytes.
#[derive(Clone, Copy, Default)]
struct Entered {
    start: usize,
    inside: usize,
    end: usize,
    tag: u8,
    /// Where its header goes, and the length of the output before it. Known once it is opened.
    position: usize,
    before: usize,
}

/// See the module.
pub(super) struct Weave<'a, T> {
    input: &'a [u8],
    target: T,
    state: State,
    entered: [Entered; Path::MAX_LEN],
}

/// The state to which an output can be taken back.
#[derive(Clone, Copy, Default)]
pub(super) struct State {
    /// The bytes of the input that are copied or cut.
    done: usize,
    /// The length of the output, without the headers of open nodes.
    len: usize,
    /// How many nodes are entered, and how many of these are open.
    depth: usize,
    open: usize,
    position: usize,
}

impl<'a, T: Target<'a>> Weave<'a, T> {
    pub(super) fn new(input: &'a [u8], target: T) -> Self {
        Self { input, target, state: State::default(), entered: Default::default() }
    }

    /// Copies the rest of the input, and returns the target and the length of the output.
    pub(super) fn finish(mut self) -> Result<(T, usize), Error> {
        self.copy_to(self.input.len())?;
        Ok((self.target, self.state.len))
    }

    /// Enters a node, which gets this tag once it is opened.
    pub(super) fn enter(&mut self, node: &Packet<'a>, tag: Tag) {
        let (start, inside) = (place(node.offset()), place(node.value_offset()));
        let entered = Entered { start, inside, end: place(node.end()), tag: tag.get(), position: 0, before: 0 };
        if let Some(next) = self.entered.get_mut(self.state.depth) {
            *next = entered;
            self.state.depth += 1;
        }
    }

    /// Ends the node that was entered last.
    pub(super) fn leave(&mut self) -> Result<(), Error> {
        let Some(depth) = self.state.depth.checked_sub(1) else { return Ok(()) };
        self.state.depth = depth;
        if self.state.open <= depth {
            return Ok(());
        }
        self.state.open = depth;
        let Some(&node) = self.entered.get(depth) else { return Ok(()) };
        self.copy_to(node.end)?;
        let header = header(Tag::from(node.tag), self.state.len - node.before, node.start)?;
        self.state.len += header.len();
        self.target.close(node.position, header, node.start)
    }

    /// Opens the nodes entered: their headers are written anew.
    pub(super) fn open(&mut self) -> Result<(), Error> {
        while self.state.open < self.state.depth {
            let Some(&node) = self.entered.get(self.state.open) else { return Ok(()) };
            self.copy_to(node.start)?;
            let (position, before) = (self.target.position(), self.state.len);
            if let Some(node) = self.entered.get_mut(self.state.open) {
                (node.position, node.before) = (position, before);
            }
            self.target.open(Tag::from(node.tag), node.start)?;
            self.state.done = node.inside;
            self.state.open += 1;
        }
        Ok(())
    }

    /// Leaves out a range of the input, which begins at the end of the last or after it.
    pub(super) fn cut(&mut self, range: Range<usize>) -> Result<(), Error> {
        if range.is_empty() {
            return Ok(());
        }
        self.open()?;
        self.copy_to(range.start)?;
        self.state.done = range.end;
        Ok(())
    }

    /// Writes a packet where the input is at `at`.
    pub(super) fn put(&mut self, at: usize, tag: Tag, value: &'a [u8]) -> Result<(), Error> {
        self.open()?;
        self.copy_to(at)?;
        let header = header(tag, value.len(), at)?;
        self.state.len += header.len() + value.len();
        self.target.put(Piece::header(header), at)?;
        if value.is_empty() { Ok(()) } else { self.target.put(Piece::written(value), at) }
    }

    pub(super) fn state(&self) -> State {
        State { position: self.target.position(), ..self.state }
    }

    /// Takes back what was written since that state, and leaves the nodes entered since.
    pub(super) fn go_back(&mut self, state: State) {
        self.target.go_back(state.position);
        self.state = state;
    }

    fn copy_to(&mut self, end: usize) -> Result<(), Error> {
        let start = self.state.done;
        match self.input.get(start..end) {
            Some(bytes) if !bytes.is_empty() => {
                self.state.done = end;
                self.state.len += bytes.len();
                self.target.put(Piece::of(bytes), start)
            }
            _ => Ok(()),
        }
    }
}

/// A minimal header.
fn header(tag: Tag, body: usize, offset: usize) -> Result<Word, Error> {
    let too_long = Error::new(ErrorKind::SizeLimit, offset as u64);
    Ok(length::encode(body).ok_or(too_long)?.behind(tag.get()))
}

/// An offset in a slice as a `usize`, which it always fits.
pub(super) fn place(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}
