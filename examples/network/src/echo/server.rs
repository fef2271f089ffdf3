//! Server: accepts connections and serves each in a task, until it is told to stop.
//!
//! In: a listener and its limits. Out: replies, a line in the log for each peer that is refused, and counts.

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tokio::net::TcpListener;
use tracing::{debug, info, warn};

use super::message::Fault;
use super::quic;
use super::rows::grouped;
use super::turn::Connection;
use crate::terminal::Rate;

/// What a server allows.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The handler waits this long before it replies.
    pub delay: Duration,
    /// The longest body in bytes.
    pub body: usize,
    /// Connections open at the same time.
    pub connections: u64,
    /// A request that is begun, or a reply that the peer does not read, gets at least this long and at most twice as long.
    pub timeout: Duration,
    /// A connection without requests is closed after this many time-outs.
    pub idle: u32,
    /// Requests of one connection that wait for the handler, in bytes, before the server stops reading from it.
    pub waiting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            delay: Duration::ZERO,
            body: 1 << 20,
            connections: 8192,
            timeout: Duration::from_secs(10),
            idle: 60,
            waiting: 8 << 20,
        }
    }
}

/// Why a server closes a connection.
#[derive(Debug)]
pub enum Refusal {
    Fault(Fault),
    /// Half a packet, and then nothing for too long.
    Slow {
        bytes: usize,
    },
    /// A reply that the peer does not read.
    Deaf,
    /// The end of the connection inside a packet.
    Cut {
        bytes: usize,
    },
    Idle,
    Io(std::io::Error),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Fault(fault) => fault.fmt(f),
            Refusal::Slow { bytes } => write!(f, "a request stopped after {bytes} bytes and did not go on in time"),
            Refusal::Deaf => f.write_str("it does not read its replies"),
            Refusal::Cut { bytes } => write!(f, "it closed the connection after {bytes} bytes of a request"),
            Refusal::Idle => f.write_str("it was idle for too long"),
            Refusal::Io(error) => error.fmt(f),
        }
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Refusal::Fault(fault)
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        Refusal::Io(error)
    }
}

/// What a server has seen.
#[derive(Debug, Default)]
pub struct Counts {
    pub accepted: AtomicU64,
    pub open: AtomicU64,
    pub requests: AtomicU64,
    pub refused: AtomicU64,
    /// Batches that wait for the handler or for their peer.
    pub waiting: AtomicU64,
}

impl Counts {
    /// What is so now, in words.
    pub fn now(&self, rate: &mut Rate) -> String {
        let requests = rate.of(self.requests.load(Relaxed));
        format!("{} connections open, {} requests/s", self.open.load(Relaxed), grouped(requests))
    }

    /// One line for the end.
    pub fn summary(&self) -> String {
        let of = |count: &AtomicU64| count.load(Relaxed);
        format!(
            "{} requests on {} connections, {} refused, {} open",
            of(&self.requests),
            of(&self.accepted),
            of(&self.refused),
            of(&self.open)
        )
    }
}

/// Counts a connection as open until it is dropped, however its task ends.
struct Open(Arc<Counts>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Relaxed);
    }
}

/// A connection under the limit of connections; `None` above it.
fn open(counts: &Arc<Counts>, limits: &Limits) -> Option<Open> {
    counts.accepted.fetch_add(1, Relaxed);
    if counts.open.load(Relaxed) >= limits.connections {
        counts.refused.fetch_add(1, Relaxed);
        return None;
    }
    counts.open.fetch_add(1, Relaxed);
    Some(Open(Arc::clone(counts)))
}

/// Serves the connections of a listener until `stop` is ready, then lets begun replies finish for up to a second.
pub async fn serve(listener: TcpListener, limits: Limits, counts: Arc<Counts>, stop: impl Future<Output = ()>) {
    let limits = Arc::new(limits);
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of descriptors, say: connections that close make room.
                warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(open) = open(&counts, &limits) else {
            warn!(%peer, limit = limits.connections, "refused: too many connections are open");
            continue;
        };
        if let Err(error) = stream.set_nodelay(true) {
            debug!(%peer, %error, "no TCP_NODELAY");
        }
        tokio::spawn(connection(stream, peer, Arc::clone(&limits), open));
    }
    for _ in 0..100 {
        if counts.waiting.load(Relaxed) == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn connection<S>(stream: S, peer: SocketAddr, limits: Arc<Limits>, open: Open)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    debug!(%peer, "connected");
    match Connection::new(stream, limits, Arc::clone(&open.0)).await {
        Ok(()) => debug!(%peer, "closed"),
        Err(Refusal::Io(error)) if quic::is_closed(&error) => debug!(%peer, "closed"),
        Err(Refusal::Idle) => info!(%peer, "closed: {}", Refusal::Idle),
        Err(reason) => {
            open.0.refused.fetch_add(1, Relaxed);
            warn!(%peer, %reason, "refused");
        }
    }
}

/// Serves the streams of a QUIC endpoint, each as a connection of its own, until `stop` is ready.
pub async fn serve_quic(
    endpoint: quinn::Endpoint,
    limits: Limits,
    counts: Arc<Counts>,
    stop: impl Future<Output = ()>,
) {
    let limits = Arc::new(limits);
    let mut stop = std::pin::pin!(stop);
    loop {
        let incoming = tokio::select! {
            incoming = endpoint.accept() => incoming,
            () = &mut stop => break,
        };
        let Some(incoming) = incoming else { break };
        let (limits, counts) = (Arc::clone(&limits), Arc::clone(&counts));
        tokio::spawn(async move {
            let peer = incoming.remote_address();
            let connected = match incoming.await {
                Ok(connected) => connected,
                Err(error) => return warn!(%peer, %error, "refused: no QUIC connection"),
            };
            while let Ok((send, receive)) = connected.accept_bi().await {
                let Some(open) = open(&counts, &limits) else {
                    warn!(%peer, limit = limits.connections, "refused: too many streams are open");
                    continue;
                };
                let stream = tokio::io::join(receive, send);
                tokio::spawn(connection(stream, peer, Arc::clone(&limits), open));
            }
        });
    }
    endpoint.close(0u32.into(), b"the server stops");
    endpoint.wait_idle().await;
}
