//! Upstream: a backend's connection, for the rest of the proxy.
//!
//! In: requests of all clients. Out: one write for all requests of one round of the event loop.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;

use crate::connection::Connection;
use crate::metrics::{Backend, Metrics};
use crate::peer::Peer;

/// Bytes that wait for one backend before its clients wait.
pub const ROUND: usize = 512 << 10;

/// Whether the backend accepts requests now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Requests wait.
    Connecting,
    Up,
    /// Requests are refused.
    Down,
}

/// A backend.
#[derive(Debug)]
pub struct Upstream {
    pub connection: Connection,
    pub address: SocketAddr,
    pub status: Cell<Status>,
    /// The backend was silent for too long.
    pub silent: Cell<bool>,
    /// No policy names it any more.
    pub retired: Cell<bool>,
    /// Clients that wait until the backend takes requests again.
    waiting: RefCell<Vec<Rc<Peer>>>,
    pub requests: Counter,
    pub replies: Counter,
    pub up: Gauge,
}

impl Upstream {
    pub fn new(address: SocketAddr, metrics: &Metrics) -> Upstream {
        let label = Backend { backend: address.to_string() };
        Upstream {
            connection: Connection::default(),
            address,
            status: Cell::new(Status::Connecting),
            silent: Cell::default(),
            retired: Cell::default(),
            waiting: RefCell::default(),
            requests: metrics.requests.get_or_create_owned(&label),
            replies: metrics.replies.get_or_create_owned(&label),
            up: metrics.up.get_or_create_owned(&label),
        }
    }

    /// Whether clients have to wait before they send more.
    pub fn is_full(&self) -> bool {
        self.status.get() == Status::Connecting || self.connection.out.borrow().len() > ROUND
    }

    /// Registers the client, to be told when the backend accepts requests again.
    pub fn wait(&self, peer: &Rc<Peer>) {
        self.waiting.borrow_mut().push(Rc::clone(peer));
    }

    /// Tells the clients that wait.
    pub fn go_on(&self) {
        self.waiting.borrow_mut().drain(..).for_each(|peer| peer.connection.news.notify_one());
    }

    pub fn set(&self, status: Status) {
        self.status.set(status);
        self.up.set(i64::from(status == Status::Up));
        if status != Status::Connecting {
            self.go_on();
        }
    }
}
