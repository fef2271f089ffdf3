//! Input: the bytes of one connection on their way into packets.
//!
//! In: a stream, and a read buffer that all connections share. Out: what one read brought. Between reads a connection keeps the
//! packet that the last one cut, and nothing else.

use std::io;

use tokio::io::Interest;
use tokio::net::TcpStream;

/// One read returns at least this many bytes if the system has them.
const READ: usize = 64 << 10;
/// A longer cut packet grows in a separate buffer; a shorter one is copied in front of the next read.
const LONG: usize = 16 << 10;

/// Bytes held between reads.
#[derive(Debug, Default)]
pub struct Input {
    held: Vec<u8>,
    /// Bytes of the connection before `held`.
    pub offset: u64,
    /// `held` may have whole packets: the last read stopped at one that has to wait.
    pub stopped: bool,
    pub ended: bool,
}

impl Input {
    pub fn held(&self) -> &[u8] {
        &self.held
    }

    /// Reads once, and has `take` look at all bytes that are there and their offset: it returns how many it used, and whether it
    /// stopped at a packet that has to wait. Returns how many bytes came.
    pub fn read<E: From<io::Error>>(
        &mut self,
        stream: &TcpStream,
        shared: &mut Vec<u8>,
        take: impl FnOnce(&[u8], u64) -> Result<(usize, bool), E>,
    ) -> Result<usize, E> {
        let is_long = self.held.len() >= LONG;
        let buffer = if is_long {
            &mut self.held
        } else {
            shared.clear();
            shared.extend_from_slice(&self.held);
            &mut *shared
        };
        buffer.reserve(READ);
        let room = buffer.capacity() - buffer.len();
        let read = match stream.try_read_buf(buffer) {
            Ok(read) => read,
            // The readiness is cleared now.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(0),
            Err(error) => return Err(error.into()),
        };
        self.ended = read == 0;
        if read < room {
            // The socket is empty: the next readiness is news, without a read that finds nothing.
            let _ = stream.try_io(Interest::READABLE, || Err::<(), _>(io::ErrorKind::WouldBlock.into()));
        }
        if is_long {
            self.again(take)?;
        } else {
            let (used, stopped) = take(shared, self.offset)?;
            (self.offset, self.stopped) = (self.offset + used as u64, stopped);
            self.held.clear();
            self.held.extend_from_slice(&shared[used..]);
        }
        Ok(read)
    }

    /// Has `take` look at the bytes that are held, as [`read`](Self::read) does.
    pub fn again<E>(&mut self, take: impl FnOnce(&[u8], u64) -> Result<(usize, bool), E>) -> Result<(), E> {
        let (used, stopped) = take(&self.held, self.offset)?;
        (self.offset, self.stopped) = (self.offset + used as u64, stopped);
        self.held.drain(..used);
        Ok(())
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
        let mut input = Input { held: vec![0; 2 * LONG], ..Input::default() };
        input.shrink();
        assert_eq!(input.held().len(), 2 * LONG);
        input.again(|bytes, _| Ok::<_, io::Error>((bytes.len(), false))).unwrap();
        assert!(input.held.capacity() >= 2 * LONG, "the next packet may be as long");
        input.shrink();
        assert_eq!(input.held.capacity(), 0);
    }
}
