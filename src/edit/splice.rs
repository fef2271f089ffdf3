//! Splice: copies the input without the cuts, and rewrites the headers of the nodes around each change.

use super::piece::Piece;
use super::target::Target;
use crate::error::{Error, ErrorKind};
use crate::read::packet::Packet;
use crate::read::path::Path;
use crate::wire::key::Key;
use crate::wire::length;
use crate::wire::tag::Tag;
use crate::wire::word::Word;

/// A node that the edit has entered, or a primitive whose embedded packets the edit has entered. The first change
/// inside opens the node. The header of an open node is rewritten. The header of any other node is copied unchanged.
#[derive(Clone, Copy)]
struct Entered {
    start: usize,
    inside: usize,
    end: usize,
    /// The end of the bytes that are cut at the start of the node's body. Such a cut does not open the node, because
    /// later cuts can extend it to the whole node.
    front: usize,
    tag: Tag,
    /// True if the node is dropped when all its content is cut.
    needs_content: bool,
    /// The position of the header in the target. It is set when the node is opened.
    position: usize,
    /// The length of the output before the header. It is set when the node is opened.
    before: usize,
}

/// The input, and the state of the output so far.
pub(super) struct Splicer<'a, 't, T> {
    input: &'a [u8],
    target: &'t mut T,
    /// The number of input bytes that are already copied or cut.
    done: usize,
    /// The length of the output so far, without the headers of open nodes.
    len: usize,
    entered: [Option<Entered>; Path::MAX_LEN],
    /// The number of entered nodes.
    depth: usize,
    /// The number of open nodes.
    open: usize,
}

impl<'a, 't, T: Target<'a>> Splicer<'a, 't, T> {
    #[inline(always)]
    pub(super) fn new(input: &'a [u8], target: &'t mut T) -> Self {
        Self { input, target, done: 0, len: 0, entered: [None; Path::MAX_LEN], depth: 0, open: 0 }
    }

    /// Copies the remaining input and returns the length of the output.
    pub(super) fn finish(&mut self) -> Result<usize, Error> {
        self.copy_to(self.input.len())?;
        Ok(self.len)
    }

    /// Enters a node. `tag` is the tag of the new header if the node is opened later.
    #[inline(always)]
    pub(super) fn enter(&mut self, node: &Packet<'a>, tag: Tag, needs_content: bool) {
        let (start, inside, end) = (index(node.offset()), index(node.value_offset()), index(node.end()));
        if let Some(next) = self.entered.get_mut(self.depth) {
            *next = Some(Entered { start, inside, end, front: inside, tag, needs_content, position: 0, before: 0 });
            self.depth += 1;
        }
    }

    #[inline(always)]
    pub(super) fn leave(&mut self) -> Result<(), Error> {
        let depth = self.depth.saturating_sub(1);
        let Some(&Some(node)) = self.entered.get(depth) else { return Ok(()) };
        if self.open < self.depth {
            if node.needs_content && node.front == node.end {
                self.depth = depth;
                return self.cut_range(node.start, node.end);
            }
            if node.front == node.inside {
                self.depth = depth;
                return Ok(());
            }
            self.open()?;
        }
        let Some(&Some(node)) = self.entered.get(depth) else { return Ok(()) };
        (self.depth, self.open) = (depth, depth);
        if self.target.is_in_place() {
            self.copy_to(node.end)?;
        }
        // The remaining bytes of the node can be copied later, together with the bytes after the node.
        let body = self.len + (node.end - self.done) - node.before;
        let header = header(node.tag, body, node.start)?;
        self.len += header.len();
        self.target.close(node.position, header)
    }

    /// Opens all entered nodes. Their headers will be rewritten.
    #[inline]
    pub(super) fn open(&mut self) -> Result<(), Error> {
        while self.open < self.depth {
            let Some(&Some(node)) = self.entered.get(self.open) else { return Ok(()) };
            self.copy_to(node.start)?;
            let position = self.target.open(node.tag, node.start)?;
            if let Some(Some(node)) = self.entered.get_mut(self.open) {
                (node.position, node.before) = (position, self.len);
            }
            self.done = node.front;
            self.open += 1;
        }
        Ok(())
    }

    /// Cuts a range of the input. The range must not begin before the end of the last cut.
    #[inline(always)]
    pub(super) fn cut(&mut self, start: u64, end: u64) -> Result<(), Error> {
        if start < end { self.cut_range(index(start), index(end)) } else { Ok(()) }
    }

    #[inline(always)]
    fn cut_range(&mut self, start: usize, end: usize) -> Result<(), Error> {
        if self.open < self.depth {
            match self.entered.get_mut(self.depth - 1) {
                Some(Some(node)) if node.front == start => {
                    node.front = end;
                    return Ok(());
                }
                _ => self.open()?,
            }
        }
        self.copy_to(start)?;
        self.done = end;
        Ok(())
    }

    /// Returns the tag for a packet that is written into the innermost entered node. The key is 0 if that node is a
    /// slice.
    pub(super) fn tag(&self, tag: Tag, key: Key) -> Tag {
        let around = self.depth.checked_sub(1).and_then(|last| self.entered.get(last).copied().flatten());
        tag.with_key(if around.is_some_and(|node| node.tag.is_slice()) { Key::ITEM } else { key })
    }

    /// Writes a packet at the input position `at`. The packet gets the key `key`, or key 0 in a slice.
    pub(super) fn put(&mut self, at: u64, tag: Tag, key: Key, value: &'a [u8]) -> Result<(), Error> {
        let (at, tag) = (index(at), self.tag(tag, key));
        self.open()?;
        self.copy_to(at)?;
        let header = header(tag, value.len(), at)?;
        self.len += header.len() + value.len();
        self.target.put(Piece::header(header), at)?;
        if value.is_empty() { Ok(()) } else { self.target.put(Piece::written(value), at) }
    }

    #[inline(always)]
    fn copy_to(&mut self, end: usize) -> Result<(), Error> {
        let start = self.done;
        match self.input.get(start..end) {
            Some(bytes) if !bytes.is_empty() => {
                self.done = end;
                self.len += bytes.len();
                self.target.put(Piece::of(bytes), start)
            }
            _ => Ok(()),
        }
    }
}

/// Returns a header with the shortest possible length field.
fn header(tag: Tag, body: usize, offset: usize) -> Result<Word, Error> {
    let too_long = Error::new(ErrorKind::SizeLimit, offset as u64);
    Ok(length::encode(body).ok_or(too_long)?.after(tag.get()))
}

/// Converts an offset in a slice to `usize`. Such an offset always fits.
fn index(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}
