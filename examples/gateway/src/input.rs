//! Input: the bytes of one connection on their way into packets.
//!
//! In: a stream and room in a read buffer that all connections share. Out: where the bytes to parse are. Between turns a connection
//! keeps the packet that the last read cut, and nothing else.

use std::io;
use std::ops::Range;

use tokio::io::Interest;
use tokio::net::TcpStream;

/// A cut packet of more bytes than this grows in a buffer of its own; a shorter one is copied to the next read.
const LONG: usize = 16 << 10;
/// What one read brings at most to a packet that grows.
const GROW: usize = 64 << 10;

/// Bytes held between turns.
#[derive(Debug, Default)]
pub struct Input {
    held: Vec<u8>,
    /// Bytes of the connection before `held`.
    pub offset: u64,
    /// `held` may have whole packets: the turn before stopped at one.
    pub stopped: bool,
    pub ended: bool,
}

/// Where the bytes of a turn are.
#[derive(Debug)]
pub enum Chunk {
    /// In the shared buffer.
    Shared(Range<usize>),
    /// In `held`.
    Held,
    /// The peer has closed its side.
    Ended,
}

impl Input {
    /// Whether the next turn takes `held` as it is, or grows it.
    pub fn is_own(&self) -> bool {
        self.stopped || self.held.len() >= LONG
    }

    pub fn held(&self) -> &[u8] {
        &self.held
    }

    /// The bytes for a turn: those held, and one read from a stream that is readable.
    ///
    /// # Errors
    /// Those of the connection; `WouldBlock` if there is nothing to read.
    pub fn next(&mut self, stream: &TcpStream, shared: &mut [u8], at: usize) -> io::Result<Chunk> {
        if std::mem::take(&mut self.stopped) {
            return Ok(Chunk::Held);
        }
        let (read, room, chunk);
        if self.is_own() {
            self.held.reserve(GROW);
            room = self.held.capacity() - self.held.len();
            read = stream.try_read_buf(&mut self.held)?;
            chunk = Chunk::Held;
        } else {
            let start = at + self.held.len();
            let target = &mut shared[start..];
            room = target.len();
            read = stream.try_read(target)?;
            shared[at..start].copy_from_slice(&self.held);
            self.held.clear();
            chunk = Chunk::Shared(at..start + read);
        }
        if read == 0 {
            self.ended = true;
            if let Chunk::Shared(range) = chunk {
                self.held.extend_from_slice(&shared[range]);
            }
            return Ok(Chunk::Ended);
        }
        if read < room {
            // The socket is empty: the next readiness is news, without a read that finds nothing.
            let empty = || Err::<(), _>(io::ErrorKind::WouldBlock.into());
            let _ = stream.try_io(Interest::READABLE, empty);
        }
        Ok(chunk)
    }

    /// Keeps what a turn left in the shared buffer.
    pub fn keep(&mut self, rest: &[u8], used: usize) {
        self.held.extend_from_slice(rest);
        self.offset += used as u64;
    }

    /// Drops what a turn used of `held`.
    pub fn used(&mut self, used: usize) {
        self.held.drain(..used);
        self.offset += used as u64;
    }

    /// Gives memory back that an idle connection does not need.
    pub fn shrink(&mut self) {
        if self.held.is_empty() {
            self.held = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_connection_gives_back_what_a_long_packet_took_and_keeps_one_that_is_cut() {
        let mut input = Input::default();
        input.keep(&[0; 2 * LONG], 0);
        input.shrink();
        assert_eq!(input.held().len(), 2 * LONG);
        input.used(2 * LONG);
        assert!(input.held.capacity() >= 2 * LONG, "the next packet may be as long");
        input.shrink();
        assert_eq!(input.held.capacity(), 0);
    }
}
