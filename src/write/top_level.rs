//! Top level: an encoder outside of all nodes, which finishes its sink.
//!
//! In: keys and values. Out: whole packets at the end of a sink, and the sink told of their end.

use core::ops::{Deref, DerefMut};

use super::encoder::Encoder;
use super::mode::Mode;
use super::sink::Sink;
use super::writer::Writer;
use crate::error::Error;

/// The [`Encoder`] that [`Encoder::new`] makes: it writes top-level packets, and wherever an `Encoder` is wanted, this is one.
///
/// It calls the sink's [`finish`](Sink::finish) after each packet; what is written through a reference to it as an `Encoder` is finished
/// with the next packet, or when it is dropped.
///
/// # Examples
/// ```
/// # #[cfg(feature = "alloc")] {
/// use y3::{Encoder, Error};
///
/// fn flags(encoder: &mut Encoder<'_, Vec<u8>>) -> Result<(), Error> {
///     encoder.put(0x01, true)?;
///     encoder.put(0x02, false)
/// }
///
/// let mut out = Vec::new();
/// flags(&mut Encoder::new(&mut out))?;
/// Encoder::new(&mut out).node(0x03, flags)?;
/// assert_eq!(out, [0x01, 0x01, 0x01, 0x02, 0x01, 0x00, 0x83, 0x06, 0x01, 0x01, 0x01, 0x02, 0x01, 0x00]);
/// # }
/// # Ok::<(), y3::Error>(())
/// ```
// A type of its own, since only this one finishes: with a flag in each encoder a struct of 63 fields takes 40 % more instructions.
#[derive(Debug)]
pub struct TopLevel<'s, S: Sink> {
    encoder: Encoder<'s, S>,
    /// Whether the sink may hold more than whole packets.
    is_open: bool,
}

/// Room for a message with a node around it. More room is made once more.
const NODE_ROOM: usize = 112;

impl<'s, S: Sink> Encoder<'s, S> {
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
    #[expect(clippy::new_ret_no_self, reason = "it is an encoder wherever one is wanted")]
    pub fn new(sink: &'s mut S) -> TopLevel<'s, S> {
        TopLevel { encoder: Encoder { writer: Writer::new(sink), mode: Mode::TOP_LEVEL }, is_open: false }
    }
}

impl<S: Sink> TopLevel<'_, S> {
    /// Writes a node, as [`Encoder::node`] does.
    ///
    /// # Errors
    /// Those of [`Encoder::node`].
    #[inline(always)]
    pub fn node<E: From<Error>>(
        &mut self,
        key: u8,
        body: impl FnOnce(&mut Encoder<'_, S>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.whole(NODE_ROOM, |encoder| encoder.node(key, body))
    }

    /// Writes a slice, as [`Encoder::slice`] does.
    ///
    /// # Errors
    /// Those of [`Encoder::slice`].
    #[inline(always)]
    pub fn slice<E: From<Error>>(
        &mut self,
        key: u8,
        items: impl FnOnce(&mut Encoder<'_, S>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.whole(NODE_ROOM, |encoder| encoder.slice(key, items))
    }

    /// Writes packets as `write` does, which may return an error of its own: those before an error or a panic stay in the sink, whole.
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
    pub fn packets<E>(mut self, write: impl FnOnce(&mut Encoder<'_, S>) -> Result<(), E>) -> Result<(), E> {
        self.is_open = true;
        write(&mut self.encoder)
    }

    /// The same encoder, which writes all integers as `PVarInt`, as [`Packet::pvar`](crate::Packet::pvar) reads them.
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
    pub fn pvar(mut self) -> Self {
        self.encoder.mode = self.encoder.mode.pvar();
        self
    }

    /// The same encoder, which writes at most so many nested nodes. More is [`DepthLimit`](ErrorKind::DepthLimit), as without this
    /// call after [`MAX_DEPTH`](crate::MAX_DEPTH) nodes.
    ///
    /// # Examples
    /// ```
    /// let mut buffer = [0; 16];
    /// let mut sink = y3::SliceSink::new(&mut buffer);
    /// let error = y3::Encoder::new(&mut sink).with_max_depth(0).put(0x01, [7]).unwrap_err();
    /// assert_eq!(error.kind(), y3::ErrorKind::DepthLimit);
    /// ```
    #[must_use]
    pub fn with_max_depth(mut self, nodes: usize) -> Self {
        self.encoder.mode = self.encoder.mode.with_max_depth(nodes);
        self
    }

    /// Writes one packet into room of about that length, and finishes the sink, also if there is none.
    #[inline(always)]
    pub(crate) fn whole<T>(&mut self, room: usize, write: impl FnOnce(&mut Encoder<'_, S>) -> T) -> T {
        self.is_open = true;
        self.encoder.writer.begin(room);
        let done = write(&mut self.encoder);
        self.encoder.writer.finish();
        self.is_open = false;
        done
    }

    /// A writer for what comes next. It counts from [`go_on_at`](Encoder::go_on_at).
    pub(crate) fn writer(&mut self) -> Writer<'_, S> {
        self.is_open = true;
        self.encoder.writer.nested()
    }

    /// Ends what was written.
    pub(crate) fn end(mut self, position: usize) {
        self.encoder.writer.go_on_at(position);
    }
}

impl<'s, S: Sink> Deref for TopLevel<'s, S> {
    type Target = Encoder<'s, S>;

    #[inline(always)]
    fn deref(&self) -> &Encoder<'s, S> {
        &self.encoder
    }
}

impl<'s, S: Sink> DerefMut for TopLevel<'s, S> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Encoder<'s, S> {
        self.is_open = true;
        self.encoder.writer.begin(NODE_ROOM);
        &mut self.encoder
    }
}

/// Finishes the sink, also while a panic unwinds.
impl<S: Sink> Drop for TopLevel<'_, S> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.is_open {
            self.encoder.writer.finish();
        }
    }
}
