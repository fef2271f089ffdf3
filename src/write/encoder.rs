//! Encoder: writes packets, nodes and slices to a sink, always canonical and closed.
//!
//! In: keys and values. Out: bytes at the end of a sink. After an error, or a panic that the caller catches, the sink is as
//! it was before the packet that failed.

use super::sink::{Count, Sink};
use super::value::Encode;
use super::writer::Writer;
use crate::error::Error;
use crate::wire::key::Key;
use crate::wire::tag::Tag;

/// Writes packets at the end of a [`Sink`].
///
/// Bytes: `81 08 02 01 ff 83 03 04 01 43` for the example. The output is canonical: shortest lengths, shortest values.
/// Cost: O(1) per number, one copy of each text. Deeply nested encoding costs O(depth × bytes): closing a node of 64 bytes
/// or more shifts its body by one to four bytes, since its length takes more than the one byte reserved for it. Allocates
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
/// A function that writes packets: `fn write<S: Sink>(encoder: &mut Encoder<'_, S>) -> Result<(), Error>`. The body of a node
/// can call it, [`encoded_len`] takes it, and [`packets`](Self::packets) calls it outside of a node.
///
/// The last parameter says whether the encoder writes inside a node: only the outermost encoder calls the sink's `finish`. It is
/// a constant because with a flag at run time a struct of 63 fields takes 40% more instructions. No signature has to name it.
///
/// Source: [SPEC §7](crate::spec#7-canonical-form)
#[derive(Debug)]
pub struct Encoder<'s, S, const NESTED: bool = true> {
    writer: Writer<'s, S>,
}

impl<'s, S> Encoder<'s, S, false>
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
        Self { writer: Writer::new(sink) }
    }

    /// Writes packets as `write` does: those before an error or a panic stay in the sink, whole.
    ///
    /// # Errors
    /// Those of `write`.
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
    pub fn packets(self, write: impl FnOnce(&mut Encoder<'_, S>) -> Result<(), Error>) -> Result<(), Error> {
        /// Calls the sink's `finish`, also while a panic unwinds.
        struct Outermost<'s, S: Sink>(Encoder<'s, S>);

        impl<S: Sink> Drop for Outermost<'_, S> {
            #[inline(always)]
            fn drop(&mut self) {
                self.0.writer.finish();
            }
        }

        write(&mut Outermost(Encoder { writer: self.writer }).0)
    }
}

impl<'s, S: Sink> Encoder<'s, S> {
    /// An encoder for the body of an open packet.
    pub(crate) const fn inside(writer: Writer<'s, S>) -> Self {
        Self { writer }
    }
}

impl<'s, S: Sink, const NESTED: bool> Encoder<'s, S, NESTED> {
    /// Writes a primitive.
    ///
    /// # Errors
    /// [`InvalidKey`](crate::ErrorKind::InvalidKey) for a key above 63, [`SizeLimit`](crate::ErrorKind::SizeLimit) for a
    /// value of more than 2^31-1 bytes or an output longer than a `usize` can count,
    /// [`BufferTooSmall`](crate::ErrorKind::BufferTooSmall) if the sink has no room. The sink is then as it was before the
    /// call.
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
    /// Source: [SPEC §3](crate::spec#3-packet-tag-length-value), [SPEC §7](crate::spec#7-canonical-form)
    #[inline(always)]
    pub fn put(&mut self, key: u8, value: impl Encode) -> Result<(), Error> {
        // A value of the caller's own type may panic while it is encoded.
        let packet = self.unfinished();
        if !NESTED {
            packet.0.writer.begin();
        }
        packet.0.writer.put(key, value)
    }

    /// Writes a primitive if there is a value; writes nothing for `None`.
    ///
    /// # Errors
    /// Those of [`put`](Self::put). A key above 63 is an error for `None` too.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let mut out = Vec::new();
    /// y3::Encoder::new(&mut out).node(0x01, |node| {
    ///     node.put_opt(0x02, Some("a"))?;
    ///     node.put_opt(0x03, None::<i64>)
    /// })?;
    /// assert_eq!(out, [0x81, 0x03, 0x02, 0x01, 0x61]);
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: [SPEC §7](crate::spec#7-canonical-form)
    #[inline(always)]
    pub fn put_opt(&mut self, key: u8, value: Option<impl Encode>) -> Result<(), Error> {
        match value {
            Some(value) => self.put(key, value),
            None => self.writer.key(key).map(drop),
        }
    }

    /// Writes a packet of the same kind as `kind` under a key, its value as it is.
    #[inline]
    pub(crate) fn put_like(&mut self, key: u8, kind: Tag, value: &[u8]) -> Result<(), Error> {
        let tag = kind.with_key(self.writer.key(key)?);
        let done = self.writer.store_packet(tag, value);
        if !NESTED {
            self.writer.finish();
        }
        done
    }

    /// Writes a node; `body` writes the packets inside it.
    ///
    /// # Errors
    /// Those of `body` and of [`put`](Self::put). The sink is then as it was before the node, also if `body` panics.
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
    /// Source: [SPEC §6](crate::spec#6-nodes-slices-duplicate-keys-order), [SPEC §7](crate::spec#7-canonical-form)
    #[inline]
    pub fn node(&mut self, key: u8, body: impl FnOnce(&mut Encoder<'_, S>) -> Result<(), Error>) -> Result<(), Error> {
        let tag = Tag::node(self.writer.key(key)?);
        self.enclose(tag, body)
    }

    /// Writes a slice; `items` writes its items, which all get the key 0.
    ///
    /// # Errors
    /// Those of `items` and of [`put`](Self::put). The sink is then as it was before the slice, also if `items` panics.
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
    /// Source: [SPEC §6](crate::spec#6-nodes-slices-duplicate-keys-order), [SPEC §7](crate::spec#7-canonical-form)
    #[inline]
    pub fn slice(
        &mut self,
        key: u8,
        items: impl FnOnce(&mut SliceEncoder<'_, '_, S>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let tag = Tag::slice(self.writer.key(key)?);
        self.enclose(tag, |encoder| items(&mut SliceEncoder { encoder }))
    }

    /// Writes a node or slice.
    #[inline(always)]
    fn enclose(&mut self, tag: Tag, body: impl FnOnce(&mut Encoder<'_, S>) -> Result<(), Error>) -> Result<(), Error> {
        let mut packet = self.unfinished();
        let mut inside = Encoder { writer: packet.writer() };
        let start = inside.writer.open(tag)?;
        body(&mut inside)?;
        inside.writer.close(start)?;
        let end = inside.writer.position();
        packet.end(end);
        Ok(())
    }

    /// Where the next byte goes.
    pub(crate) const fn position(&self) -> usize {
        self.writer.position()
    }

    /// Begins a packet.
    #[inline(always)]
    pub(crate) fn unfinished(&mut self) -> Unfinished<'_, 's, S, NESTED> {
        Unfinished(self)
    }
}

/// A packet that is being written. When this is dropped, also after an error or during a panic, the sink holds the whole
/// packets and nothing else. Inside a node the sink's `finish` is not called: bytes of a failed packet lie after the
/// position of the next one, and are overwritten or cut off.
pub(crate) struct Unfinished<'e, 's, S: Sink, const NESTED: bool>(&'e mut Encoder<'s, S, NESTED>);

impl<S: Sink, const NESTED: bool> Unfinished<'_, '_, S, NESTED> {
    /// A writer for the packet.
    #[inline(always)]
    pub(crate) fn writer(&mut self) -> Writer<'_, S> {
        self.0.writer.nested()
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

/// Writes the items of a slice; made by [`Encoder::slice`].
#[derive(Debug)]
pub struct SliceEncoder<'e, 's, S> {
    encoder: &'e mut Encoder<'s, S>,
}

impl<S: Sink> SliceEncoder<'_, '_, S> {
    /// Writes a primitive as the next item; see [`Encoder::put`].
    ///
    /// # Errors
    /// Those of [`Encoder::put`].
    #[inline(always)]
    pub fn put(&mut self, value: impl Encode) -> Result<(), Error> {
        self.encoder.put(Key::ITEM.get(), value)
    }

    /// Writes an item of the same kind as `kind`, its value as it is.
    #[inline]
    pub(crate) fn put_like(&mut self, kind: Tag, value: &[u8]) -> Result<(), Error> {
        self.encoder.put_like(Key::ITEM.get(), kind, value)
    }

    /// Writes a node as the next item; see [`Encoder::node`].
    ///
    /// # Errors
    /// Those of [`Encoder::node`].
    #[inline]
    pub fn node(&mut self, body: impl FnOnce(&mut Encoder<'_, S>) -> Result<(), Error>) -> Result<(), Error> {
        self.encoder.node(Key::ITEM.get(), body)
    }

    /// Writes a slice as the next item; see [`Encoder::slice`].
    ///
    /// # Errors
    /// Those of [`Encoder::slice`].
    #[inline]
    pub fn slice(
        &mut self,
        items: impl FnOnce(&mut SliceEncoder<'_, '_, S>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.encoder.slice(Key::ITEM.get(), items)
    }
}

/// How many bytes an encoder would write, exactly: it runs the same calls and counts their bytes.
///
/// # Errors
/// Those that the calls would return with a sink that has room.
///
/// # Examples
/// ```
/// let len = y3::encoded_len(|encoder| encoder.node(0x01, |node| node.put(0x02, &[0; 64])))?;
/// assert_eq!(len, 1 + 2 + 1 + 2 + 64);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §7](crate::spec#7-canonical-form)
pub fn encoded_len(write: impl FnOnce(&mut Encoder<'_, Count>) -> Result<(), Error>) -> Result<usize, Error> {
    let mut count = Count::default();
    let mut encoder = Encoder { writer: Writer::new(&mut count) };
    write(&mut encoder)?;
    Ok(encoder.writer.position())
}
