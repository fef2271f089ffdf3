//! Serve: the proxy as a whole.
//!
//! In: a listener, a policy file, limits. Out: clients connected to backends, until `stop` is ready; faults in the log, at
//! most one line a second for each repeated kind.

use std::future::Future;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::{LocalSet, spawn_local};
use tracing::{debug, info, warn};

use crate::file::PolicyFile;
use crate::hub::{Hub, Limits};
use crate::log::Seldom;
use crate::peer::Peer;
use crate::policy::Policy;
use crate::refusal::Refusal;
use crate::upstream::Upstream;
use crate::{backend, client, metrics};

/// Ticks of the clock in a time-out.
const TICKS: u32 = 2;
/// How often the policy file is read. A program that writes it in steps must not pause longer than this.
const LOOK: Duration = Duration::from_millis(500);
/// The number of log lines at once about refused clients.
const LINES: u32 = 10;

/// Serves until `stop` is ready, then lets requests in flight finish for up to two seconds.
pub async fn serve(
    listener: TcpListener,
    (file, first): (PolicyFile, Policy),
    limits: Limits,
    page: Option<TcpListener>,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    info!(policy = %file.path.display(), "{first}");
    let hang_up = signal(SignalKind::hangup())?;
    LocalSet::new()
        .run_until(async move {
            let (hub, upstreams) = Hub::new(limits, first);
            start(&hub, upstreams);
            spawn_local(clock(Rc::clone(&hub)));
            spawn_local(reload(Rc::clone(&hub), file, hang_up));
            if let Some(page) = page {
                spawn_local(metrics::serve(page, Arc::clone(&hub.metrics.registry)));
            }
            tokio::select! {
                () = accept(&hub, listener) => {}
                () = stop => {}
            }
            hub.stopping.set(true);
            for _ in 0..200 {
                if hub.calls.borrow().is_empty()
                    && !hub.peers.borrow().iter().any(|(_, peer)| peer.connection.has_unwritten())
                {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            let left = hub.calls.borrow().len();
            let of = &hub.metrics;
            info!(
                connections = of.accepted.get(),
                refused = of.refused.get(),
                dropped = of.dropped.get(),
                redacted = of.redacted.get(),
                left,
                "stopped"
            );
        })
        .await;
    Ok(())
}

fn start(hub: &Rc<Hub>, upstreams: Vec<Rc<Upstream>>) {
    for upstream in upstreams {
        spawn_local(backend::run(upstream, Rc::clone(hub)));
    }
}

/// Log lines about clients that are not served.
struct Lines {
    accept: Seldom,
    full: Seldom,
    refused: Seldom,
}

async fn accept(hub: &Rc<Hub>, listener: TcpListener) {
    let lines = Rc::new(Lines { accept: Seldom::new(1), full: Seldom::new(1), refused: Seldom::new(LINES) });
    loop {
        match listener.accept().await {
            Ok((stream, address)) => admit(hub, &lines, stream, address),
            Err(error) => {
                // Out of descriptors, say: connections that close make room.
                if let Some(silent) = lines.accept.may() {
                    warn!(%error, silent, "cannot accept a connection");
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

fn admit(hub: &Rc<Hub>, lines: &Rc<Lines>, stream: TcpStream, address: SocketAddr) {
    hub.metrics.accepted.inc();
    if hub.peers.borrow().len() >= hub.limits.connections {
        hub.metrics.refused.inc();
        if let Some(silent) = lines.full.may() {
            warn!(%address, limit = hub.limits.connections, silent, "refused: too many connections are open");
        }
        return;
    }
    if let Err(error) = hub.limits.set_on(&stream, hub.metrics.accepted.get()) {
        debug!(%address, %error, "an option of the connection is not set");
    }
    let peer = Rc::<Peer>::default();
    let place = hub.peers.borrow_mut().insert(Rc::clone(&peer));
    hub.metrics.open.inc();
    debug!(%address, "connected");
    let (hub, lines) = (Rc::clone(hub), Rc::clone(lines));
    spawn_local(async move {
        let end = client::serve(stream, peer, Rc::clone(&hub)).await;
        hub.peers.borrow_mut().remove(place);
        hub.metrics.open.dec();
        match end {
            Ok(()) => debug!(%address, "closed"),
            Err(Refusal::Idle) => debug!(%address, "closed: {}", Refusal::Idle),
            Err(reason) => {
                hub.metrics.refused.inc();
                if let Some(silent) = lines.refused.may() {
                    warn!(%address, %reason, silent, "refused");
                }
            }
        }
    });
}

/// One clock for all connections and requests: a timer for each would cost more than the work on it.
async fn clock(hub: Rc<Hub>) {
    let mut clock = tokio::time::interval(hub.limits.timeout / TICKS);
    clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        clock.tick().await;
        let now = hub.tick.get().wrapping_add(1);
        hub.tick.set(now);
        for upstream in &hub.active().upstreams {
            let connection = &upstream.connection;
            let waits = connection.in_flight.get() > 0 && !connection.moved.take();
            connection.still.set(if waits { connection.still.get() + 1 } else { 0 });
            if connection.still.get() > TICKS {
                upstream.silent.set(true);
                connection.news.notify_one();
            }
        }
        let late = hub.give_up(|call| now.wrapping_sub(call.since) > TICKS, "no reply in time");
        if late > 0 {
            hub.metrics.timed_out.inc_by(late);
            warn!(requests = late, "no reply in time");
        }
        let idle = hub.limits.idle * TICKS;
        for (_, peer) in hub.peers.borrow().iter() {
            check(peer, idle);
        }
    }
}

fn check(peer: &Peer, idle: u32) {
    let connection = &peer.connection;
    let still = if connection.moved.take() { 0 } else { connection.still.get().saturating_add(1) };
    connection.still.set(still);
    if still > TICKS && connection.has_unwritten() {
        peer.end(Refusal::Deaf);
    } else if let (true, Some(bytes)) = (still > TICKS, peer.begun.get()) {
        peer.end(Refusal::Slow { bytes });
    } else if still > idle && connection.in_flight.get() == 0 {
        peer.end(Refusal::Idle);
    } else if still == TICKS {
        peer.shrink.set(true);
        connection.news.notify_one();
    }
}

/// Applies the policy file when its text has changed, or after a hang-up signal. A faulty file changes nothing.
///
/// A thread reads the file, since a file system may be slow or gone. The process does not wait for the thread at its end.
async fn reload(hub: Rc<Hub>, mut file: PolicyFile, mut hang_up: Signal) {
    let path = file.path.clone();
    let (ask, asked) = std::sync::mpsc::sync_channel(1);
    let (tell, mut told) = tokio::sync::mpsc::channel(1);
    std::thread::spawn(move || {
        while let is_asked @ (Ok(()) | Err(RecvTimeoutError::Timeout)) = asked.recv_timeout(LOOK) {
            if file.look(is_asked.is_ok()).is_some_and(|found| tell.blocking_send(found).is_err()) {
                return;
            }
        }
    });
    loop {
        let found = tokio::select! {
            _ = hang_up.recv() => {
                let _ = ask.try_send(());
                continue;
            }
            Some(found) = told.recv() => found,
        };
        match found {
            Ok(policy) => {
                info!(policy = %path.display(), "new policy: {policy}");
                let lost = policy.no_longer_removed(&hub.active().policy);
                if !lost.is_empty() {
                    warn!(paths = lost.join(", "), "no longer removed");
                }
                let new = hub.take(policy);
                start(&hub, new);
            }
            Err(error) => {
                hub.metrics.bad_policies.inc();
                warn!(policy = %path.display(), error = format!("{error:#}"), "the old policy stays");
            }
        }
    }
}
