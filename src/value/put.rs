//! Put: writes a value with an encoder.

use super::traits::{Encode, Own};
use crate::error::{Error, ErrorKind};
use crate::wire::key::Key;
use crate::wire::mode::Mode;
use crate::write::encoder::Encoder;
use crate::write::sink::{SHORT, Sink};
use crate::write::writer::Writer;

impl<S: Sink, const NESTED: bool> Encoder<'_, S, NESTED> {
    /// Writes a value as one packet. The value can be a number, a text, bytes, a struct or a sequence. The module
    /// [`value`](crate::value) lists all types and their packets.
    ///
    /// `None` writes no packet. Inside a slice, `None` is an error, because a missing item would shift the other items.
    /// Every packet in a slice gets key 0 instead of `key`.
    ///
    /// # Errors
    /// - [`InvalidKey`](ErrorKind::InvalidKey): the key is above 63, even if the value is `None`.
    /// - [`SizeLimit`](ErrorKind::SizeLimit): the value has more than 2^31-1 bytes, or the length of the output exceeds
    ///   `usize`.
    /// - [`BufferTooSmall`](ErrorKind::BufferTooSmall): the sink is full.
    /// - [`DepthLimit`](ErrorKind::DepthLimit): a node is nested in 64 other nodes.
    /// - [`AbsentValue`](ErrorKind::AbsentValue): an item of a slice is `None`.
    ///
    /// After an error, the sink is as it was before the call.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let mut out = Vec::new();
    /// y3::Encoder::new(&mut out).node(0x01, |node| {
    ///     node.put(0x11, 0.25f32)?;
    ///     node.put(0x12, y3::PVarInt(-65i64))?;
    ///     node.put(0x13, None::<bool>)?;
    ///     node.put(0x14, "a")
    /// })?;
    /// assert_eq!(out, [0x81, 0x0b, 0x11, 0x02, 0x3e, 0x80, 0x12, 0x02, 0xff, 0x3f, 0x14, 0x01, 0x61]);
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: [SPEC §3](crate::spec#3-packet-tag-length-value), [SPEC §7](crate::spec#7-canonical-form)
    #[inline(always)]
    pub fn put<T: Encode>(&mut self, key: u8, value: T) -> Result<(), Error> {
        let Some(key) = Key::new(key) else { return Err(Error::of_key(key, self.position() as u64)) };
        if !NESTED {
            self.writer.begin(T::ROOM.0);
        }
        if T::IS_SHORT.0 {
            let done = match self.writer.room() {
                Some(room) if self.mode.is_plain() => Ok(value.encode_short(key, room, Own(()))),
                _ => put_apart(self.writer.nested(), self.mode, key, &value),
            };
            if let Ok(len) = done {
                self.writer.advance(len);
            }
            if !NESTED {
                self.writer.finish();
            }
            return done.map(drop);
        }
        // The code of a user's type can panic while the value is encoded.
        let mut packet = self.unfinished();
        let (start, mode) = (packet.0.position(), packet.0.mode);
        let len = put_value(packet.writer(), mode, key, &value)?;
        packet.end(start + len);
        Ok(())
    }
}

impl<S: Sink> Encoder<'_, S> {
    /// Writes a number as [`put`](Encoder::put) does, and returns the position after the number. Used by serde, which
    /// passes encoders by value.
    #[cfg(feature = "serde")]
    #[inline(always)]
    pub(crate) fn number<T: Encode>(mut self, key: Key, number: &T) -> Result<usize, Error> {
        let start = self.position();
        let len = match self.writer.room() {
            Some(room) if self.mode.is_plain() => number.encode_short(key, room, Own(())),
            _ => put_apart(self.writer, self.mode, key, number)?,
        };
        // The sum cannot overflow: the position is inside the window, or it was counted with checks.
        Ok(start.wrapping_add(len))
    }
}

/// Writes the packet of a value and returns the length of the packet.
#[inline(always)]
fn put_value<S: Sink, T: Encode>(writer: Writer<'_, S>, mode: Mode, key: Key, value: &T) -> Result<usize, Error> {
    let (start, key) = (writer.position(), if mode.is_slice() { Key::ITEM } else { key });
    let mut encoder = Encoder::<'_, S> { writer, mode };
    value.encode(key, &mut encoder)?;
    let len = encoder.position() - start;
    if T::OPTIONAL.0 && len == 0 && mode.is_slice() { Err(encoder.error(ErrorKind::AbsentValue)) } else { Ok(len) }
}

/// Calls [`put_value`] for a number in a slice, in PVarInt mode, or near the end of the free space.
// The parameters are single values and not the encoder, so the encoder stays in registers.
#[cold]
#[inline(never)]
fn put_apart<S: Sink, T: Encode>(writer: Writer<'_, S>, mode: Mode, key: Key, value: &T) -> Result<usize, Error> {
    put_value(writer, mode, key, value)
}

/// The destination of a run. A run is a sequence of numbers that are written together.
#[derive(Debug)]
pub enum Run<'r, S> {
    /// Free space for the whole run, and the number of bytes that are already used in this space.
    Room(&'r mut [u8], usize),
    /// An encoder that writes the numbers one by one, and the result so far. After an error, the encoder writes nothing
    /// more.
    Apart(Encoder<'r, S>, Result<(), Error>),
}

impl<S: Sink> Run<'_, S> {
    /// Writes one number of the run.
    #[inline(always)]
    pub fn put<T: Encode>(&mut self, key: Key, value: &T) {
        match self {
            Run::Room(room, len) => {
                if let Some(room) = room.get_mut(*len..).and_then(<[u8]>::first_chunk_mut) {
                    *len += value.encode_short(key, room, Own(()));
                }
            }
            Run::Apart(to, done) if done.is_ok() => {
                *done = put_apart(to.writer.nested(), to.mode, key, value).map(|len| to.writer.advance(len));
            }
            Run::Apart(..) => {}
        }
    }
}

impl<S: Sink> Encoder<'_, S> {
    /// Writes fields of a node. If `are_numbers` is true, calls `numbers`; otherwise calls `others`. `are_numbers` must
    /// be true only if all fields are numbers whose packets have at most `len` bytes in total.
    ///
    /// The address and length of the free space stay in registers during a run. Outside of runs, each number loads them
    /// again, because storing a byte could have changed them. Measured on an AMD EPYC of family 26, 2026-11: 63 numbers
    /// take 64 ns one by one, and 54 ns in runs of 8, 11, 12 or 16 numbers.
    ///
    /// # Errors
    /// Returns the errors of [`put`](Self::put).
    #[doc(hidden)]
    #[inline(always)]
    pub fn run(
        &mut self,
        are_numbers: bool,
        len: usize,
        numbers: impl FnOnce(&mut Run<'_, S>),
        others: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        #[cold]
        #[inline(never)]
        fn apart<S: Sink>(to: Encoder<'_, S>, numbers: impl FnOnce(&mut Run<'_, S>)) -> Result<usize, Error> {
            let mut run = Run::Apart(to, Ok(()));
            numbers(&mut run);
            match run {
                Run::Apart(to, done) => done.map(|()| to.position()),
                Run::Room(_, len) => Ok(len),
            }
        }
        if !are_numbers {
            return others(self);
        }
        match self.writer.window(len + SHORT) {
            Some(room) if self.mode.is_plain() => {
                let mut run = Run::Room(room, 0);
                numbers(&mut run);
                if let Run::Room(_, len) = run {
                    self.writer.advance(len);
                }
            }
            _ => {
                let end = apart(Encoder { writer: self.writer.nested(), mode: self.mode }, numbers)?;
                self.writer.go_on_at(end);
            }
        }
        Ok(())
    }
}
