//! Server: accepts connections and serves each in a task, until it is told to stop.
//!
//! In: a listener and its limits. Out: replies, a line in the log for each peer that is refused, and counts.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use gateway::log::Seldom;
use gateway::refusal::Refusal;
use tokio::net::TcpListener;
use tracing::{debug, info, warn};

use super::limits::{Counts, Limits};
use super::quic;
use super::turn::Connection;

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
    let (limits, lines) = (Arc::new(limits), Seldom::new(1));
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
            if let Some(silent) = lines.may() {
                warn!(%peer, limit = limits.connections, silent, "refused: too many connections are open");
            }
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
