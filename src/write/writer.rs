//! Writer: stores packets at a position of a sink, without calling the sink's `finish`.
//!
//! In: tags, values, and where a node begins. Out: bytes in the sink, and the position after them, which does not change
//! on an error.

use super::sink::{Sink, behind};
use super::value::{Encode, Form};
#[cfg(feature = "derive")]
use super::window::Window;
use crate::error::{Error, ErrorKind};
use crate::wire::key::Key;
use crate::wire::length;
use crate::wire::tag::Tag;
use crate::wire::word::Word;

/// Stores packets for the encoder, for records and for serde.
#[derive(Debug)]
pub(crate) struct Writer<'s, S> {
    sink: &'s mut S,
    /// The position of the next byte. It is here and not in the sink, so that it stays in a register.
    position: usize,
}

impl<'s, S: Sink> Writer<'s, S> {
    /// A writer that starts at the end of the sink's bytes.
    #[inline]
    pub(crate) fn new(sink: &'s mut S) -> Self {
        let position = sink.position();
        Self { sink, position }
    }

    /// The position of the next byte.
    #[inline(always)]
    pub(crate) const fn position(&self) -> usize {
        self.position
    }

    /// A writer for the next bytes. The position of `self` does not change until [`go_on_at`](Self::go_on_at).
    #[inline(always)]
    pub(crate) fn nested(&mut self) -> Writer<'_, S> {
        Writer { sink: &mut *self.sink, position: self.position }
    }

    /// Continues where a nested writer ended.
    #[inline(always)]
    pub(crate) fn go_on_at(&mut self, position: usize) {
        self.position = position;
    }

    /// Makes the sink hold the bytes before the position and no others.
    #[inline(always)]
    pub(super) fn finish(&mut self) {
        self.sink.finish(self.position);
    }

    /// An error at the current position.
    #[inline]
    fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.position as u64)
    }

    /// Checks a key that the caller gave.
    #[inline]
    pub(super) fn key(&self, key: u8) -> Result<Key, Error> {
        Key::new(key).ok_or(self.error(ErrorKind::InvalidKey))
    }

    /// Writes a primitive.
    #[inline(always)]
    pub(crate) fn put(&mut self, key: u8, value: impl Encode) -> Result<(), Error> {
        let tag = Tag::primitive(self.key(key)?);
        match value.encode().0.in_word() {
            Form::Byte(byte) => self.store(Word::of_byte(byte).into_packet(tag.get())),
            Form::Word(word) => self.store(word.into_packet(tag.get())),
            Form::Bytes(bytes) => self.store_packet(tag, bytes),
        }
    }

    /// Writes a primitive as [`put`](Self::put) does, with one store for values of all forms: less code for methods that are
    /// inlined into others.
    #[cfg(feature = "serde")]
    #[inline(always)]
    pub(crate) fn put_compact(mut self, key: Key, value: impl Encode) -> Result<usize, Error> {
        let tag = Tag::primitive(key);
        let word = match value.encode().0.in_word() {
            Form::Byte(byte) => Word::of_byte(byte),
            Form::Word(word) => word,
            Form::Bytes(bytes) => return self.put_packet(tag, bytes),
        };
        self.store(word.into_packet(tag.get()))?;
        Ok(self.position)
    }

    /// The next `N` bytes as a sink of its own, if there is room or can be.
    #[cfg(feature = "derive")]
    #[inline(always)]
    pub(crate) fn window<const N: usize>(&mut self) -> Option<Window<'_, N>> {
        self.sink.window(self.position, N)?.first_chunk_mut().map(Window::new)
    }

    /// Makes room for `len` bytes, if the sink can grow.
    #[cfg(feature = "derive")]
    #[inline]
    pub(crate) fn reserve(&mut self, len: usize) -> Result<(), Error> {
        self.sink.reserve(self.position, len).map_err(|kind| self.error(kind))
    }

    /// Writes a packet of any kind whose value is encoded already, and returns the position after it.
    #[cfg(any(feature = "derive", feature = "serde"))]
    #[inline(always)]
    pub(crate) fn put_packet(mut self, tag: Tag, value: &[u8]) -> Result<usize, Error> {
        self.store_packet(tag, value)?;
        Ok(self.position)
    }

    /// Begins a node or slice, with one byte reserved for its length, and returns the position for [`close`](Self::close).
    #[inline(always)]
    pub(crate) fn open(&mut self, tag: Tag) -> Result<usize, Error> {
        let start = self.position;
        self.store(Word::header(tag.get(), 0))?;
        Ok(start)
    }

    /// Ends the node or slice that begins at `start`. Its body shifts if its length takes more than the byte reserved for
    /// it.
    #[inline(always)]
    pub(crate) fn close(&mut self, start: usize) -> Result<(), Error> {
        let end = self.position;
        let done = match u8::try_from(end.saturating_sub(start + 2)) {
            Ok(len) if len < length::ONE_BYTE => self.sink.replace_first(start + 1..end, &[len]).map(|()| end),
            _ => close_long(self.sink, start, end),
        };
        self.position = done.map_err(|kind| Error::new(kind, start as u64))?;
        Ok(())
    }

    /// Writes bytes into the open packet.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let done = store(self.sink, self.position, bytes);
        self.position = done.map_err(|kind| self.error(kind))?;
        Ok(())
    }

    /// Writes a header.
    #[inline(always)]
    pub(crate) fn store(&mut self, word: Word) -> Result<(), Error> {
        let done = self.sink.store_word(self.position, word.to_u128(), word.len());
        self.position = done.map_err(|kind| self.error(kind))?;
        Ok(())
    }

    /// Writes a packet whose value is there already, whatever kind it is.
    #[inline(always)]
    pub(crate) fn store_packet(&mut self, tag: Tag, value: &[u8]) -> Result<(), Error> {
        let done = store_packet(self.sink, self.position, tag.get(), value);
        self.position = done.map_err(|kind| self.error(kind))?;
        Ok(())
    }
}

/// Stores a packet with a value of any length and returns the position after it.
///
/// Not inlined for each field of each struct: a call that takes and returns words costs less than the registers that the
/// inlined code would occupy.
#[inline(never)]
fn store_packet<S: Sink>(sink: &mut S, position: usize, tag: u8, value: &[u8]) -> Result<usize, ErrorKind> {
    match u8::try_from(value.len()) {
        Ok(len) if len < length::ONE_BYTE => store_parts(sink, position, Word::header(tag, len), value),
        _ => store_long(sink, position, tag, value),
    }
}

#[cold]
fn store_long<S: Sink>(sink: &mut S, position: usize, tag: u8, value: &[u8]) -> Result<usize, ErrorKind> {
    let header = length::encode(value.len()).ok_or(ErrorKind::SizeLimit)?.behind(tag);
    store_parts(sink, position, header, value)
}

#[inline(always)]
fn store_parts<S: Sink>(sink: &mut S, position: usize, header: Word, value: &[u8]) -> Result<usize, ErrorKind> {
    let position = sink.store_word(position, header.to_u128(), header.len())?;
    store(sink, position, value)
}

/// Stores bytes and returns the position after them.
#[inline(always)]
fn store<S: Sink>(sink: &mut S, position: usize, bytes: &[u8]) -> Result<usize, ErrorKind> {
    let end = behind(position, bytes.len())?;
    sink.store(position, bytes)?;
    Ok(end)
}

/// Closes a node of 64 bytes and more, whose body shifts, and returns the position after it.
fn close_long<S: Sink>(sink: &mut S, start: usize, end: usize) -> Result<usize, ErrorKind> {
    let field = length::encode(end.saturating_sub(start + 2)).ok_or(ErrorKind::SizeLimit)?;
    let moved = behind(end, field.len() - 1)?;
    let bytes = field.to_bytes();
    sink.replace_first(start + 1..end, bytes.get(..field.len()).unwrap_or_default())?;
    Ok(moved)
}
