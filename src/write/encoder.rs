//! Encoder: packets, nodes and slices into a sink, canonical and never left open.
//!
//! In: keys and values. Out: bytes at the end of a sink; after an error or a panic that a caller catches, the sink is as it
//! was before the packet that failed.

use super::sink::{Count, Sink, behind};
use super::value::{Encode, Form};
use crate::error::{Error, ErrorKind};
use crate::wire::key::Key;
use crate::wire::length;
use crate::wire::short::Short;
use crate::wire::tag::Tag;

/// Writes packets at the end of a [`Sink`].
///
/// Bytes: `81 08 02 01 ff 83 03 04 01 43` for the example. What it writes is canonical: shortest lengths, shortest values.
/// Cost: O(1) a number, one copy of a text. A node's body of 64 bytes and more moves by one to four bytes when the node ends,
/// since its length takes more than the one byte kept for it; so a byte moves once for each such node around it. Allocates
/// only what a growing sink needs.
///
/// # Examples
/// ```
/// # #[cfg(feature = "alloc")] {
/// let mut out = Vec::new();
/// y3::Encoder::new(&mut out).node(0x01, |node| {
///     node.put(0x02, -1i32)?;
///     node.node(0x03, |inner| inner.put(0x04, "C"))
/// })?;
/// assert_eq!(out, [0x81, 0x08, 0x02, 0x01, 0xff, 0x83, 0x03, 0x04, 0x01, 0x43]);
/// # }
/// # Ok::<(), y3::Error>(())
/// ```
/// Inside a node the encoder is an `Encoder<'_, S, true>`; a function that writes packets in both places leaves that open:
/// `fn write<S: Sink, const NESTED: bool>(encoder: &mut Encoder<'_, S, NESTED>) -> Result<(), Error>`.
///
/// Source: SPEC §7
#[derive(Debug)]
pub struct Encoder<'s, S, const NESTED: bool = false> {
    sink: &'s mut S,
    /// Where the next byte goes. The sink hears of it when an outermost packet is done; inside a node it stays in a register.
    position: usize,
}

impl<'s, S> Encoder<'s, S>
where
    S: Sink,
{
    /// An encoder that appends to `sink`.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let mut out = vec![0xff];
    /// y3::Encoder::new(&mut out).put(0x02, true)?;
    /// assert_eq!(out, [0xff, 0x02, 0x01, 0x01]);
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[inline]
    pub fn new(sink: &'s mut S) -> Self {
        let position = sink.position();
        Self { sink, position }
    }
}

impl<S: Sink, const NESTED: bool> Encoder<'_, S, NESTED> {
    /// Writes a primitive.
    ///
    /// # Errors
    /// [`InvalidKey`](ErrorKind::InvalidKey) for a key above 63, [`SizeLimit`](ErrorKind::SizeLimit) for a value of more
    /// than 2^31-1 bytes or an output longer than a `usize` counts, [`BufferTooSmall`](ErrorKind::BufferTooSmall) when the sink
    /// has no room; the sink is as it was.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let mut out = Vec::new();
    /// let mut encoder = y3::Encoder::new(&mut out);
    /// encoder.put(0x11, 0.25f32)?;
    /// encoder.put(0x12, y3::PVarInt(-65i64))?;
    /// encoder.put(0x13, "a")?;
    /// assert_eq!(out, [0x11, 0x02, 0x3e, 0x80, 0x12, 0x02, 0xff, 0x3f, 0x13, 0x01, 0x61]);
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: SPEC §3, §7
    #[inline(always)]
    pub fn put(&mut self, key: u8, value: impl Encode) -> Result<(), Error> {
        let tag = Tag::primitive(self.key(key)?);
        let done = match value.encode().0.shortened() {
            Form::Short(short) => self.store(short.into_packet(tag.get())),
            Form::Bytes(bytes) => self.store_bytes(tag, bytes),
        };
        match done {
            Ok(end) => self.position = end,
            Err(error) => return self.refuse(error),
        }
        if !NESTED {
            self.sink.finish(self.position);
        }
        Ok(())
    }

    /// Writes a node; `body` writes the packets inside it.
    ///
    /// # Errors
    /// Those of `body`, and as [`put`](Self::put); the sink is as it was before the node, also when `body` panics.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let mut out = Vec::new();
    /// y3::Encoder::new(&mut out).node(0x01, |_| Ok(()))?;
    /// assert_eq!(out, [0x81, 0x00]);
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: SPEC §6, §7
    #[inline]
    pub fn node(
        &mut self,
        key: u8,
        body: impl FnOnce(&mut Encoder<'_, S, true>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let tag = Tag::node(self.key(key)?);
        self.enclose(tag, body)
    }

    /// Writes a slice; `items` writes its items, which all have the key 0.
    ///
    /// # Errors
    /// Those of `items`, and as [`put`](Self::put); the sink is as it was before the slice, also when `items` panics.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let mut out = Vec::new();
    /// y3::Encoder::new(&mut out).slice(0x10, |items| [1i32, -1].iter().try_for_each(|item| items.put(item)))?;
    /// assert_eq!(out, [0xd0, 0x06, 0x00, 0x01, 0x01, 0x00, 0x01, 0xff]);
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: SPEC §6, §7
    #[inline]
    pub fn slice(
        &mut self,
        key: u8,
        items: impl FnOnce(&mut Items<'_, '_, S>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let tag = Tag::slice(self.key(key)?);
        self.enclose(tag, |encoder| items(&mut Items { encoder }))
    }

    #[inline]
    fn key(&self, key: u8) -> Result<Key, Error> {
        Key::new(key).ok_or(Error::new(ErrorKind::InvalidKey, self.position as u64))
    }

    /// A packet of which the sink may have stored a part.
    #[cold]
    fn refuse(&mut self, error: Error) -> Result<(), Error> {
        if !NESTED {
            self.sink.finish(self.position);
        }
        Err(error)
    }

    /// A packet held in a register: the position behind it.
    #[inline(always)]
    fn store(&mut self, packet: Short) -> Result<usize, Error> {
        self.sink
            .store_short(self.position, packet.to_u128(), packet.len())
            .map_err(|kind| Error::new(kind, self.position as u64))
    }

    /// A packet of any length: the position behind it.
    #[inline(always)]
    fn store_bytes(&mut self, tag: Tag, bytes: &[u8]) -> Result<usize, Error> {
        store_bytes(self.sink, self.position, tag.get(), bytes).map_err(|kind| Error::new(kind, self.position as u64))
    }

    /// A node or slice: one length byte is kept free, and the body moves if its length turns out to need more.
    #[inline(always)]
    fn enclose(
        &mut self,
        tag: Tag,
        body: impl FnOnce(&mut Encoder<'_, S, true>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut packet = self.packet();
        let mut inside = packet.encoder();
        let start = inside.position;
        inside.position = inside.store(Short::header(tag.get(), 0))?;
        body(&mut inside)?;
        let end = close(inside.sink, start, inside.position)?;
        packet.end = end;
        drop(packet);
        self.position = end;
        Ok(())
    }

    /// A packet that is not whole yet.
    #[inline(always)]
    pub(crate) fn packet(&mut self) -> Unfinished<'_, S, NESTED> {
        Unfinished { sink: &mut *self.sink, end: self.position }
    }
}

/// A packet on its way into the sink. When this is dropped, also by an error or by a panic that passes, the sink holds what is
/// before `end`: the packet, if it became whole. A node inside another tells the sink nothing: what it left lies behind the
/// position of the node around it, and is overwritten or cut off.
pub(crate) struct Unfinished<'s, S: Sink, const NESTED: bool> {
    sink: &'s mut S,
    /// Where the packet begins, until it is whole; then where it ends.
    pub(crate) end: usize,
}

impl<S: Sink, const NESTED: bool> Unfinished<'_, S, NESTED> {
    /// An encoder for what comes next.
    #[inline(always)]
    pub(crate) fn encoder(&mut self) -> Encoder<'_, S, true> {
        Encoder { sink: &mut *self.sink, position: self.end }
    }
}

impl<S: Sink, const NESTED: bool> Drop for Unfinished<'_, S, NESTED> {
    #[inline(always)]
    fn drop(&mut self) {
        if !NESTED {
            self.sink.finish(self.end);
        }
    }
}

/// For writers whose bodies are no closures, as serde's are not.
#[cfg(feature = "serde")]
impl<S: Sink, const NESTED: bool> Encoder<'_, S, NESTED> {
    /// An encoder for what comes next, of which the sink hears nothing until this one is told where it ended.
    #[inline(always)]
    pub(crate) fn nested(&mut self) -> Encoder<'_, S, true> {
        Encoder { sink: &mut *self.sink, position: self.position }
    }
}

#[cfg(feature = "serde")]
impl<S: Sink> Encoder<'_, S, true> {
    /// Where the next byte goes.
    #[inline(always)]
    pub(crate) const fn position(&self) -> usize {
        self.position
    }

    /// Goes on where a nested encoder ended.
    #[inline(always)]
    pub(crate) fn go_on_at(&mut self, position: usize) {
        self.position = position;
    }

    /// Begins a node or slice: where it begins, which [`close`](Self::close) asks for.
    #[inline(always)]
    pub(crate) fn open(&mut self, tag: Tag) -> Result<usize, Error> {
        let start = self.position;
        self.position = self.store(Short::header(tag.get(), 0))?;
        Ok(start)
    }

    /// Ends the node or slice that begins at `start`.
    #[inline(always)]
    pub(crate) fn close(&mut self, start: usize) -> Result<(), Error> {
        self.position = close(self.sink, start, self.position)?;
        Ok(())
    }

    /// Writes bytes into what is open.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let done = store(self.sink, self.position, bytes);
        self.position = done.map_err(|kind| Error::new(kind, self.position as u64))?;
        Ok(())
    }

    /// Writes a packet whose value is there already, whatever kind it is: the position behind it.
    #[inline(always)]
    pub(crate) fn put_packet(mut self, tag: Tag, value: &[u8]) -> Result<usize, Error> {
        self.store_bytes(tag, value)
    }
}

/// A packet of any length, its value copied behind its header: the position behind it.
///
/// Not inlined for each field of each struct: a call that takes and gives words costs less than what it would displace.
#[inline(never)]
fn store_bytes<S: Sink>(sink: &mut S, position: usize, tag: u8, bytes: &[u8]) -> Result<usize, ErrorKind> {
    match u8::try_from(bytes.len()) {
        Ok(len) if len < length::ONE_BYTE => store_parts(sink, position, Short::header(tag, len), bytes),
        _ => store_long(sink, position, tag, bytes),
    }
}

#[cold]
fn store_long<S: Sink>(sink: &mut S, position: usize, tag: u8, bytes: &[u8]) -> Result<usize, ErrorKind> {
    let header = length::encode(bytes.len()).ok_or(ErrorKind::SizeLimit)?.behind(tag);
    store_parts(sink, position, header, bytes)
}

#[inline(always)]
fn store_parts<S: Sink>(sink: &mut S, position: usize, header: Short, bytes: &[u8]) -> Result<usize, ErrorKind> {
    let value = sink.store_short(position, header.to_u128(), header.len())?;
    store(sink, value, bytes)
}

/// Bytes: the position behind them.
#[inline(always)]
fn store<S: Sink>(sink: &mut S, position: usize, bytes: &[u8]) -> Result<usize, ErrorKind> {
    let end = behind(position, bytes.len())?;
    sink.store(position, bytes)?;
    Ok(end)
}

/// Writes the length of a node that begins at `start` and whose body ends at `end`: the position behind it in the end.
#[inline(always)]
fn close(sink: &mut impl Sink, start: usize, end: usize) -> Result<usize, Error> {
    match u8::try_from(end - (start + 2)) {
        // The byte that was kept for it is enough.
        Ok(len) if len < length::ONE_BYTE => match sink.replace_first(start + 1..end, &[len]) {
            Ok(()) => Ok(end),
            Err(kind) => Err(Error::new(kind, start as u64)),
        },
        _ => close_long(sink, start, end).map_err(|kind| Error::new(kind, start as u64)),
    }
}

fn close_long(sink: &mut impl Sink, start: usize, end: usize) -> Result<usize, ErrorKind> {
    let field = length::encode(end - (start + 2)).ok_or(ErrorKind::SizeLimit)?;
    let moved = behind(end, field.len() - 1)?;
    let bytes = field.to_u128().to_be_bytes();
    sink.replace_first(start + 1..end, bytes.get(..field.len()).unwrap_or_default())?;
    Ok(moved)
}

/// Writes the items of a slice; made by [`Encoder::slice`].
#[derive(Debug)]
pub struct Items<'e, 's, S> {
    encoder: &'e mut Encoder<'s, S, true>,
}

impl<S: Sink> Items<'_, '_, S> {
    /// Writes a primitive as the next item; see [`Encoder::put`].
    ///
    /// # Errors
    /// As [`Encoder::put`].
    #[inline(always)]
    pub fn put(&mut self, value: impl Encode) -> Result<(), Error> {
        self.encoder.put(Key::ITEM.get(), value)
    }

    /// Writes a node as the next item; see [`Encoder::node`].
    ///
    /// # Errors
    /// As [`Encoder::node`].
    #[inline]
    pub fn node(&mut self, body: impl FnOnce(&mut Encoder<'_, S, true>) -> Result<(), Error>) -> Result<(), Error> {
        self.encoder.node(Key::ITEM.get(), body)
    }

    /// Writes a slice as the next item; see [`Encoder::slice`].
    ///
    /// # Errors
    /// As [`Encoder::slice`].
    #[inline]
    pub fn slice(&mut self, items: impl FnOnce(&mut Items<'_, '_, S>) -> Result<(), Error>) -> Result<(), Error> {
        self.encoder.slice(Key::ITEM.get(), items)
    }
}

/// How many bytes an encoder would write, exactly: the same calls, counted instead of stored.
///
/// # Errors
/// Those that the calls would give with a sink that has room.
///
/// # Examples
/// ```
/// let len = y3::encoded_len(|encoder| encoder.node(0x01, |node| node.put(0x02, &[0; 64])))?;
/// assert_eq!(len, 1 + 2 + 1 + 2 + 64);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: SPEC §7
pub fn encoded_len(write: impl FnOnce(&mut Encoder<'_, Count>) -> Result<(), Error>) -> Result<usize, Error> {
    let mut count = Count::default();
    let mut encoder = Encoder::new(&mut count);
    write(&mut encoder)?;
    Ok(encoder.position)
}
