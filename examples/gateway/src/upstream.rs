//! Upstream: a backend's connection as the rest of the proxy sees it.
//!
//! In: requests of all clients. Out: one vectored write for all that came in one round of the event loop.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::task::Waker;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use tokio::net::TcpStream;

use crate::batch::Batch;

/// What the backend can take now.
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
    pub address: SocketAddr,
    pub status: Cell<Status>,
    pub stream: RefCell<Option<TcpStream>>,
    /// Another number for each connection: replies of an earlier one are nobody's.
    pub number: Cell<u64>,
    /// Requests of this round, borrowed from the read buffer.
    pub batch: RefCell<Batch>,
    /// Requests that the backend did not take yet. While there are any, its clients wait.
    pub pending: RefCell<Vec<u8>>,
    /// Why a write failed.
    pub broken: RefCell<Option<std::io::Error>>,
    pub in_flight: Cell<usize>,
    /// Bytes came since the clock looked.
    pub moved: Cell<bool>,
    /// Ticks of the clock in a row with calls in flight and no bytes.
    pub still: Cell<u32>,
    /// The backend said nothing for too long.
    pub silent: Cell<bool>,
    /// No policy names it any more.
    pub retired: Cell<bool>,
    pub waker: RefCell<Option<Waker>>,
    /// Clients that wait until the backend takes requests again.
    pub waiting: RefCell<Vec<Waker>>,
    pub requests: Counter,
    pub replies: Counter,
    pub up: Gauge,
}

impl Upstream {
    pub fn new(address: SocketAddr, requests: Counter, replies: Counter, up: Gauge) -> Upstream {
        Upstream {
            address,
            status: Cell::new(Status::Connecting),
            stream: RefCell::default(),
            number: Cell::default(),
            batch: RefCell::default(),
            pending: RefCell::default(),
            broken: RefCell::default(),
            in_flight: Cell::default(),
            moved: Cell::default(),
            still: Cell::default(),
            silent: Cell::default(),
            retired: Cell::default(),
            waker: RefCell::default(),
            waiting: RefCell::default(),
            requests,
            replies,
            up,
        }
    }

    /// Whether clients have to wait before they send more.
    pub fn is_full(&self) -> bool {
        self.status.get() == Status::Connecting || !self.pending.borrow().is_empty()
    }

    /// The client is woken when the backend takes requests again.
    pub fn wait(&self, waker: &Waker) {
        self.waiting.borrow_mut().push(waker.clone());
    }

    /// Wakes the clients that wait.
    pub fn go_on(&self) {
        self.waiting.borrow_mut().drain(..).for_each(Waker::wake);
    }

    pub fn wake(&self) {
        if let Some(waker) = &*self.waker.borrow() {
            waker.wake_by_ref();
        }
    }

    /// Writes the requests of this round; the read buffer `source` is free afterwards.
    pub fn flush(&self, source: &[u8]) {
        let mut batch = self.batch.borrow_mut();
        if let Some(stream) = &*self.stream.borrow() {
            match batch.write(source, stream) {
                Ok(true) => {}
                Ok(false) => {
                    batch.copy_rest(source, &mut self.pending.borrow_mut());
                    self.wake();
                }
                Err(error) => {
                    self.broken.borrow_mut().get_or_insert(error);
                    self.wake();
                }
            }
        }
        batch.clear();
    }
}
