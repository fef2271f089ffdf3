//! Connection: a stream to a client or a backend, its unsent bytes, and the incomplete packet at the end of the last
//! read.
//!
//! Any task can write to a connection. Reads use a buffer that all connections share.

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
/// The maximum number of unsent bytes of replies to one client.
const UNREAD: usize = 16 << 20;
/// If an incomplete packet is longer, it grows in a separate buffer. A shorter one is copied to the start of the next
/// read.
const LONG: usize = 16 << 10;

/// A connection as the other parts of the proxy use it. One task owns and reads it. Other tasks write to it and wake
/// its task.
#[derive(Debug, Default)]
pub struct Connection {
    /// `None` before the connection is established and after its end.
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
    /// True if bytes were read or written since the last tick of the clock.
    pub moved: Cell<bool>,
    /// The number of ticks since the last progress.
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

    /// Makes the connection's task end the connection.
    pub fn end(&self, why: Refusal) {
        self.over.borrow_mut().get_or_insert(why);
        self.news.notify_one();
    }

    /// Counts a tick of the clock. Returns the number of ticks without progress, or 0 if the connection does not wait
    /// for anything.
    pub fn tick(&self, waits: bool) -> u32 {
        let still = if self.moved.take() || !waits { 0 } else { self.still.get().saturating_add(1) };
        self.still.set(still);
        still
    }

    pub fn has_unwritten(&self) -> bool {
        !self.out.borrow().is_empty()
    }

    /// Sends replies to a client. Bytes that the client does not accept now are kept, up to a limit.
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

    /// Appends a refusal to the bytes for a client. The client's task sends it.
    pub fn refuse(&self, id: &Id, why: &str) {
        if let Ok(id) = Packet::from_slice(id.as_bytes()) {
            put_refusal(&mut self.out.borrow_mut(), &id, why);
        }
        self.news.notify_one();
    }

    /// Writes as many unsent bytes as the other end accepts now, and returns their number.
    ///
    /// # Errors
    /// The reason for which another task ended the connection, or an I/O error.
    pub fn flush(&self) -> Result<usize, Refusal> {
        self.over.take().map_or(Ok(()), Err)?;
        let Some(stream) = &*self.stream.borrow() else { return Ok(0) };
        let mut out = self.out.borrow_mut();
        let written = if out.is_empty() { 0 } else { write(stream, &out)? };
        out.drain(..written);
        Ok(written)
    }

    /// Waits until another task wakes this one, until unsent bytes can be written, or, if `reads`, until bytes can be
    /// read. Returns true if bytes can be read. `TcpStream::readable` would need a list of waiting tasks and a lock.
    pub async fn may_read(&self, stream: &TcpStream, reads: bool) -> io::Result<bool> {
        tokio::select! {
            () = self.news.notified() => Ok(false),
            ready = poll_fn(|cx| stream.poll_write_ready(cx)), if self.has_unwritten() => ready.map(|()| false),
            ready = poll_fn(|cx| stream.poll_read_ready(cx)), if reads => ready.map(|()| true),
        }
    }

    /// Frees memory that an idle connection does not need.
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

/// The input that a connection keeps between reads.
#[derive(Debug, Default)]
pub struct Input {
    /// The incomplete packet at the end of the last read.
    held: Vec<u8>,
    /// The number of bytes before `held`.
    pub offset: u64,
    /// True if the last read stopped at a packet that has to wait. Then `held` may contain complete packets.
    pub stopped: bool,
    pub ended: bool,
}

impl Input {
    /// The number of bytes of an incomplete packet.
    pub fn begun(&self) -> usize {
        if self.stopped { 0 } else { self.held.len() }
    }

    /// Reads once, and returns the number of bytes read. `take` gets all available bytes and their offset. It returns
    /// how many bytes it used, and true if it stopped at a packet that has to wait.
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
            // Tokio has now cleared the readiness.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(0),
            Err(error) => return Err(error.into()),
        };
        self.ended = read == 0;
        if read < room {
            // The socket is empty. Clear the readiness now, to avoid a read that returns nothing.
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

    /// Calls `take` with the bytes in `held`, as [`read`](Self::read) does.
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
