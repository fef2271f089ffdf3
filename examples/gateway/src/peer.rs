//! Peer: a client's connection, for the rest of the proxy.
//!
//! In: replies and refusals. Out: bytes to the client; the reason why others end its connection.

use std::cell::{Cell, RefCell};

use y3::Packet;

use crate::connection::Connection;
use crate::message::{Id, put_refusal};
use crate::refusal::Refusal;

/// A client.
#[derive(Debug, Default)]
pub struct Peer {
    pub connection: Connection,
    /// The client sends no more.
    pub ended: Cell<bool>,
    /// The reason why another task ended the connection.
    pub over: RefCell<Option<Refusal>>,
    /// The number of bytes of an incomplete request.
    pub begun: Cell<Option<usize>>,
    /// Tells the client's task to free its buffers.
    pub shrink: Cell<bool>,
}

impl Peer {
    /// Ends the connection.
    pub fn end(&self, why: Refusal) {
        self.over.borrow_mut().get_or_insert(why);
        self.connection.news.notify_one();
    }

    /// Sends replies. Bytes that the client does not accept now wait, up to `most` bytes.
    pub fn deliver(&self, replies: &[u8], most: usize) {
        self.connection.moved.set(true);
        match self.connection.send(replies) {
            Ok(()) if self.connection.out.borrow().len() <= most => {}
            Ok(()) => self.end(Refusal::Deaf),
            Err(error) => self.end(error.into()),
        }
    }

    /// Replies that a request is refused; the client's task sends it.
    pub fn refuse(&self, id: &Id, why: &str) {
        if let Ok(id) = Packet::from_slice(id.as_bytes()) {
            put_refusal(&mut self.connection.out.borrow_mut(), &id, why);
        }
        self.connection.news.notify_one();
    }
}
