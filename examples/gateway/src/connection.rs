//! Connection: a stream to a client or a backend, and the bytes that wait to be written to it.
//!
//! In: bytes from any task. Out: bytes to the other end, at once or as fast as it reads.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::io;
use std::rc::Rc;

use tokio::net::TcpStream;
use tokio::sync::Notify;

/// A connection for the rest of the proxy. One task owns it, reads it and is notified of changes; other tasks only write.
#[derive(Debug, Default)]
pub struct Connection {
    /// `None` before it is established, and after its end.
    stream: RefCell<Option<Rc<TcpStream>>>,
    /// Bytes that the other end has not accepted yet.
    pub out: RefCell<Vec<u8>>,
    /// Wakes the task, which then checks the connection's state.
    pub news: Notify,
    /// Requests without a reply.
    pub in_flight: Cell<usize>,
    /// Bytes read and written since the last tick of the clock.
    pub moved: Cell<bool>,
    /// Ticks of the clock without any bytes.
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

    /// Writes bytes after those that wait. Bytes that the other end does not accept now wait too.
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

    /// Writes as many waiting bytes as the other end accepts now, and returns their number.
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

/// Ready when a read may return bytes. `TcpStream::readable` waits in a list under a lock; this is one slot.
pub fn readable(stream: &TcpStream) -> impl Future<Output = io::Result<()>> {
    poll_fn(|cx| stream.poll_read_ready(cx))
}

/// Ready when the other end may accept bytes.
pub fn writable(stream: &TcpStream) -> impl Future<Output = io::Result<()>> {
    poll_fn(|cx| stream.poll_write_ready(cx))
}
