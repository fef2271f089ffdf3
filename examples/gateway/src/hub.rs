//! Hub: the state that all connections of a proxy share: the policy, the backends and the pending calls.
//!
//! The proxy replaces the id of a request with its own id. The backend returns this id, and the proxy finds the client
//! by it.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use clap::Parser;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use rustix::net::sockopt::{set_socket_keepalive, set_tcp_keepidle, set_tcp_keepintvl};
use slab::Slab;
use tokio::net::TcpStream;

use crate::connection::Connection;
use crate::message::Id;
use crate::metrics::Metrics;
use crate::policy::Policy;

/// If a client has this many pending requests, the proxy stops reading from it.
pub const IN_FLIGHT: usize = 4096;
/// If a backend has this many unsent bytes, its clients wait.
pub const ROUND: usize = 512 << 10;
/// The low bits of an id are the index of the call. The high bits count calls, so a late reply never matches a later
/// call.
const PLACE: u32 = 32;
/// The maximum number of pending requests of all clients.
const CALLS: usize = 1 << 22;

/// The limits of a proxy.
#[derive(Clone, Debug, Parser)]
pub struct Limits {
    /// The maximum number of open client connections.
    #[arg(long = "max-connections", value_name = "MAX_CONNECTIONS", default_value_t = 200_000)]
    pub connections: usize,
    /// The maximum length of a packet in bytes.
    #[arg(long = "max-packet", value_name = "MAX_PACKET", default_value_t = 1 << 20)]
    pub packet: usize,
    // The actual time is up to half longer, because the clock ticks only twice in it.
    /// The maximum time for a reply, for an incomplete request, and for a client that does not read.
    #[arg(long, default_value = "10s", value_parser = humantime::parse_duration)]
    pub timeout: Duration,
    /// The times of TCP keep-alive: the silence before the first probe, up to doubled, and the pause between further
    /// probes. The system closes the connection if several probes (`net.ipv4.tcp_keepalive_probes`) have no answer.
    #[arg(skip = (Duration::from_secs(300), Duration::from_secs(15)))]
    pub alive: (Duration, Duration),
}

impl Default for Limits {
    /// The default limits of the command.
    fn default() -> Limits {
        Limits::parse_from([""])
    }
}

impl Limits {
    /// Turns off Nagle's algorithm and turns on keep-alive, which detects peers that are gone.
    ///
    /// The connection's number spreads the probes over time. Thousands of probes at the same moment would overflow the
    /// system's queue of packets (`net.core.netdev_max_backlog`). Then probes would stay unanswered, and the system
    /// would close good connections.
    pub fn set_on(&self, stream: &TcpStream, number: u64) -> io::Result<()> {
        stream.set_nodelay(true)?;
        set_socket_keepalive(stream, true)?;
        let (silent, again) = self.alive;
        set_tcp_keepidle(stream, silent + Duration::from_secs(number % silent.as_secs().max(1)))?;
        Ok(set_tcp_keepintvl(stream, again)?)
    }
}

/// The state of the connection to a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Requests wait.
    Connecting,
    Up,
    /// Requests are refused.
    Down,
}

#[derive(Debug)]
pub struct Upstream {
    pub connection: Connection,
    pub address: SocketAddr,
    pub status: Cell<Status>,
    /// True if no policy names the backend any more.
    pub retired: Cell<bool>,
    /// Clients that wait until the backend accepts requests again.
    pub waiting: RefCell<Vec<Rc<Connection>>>,
    pub requests: Counter,
    pub replies: Counter,
    up: Gauge,
}

impl Upstream {
    fn new(address: SocketAddr, metrics: &Metrics) -> Upstream {
        let label = [("backend", address.to_string())];
        Upstream {
            connection: Connection::default(),
            address,
            status: Cell::new(Status::Connecting),
            retired: Cell::default(),
            waiting: RefCell::default(),
            requests: metrics.requests.get_or_create_owned(&label),
            replies: metrics.replies.get_or_create_owned(&label),
            up: metrics.up.get_or_create_owned(&label),
        }
    }

    /// True if clients have to wait before they send more requests.
    pub fn is_full(&self) -> bool {
        self.status.get() == Status::Connecting || self.connection.out.borrow().len() > ROUND
    }

    /// Wakes the clients that wait.
    pub fn go_on(&self) {
        self.waiting.borrow_mut().drain(..).for_each(|client| client.news.notify_one());
    }

    pub fn set(&self, status: Status) {
        self.status.set(status);
        if !self.retired.get() {
            self.up.set(i64::from(status == Status::Up));
        }
        if status != Status::Connecting {
            self.go_on();
        }
    }
}

/// A request that waits for its reply.
#[derive(Debug)]
pub struct Call {
    /// The proxy's id.
    pub number: u64,
    pub client: Rc<Connection>,
    /// The client's id.
    pub id: Id,
    pub upstream: Rc<Upstream>,
    /// The tick at which the call began.
    pub since: u32,
}

/// A policy with the backends it names.
#[derive(Debug, Default)]
pub struct Active {
    pub policy: Policy,
    pub upstreams: Vec<Rc<Upstream>>,
}

/// The shared state.
#[derive(Debug, Default)]
pub struct Hub {
    pub limits: Limits,
    pub metrics: Metrics,
    pub(crate) active: RefCell<Rc<Active>>,
    /// The buffer for reads of all connections.
    pub shared: RefCell<Vec<u8>>,
    /// The buffer for consecutive replies to one client.
    pub replies: RefCell<Vec<u8>>,
    pub(crate) calls: RefCell<Slab<Call>>,
    /// The number of calls so far.
    pub(crate) count: Cell<u64>,
    pub clients: RefCell<Slab<Rc<Connection>>>,
    pub tick: Cell<u32>,
    pub stopping: Cell<bool>,
}

impl Hub {
    /// Applies a policy to all packets from now on. Pending calls keep their backends. Returns the new backends, which
    /// the caller has to run.
    pub fn take(&self, policy: Policy) -> Vec<Rc<Upstream>> {
        let before = self.active();
        let (mut upstreams, mut new) = (Vec::<Rc<Upstream>>::new(), Vec::new());
        for (_, address) in &policy.backends {
            let known =
                before.upstreams.iter().chain(&upstreams).find(|upstream| upstream.address == *address).cloned();
            upstreams.push(known.unwrap_or_else(|| {
                let upstream = Rc::new(Upstream::new(*address, &self.metrics));
                new.push(Rc::clone(&upstream));
                upstream
            }));
        }
        for upstream in &before.upstreams {
            if !upstreams.iter().any(|kept| Rc::ptr_eq(kept, upstream)) {
                upstream.retired.set(true);
                upstream.up.set(0);
                // Its clients send their waiting requests under the new policy.
                upstream.go_on();
                upstream.connection.news.notify_one();
            }
        }
        self.metrics.policies.inc();
        *self.active.borrow_mut() = Rc::new(Active { policy, upstreams });
        new
    }

    /// The current policy and its backends.
    #[inline]
    pub fn active(&self) -> Rc<Active> {
        Rc::clone(&self.active.borrow())
    }

    /// True if no call can begin, because there are too many.
    pub fn is_full(&self) -> bool {
        self.calls.borrow().len() >= CALLS
    }

    /// The proxy's id for the next call.
    pub fn next(&self) -> u64 {
        self.count.get() << PLACE | self.calls.borrow().vacant_key() as u64
    }

    /// Begins a call with the id that [`next`](Self::next) returned.
    pub fn begin(&self, call: Call) {
        for connection in [&*call.client, &call.upstream.connection] {
            connection.in_flight.set(connection.in_flight.get() + 1);
        }
        self.metrics.in_flight.inc();
        self.calls.borrow_mut().insert(call);
        // Wraps after 2^31 calls, so the id remains positive.
        self.count.set((self.count.get() + 1) & ((1 << 31) - 1));
    }

    /// Ends the call with this id, if its backend is `upstream`. Calls end with their connection, so the call belongs
    /// to the current connection.
    #[inline]
    pub fn end(&self, number: u64, upstream: &Rc<Upstream>) -> Option<Call> {
        let mut calls = self.calls.borrow_mut();
        let place = usize::try_from(number & ((1 << PLACE) - 1)).ok()?;
        calls.get(place).filter(|call| call.number == number && Rc::ptr_eq(&call.upstream, upstream))?;
        let call = calls.remove(place);
        self.ended(&call);
        Some(call)
    }

    /// Decrements the numbers of pending calls.
    #[inline]
    fn ended(&self, call: &Call) {
        self.metrics.in_flight.dec();
        let (client, upstream) = (&call.client, &call.upstream.connection);
        upstream.in_flight.set(upstream.in_flight.get() - 1);
        if call.upstream.retired.get() {
            upstream.news.notify_one();
        }
        let before = client.in_flight.get();
        client.in_flight.set(before - 1);
        // The client may wait for a free place or for its last reply.
        if before >= IN_FLIGHT || client.input.borrow().ended {
            client.news.notify_one();
        }
    }

    /// Ends the calls for which `over` is true, and sends their clients the reason. Returns the number of these calls.
    pub fn give_up(&self, over: impl Fn(&Call) -> bool, why: &str) -> u64 {
        let mut calls = self.calls.borrow_mut();
        let before = calls.len();
        calls.retain(|_, call| {
            let stays = !over(call);
            if !stays {
                call.client.refuse(&call.id, why);
                self.ended(call);
            }
            stays
        });
        (before - calls.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_reply_is_nobodys_also_if_another_call_has_its_place() {
        let hub = Hub::default();
        let backend = |port| Rc::new(Upstream::new(([127, 0, 0, 1], port).into(), &hub.metrics));
        let (client, one, other) = (Rc::default(), backend(2), backend(3));
        let begin = || {
            let (number, client, upstream) = (hub.next(), Rc::clone(&client), Rc::clone(&one));
            hub.begin(Call { number, client, id: Id::new(7), upstream, since: 0 });
            number
        };
        let late = begin();
        assert_eq!(hub.give_up(|_| true, "late"), 1);
        let now = begin();
        assert!(hub.end(late, &one).is_none() && hub.end(now, &other).is_none());
        assert!(hub.end(now, &one).is_some() && hub.calls.borrow().is_empty());
    }
}
