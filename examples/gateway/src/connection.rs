//! Connection: a stream to a client or a backend, the bytes that wait to be written, and the packet that the last read cut.
//!
//! In: bytes from any task; a read buffer that all connections share. Out: bytes to the other end, at once or as fast as it
//! reads; the bytes that one read brought.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::rc::Rc;

use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use y3::Packet;

use crate::message::{Id, put_refusal};
use crate::refusal::Refusal;

/// One read returns at least this many bytes if the system has them.
const READ: usize = 64 << 10;
/// Bytes of replies that wait for one client.
const UNREAD: usize = 16 << 20;
/// A longer cut packet grows in a separate buffer; a shorter one is copied in front of the next read.
const LONG: usize = 16 << 10;

/// A connection for the rest of the proxy. One task owns it, reads it and is notified of changes; other tasks only write.
#[derive(Debug, Default)]
pub struct Connection {
    /// `None` before it is established, and after its end.
    stream: RefCell<Option<Rc<TcpStream>>>,
    pub input: RefCell<Input>,
    /// Bytes that the other end has not accepted yet.
    pub out: RefCell<Vec<u8>>,
    /// Wakes the task, which then checks the connection's state.
    pub news: Notify,
    /// The reason why another task ended the connection.
    over: RefCell<Option<Refusal>>,
    /// Requests without a reply.
    pub in_flight: Cell<usize>,
    /// Bytes read and written since the last tick of the clock.
    pub moved: Cell<bool>,
    /// Ticks of the clock without any bytes.
    still: Cell<u32>,
}

impl Connection {
    pub fn open(&self, stream: TcpStream) -> Rc<TcpStream> {
        self.still.set(0);
        self.over.take();
        Rc::clone(self.stream.borrow_mut().insert(Rc::new(stream)))
    }

    pub fn close(&self) {
        self.stream.take();
        self.out.take();
        self.input.take();
    }

    /// Ends the connection.
    pub fn end(&self, why: Refusal) {
        self.over.borrow_mut().get_or_insert(why);
        self.news.notify_one();
    }

    /// Counts a tick of the clock, and returns the number of ticks without any bytes. They count only if the connection `waits`.
    pub fn tick(&self, waits: bool) -> u32 {
        let still = if self.moved.take() || !waits { 0 } else { self.still.get().saturating_add(1) };
        self.still.set(still);
        still
    }

    pub fn has_unwritten(&self) -> bool {
        !self.out.borrow().is_empty()
    }

    /// Sends replies to a client. Bytes that the client does not accept now wait, up to a limit.
    pub fn send(&self, replies: &[u8]) {
        let Some(stream) = &*self.stream.borrow() else { return };
        self.moved.set(true);
        let mut out = self.out.borrow_mut();
        let written = if out.is_empty() { write(stream, replies) } else { Ok(0) };
        match written {
            Ok(written) => out.extend_from_slice(&replies[written..]),
            Err(error) => return self.end(error.into()),
        }
        if out.len() > UNREAD {
            self.end(Refusal::Deaf);
        } else if !out.is_empty() {
            self.news.notify_one();
        }
    }

    /// Replies to a client that its request is refused; the client's task sends it.
    pub fn refuse(&self, id: &Id, why: &str) {
        if let Ok(id) = Packet::from_slice(id.as_bytes()) {
            put_refusal(&mut self.out.borrow_mut(), &id, why);
        }
        self.news.notify_one();
    }

    /// Writes as many waiting bytes as the other end accepts now, and returns their number. If another task ended the connection, the
    /// error is its reason.
    pub fn flush(&self) -> Result<usize, Refusal> {
        self.over.take().map_or(Ok(()), Err)?;
        let Some(stream) = &*self.stream.borrow() else { return Ok(0) };
        let mut out = self.out.borrow_mut();
        let written = if out.is_empty() { 0 } else { write(stream, &out)? };
        out.drain(..written);
        Ok(written)
    }

    /// Waits for news, until the other end may accept waiting bytes, or, if the task `reads`, until a read may return bytes. Returns
    /// whether it may. `TcpStream::readable` waits in a list under a lock; this is one slot.
    pub async fn may_read(&self, stream: &TcpStream, reads: bool) -> io::Result<bool> {
        tokio::select! {
            () = self.news.notified() => Ok(false),
            ready = poll_fn(|cx| stream.poll_write_ready(cx)), if self.has_unwritten() => ready.map(|()| false),
            ready = poll_fn(|cx| stream.poll_read_ready(cx)), if reads => ready.map(|()| true),
        }
    }

    /// Gives memory back that an idle connection does not need.
    pub fn shrink(&self) {
        self.input.borrow_mut().held.shrink_to_fit();
        self.out.borrow_mut().shrink_to_fit();
    }
}

fn write(stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    match stream.try_write(bytes) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
        written => written,
    }
}

/// What a connection keeps between reads.
#[derive(Debug, Default)]
pub struct Input {
    /// The packet that the last read cut.
    held: Vec<u8>,
    /// Bytes of the connection before `held`.
    pub offset: u64,
    /// `held` may have whole packets: the last read stopped at one that has to wait.
    pub stopped: bool,
    pub ended: bool,
}

impl Input {
    /// The number of bytes of an incomplete packet.
    pub fn begun(&self) -> usize {
        if self.stopped { 0 } else { self.held.len() }
    }

    /// Reads once. `take` looks at all bytes that are there and their offset. It returns how many it used, and whether it stopped
    /// at a packet that has to wait. Returns how many bytes came.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_connection_gives_back_what_a_long_packet_took_and_keeps_one_that_is_cut() {
        let connection = Connection::default();
        let held = || connection.input.borrow().held.capacity();
        connection.input.borrow_mut().held = vec![0; 2 * LONG];
        connection.shrink();
        assert_eq!(connection.input.borrow().begun(), 2 * LONG);
        connection.input.borrow_mut().again(|bytes, _| Ok::<_, io::Error>((bytes.len(), false))).unwrap();
        assert!(held() >= 2 * LONG, "the next packet may be as long");
        connection.shrink();
        assert_eq!(held(), 0);
    }
}
