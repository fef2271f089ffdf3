//! Accepts connections and serves each in a task. Logs one line for each refused peer.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use gateway::log::lines;
use gateway::refusal::Refusal;
use tokio::net::{TcpListener, TcpStream};
use tracing::{debug, info, warn};

use super::limits::{Counts, Limits};
use super::turn::Connection;

/// Counts an open connection until it is dropped, however its task ends.
struct Open(Arc<Counts>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Relaxed);
    }
}

/// Accepts connections and passes each to a function, until `stop` is ready.
pub async fn accept(
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    mut each: impl FnMut(TcpStream, SocketAddr),
) {
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => return,
        };
        match accepted {
            Ok((stream, peer)) => each(stream, peer),
            Err(error) => {
                // For example, the process has too many open files. Closed connections free some.
                warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Serves the connections of a listener until `stop` is ready.
pub async fn serve(listener: TcpListener, limits: Limits, counts: Arc<Counts>, stop: impl Future<Output = ()>) {
    let (limits, lines) = (Arc::new(limits), lines(1));
    accept(listener, stop, move |stream, peer| {
        counts.accepted.fetch_add(1, Relaxed);
        if counts.open.load(Relaxed) >= limits.connections {
            counts.refused.fetch_add(1, Relaxed);
            if lines.check().is_ok() {
                warn!(%peer, limit = limits.connections, "refused: too many connections are open");
            }
            return;
        }
        counts.open.fetch_add(1, Relaxed);
        if let Err(error) = stream.set_nodelay(true) {
            debug!(%peer, %error, "no TCP_NODELAY");
        }
        tokio::spawn(connection(stream, peer, Arc::clone(&limits), Open(Arc::clone(&counts))));
    })
    .await;
}

async fn connection(stream: TcpStream, peer: SocketAddr, limits: Arc<Limits>, open: Open) {
    debug!(%peer, "connected");
    match Connection::new(stream, limits, Arc::clone(&open.0)).await {
        Ok(()) => debug!(%peer, "closed"),
        Err(Refusal::Idle) => info!(%peer, "closed: {}", Refusal::Idle),
        Err(reason) => {
            open.0.refused.fetch_add(1, Relaxed);
            warn!(%peer, %reason, "refused");
        }
    }
}
