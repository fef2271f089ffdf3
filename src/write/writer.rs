//! Writer: stores packets at a position of a sink, without calling the sink's `finish`.
//!
//! After an error, the position is unchanged.

use super::sink::{SHORT, Sink, after};
use crate::error::{Error, ErrorKind};
use crate::wire::length;
use crate::wire::tag::Tag;
use crate::wire::word::Word;

/// Stores packets for the encoder, for edits and for serde.
#[derive(Debug)]
pub(crate) struct Writer<'s, S> {
    sink: &'s mut S,
    /// The position of the next byte. It is stored in the writer and not in the sink, so it stays in a register.
    position: usize,
}

impl<'s, S: Sink> Writer<'s, S> {
    /// Makes a writer that starts at the end of the sink's bytes.
    #[inline]
    pub(crate) fn new(sink: &'s mut S) -> Self {
        let position = sink.position();
        Self { sink, position }
    }

    #[inline(always)]
    pub(crate) const fn position(&self) -> usize {
        self.position
    }

    /// Returns a writer for the next bytes. The position of `self` does not change until [`go_on_at`](Self::go_on_at)
    /// is called.
    #[inline(always)]
    pub(crate) fn nested(&mut self) -> Writer<'_, S> {
        Writer { sink: &mut *self.sink, position: self.position }
    }

    /// Returns a writer for the next bytes, and a reference to the position of `self`. The caller sets this position
    /// after writing the bytes.
    #[inline(always)]
    pub(super) fn split(&mut self) -> (Writer<'_, S>, &mut usize) {
        (Writer { sink: &mut *self.sink, position: self.position }, &mut self.position)
    }

    /// Moves to `position`, where a nested writer ended.
    #[inline(always)]
    pub(crate) fn go_on_at(&mut self, position: usize) {
        self.position = position;
    }

    /// Reserves space for a top-level packet of about `len` bytes if the sink can grow and has no free space.
    #[inline(always)]
    pub(crate) fn begin(&mut self, len: usize) {
        if room(self.sink, self.position).is_none() {
            // If this call fails, the next store returns the error.
            let _ = self.sink.make_room(self.position, len);
        }
    }

    /// Cuts the sink at the current position.
    #[inline(always)]
    pub(crate) fn finish(&mut self) {
        self.sink.finish(self.position);
    }

    /// Moves to the position `end`. If `end` is an error, returns it with the current position.
    #[inline(always)]
    fn go_to(&mut self, end: Result<usize, ErrorKind>) -> Result<(), Error> {
        self.position = end.map_err(|kind| Error::new(kind, self.position as u64))?;
        Ok(())
    }

    /// Returns the next sixteen bytes, or `None` if the sink does not have them yet.
    #[inline(always)]
    pub(crate) fn room(&mut self) -> Option<&mut [u8; SHORT]> {
        room(self.sink, self.position)
    }

    /// Returns the next `len` bytes, or `None` if the sink does not have them yet.
    #[inline(always)]
    pub(crate) fn window(&mut self, len: usize) -> Option<&mut [u8]> {
        self.sink.window(self.position, len)
    }

    /// Moves past `len` bytes that the caller wrote into the free space. `len` is 0 for an absent value.
    #[inline(always)]
    pub(crate) fn advance(&mut self, len: usize) {
        // The sum cannot overflow: the position is inside the window, or it was counted with checks.
        self.position = self.position.wrapping_add(len);
    }

    /// Writes a primitive with a value of at most eight bytes.
    #[inline(always)]
    pub(super) fn put_word(&mut self, tag: Tag, word: Word) -> Result<(), Error> {
        let Some(room) = room(self.sink, self.position) else { return self.put_word_exact(tag, word) };
        store_value(room, tag.get(), word);
        self.position += word.len() + 2;
        Ok(())
    }

    /// Writes an integer.
    #[inline(always)]
    pub(super) fn put_integer<T>(&mut self, tag: Tag, number: T, word: fn(T) -> Word) -> Result<(), Error>
    where
        T: Copy + TryInto<i8>,
    {
        let Some(room) = room(self.sink, self.position) else { return self.put_word_exact(tag, word(number)) };
        self.position += store_integer(room, tag.get(), number, word);
        Ok(())
    }

    /// Writes a primitive of at most fourteen bytes with one function call. Used if the sink has no free space, and by
    /// callers that would otherwise inline too much code.
    #[inline(always)]
    pub(super) fn put_word_exact(&mut self, tag: Tag, word: Word) -> Result<(), Error> {
        self.position = put_exact(self.sink, self.position, word.into_packet(tag.get()))?;
        Ok(())
    }

    /// Writes a text or bytes.
    #[inline(always)]
    pub(super) fn put_bytes(&mut self, tag: Tag, bytes: &[u8]) -> Result<(), Error> {
        if let Some(word) = Word::of_bytes(bytes) {
            return self.put_word(tag, word);
        }
        let Some(end) = store_medium(self.sink, self.position, tag.get(), bytes) else {
            return self.store_packet(tag, bytes);
        };
        self.position = end;
        Ok(())
    }

    /// Begins a node or slice and reserves one byte for its length. Returns the start position, which
    /// [`close`](Self::close) needs.
    #[inline(always)]
    pub(crate) fn open(&mut self, tag: Tag) -> Result<usize, Error> {
        let start = self.position;
        match self.sink.window(start, 2).and_then(|room| room.first_chunk_mut()) {
            Some(header) => {
                *header = u16::from(tag.get()).to_le_bytes();
                self.position += 2;
            }
            None => self.store(Word::header(tag.get(), 0))?,
        }
        Ok(start)
    }

    /// Closes the node or slice that begins at `start`. If its length needs more than one byte, the body shifts.
    #[inline(always)]
    pub(crate) fn close(&mut self, start: usize) -> Result<(), Error> {
        self.position = close(self.sink, start, self.position).map_err(|kind| Error::new(kind, start as u64))?;
        Ok(())
    }

    /// Reserves a second byte for the length of the node just opened. Returns false, and reserves nothing, if the sink
    /// has less than 64 bytes after this byte. [`close_two_bytes`](Self::close_two_bytes) needs these bytes to remove
    /// the second byte of a short body.
    #[inline(always)]
    pub(super) fn open_two_bytes(&mut self) -> bool {
        let is_long = self.sink.window(self.position, usize::from(length::ONE_BYTE) + 1).is_some();
        self.position += usize::from(is_long);
        is_long
    }

    /// Closes the node that begins at `start` and has two bytes reserved for its length.
    #[inline(always)]
    pub(super) fn close_two_bytes(&mut self, start: usize) -> Result<(), Error> {
        let (end, len) = (self.position, self.position - start - 3);
        match (length::encode_two_bytes(len), self.sink.window(start + 1, 2)) {
            (Some(field), Some([first, second])) => [*first, *second] = field,
            _ => self.position = close_other(self.sink, start, end).map_err(|kind| Error::new(kind, start as u64))?,
        }
        Ok(())
    }

    /// Writes bytes into the open packet.
    #[inline]
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let end = store(self.sink, self.position, bytes);
        self.go_to(end)
    }

    /// Writes a header.
    #[inline(always)]
    pub(crate) fn store(&mut self, word: Word) -> Result<(), Error> {
        let end = store_word(self.sink, self.position, word);
        self.go_to(end)
    }

    /// Writes a packet of any kind from an encoded value.
    #[inline(always)]
    pub(crate) fn store_packet(&mut self, tag: Tag, value: &[u8]) -> Result<(), Error> {
        let end = store_packet(self.sink, self.position, tag.get(), value);
        self.go_to(end)
    }
}

/// Stores a packet with a value of 8 to 32 bytes and returns the position after the packet. Returns `None` if the value
/// has another length or if the sink has no free space.
///
/// The function makes four overlapping copies of eight bytes. It has no branch on the length, because the processor
/// cannot predict varying lengths. Measured on an AMD EPYC of family 26, 2026-11: 63 fields with nine texts of 9 to 32
/// bytes take 61 ns. With a branch at 16 bytes they take 93 ns.
#[inline(never)]
fn store_medium<S: Sink>(sink: &mut S, position: usize, tag: u8, value: &[u8]) -> Option<usize> {
    if !(8..=32).contains(&value.len()) {
        return None;
    }
    let room: &mut [u8; 34] = sink.window(position, 34)?.first_chunk_mut()?;
    let [header, len, room @ ..] = room;
    (*header, [*len, ..]) = (tag, value.len().to_le_bytes());
    let last = value.len() - 8;
    *room.first_chunk_mut::<8>()? = *value.first_chunk()?;
    for start in [last.min(8), last.min(16)] {
        *room.get_mut(start..)?.first_chunk_mut::<8>()? = *value.get(start..)?.first_chunk()?;
    }
    *room.get_mut(last..)?.first_chunk_mut::<8>()? = *value.last_chunk()?;
    // The sum cannot overflow: the position is inside the window.
    Some(position + 2 + value.len())
}

/// Stores a packet with a value of any length and returns the position after the packet.
///
/// Not inlined into the code of each struct field. Inlined code would occupy registers, which costs more than a call
/// with its arguments in registers.
#[inline(never)]
fn store_packet<S: Sink>(sink: &mut S, position: usize, tag: u8, value: &[u8]) -> Result<usize, ErrorKind> {
    match u8::try_from(value.len()) {
        Ok(len) if len < length::ONE_BYTE => store_parts(sink, position, Word::header(tag, len), value),
        _ => store_long(sink, position, tag, value),
    }
}

#[cold]
fn store_long<S: Sink>(sink: &mut S, position: usize, tag: u8, value: &[u8]) -> Result<usize, ErrorKind> {
    let header = length::encode(value.len()).ok_or(ErrorKind::SizeLimit)?.after(tag);
    store_parts(sink, position, header, value)
}

#[inline(always)]
fn store_parts<S: Sink>(sink: &mut S, position: usize, header: Word, value: &[u8]) -> Result<usize, ErrorKind> {
    let position = store_word(sink, position, header)?;
    store(sink, position, value)
}

/// Returns the next sixteen bytes, or `None` if the sink does not have them yet.
#[inline(always)]
fn room<S: Sink>(sink: &mut S, position: usize) -> Option<&mut [u8; SHORT]> {
    sink.window(position, SHORT)?.first_chunk_mut()
}

/// Stores a header or a short packet and returns the position after it.
#[inline(always)]
fn store_word<S: Sink>(sink: &mut S, position: usize, word: Word) -> Result<usize, ErrorKind> {
    match room(sink, position) {
        Some(room) => {
            store_both(room, word.to_u128());
            // The sum cannot overflow: the position is inside the window.
            Ok(position + word.len())
        }
        None => store_exact(sink, position, word),
    }
}

/// Stores a primitive and returns the position after it. Unlike [`store_exact`], this function returns an [`Error`].
#[cold]
#[inline(never)]
fn put_exact<S: Sink>(sink: &mut S, position: usize, packet: Word) -> Result<usize, Error> {
    store_exact(sink, position, packet).map_err(|kind| Error::new(kind, position as u64))
}

/// The number of bytes by which the sink grows when it runs out of reserved space.
const MORE: usize = 240;

/// Stores a header or a short packet in one of three cases: fewer than sixteen bytes are free, a vector must grow, or
/// the sink has no `window`.
#[cold]
fn store_exact<S: Sink>(sink: &mut S, position: usize, word: Word) -> Result<usize, ErrorKind> {
    sink.make_room(position, MORE)?;
    if let Some(room) = room(sink, position) {
        store_both(room, word.to_u128());
        return Ok(position + word.len());
    }
    store(sink, position, word.to_bytes().get(..word.len()).unwrap_or_default())
}

/// Stores a packet with a value of at most eight bytes. The header and the value are stored separately, so the value
/// need not be shifted.
#[inline(always)]
pub(crate) fn store_value(room: &mut [u8; SHORT], tag: u8, value: Word) {
    let [header, len, room @ ..] = room;
    if let (Some(room), [width, ..]) = (room.first_chunk_mut(), value.len().to_le_bytes()) {
        (*header, *len, *room) = (tag, width, value.low_half());
    }
}

/// Stores a packet with a value of one byte and returns the packet's length.
///
/// The tag and the length are stored as one number. If they were two numbers, the compiler could merge this code with
/// the code for longer values. This would cost three instructions.
#[inline(always)]
pub(crate) fn store_byte(room: &mut [u8; SHORT], tag: u8, byte: u8) -> usize {
    if let Some(header) = room.first_chunk_mut() {
        *header = (u16::from(tag) | 1 << 8).to_le_bytes();
    }
    let [_, _, value, ..] = room;
    *value = byte;
    3
}

/// Stores an integer as a packet and returns the packet's length.
///
/// The processor predicts the branch well: most integers are small, and the integers of one field usually have the same
/// size. Each side of the branch has its own code for encoding and storing.
#[inline(always)]
pub(crate) fn store_integer<T>(room: &mut [u8; SHORT], tag: u8, number: T, word: fn(T) -> Word) -> usize
where
    T: Copy + TryInto<i8>,
{
    if let Ok(small) = number.try_into() {
        let [byte] = small.to_le_bytes();
        return store_byte(room, tag, byte);
    }
    let word = word(number);
    store_value(room, tag, word);
    word.len() + 2
}

/// Stores sixteen bytes as two halves. A single store of sixteen bytes goes through the stack and waits there
/// (measured: 8 ns per put instead of 2 ns).
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
    let end = after(position, bytes.len())?;
    sink.store(position, bytes)?;
    Ok(end)
}

/// Closes a node whose length needs more or fewer than the two bytes reserved for it. The node begins at `start`. If
/// the length needs one byte, the body moves one byte towards the start. If the length needs three or more bytes, the
/// body moves towards the end. Returns the position after the node.
#[cold]
fn close_other<S: Sink>(sink: &mut S, start: usize, end: usize) -> Result<usize, ErrorKind> {
    let len = end.saturating_sub(start + 3);
    if len < usize::from(length::ONE_BYTE) {
        sink.window(start + 2, len + 1).ok_or(ErrorKind::BufferTooSmall)?.copy_within(1.., 0);
        return close(sink, start, end - 1);
    }
    let field = length::encode(len).ok_or(ErrorKind::SizeLimit)?;
    // A sink need not have a window for a long body. For example, the sink that only counts has no such window.
    let (bytes, Some([first])) = (field.to_bytes(), sink.window(start + 1, 1)) else {
        return Err(ErrorKind::BufferTooSmall);
    };
    let (front, rest) = bytes.get(..field.len()).and_then(|field| field.split_first()).ok_or(ErrorKind::SizeLimit)?;
    let moved = after(end, rest.len().saturating_sub(1))?;
    *first = *front;
    sink.replace_first(start + 2..end, rest)?;
    Ok(moved)
}

/// Closes a node that begins at `start` and has one byte reserved for its length. Returns the position after the node.
#[inline(always)]
fn close<S: Sink>(sink: &mut S, start: usize, end: usize) -> Result<usize, ErrorKind> {
    match u8::try_from(end.wrapping_sub(start + 2)) {
        Ok(len) if len < length::ONE_BYTE => sink.replace_first(start + 1..end, &[len]).map(|()| end),
        _ => close_long(sink, start, end),
    }
}

/// Closes a node of 64 bytes or more and returns the position after the node. The body of the node shifts.
fn close_long<S: Sink>(sink: &mut S, start: usize, end: usize) -> Result<usize, ErrorKind> {
    let field = length::encode(end.saturating_sub(start + 2)).ok_or(ErrorKind::SizeLimit)?;
    let moved = after(end, field.len() - 1)?;
    let bytes = field.to_bytes();
    let field = bytes.get(..field.len()).unwrap_or_default();
    let room = sink.window(start + 1, moved - start - 1);
    match room.and_then(|room| Some((room.len().checked_sub(field.len())?, room))) {
        // `copy_within` panics outside of the slice.
        Some((len, room)) if len < room.len() => {
            room.copy_within(1..=len, field.len());
            room.iter_mut().zip(field).for_each(|(to, byte)| *to = *byte);
        }
        _ => sink.replace_first(start + 1..end, field)?,
    }
    Ok(moved)
}
