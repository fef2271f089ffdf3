//! Io: a sink in front of a `std::io::Write`.
//!
//! In: packets, collected in memory until they are whole. Out: their bytes, written when the caller says so.

use std::io::{self, ErrorKind as Kind, Write};
use std::vec::Vec;

use core::ops::Range;

use super::sink::Sink;
use crate::error::ErrorKind;

/// A [`Sink`] whose packets go to a writer: a file, a socket, standard output.
///
/// The length of a node stands in front of it and is known at its end, so packets are collected in memory; [`flush`](Self::flush)
/// writes them. Encoding itself never waits for the writer and never meets its errors. Call `flush` after each packet, or after
/// as many as fit in the memory meant for them. Dropping the sink writes nothing.
///
/// Cost: one copy into a vector that is used again; memory for the packets between two flushes.
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
/// Source: SPEC §7
#[derive(Debug, Default)]
pub struct WriteSink<W> {
    writer: W,
    unwritten: Vec<u8>,
}

impl<W: Write> WriteSink<W> {
    /// A sink in front of a writer, with nothing to write yet.
    #[must_use]
    pub const fn new(writer: W) -> Self {
        Self { writer, unwritten: Vec::new() }
    }

    /// Writes the packets collected so far, and flushes the writer.
    ///
    /// A writer may take fewer bytes than it is given: the others follow at once. After an error the bytes that the writer did not
    /// take are still here, so that the next call goes on where this one stopped: no byte is written twice or left out. So a
    /// writer that does not block is called again when it is ready.
    ///
    /// # Errors
    /// Those of the writer, but [`Interrupted`](Kind::Interrupted), after which it is asked again;
    /// [`WriteZero`](Kind::WriteZero) if it takes no byte.
    pub fn flush(&mut self) -> io::Result<()> {
        /// Takes out what was written, also if the writer panics.
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
                // A writer that says it took more than there is has taken all.
                Ok(len) => taken.len += len.min(rest.len()),
                Err(error) if error.kind() == Kind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.writer.flush()
    }

    /// The bytes that the writer has not taken yet.
    #[must_use]
    pub fn unwritten(&self) -> &[u8] {
        &self.unwritten
    }

    /// The writer.
    #[must_use]
    pub const fn writer(&self) -> &W {
        &self.writer
    }

    /// The writer, and the bytes that it has not taken yet.
    #[must_use]
    pub fn into_parts(self) -> (W, Vec<u8>) {
        (self.writer, self.unwritten)
    }
}

/// Positions count from the first byte that is not written yet.
impl<W> Sink for WriteSink<W> {
    #[inline]
    fn position(&self) -> usize {
        self.unwritten.position()
    }

    #[inline]
    fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
        self.unwritten.store(position, bytes)
    }

    #[inline(always)]
    fn store_word(&mut self, position: usize, bytes: u128, len: usize) -> Result<usize, ErrorKind> {
        self.unwritten.store_word(position, bytes, len)
    }

    #[inline]
    fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
        self.unwritten.replace_first(range, bytes)
    }

    #[inline]
    fn finish(&mut self, position: usize) {
        self.unwritten.finish(position);
    }
}
