//! Peer: a client's connection as the rest of the proxy sees it.
//!
//! In: replies and refusals. Out: bytes to the client, at once or as fast as it reads.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::task::Waker;

use tokio::net::TcpStream;
use y3::Packet;

use crate::batch::{Batch, Id};
use crate::message::put_refusal;
use crate::refusal::Refusal;

/// A client.
#[derive(Debug)]
pub struct Peer {
    /// `None` once the connection is over.
    pub stream: RefCell<Option<TcpStream>>,
    pub address: SocketAddr,
    /// Replies that the client did not take yet.
    pub out: RefCell<Vec<u8>>,
    /// Requests on their way to a backend.
    pub in_flight: Cell<usize>,
    /// The client sends no more.
    pub ended: Cell<bool>,
    /// Why others ended the connection.
    pub over: RefCell<Option<Refusal>>,
    pub waker: RefCell<Option<Waker>>,
    /// Bytes or replies moved since the clock looked.
    pub moved: Cell<bool>,
    /// A request is begun and not whole.
    pub begun: Cell<bool>,
    /// Bytes of that request.
    pub held: Cell<usize>,
    /// Ticks of the clock without movement.
    pub still: Cell<u32>,
    /// The client is told to give buffers back.
    pub shrink: Cell<bool>,
}

impl Peer {
    pub fn new(stream: TcpStream, address: SocketAddr) -> Peer {
        Peer {
            stream: RefCell::new(Some(stream)),
            address,
            out: RefCell::default(),
            in_flight: Cell::default(),
            ended: Cell::default(),
            over: RefCell::default(),
            waker: RefCell::default(),
            moved: Cell::default(),
            begun: Cell::default(),
            held: Cell::default(),
            still: Cell::default(),
            shrink: Cell::default(),
        }
    }

    pub fn wake(&self) {
        if let Some(waker) = &*self.waker.borrow() {
            waker.wake_by_ref();
        }
    }

    /// Ends the connection.
    pub fn end(&self, why: Refusal) {
        self.over.borrow_mut().get_or_insert(why);
        self.wake();
    }

    /// Sends replies. What the client does not take now waits, up to `most` bytes.
    pub fn deliver(&self, batch: &mut Batch, source: &[u8], most: usize) {
        let stream = self.stream.borrow();
        let Some(stream) = &*stream else { return };
        self.moved.set(true);
        let mut out = self.out.borrow_mut();
        if out.is_empty() {
            match batch.write(source, stream) {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => return self.end(error.into()),
            }
        }
        batch.copy_rest(source, &mut out);
        if out.len() > most {
            return self.end(Refusal::Deaf);
        }
        self.wake();
    }

    /// Replies that a request is refused; the client's task sends it.
    pub fn refuse(&self, id: &Id, why: &str) {
        if let Ok(id) = Packet::from_slice(id.as_bytes()) {
            put_refusal(&mut self.out.borrow_mut(), &id, why);
        }
        self.wake();
    }

    /// Writes replies that wait, as far as the client takes them now: `true` if none is left.
    ///
    /// # Errors
    /// Those of the connection.
    pub fn write(&self) -> io::Result<bool> {
        let stream = self.stream.borrow();
        let mut out = self.out.borrow_mut();
        let Some(stream) = &*stream else { return Ok(true) };
        let mut written = 0;
        let all = loop {
            match out.get(written..) {
                None | Some([]) => break true,
                Some(rest) => match stream.try_write(rest) {
                    Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                    Ok(bytes) => written += bytes,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break false,
                    Err(error) => return Err(error),
                },
            }
        };
        if written > 0 {
            self.moved.set(true);
            out.drain(..written);
        }
        if all {
            // Refusals and slow clients are rare; their memory goes.
            *out = Vec::new();
        }
        Ok(all)
    }
}
