//! Encoder: writes packets, nodes and slices to a sink. The output is canonical, and no node stays open.
//!
//! In: keys and values. Out: bytes at the end of a sink. After an error, or a panic that the caller catches, the sink
//! is as it was before the failed packet.

use super::sink::Sink;
use super::writer::Writer;
use crate::error::{Error, ErrorKind};
use crate::wire::integer::encode_pvar;
use crate::wire::key::Key;
use crate::wire::mode::Mode;
use crate::wire::tag::Tag;
use crate::wire::word::Word;

/// Writes packets at the end of a [`Sink`].
///
/// Bytes: `81 08 02 01 ff 83 03 04 01 43` for the example. The output is canonical: shortest lengths, shortest values.
/// Cost: O(1) per number, one copy of each text. Deeply nested encoding costs O(depth × bytes): closing a node of 64
/// bytes or more shifts its body by one to four bytes, since its length takes more than the one reserved byte. Allocates
/// only what a growing sink needs: space for a top-level packet is reserved once, and again only if it runs out.
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
/// A function that writes packets is `fn write<S: Sink>(encoder: &mut Encoder<'_, S>) -> Result<(), Error>`. You can call it in the
/// body of a node or slice, pass it to [`encoded_len`](crate::encoded_len), or call it outside of a node with
/// [`packets`](Self::packets).
///
/// The last parameter tells whether the encoder writes inside a node: only the top-level encoder calls the sink's `finish`.
/// It is a constant for two reasons. As a bit in the mode, it would make a loop that writes 63 numbers and texts 10 to 20 %
/// slower. And with a constant, a type's `encode`, which writes inside a packet, cannot skip the `finish` of a sink. No
/// signature has to name it. [`packets`](Self::packets) calls a function over `&mut Encoder<'_, S>` outside of a node.
///
/// Source: [SPEC §7](crate::spec#7-canonical-form)
#[derive(Debug)]
pub struct Encoder<'s, S, const NESTED: bool = true> {
    pub(crate) writer: Writer<'s, S>,
    pub(crate) mode: Mode,
}

/// Space for a message with a node around it. If it runs out, the encoder reserves more once.
const NODE_ROOM: usize = 112;

impl<'s, S> Encoder<'s, S, false>
where
    S: Sink,
{
    /// Makes an encoder that appends to `sink`.
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
        Self { writer: Writer::new(sink), mode: Mode::default() }
    }

    /// Writes packets by calling `write`, which may return its own error. Whole packets before an error or a panic stay in the sink.
    ///
    /// # Errors
    /// The errors of `write`.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// use y3::{Encoder, Error, Sink};
    ///
    /// fn flags<S: Sink>(encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
    ///     encoder.put(0x01, true)?;
    ///     encoder.put(0x02, false)
    /// }
    ///
    /// let mut out = Vec::new();
    /// Encoder::new(&mut out).packets(flags)?;
    /// Encoder::new(&mut out).node(0x03, flags)?;
    /// assert_eq!(out, [0x01, 0x01, 0x01, 0x02, 0x01, 0x00, 0x83, 0x06, 0x01, 0x01, 0x01, 0x02, 0x01, 0x00]);
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: [SPEC §7](crate::spec#7-canonical-form)
    #[inline]
    pub fn packets<E>(self, write: impl FnOnce(&mut Encoder<'_, S>) -> Result<(), E>) -> Result<(), E> {
        /// Calls the sink's `finish`, also while a panic unwinds.
        struct TopLevel<'s, S: Sink>(Encoder<'s, S>);

        impl<S: Sink> Drop for TopLevel<'_, S> {
            #[inline(always)]
            fn drop(&mut self) {
                self.0.writer.finish();
            }
        }

        write(&mut TopLevel(Encoder { writer: self.writer, mode: self.mode }).0)
    }
}

impl<'s, S: Sink> Encoder<'s, S> {
    /// Makes an encoder for the body of an open packet.
    pub(crate) fn inside(writer: Writer<'s, S>) -> Self {
        Self { writer, mode: Mode::default() }
    }

    /// Writes a primitive of at most eight bytes.
    #[inline(always)]
    pub(crate) fn word(&mut self, key: Key, word: Word) -> Result<(), Error> {
        self.writer.put_word(Tag::primitive(key), word)
    }

    /// Writes an integer in the dialect of the encoder.
    #[inline(always)]
    pub(crate) fn integer<T>(&mut self, key: Key, number: T, word: fn(T) -> Word) -> Result<(), Error>
    where
        T: Copy + TryInto<i8> + Into<i64>,
    {
        if self.mode.is_pvar() {
            return self.writer.put_word_exact(Tag::primitive(key), encode_pvar(number.into()));
        }
        self.writer.put_integer(Tag::primitive(key), number, word)
    }

    /// Writes a text or bytes.
    #[inline(always)]
    pub(crate) fn bytes(&mut self, key: Key, bytes: &[u8]) -> Result<(), Error> {
        self.writer.put_bytes(Tag::primitive(key), bytes)
    }

    /// Runs `write` with integers as `PVarInt`.
    #[inline(always)]
    pub(crate) fn in_pvar(
        &mut self,
        write: impl FnOnce(&mut Encoder<'_, S>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (writer, position) = self.writer.split();
        let mut encoder = Encoder { writer, mode: self.mode.pvar() };
        write(&mut encoder)?;
        *position = encoder.writer.position();
        Ok(())
    }

    /// Writes any packet with another key and its value unchanged.
    #[inline]
    pub(crate) fn like(&mut self, key: Key, kind: Tag, value: &[u8]) -> Result<(), Error> {
        self.writer.store_packet(kind.with_key(key), value)
    }

    /// Begins a node or slice, for the derive. Close the node to write it. If the node is dropped unclosed, the sink is as before.
    ///
    /// # Errors
    /// [`DepthLimit`](ErrorKind::DepthLimit), [`BufferTooSmall`](ErrorKind::BufferTooSmall).
    #[doc(hidden)]
    #[inline(always)]
    pub fn open(&mut self, tag: Tag) -> Result<Open<'_, S>, Error> {
        if self.mode.is_deepest() {
            return Err(self.error(ErrorKind::DepthLimit));
        }
        let (mut writer, outer) = self.writer.split();
        let start = writer.open(tag)?;
        let encoder = Encoder { writer, mode: self.mode.inside(tag.is_slice()) };
        Ok(Open { encoder, start, is_long: false, outer })
    }
}

/// An open node or slice. Write its packets with `encoder`.
#[derive(Debug)]
pub struct Open<'e, S> {
    /// Writes the packets inside the node.
    pub encoder: Encoder<'e, S>,
    start: usize,
    is_long: bool,
    outer: &'e mut usize,
}

impl<S: Sink> Open<'_, S> {
    /// Use this for a body of probably 64 bytes or more: it reserves two bytes for the length, so that the body need not shift.
    #[must_use]
    #[inline(always)]
    pub fn long(mut self) -> Self {
        self.is_long = self.encoder.writer.open_two_bytes();
        self
    }

    /// Closes the node or slice.
    ///
    /// # Errors
    /// [`SizeLimit`](ErrorKind::SizeLimit) for a body of more than 2^31-1 bytes,
    /// [`BufferTooSmall`](ErrorKind::BufferTooSmall) if the sink is full.
    #[inline(always)]
    pub fn close(mut self) -> Result<(), Error> {
        if self.is_long {
            self.encoder.writer.close_two_bytes(self.start)?;
        } else {
            self.encoder.writer.close(self.start)?;
        }
        *self.outer = self.encoder.writer.position();
        Ok(())
    }
}

impl<'s, S: Sink, const NESTED: bool> Encoder<'s, S, NESTED> {
    /// The same encoder, but it writes all integers as `PVarInt`, as [`Packet::pvar`](crate::Packet::pvar) reads them.
    ///
    /// # Examples
    /// ```
    /// let mut buffer = [0; 16];
    /// let mut sink = y3::SliceSink::new(&mut buffer);
    /// y3::Encoder::new(&mut sink).pvar().put(0x01, -65)?;
    /// assert_eq!(sink.written(), [0x01, 0x02, 0xff, 0x3f]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn pvar(self) -> Self {
        Self { mode: self.mode.pvar(), ..self }
    }

    /// The same encoder with a depth limit: it writes at most that many nested nodes. A deeper node is
    /// [`DepthLimit`](ErrorKind::DepthLimit). The default limit is [`MAX_DEPTH`](crate::MAX_DEPTH) nodes.
    ///
    /// # Examples
    /// ```
    /// let mut buffer = [0; 16];
    /// let mut sink = y3::SliceSink::new(&mut buffer);
    /// let error = y3::Encoder::new(&mut sink).with_max_depth(0).put(0x01, [7]).unwrap_err();
    /// assert_eq!(error.kind(), y3::ErrorKind::DepthLimit);
    /// ```
    #[must_use]
    pub fn with_max_depth(self, nodes: usize) -> Self {
        Self { mode: self.mode.with_max_depth(nodes), ..self }
    }

    /// Writes a node. `body` writes the packets inside it and may return its own error.
    ///
    /// # Errors
    /// The errors of `body` and of [`put`](Self::put). The sink is then as it was before the node, even if `body` panics.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let mut out = Vec::new();
    /// y3::Encoder::new(&mut out).node(0x01, |node| node.put(0x02, true))?;
    /// assert_eq!(out, [0x81, 0x03, 0x02, 0x01, 0x01]);
    ///
    /// let asked = y3::Encoder::new(&mut out).node(0x01, |_| "5°".parse::<i32>().map(drop).map_err(Box::from));
    /// assert_eq!(asked.map_err(|error: Box<dyn core::error::Error>| error.to_string()), Err("invalid digit found in string".into()));
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: [SPEC §6](crate::spec#6-nodes-slices-duplicate-keys-order), [SPEC §7](crate::spec#7-canonical-form)
    // Inlined, so that the compiler knows the mode of the packets inside (measured: a fifth fewer instructions for 63 numbers).
    #[inline(always)]
    pub fn node<E: From<Error>>(
        &mut self,
        key: u8,
        body: impl FnOnce(&mut Encoder<'_, S>) -> Result<(), E>,
    ) -> Result<(), E> {
        let tag = Tag::node(self.key(key)?);
        self.enclose(tag, body)
    }

    /// Writes a slice. `items` writes its items. Every item gets key 0, whatever key it is written with.
    ///
    /// A function that writes into a node can therefore also write into a slice. For a `Vec` or a `[T]` of values use
    /// [`put`](Self::put), which writes a slice.
    ///
    /// # Errors
    /// The errors of `items` and of [`put`](Self::put). The sink is then as it was before the slice, even if `items` panics.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let mut out = Vec::new();
    /// y3::Encoder::new(&mut out).slice(0x10, |items| [1i32, -1].iter().try_for_each(|item| items.put(0, item)))?;
    /// assert_eq!(out, [0xd0, 0x06, 0x00, 0x01, 0x01, 0x00, 0x01, 0xff]);
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: [SPEC §6](crate::spec#6-nodes-slices-duplicate-keys-order), [SPEC §7](crate::spec#7-canonical-form)
    // Inlined for the same reason as `node`.
    #[inline(always)]
    pub fn slice<E: From<Error>>(
        &mut self,
        key: u8,
        items: impl FnOnce(&mut Encoder<'_, S>) -> Result<(), E>,
    ) -> Result<(), E> {
        let tag = Tag::slice(self.key(key)?);
        self.enclose(tag, items)
    }

    /// Writes a node or slice.
    #[inline(always)]
    fn enclose<E: From<Error>>(
        &mut self,
        tag: Tag,
        body: impl FnOnce(&mut Encoder<'_, S>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut packet = self.unfinished();
        if !NESTED {
            packet.0.writer.begin(NODE_ROOM);
        }
        if packet.0.mode.is_deepest() {
            return Err(packet.0.error(ErrorKind::DepthLimit).into());
        }
        let mut inside = Encoder { mode: packet.0.mode.inside(tag.is_slice()), writer: packet.writer() };
        let start = inside.writer.open(tag)?;
        body(&mut inside)?;
        inside.writer.close(start)?;
        let end = inside.position();
        packet.end(end);
        Ok(())
    }

    /// Makes an error at the position of the next packet.
    #[cold]
    pub(crate) fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.position() as u64)
    }

    /// The key of the next packet.
    #[inline(always)]
    pub(crate) fn key(&self, key: u8) -> Result<Key, Error> {
        match Key::new(key) {
            Some(_) if self.mode.is_slice() => Ok(Key::ITEM),
            Some(key) => Ok(key),
            None => Err(Error::of_key(key, self.position() as u64)),
        }
    }

    /// The position of the next byte.
    pub(crate) const fn position(&self) -> usize {
        self.writer.position()
    }

    /// Begins a packet.
    #[inline(always)]
    pub(crate) fn unfinished(&mut self) -> Unfinished<'_, 's, S, NESTED> {
        Unfinished(self)
    }
}

/// A packet that is being written. When it is dropped, even after an error or during a panic, the sink holds the whole
/// packets and nothing else. Inside a node it does not call the sink's `finish`: the bytes of a failed packet lie after
/// the position of the next packet, and are overwritten or cut off.
pub(crate) struct Unfinished<'e, 's, S: Sink, const NESTED: bool>(pub(crate) &'e mut Encoder<'s, S, NESTED>);

impl<S: Sink, const NESTED: bool> Unfinished<'_, '_, S, NESTED> {
    /// A writer for the packet.
    #[inline(always)]
    pub(crate) fn writer(&mut self) -> Writer<'_, S> {
        self.0.writer.nested()
    }

    /// An encoder for one packet. Reserves space for a typical message.
    #[cfg(feature = "serde")]
    #[inline(always)]
    pub(crate) fn encoder(&mut self) -> Encoder<'_, S> {
        self.0.writer.begin(NODE_ROOM);
        Encoder { writer: self.0.writer.nested(), mode: self.0.mode }
    }

    /// Marks the packet as whole, with its end at `position`.
    #[inline(always)]
    pub(crate) fn end(self, position: usize) {
        self.0.writer.go_on_at(position);
    }
}

impl<S: Sink, const NESTED: bool> Drop for Unfinished<'_, '_, S, NESTED> {
    #[inline(always)]
    fn drop(&mut self) {
        if !NESTED {
            self.0.writer.finish();
        }
    }
}
