//! Serve: the proxy as a whole.
//!
//! In: a listener, a policy file, limits. Out: clients and backends joined, until it is told to stop; a line in the log for each
//! fault.

use std::future::Future;
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use anyhow::Context;
use rustix::net::sockopt::{set_socket_keepalive, set_tcp_keepidle, set_tcp_keepintvl};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::{LocalSet, spawn_local};
use tracing::{debug, info, warn};

use super::hub::{Hub, Limits};
use super::peer::Peer;
use super::policy::Policy;
use super::upstream::Upstream;
use super::{backend, client, metrics};
use crate::echo::rows::grouped;
use crate::echo::server::Refusal;
use crate::terminal::{self, Rate};

/// Ticks of the clock in a time-out.
const TICKS: u32 = 2;
/// How often the policy file is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Reads a policy file: its text, and what it means.
///
/// # Errors
/// The file cannot be read, or has a fault.
pub fn load(path: &Path) -> anyhow::Result<(String, Policy)> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let policy = Policy::parse(&text).with_context(|| path.display().to_string())?;
    Ok((text, policy))
}

/// Serves until `stop` is ready, then lets requests in flight finish for up to two seconds. Progress shows on a terminal only.
///
/// # Errors
/// The policy cannot be read, or has a fault.
pub async fn serve(
    listener: TcpListener,
    policy: PathBuf,
    limits: Limits,
    page: Option<TcpListener>,
    shows_progress: bool,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let before = mark(&policy);
    let (text, first) = load(&policy)?;
    info!(policy = %policy.display(), "{first}");
    let local = LocalSet::new();
    local
        .run_until(async move {
            let (hub, upstreams) = Hub::new(limits, first);
            start(&hub, upstreams);
            spawn_local(rounds(Rc::clone(&hub)));
            spawn_local(clock(Rc::clone(&hub)));
            spawn_local(reload(Rc::clone(&hub), policy, text, before));
            if let Some(page) = page {
                let hub = Rc::clone(&hub);
                spawn_local(metrics::serve(page, move || {
                    hub.metrics.in_flight.set(hub.calls.borrow().len() as i64);
                    hub.metrics.text()
                }));
            }
            tokio::select! {
                () = accept(&hub, listener) => {}
                () = progress(&hub), if shows_progress => {}
                () = stop => {}
            }
            hub.stopping.set(true);
            for _ in 0..200 {
                if hub.calls.borrow().is_empty()
                    && hub.peers.borrow().iter().all(|(_, peer)| peer.out.borrow().is_empty())
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

async fn progress(hub: &Hub) {
    let mut rate = Rate::default();
    let line = || {
        let requests = hub.active().upstreams.iter().map(|upstream| upstream.requests.get()).sum();
        format!("{} connections open, {} requests/s", hub.metrics.open.get(), grouped(rate.of(requests)))
    };
    terminal::watch(line).await;
}

/// Flushes after each round of the event loop: tasks that are ready run in turn, and this one is woken by their first request.
async fn rounds(hub: Rc<Hub>) {
    std::future::poll_fn(|cx| {
        while hub.poll_round(cx.waker()) {
            hub.flush();
        }
        std::task::Poll::<()>::Pending
    })
    .await;
}

async fn accept(hub: &Rc<Hub>, listener: TcpListener) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => admit(hub, stream, address),
            Err(error) => {
                // Out of descriptors, say: connections that close make room.
                warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

fn admit(hub: &Rc<Hub>, stream: TcpStream, address: SocketAddr) {
    hub.metrics.accepted.inc();
    if hub.peers.borrow().len() >= hub.limits.connections {
        hub.metrics.refused.inc();
        return warn!(%address, limit = hub.limits.connections, "refused: too many connections are open");
    }
    if let Err(error) = options(&stream, &hub.limits, hub.metrics.accepted.get()) {
        debug!(%address, %error, "an option of the connection is not set");
    }
    let peer = Rc::new(Peer::new(stream, address));
    let place = hub.peers.borrow_mut().insert(Rc::clone(&peer));
    hub.metrics.open.inc();
    debug!(%address, "connected");
    let hub = Rc::clone(hub);
    spawn_local(async move {
        let end = client::serve(peer, Rc::clone(&hub)).await;
        hub.peers.borrow_mut().remove(place);
        hub.metrics.open.dec();
        match end {
            Ok(()) => debug!(%address, "closed"),
            Err(Refusal::Idle) => info!(%address, "closed: {}", Refusal::Idle),
            Err(reason) => {
                hub.metrics.refused.inc();
                warn!(%address, %reason, "refused");
            }
        }
    });
}

/// Small segments at once, and a peer that is gone without a word is found.
///
/// The number of the connection spreads the questions: asked at the same moment, thousands of idle connections overflow the
/// system's queue of packets (`net.core.netdev_max_backlog`), and those whose answers are dropped would be taken for gone.
///
/// # Errors
/// The system does not take an option.
pub fn options(stream: &TcpStream, limits: &Limits, number: u64) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    set_socket_keepalive(stream, true)?;
    let (silent, again) = limits.alive;
    set_tcp_keepidle(stream, silent + Duration::from_secs(number % silent.as_secs().max(1)))?;
    Ok(set_tcp_keepintvl(stream, again)?)
}

/// One clock for all: a timer for each connection or request would cost more than they do.
async fn clock(hub: Rc<Hub>) {
    let mut clock = tokio::time::interval(hub.limits.timeout / TICKS);
    clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        clock.tick().await;
        let now = hub.tick.get().wrapping_add(1);
        hub.tick.set(now);
        for upstream in &hub.active().upstreams {
            let waits = upstream.in_flight.get() > 0 && !upstream.moved.take();
            upstream.still.set(if waits { upstream.still.get() + 1 } else { 0 });
            if upstream.still.get() > TICKS {
                upstream.silent.set(true);
                upstream.wake();
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
    let still = if peer.moved.take() { 0 } else { peer.still.get().saturating_add(1) };
    peer.still.set(still);
    let unread = !peer.out.borrow().is_empty();
    if still > TICKS && unread {
        peer.end(Refusal::Deaf);
    } else if still > TICKS && peer.begun.get() {
        peer.end(Refusal::Slow { bytes: peer.held.get() });
    } else if still > idle && peer.in_flight.get() == 0 {
        peer.end(Refusal::Idle);
    } else if still == TICKS {
        peer.shrink.set(true);
        peer.wake();
    }
}

/// What changes with a file: time, length, number.
type Mark = Option<(SystemTime, u64, u64)>;

fn mark(path: &Path) -> Mark {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len(), metadata.ino()))
}

/// Takes the policy file whenever its text changes or a hang-up signal comes; a bad file changes nothing.
async fn reload(hub: Rc<Hub>, path: PathBuf, mut text: String, mut before: Mark) {
    let mut hang_up = match signal(SignalKind::hangup()) {
        Ok(signal) => signal,
        Err(error) => return warn!(%error, "no signal reloads the policy"),
    };
    loop {
        let asked = tokio::select! {
            _ = hang_up.recv() => true,
            () = tokio::time::sleep(LOOK) => false,
        };
        let changed = mark(&path);
        if changed == before && !asked {
            continue;
        }
        before = changed;
        let now = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()));
        let taken = match now {
            Ok(now) if now == text && !asked => continue,
            Ok(now) => {
                text = now;
                Policy::parse(&text)
            }
            // Editors replace a file by another: the next look finds it.
            Err(_) if !asked => continue,
            Err(error) => Err(error),
        };
        match taken {
            Ok(policy) => {
                info!(policy = %path.display(), "new policy: {policy}");
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
