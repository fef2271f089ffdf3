//! Io: a sink that writes to a `std::io::Write`.
//!
//! In: packets, collected in memory. Out: their bytes, written when the caller calls `flush`.

use std::io::{self, ErrorKind as Kind, Write};
use std::vec::Vec;

use core::ops::Range;

use super::sink::{Sink, forwarding_sink};
use crate::error::ErrorKind;

/// A [`Sink`] whose packets go to a writer: a file, a socket, standard output.
///
/// The length of a node comes before its body but is known only at its end. So packets are collected in memory, and
/// [`flush`](Self::flush) writes them. Encoding itself never blocks on the writer and never returns its errors. Call
/// `flush` after each packet, or after as many as your memory allows. Dropping the sink writes nothing.
///
/// Cost: one copy into a vector that is reused; memory for the packets between two flushes.
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
    /// Makes a sink for a writer, with nothing to write yet.
    #[must_use]
    pub const fn new(writer: W) -> Self {
        Self { writer, unwritten: Vec::new() }
    }

    /// Writes the packets collected so far, and flushes the writer.
    ///
    /// If the writer accepts only some of the bytes, the rest is written too. After an error the sink keeps the
    /// unwritten bytes, so the next call continues where this one stopped: no byte is written twice or left out. With a
    /// non-blocking writer, call `flush` again when the writer is ready.
    ///
    /// # Errors
    /// The errors of the writer, except [`Interrupted`](Kind::Interrupted), after which it writes again;
    /// [`WriteZero`](Kind::WriteZero) if the writer accepts no byte.
    pub fn flush(&mut self) -> io::Result<()> {
        /// Removes the written bytes, even if the writer panics.
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
                // A writer that reports more bytes than it was given has accepted all of them.
                Ok(len) => taken.len += len.min(rest.len()),
                Err(error) if error.kind() == Kind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.writer.flush()
    }

    /// The unwritten bytes.
    #[must_use]
    pub fn unwritten(&self) -> &[u8] {
        &self.unwritten
    }

    /// A reference to the writer.
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
