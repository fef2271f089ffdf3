//! Writer: stores packets at a position of a sink, without calling the sink's `finish`.
//!
//! In: tags, values, and where a node begins. Out: bytes in the sink, and the position after them, which does not change
//! on an error.

use super::sink::{SHORT, Sink, behind};
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

    /// A writer that starts at a position.
    #[cfg(feature = "derive")]
    #[inline(always)]
    pub(crate) const fn at(sink: &'s mut S, position: usize) -> Self {
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

    /// Makes room for an outermost packet: a vector ends with the packet before, and has none.
    #[inline(always)]
    pub(super) fn begin(&mut self) {
        if room(self.sink, self.position).is_none() {
            make_room(self.sink, self.position);
        }
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
        // The room first: behind it each form of a value has code of its own, from its encoding to its store.
        let Some(room) = room(self.sink, self.position) else {
            self.position = put_exact(self.sink, self.position, tag, value)?;
            return Ok(());
        };
        let len = match value.encode().0.in_word() {
            Form::Byte(byte) => {
                let [header, len, value, ..] = room;
                (*header, *len, *value) = (tag.get(), 1, byte);
                3
            }
            Form::Word(word) => {
                store_value(room, tag.get(), word);
                word.len() + 2
            }
            Form::Long(word) => {
                let packet = word.into_packet(tag.get());
                store_both(room, packet.to_u128());
                packet.len()
            }
            Form::Bytes(bytes) => return self.store_packet(tag, bytes),
        };
        // No overflow: the position is inside the window.
        self.position += len;
        Ok(())
    }

    /// Writes a primitive as [`put`](Self::put) does, with one store for values of all forms: less code for methods that are
    /// inlined into others.
    #[cfg(feature = "serde")]
    #[inline(always)]
    pub(crate) fn put_compact(mut self, key: Key, value: impl Encode) -> Result<usize, Error> {
        let tag = Tag::primitive(key);
        let word = match value.encode().0.in_word() {
            Form::Byte(byte) => Word::of_byte(byte),
            Form::Word(word) | Form::Long(word) => word,
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

    /// Makes room for `len` bytes, if the sink can grow. If there is no memory for them, it may do for those that are written.
    #[cfg(feature = "derive")]
    #[inline]
    pub(crate) fn reserve(&mut self, len: usize) {
        self.sink.reserve(self.position, len).unwrap_or_default();
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

    /// Begins a node whose body has 64 bytes or more, with two bytes reserved for its length.
    #[cfg(feature = "derive")]
    #[inline(always)]
    pub(crate) fn open_long(&mut self, tag: Tag) -> Result<usize, Error> {
        let start = self.position;
        self.store(Word::header(0, 0).behind(tag.get()))?;
        Ok(start)
    }

    /// Ends the node that begins at `start` with two bytes reserved for its length.
    #[cfg(feature = "derive")]
    #[inline(always)]
    pub(crate) fn close_long(&mut self, start: usize) -> Result<(), Error> {
        let end = self.position;
        let done = match length::encode(end.saturating_sub(start + 3)).map(|field| (field.to_bytes(), field.len())) {
            Some(([first, second, ..], 2)) => {
                let done = self.sink.replace_first(start + 1..end, &[first]);
                done.and_then(|()| self.sink.replace_first(start + 2..end, &[second])).map(|()| end)
            }
            _ => close_longest(self.sink, start, end),
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
        let done = store_word(self.sink, self.position, word);
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
    let position = store_word(sink, position, header)?;
    store(sink, position, value)
}

/// The next sixteen bytes, if they are there already.
#[inline(always)]
fn room<S: Sink>(sink: &mut S, position: usize) -> Option<&mut [u8; SHORT]> {
    sink.window(position, SHORT)?.first_chunk_mut()
}

/// Makes room if it can be made; if not, what is stored next is the error.
#[cold]
fn make_room<S: Sink>(sink: &mut S, position: usize) {
    let _ = sink.make_room(position);
}

/// Stores a header or a short packet and returns the position after it.
#[inline(always)]
fn store_word<S: Sink>(sink: &mut S, position: usize, word: Word) -> Result<usize, ErrorKind> {
    match room(sink, position) {
        Some(room) => {
            store_both(room, word.to_u128());
            // No overflow: the position is inside the window.
            Ok(position + word.len())
        }
        None => store_exact(sink, position, word),
    }
}

/// Stores a primitive and returns the position after it; as [`store_exact`].
#[cold]
fn put_exact<S: Sink>(sink: &mut S, position: usize, tag: Tag, value: impl Encode) -> Result<usize, Error> {
    let packet = match value.encode().0.in_word() {
        Form::Byte(byte) => Word::of_byte(byte),
        Form::Word(word) | Form::Long(word) => word,
        Form::Bytes(bytes) => {
            return store_packet(sink, position, tag.get(), bytes).map_err(|kind| Error::new(kind, position as u64));
        }
    };
    store_exact(sink, position, packet.into_packet(tag.get())).map_err(|kind| Error::new(kind, position as u64))
}

/// The same near the end of a slice, in a vector that has to grow, and in other sinks.
#[cold]
fn store_exact<S: Sink>(sink: &mut S, position: usize, word: Word) -> Result<usize, ErrorKind> {
    sink.make_room(position)?;
    if let Some(room) = room(sink, position) {
        store_both(room, word.to_u128());
        return Ok(position + word.len());
    }
    store(sink, position, word.to_bytes().get(..word.len()).unwrap_or_default())
}

/// Stores a packet with a value of at most eight bytes, without the shift that puts the header in front.
#[inline(always)]
pub(super) fn store_value(room: &mut [u8; SHORT], tag: u8, value: Word) {
    let [header, len, room @ ..] = room;
    if let (Some(room), [width, ..]) = (room.first_chunk_mut(), value.len().to_le_bytes()) {
        (*header, *len, *room) = (tag, width, value.low_half());
    }
}

/// Stores sixteen bytes as two halves: one store of sixteen goes through the stack and waits there (measured: 8 ns per put
/// instead of 2).
#[inline(always)]
fn store_both(room: &mut [u8; SHORT], bytes: u128) {
    let (low, high) = (u64::try_from(bytes & u128::from(u64::MAX)), u64::try_from(bytes >> 64));
    if let (Some(first), Ok(low)) = (room.first_chunk_mut(), low) {
        *first = low.to_le_bytes();
    }
    if let (Some(last), Ok(high)) = (room.last_chunk_mut(), high) {
        *last = high.to_le_bytes();
    }
}

/// Stores bytes and returns the position after them.
#[inline(always)]
fn store<S: Sink>(sink: &mut S, position: usize, bytes: &[u8]) -> Result<usize, ErrorKind> {
    let end = behind(position, bytes.len())?;
    sink.store(position, bytes)?;
    Ok(end)
}

/// Closes a node whose length takes more than the two bytes reserved for it. One that takes less is an error: the type states a
/// minimum that its packets do not have.
#[cfg(feature = "derive")]
#[cold]
fn close_longest<S: Sink>(sink: &mut S, start: usize, end: usize) -> Result<usize, ErrorKind> {
    let field = length::encode(end.saturating_sub(start + 3)).ok_or(ErrorKind::SizeLimit)?;
    let bytes = field.to_bytes();
    let Some([first, rest @ .., _]) = bytes.get(..=field.len()) else { return Err(ErrorKind::SizeLimit) };
    if rest.is_empty() {
        return Err(ErrorKind::SizeLimit);
    }
    let moved = behind(end, rest.len() - 1)?;
    sink.replace_first(start + 1..end, &[*first])?;
    sink.replace_first(start + 2..end, rest)?;
    Ok(moved)
}

/// Closes a node of 64 bytes and more, whose body shifts, and returns the position after it.
fn close_long<S: Sink>(sink: &mut S, start: usize, end: usize) -> Result<usize, ErrorKind> {
    let field = length::encode(end.saturating_sub(start + 2)).ok_or(ErrorKind::SizeLimit)?;
    let moved = behind(end, field.len() - 1)?;
    let bytes = field.to_bytes();
    sink.replace_first(start + 1..end, bytes.get(..field.len()).unwrap_or_default())?;
    Ok(moved)
}
