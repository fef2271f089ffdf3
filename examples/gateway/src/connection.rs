//! Connection: a stream to a client or a backend, and the bytes that wait to be written to it.
//!
//! In: bytes from any task. Out: bytes to the other end, at once or as fast as it reads.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::io;
use std::rc::Rc;

use tokio::net::TcpStream;
use tokio::sync::Notify;

/// A connection as the rest of the proxy sees it. The task that owns it reads and is told of news; others only write.
#[derive(Debug, Default)]
pub struct Connection {
    /// `None` before it stands, and once it is over.
    stream: RefCell<Option<Rc<TcpStream>>>,
    /// Bytes that the other end did not take yet.
    pub out: RefCell<Vec<u8>>,
    /// The task looks at the connection's state again.
    pub news: Notify,
    /// Requests on their way.
    pub in_flight: Cell<usize>,
    /// Bytes moved since the clock looked.
    pub moved: Cell<bool>,
    /// Ticks of the clock without movement.
    pub still: Cell<u32>,
}

impl Connection {
    pub fn open(&self, stream: TcpStream) -> Rc<TcpStream> {
        self.still.set(0);
        Rc::clone(self.stream.borrow_mut().insert(Rc::new(stream)))
    }

    pub fn close(&self) {
        self.stream.take();
        self.out.take();
    }

    pub fn has_unwritten(&self) -> bool {
        !self.out.borrow().is_empty()
    }

    /// Writes bytes after those that wait. What the other end does not take now waits too.
    pub fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let stream = self.stream.borrow();
        let Some(stream) = &*stream else { return Ok(()) };
        let mut out = self.out.borrow_mut();
        let written = if out.is_empty() { write(stream, bytes)? } else { 0 };
        out.extend_from_slice(&bytes[written..]);
        if !out.is_empty() {
            self.news.notify_one();
        }
        Ok(())
    }

    /// Writes what waits, as far as the other end takes it now, and returns how much that was.
    pub fn flush(&self) -> io::Result<usize> {
        let stream = self.stream.borrow();
        let Some(stream) = &*stream else { return Ok(0) };
        let mut out = self.out.borrow_mut();
        let written = write(stream, &out)?;
        out.drain(..written);
        Ok(written)
    }
}

fn write(stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    let mut written = 0;
    while written < bytes.len() {
        match stream.try_write(&bytes[written..]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(now) => written += now,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    Ok(written)
}

/// Ready when a read may bring something. `TcpStream::readable` waits in a list under a lock; this is one slot.
pub fn readable(stream: &TcpStream) -> impl Future<Output = io::Result<()>> {
    poll_fn(|cx| stream.poll_read_ready(cx))
}

/// Ready when the other end may take bytes.
pub fn writable(stream: &TcpStream) -> impl Future<Output = io::Result<()>> {
    poll_fn(|cx| stream.poll_write_ready(cx))
}
