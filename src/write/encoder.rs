//! Encoder: writes packets, nodes and slices to a sink.
//!
//! The output is canonical, and no node stays open. A failed packet leaves no bytes in the sink, even if the failure is
//! a panic that the caller catches.

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
/// Bytes: the example below writes `81 08 02 01 ff 83 03 04 01 43`. The output is canonical: every length and every
/// value has its shortest form.
///
/// Cost: O(1) per number, one copy of each text. Deeply nested encoding costs O(depth × bytes). The reason is that the
/// encoder reserves one byte for a node's length. Closing a node of 64 bytes or more therefore shifts its body by one
/// to four bytes. Allocates: only what a growing sink needs. Space for a top-level packet is reserved once, and again
/// only if that space is too small.
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
/// To write packets in a function of your own, declare it as `fn write<S: Sink>(encoder: &mut Encoder<'_, S>) ->
/// Result<(), Error>`. You can call such a function in the body of a node or slice, and you can pass it to
/// [`encoded_len`](crate::encoded_len). Outside of a node, pass it to [`packets`](Self::packets).
///
/// The parameter `NESTED` is true if the encoder writes inside a node. Only an encoder outside of a node calls the
/// sink's `finish`. You never need to name `NESTED` in a signature.
///
/// `NESTED` is a constant for two reasons. First, a run-time flag would make a loop that writes 63 numbers and texts 10
/// to 20 % slower. Second, the encoder that a type's `encode` receives always has `NESTED` set. So `encode` cannot
/// replace the top-level encoder, which calls the sink's `finish`.
///
/// Source: [SPEC §7](crate::spec#7-canonical-form)
#[derive(Debug)]
pub struct Encoder<'s, S, const NESTED: bool = true> {
    pub(crate) writer: Writer<'s, S>,
    pub(crate) mode: Mode,
}

/// The number of bytes reserved for a top-level node. If a packet needs more, the encoder reserves space a second time.
const NODE_ROOM: usize = 112;

impl<'s, S> Encoder<'s, S, false>
where
    S: Sink,
{
    /// Makes an encoder that appends packets to `sink`.
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

    /// Calls `write` to write any number of packets. `write` can return its own error type. After an error or a panic,
    /// the packets that are already complete stay in the sink.
    ///
    /// # Errors
    /// Returns the errors of `write`.
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
        /// Calls the sink's `finish` when dropped, even during a panic.
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

    /// Writes a primitive with a value of at most eight bytes.
    #[inline(always)]
    pub(crate) fn word(&mut self, key: Key, word: Word) -> Result<(), Error> {
        self.writer.put_word(Tag::primitive(key), word)
    }

    /// Writes an integer, as a `PVarInt` if the encoder is in that mode, and otherwise as an `NVarInt`.
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

    /// Calls `write` with an encoder that writes integers as `PVarInt`.
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

    /// Writes a packet with this key and an encoded value. The packet is a node, a slice or a primitive as in the tag
    /// `kind`.
    #[inline]
    pub(crate) fn like(&mut self, key: Key, kind: Tag, value: &[u8]) -> Result<(), Error> {
        self.writer.store_packet(kind.with_key(key), value)
    }

    /// Begins a node or slice, for code that the derive generates. [`Open::close`] completes the node. If the [`Open`]
    /// is dropped without `close`, the node is not written.
    ///
    /// # Errors
    /// Returns [`DepthLimit`](ErrorKind::DepthLimit) or [`BufferTooSmall`](ErrorKind::BufferTooSmall).
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

/// An open node or slice. The field `encoder` writes the packets inside it.
#[derive(Debug)]
pub struct Open<'e, S> {
    /// The encoder for the packets inside the node.
    pub encoder: Encoder<'e, S>,
    start: usize,
    is_long: bool,
    outer: &'e mut usize,
}

impl<S: Sink> Open<'_, S> {
    /// Reserves two bytes for the length instead of one. Call this method if the body will probably have 64 bytes or
    /// more. The body then need not shift.
    #[must_use]
    #[inline(always)]
    pub fn long(mut self) -> Self {
        self.is_long = self.encoder.writer.open_two_bytes();
        self
    }

    /// Closes the node or slice.
    ///
    /// # Errors
    /// Returns [`SizeLimit`](ErrorKind::SizeLimit) if the body has more than 2^31-1 bytes, and
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
    /// Returns this encoder in a mode that writes all integers as `PVarInt`. [`Packet::pvar`](crate::Packet::pvar)
    /// reads such integers.
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

    /// Returns this encoder with another depth limit: at most `nodes` nested nodes. Writing a deeper node returns
    /// [`DepthLimit`](ErrorKind::DepthLimit). The default limit is [`MAX_DEPTH`](crate::MAX_DEPTH).
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

    /// Writes a node. The closure `body` writes the packets inside the node, and can return its own error type.
    ///
    /// # Errors
    /// Returns the errors of `body` and of [`put`](Self::put). After an error, or after a panic in `body`, the sink is
    /// as it was before the node.
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
    // Inlined, so the compiler knows the mode of the packets inside (measured: a fifth fewer instructions for 63
    // numbers).
    #[inline(always)]
    pub fn node<E: From<Error>>(
        &mut self,
        key: u8,
        body: impl FnOnce(&mut Encoder<'_, S>) -> Result<(), E>,
    ) -> Result<(), E> {
        let tag = Tag::node(self.key(key)?);
        self.enclose(tag, body)
    }

    /// Writes a slice. The closure `items` writes the items of the slice. Every item gets key 0 instead of its own key.
    ///
    /// A function that writes packets into a node can therefore also write into a slice. To write a `Vec` or a `[T]` of
    /// values as a slice, use [`put`](Self::put).
    ///
    /// # Errors
    /// Returns the errors of `items` and of [`put`](Self::put). After an error, or after a panic in `items`, the sink
    /// is as it was before the slice.
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

    /// Writes a node or slice. `body` writes the packets inside it.
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

    /// Checks the key of the next packet and returns it. Inside a slice, the result is key 0.
    #[inline(always)]
    pub(crate) fn key(&self, key: u8) -> Result<Key, Error> {
        match Key::new(key) {
            Some(_) if self.mode.is_slice() => Ok(Key::ITEM),
            Some(key) => Ok(key),
            None => Err(Error::of_key(key, self.position() as u64)),
        }
    }

    pub(crate) const fn position(&self) -> usize {
        self.writer.position()
    }

    /// Begins a packet.
    #[inline(always)]
    pub(crate) fn unfinished(&mut self) -> Unfinished<'_, 's, S, NESTED> {
        Unfinished(self)
    }
}

/// A packet that is not yet complete. At the top level, dropping this value calls the sink's `finish`. Only complete
/// packets then stay in the sink, even after an error or a panic. Inside a node, the drop does nothing: later packets
/// overwrite the bytes of the failed packet, or `finish` removes them.
pub(crate) struct Unfinished<'e, 's, S: Sink, const NESTED: bool>(pub(crate) &'e mut Encoder<'s, S, NESTED>);

impl<S: Sink, const NESTED: bool> Unfinished<'_, '_, S, NESTED> {
    /// Returns a writer for the bytes of the packet.
    #[inline(always)]
    pub(crate) fn writer(&mut self) -> Writer<'_, S> {
        self.0.writer.nested()
    }

    /// Returns an encoder for one packet, and reserves space for a typical packet.
    #[cfg(feature = "serde")]
    #[inline(always)]
    pub(crate) fn encoder(&mut self) -> Encoder<'_, S> {
        self.0.writer.begin(NODE_ROOM);
        Encoder { writer: self.0.writer.nested(), mode: self.0.mode }
    }

    /// Marks the packet as complete. The packet ends at `position`.
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
