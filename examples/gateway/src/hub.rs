//! Hub: what the connections of a proxy share.
//!
//! In: a policy, and requests of clients. Out: the backend and the call of each.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::time::Duration;

use clap::Parser;
use rustix::net::sockopt::{set_socket_keepalive, set_tcp_keepidle, set_tcp_keepintvl};
use slab::Slab;
use tokio::net::TcpStream;

use crate::calls::{Call, Calls};
use crate::metrics::Metrics;
use crate::peer::Peer;
use crate::policy::Policy;
use crate::upstream::Upstream;

/// What a proxy allows.
#[derive(Clone, Debug, Parser)]
pub struct Limits {
    /// Clients' connections open at the same time.
    #[arg(long = "max-connections", value_name = "MAX_CONNECTIONS", default_value_t = 200_000)]
    pub connections: usize,
    /// The longest packet in bytes.
    #[arg(long = "max-packet", value_name = "MAX_PACKET", default_value_t = 1 << 20)]
    pub packet: usize,
    // Each gets at least this long and at most a half more.
    /// How long a reply may take, an incomplete request may last, and a client may not read.
    #[arg(long, default_value = "10s", value_parser = humantime::parse_duration)]
    pub timeout: Duration,
    /// A client without requests is closed after this many time-outs.
    #[arg(skip = 360_u32)]
    pub idle: u32,
    /// Requests of one client in flight before the proxy stops reading from it.
    #[arg(skip = 4096_usize)]
    pub in_flight: usize,
    /// Bytes of replies that wait for one client.
    #[arg(skip = 16_usize << 20)]
    pub unread: usize,
    /// TCP keep-alive: the system probes a peer that is silent for the first of these times, or up to twice as long, and
    /// repeats the probe after the second. A peer that misses several probes (`net.ipv4.tcp_keepalive_probes`) is gone.
    #[arg(skip = (Duration::from_secs(300), Duration::from_secs(15)))]
    pub alive: (Duration, Duration),
}

impl Default for Limits {
    /// The limits of the command without arguments.
    fn default() -> Limits {
        Limits::parse_from([""])
    }
}

impl Limits {
    /// Sends small segments at once, and finds peers that are gone without closing the connection.
    ///
    /// The number of the connection spreads the probes in time. Thousands of probes at the same moment would overflow the
    /// system's queue of packets (`net.core.netdev_max_backlog`), and peers whose answers are dropped would count as gone.
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

/// All that is shared.
#[derive(Debug)]
pub struct Hub {
    pub limits: Limits,
    pub metrics: Metrics,
    active: RefCell<Rc<Active>>,
    /// The bytes of one read of any connection.
    pub shared: RefCell<Vec<u8>>,
    /// Replies in a row to one client.
    pub replies: RefCell<Vec<u8>>,
    pub calls: RefCell<Calls>,
    pub peers: RefCell<Slab<Rc<Peer>>>,
    pub tick: Cell<u32>,
    pub stopping: Cell<bool>,
}

impl Hub {
    /// Makes a hub with a policy and its backends. The caller has to run the backends.
    pub fn new(limits: Limits, policy: Policy) -> (Rc<Hub>, Vec<Rc<Upstream>>) {
        let metrics = Metrics::default();
        let (active, new) = resolve(policy, &[], &metrics);
        metrics.policies.inc();
        let hub = Hub {
            limits,
            metrics,
            active: RefCell::new(Rc::new(active)),
            shared: RefCell::default(),
            replies: RefCell::default(),
            calls: RefCell::default(),
            peers: RefCell::default(),
            tick: Cell::default(),
            stopping: Cell::default(),
        };
        (Rc::new(hub), new)
    }

    /// Uses a policy for all packets from now on, and returns the new backends. Calls in flight keep their backends.
    pub fn take(&self, policy: Policy) -> Vec<Rc<Upstream>> {
        let before = self.active();
        let (active, new) = resolve(policy, &before.upstreams, &self.metrics);
        for upstream in &before.upstreams {
            if !active.upstreams.iter().any(|kept| Rc::ptr_eq(kept, upstream)) {
                upstream.retired.set(true);
                upstream.connection.news.notify_one();
            }
        }
        self.metrics.policies.inc();
        *self.active.borrow_mut() = Rc::new(active);
        new
    }

    /// The current policy and its backends.
    #[inline]
    pub fn active(&self) -> Rc<Active> {
        Rc::clone(&self.active.borrow())
    }

    /// Ends a call, and counts one less for its client and its backend.
    #[inline]
    pub fn ended(&self, call: &Call) {
        self.metrics.in_flight.dec();
        let (peer, upstream) = (&call.peer.connection, &call.upstream.connection);
        upstream.in_flight.set(upstream.in_flight.get().saturating_sub(1));
        if call.upstream.retired.get() {
            upstream.news.notify_one();
        }
        let before = peer.in_flight.get();
        peer.in_flight.set(before.saturating_sub(1));
        // It may wait for room, or for its last reply.
        if before >= self.limits.in_flight || call.peer.ended.get() {
            peer.news.notify_one();
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

/// A policy with its backends, reusing those of `known`; and the new backends.
fn resolve(policy: Policy, known: &[Rc<Upstream>], metrics: &Metrics) -> (Active, Vec<Rc<Upstream>>) {
    let (mut upstreams, mut new) = (Vec::<Rc<Upstream>>::new(), Vec::new());
    for (_, address) in &policy.backends {
        let there = known.iter().chain(&upstreams).find(|upstream| upstream.address == *address).cloned();
        upstreams.push(there.unwrap_or_else(|| {
            let upstream = Rc::new(Upstream::new(*address, metrics));
            new.push(Rc::clone(&upstream));
            upstream
        }));
    }
    (Active { policy, upstreams }, new)
}
