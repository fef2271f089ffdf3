//! Io: a sink that collects packets in memory and writes them to a `std::io::Write`.

use std::io::{self, ErrorKind as Kind, Write};
use std::vec::Vec;

use core::ops::Range;

use super::sink::{Sink, forwarding_sink};
use crate::error::ErrorKind;

/// A [`Sink`] for a [`Write`]: a file, a socket or standard output.
///
/// The sink collects packets in memory until [`flush`](Self::flush) writes them. This is necessary because a node's
/// length comes before its body but is known only after the body. Encoding never blocks on the writer, and never
/// returns an error of the writer. Call `flush` after each packet, or as often as your memory requires. Dropping the
/// sink writes nothing.
///
/// Cost: one copy into a vector that is reused, and memory for the packets between two calls of `flush`.
///
/// # Examples
/// ```
/// use y3::{Encoder, WriteSink};
///
/// let mut sink = WriteSink::new(std::io::stdout());
/// for noise in [45.12f32, 45.25] {
///     Encoder::new(&mut sink).node(0x01, |root| root.put(0x11, noise))?;
///     sink.flush()?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// Source: [SPEC §7](crate::spec#7-canonical-form)
#[derive(Debug)]
pub struct WriteSink<W> {
    writer: W,
    unwritten: Vec<u8>,
}

impl<W: Write> WriteSink<W> {
    /// Makes an empty sink for this writer.
    #[must_use]
    pub const fn new(writer: W) -> Self {
        Self { writer, unwritten: Vec::new() }
    }

    /// Writes the collected packets and flushes the writer.
    ///
    /// If the writer accepts only a part of the bytes, `flush` calls the writer again for the remaining bytes. After an
    /// error, the sink keeps the unwritten bytes. The next call of `flush` continues with these bytes, so no byte is
    /// lost or written twice. With a non-blocking writer, call `flush` again when the writer is ready.
    ///
    /// # Errors
    /// Returns the errors of the writer. After [`Interrupted`](Kind::Interrupted), `flush` tries again instead of
    /// returning the error. If the writer accepts no bytes, the error is [`WriteZero`](Kind::WriteZero).
    pub fn flush(&mut self) -> io::Result<()> {
        /// Removes the written bytes from the sink when it is dropped, even if the writer panics.
        struct Taken<'a> {
            bytes: &'a mut Vec<u8>,
            len: usize,
        }

        impl Drop for Taken<'_> {
            fn drop(&mut self) {
                self.bytes.drain(..self.len);
            }
        }

        let mut taken = Taken { bytes: &mut self.unwritten, len: 0 };
        while let Some(rest @ [_, ..]) = taken.bytes.get(taken.len..) {
            match self.writer.write(rest) {
                Ok(0) => return Err(Kind::WriteZero.into()),
                // If a writer reports more bytes than it received, it has accepted all of them.
                Ok(len) => taken.len += len.min(rest.len()),
                Err(error) if error.kind() == Kind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.writer.flush()
    }

    /// Returns the unwritten bytes.
    #[must_use]
    pub fn unwritten(&self) -> &[u8] {
        &self.unwritten
    }

    /// Returns a reference to the writer.
    #[must_use]
    pub const fn writer(&self) -> &W {
        &self.writer
    }

    /// Returns the writer and the unwritten bytes.
    #[must_use]
    pub fn into_parts(self) -> (W, Vec<u8>) {
        (self.writer, self.unwritten)
    }
}

forwarding_sink!(
    /// Positions count from the first unwritten byte.
    [W] WriteSink<W>: self => self.unwritten
);
