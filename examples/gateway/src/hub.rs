//! Hub: what the connections of a proxy share.
//!
//! In: a policy, and requests of clients. Out: the backend and the call of each, and one flush for each round of the event loop.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::task::Waker;
use std::time::Duration;

use rustix::net::sockopt::{set_socket_keepalive, set_tcp_keepidle, set_tcp_keepintvl};
use slab::Slab;
use tokio::net::TcpStream;

use crate::batch::Batch;
use crate::calls::{Call, Calls};
use crate::metrics::{self, Metrics};
use crate::peer::Peer;
use crate::policy::Policy;
use crate::upstream::Upstream;

/// The read buffer for requests: those of one round of the event loop.
pub const ROUND: usize = 512 << 10;
/// The read buffer for replies.
pub const REPLIES: usize = 256 << 10;

/// What a proxy allows.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The longest packet in bytes.
    pub packet: usize,
    /// Clients' connections open at the same time.
    pub connections: usize,
    /// A reply, a request that is begun, or a client that does not read gets at least this long and at most a half more.
    pub timeout: Duration,
    /// A client without requests is closed after this many time-outs.
    pub idle: u32,
    /// Requests of one client in flight before the proxy stops reading from it.
    pub in_flight: usize,
    /// Bytes of replies that wait for one client.
    pub unread: usize,
    /// What one read of a client brings at most.
    pub read: usize,
    /// The system asks a peer that is silent for the first of these, or up to twice as long, and asks again after the second; one
    /// that does not answer several times (`net.ipv4.tcp_keepalive_probes`) is gone.
    pub alive: (Duration, Duration),
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            packet: 1 << 20,
            connections: 200_000,
            timeout: Duration::from_secs(10),
            idle: 360,
            in_flight: 4096,
            unread: 16 << 20,
            read: 64 << 10,
            alive: (Duration::from_secs(300), Duration::from_secs(15)),
        }
    }
}

impl Limits {
    /// Small segments at once, and a peer that is gone without a word is found.
    ///
    /// The number of the connection spreads the questions: asked at the same moment, thousands of idle connections overflow the
    /// system's queue of packets (`net.core.netdev_max_backlog`), and those whose answers are dropped would be taken for gone.
    ///
    /// # Errors
    /// The system does not take an option.
    pub fn set_on(&self, stream: &TcpStream, number: u64) -> io::Result<()> {
        stream.set_nodelay(true)?;
        set_socket_keepalive(stream, true)?;
        let (silent, again) = self.alive;
        set_tcp_keepidle(stream, silent + Duration::from_secs(number % silent.as_secs().max(1)))?;
        Ok(set_tcp_keepintvl(stream, again)?)
    }
}

/// A policy with the backends it names.
#[derive(Debug)]
pub struct Active {
    pub policy: Policy,
    pub upstreams: Vec<Rc<Upstream>>,
}

/// The shared read buffers.
#[derive(Debug)]
pub struct Buffers {
    pub bytes: Vec<u8>,
    pub used: usize,
}

/// All that is shared.
#[derive(Debug)]
pub struct Hub {
    pub limits: Limits,
    pub metrics: Metrics,
    active: RefCell<Rc<Active>>,
    pub requests: RefCell<Buffers>,
    pub replies: RefCell<(Vec<u8>, Batch)>,
    pub calls: RefCell<Calls>,
    pub peers: RefCell<Slab<Rc<Peer>>>,
    /// Backends with requests of this round.
    dirty: RefCell<Vec<Rc<Upstream>>>,
    flusher: RefCell<Option<Waker>>,
    pub tick: Cell<u32>,
    pub stopping: Cell<bool>,
}

impl Hub {
    /// A hub with a policy, and its backends, which somebody has to run.
    pub fn new(limits: Limits, policy: Policy) -> (Rc<Hub>, Vec<Rc<Upstream>>) {
        let metrics = Metrics::default();
        let (active, new) = resolve(policy, &[], &metrics);
        metrics.policies.inc();
        let hub = Hub {
            limits,
            metrics,
            active: RefCell::new(Rc::new(active)),
            requests: RefCell::new(Buffers { bytes: Vec::new(), used: 0 }),
            replies: RefCell::default(),
            calls: RefCell::default(),
            peers: RefCell::default(),
            dirty: RefCell::default(),
            flusher: RefCell::default(),
            tick: Cell::default(),
            stopping: Cell::default(),
        };
        (Rc::new(hub), new)
    }

    /// Takes a policy for all packets from now on, and returns backends that are new. Calls in flight keep their backends.
    pub fn take(&self, policy: Policy) -> Vec<Rc<Upstream>> {
        let before = self.active();
        let (active, new) = resolve(policy, &before.upstreams, &self.metrics);
        for upstream in &before.upstreams {
            if !active.upstreams.iter().any(|kept| Rc::ptr_eq(kept, upstream)) {
                upstream.retired.set(true);
                upstream.wake();
            }
        }
        self.metrics.policies.inc();
        *self.active.borrow_mut() = Rc::new(active);
        new
    }

    /// The policy of now, and its backends.
    #[inline]
    pub fn active(&self) -> Rc<Active> {
        Rc::clone(&self.active.borrow())
    }

    /// Makes room in the read buffer for `held` bytes and one read, and returns where it begins and ends.
    pub fn room(&self, held: usize) -> (usize, usize) {
        let least = held + self.limits.read / 4;
        if self.requests.borrow().used + least > ROUND {
            self.flush();
        }
        let mut buffers = self.requests.borrow_mut();
        if buffers.bytes.is_empty() {
            buffers.bytes = vec![0; ROUND];
        }
        let at = buffers.used;
        (at, ROUND.min(at + held + self.limits.read))
    }

    /// The backend has requests of this round: the flusher runs after the clients that are ready now.
    #[inline]
    pub fn is_dirty(&self, upstream: &Rc<Upstream>) {
        self.dirty.borrow_mut().push(Rc::clone(upstream));
        if let Some(waker) = self.flusher.borrow_mut().take() {
            waker.wake();
        }
    }

    /// Whether a round has ended; otherwise the waker is woken after the next one.
    pub fn poll_round(&self, waker: &Waker) -> bool {
        if self.dirty.borrow().is_empty() {
            *self.flusher.borrow_mut() = Some(waker.clone());
            return false;
        }
        true
    }

    /// Sends the requests of this round, which are in the shared read buffer.
    pub fn flush(&self) {
        let mut buffers = self.requests.borrow_mut();
        self.flush_from(&buffers.bytes);
        buffers.used = 0;
    }

    /// Sends the requests of this round, which are in `source`.
    pub fn flush_from(&self, source: &[u8]) {
        for upstream in self.dirty.borrow_mut().drain(..) {
            upstream.flush(source);
        }
    }

    /// Ends a call: its client and its backend have one less.
    #[inline]
    pub fn ended(&self, call: &Call) {
        let (peer, upstream) = (&call.peer, &call.upstream);
        upstream.in_flight.set(upstream.in_flight.get().saturating_sub(1));
        if upstream.retired.get() {
            upstream.wake();
        }
        let before = peer.in_flight.get();
        peer.in_flight.set(before.saturating_sub(1));
        // It may wait for room, or for its last reply.
        if before >= self.limits.in_flight || peer.ended.get() {
            peer.wake();
        }
    }

    /// Ends calls without a reply, and tells their clients why. Returns how many.
    pub fn give_up(&self, over: impl FnMut(&Call) -> bool, why: &str) -> u64 {
        let calls = self.calls.borrow_mut().end_all(over);
        for call in &calls {
            call.peer.refuse(&call.id, why);
            self.ended(call);
        }
        calls.len() as u64
    }
}

/// A policy with its backends, those of `known` among them, and the backends that are new.
fn resolve(policy: Policy, known: &[Rc<Upstream>], metrics: &Metrics) -> (Active, Vec<Rc<Upstream>>) {
    let (mut upstreams, mut new) = (Vec::<Rc<Upstream>>::new(), Vec::new());
    for (_, address) in &policy.backends {
        let there = known.iter().chain(&upstreams).find(|upstream| upstream.address == *address).cloned();
        upstreams.push(there.unwrap_or_else(|| {
            let upstream = Rc::new(upstream(*address, metrics));
            new.push(Rc::clone(&upstream));
            upstream
        }));
    }
    (Active { policy, upstreams }, new)
}

fn upstream(address: SocketAddr, metrics: &Metrics) -> Upstream {
    let label = metrics::Backend { backend: address.to_string() };
    Upstream::new(
        address,
        metrics.requests.get_or_create_owned(&label),
        metrics.replies.get_or_create_owned(&label),
        metrics.up.get_or_create_owned(&label),
    )
}
