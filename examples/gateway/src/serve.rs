//! Serve: runs the proxy. Accepts clients, connects backends, reloads the policy file, and logs errors.

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use governor::DefaultDirectRateLimiter;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{LocalSet, spawn_blocking, spawn_local};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tracing::{debug, info, warn};

use crate::connection::Connection;
use crate::hub::{Hub, Limits};
use crate::log::lines;
use crate::policy::Policy;
use crate::refusal::Refusal;
use crate::{backend, client, metrics};

/// The ticks of the clock in one timeout.
const TICKS: u32 = 2;
/// The maximum time for pending requests after a stop.
const GRACE: Duration = Duration::from_secs(2);

/// Serves until `stop` is ready, then waits for pending requests. Reads the policy file again each time that `asked` is
/// ready.
pub async fn serve(
    listener: TcpListener,
    (path, first): (PathBuf, Policy),
    limits: Limits,
    page: Option<TcpListener>,
    asked: impl AsyncFnMut() + 'static,
    stop: impl Future<Output = ()>,
) {
    let serving = async move {
        info!(policy = %path.display(), "{first}");
        let hub = Rc::new(Hub { limits, ..Hub::default() });
        take(&hub, first);
        spawn_local(clock(Rc::clone(&hub)));
        spawn_local(reload(Rc::clone(&hub), path, asked));
        if let Some(page) = page {
            spawn_local(metrics::serve(page, Arc::clone(&hub.metrics.registry)));
        }
        tokio::select! {
            () = accept(&hub, listener) => {}
            () = stop => {}
        }
        hub.stopping.set(true);
        let is_busy =
            || !hub.calls.borrow().is_empty() || hub.clients.borrow().iter().any(|(_, client)| client.has_unwritten());
        let end = async {
            while is_busy() {
                sleep(Duration::from_millis(10)).await;
            }
        };
        // The remaining requests are counted below.
        let _ = timeout(GRACE, end).await;
        info!(connections = hub.metrics.accepted.get(), left = hub.calls.borrow().len(), "stopped");
    };
    LocalSet::new().run_until(serving).await;
}

fn take(hub: &Rc<Hub>, policy: Policy) {
    for upstream in hub.take(policy) {
        spawn_local(backend::run(upstream, Rc::clone(hub)));
    }
}

async fn accept(hub: &Rc<Hub>, listener: TcpListener) {
    let (full, refused) = (lines(1), Rc::new(lines(10)));
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                hub.metrics.accepted.inc();
                if hub.clients.borrow().len() < hub.limits.connections {
                    spawn_local(admit(Rc::clone(hub), Rc::clone(&refused), stream, address));
                    continue;
                }
                hub.metrics.refused.inc();
                if full.check().is_ok() {
                    warn!(%address, limit = hub.limits.connections, "refused: too many connections are open");
                }
            }
            Err(error) => {
                // For example, there are no free file descriptors. Closed connections free some.
                if full.check().is_ok() {
                    warn!(%error, "cannot accept a connection");
                }
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Registers a client, and returns the future that serves it.
fn admit(
    hub: Rc<Hub>,
    lines: Rc<DefaultDirectRateLimiter>,
    stream: TcpStream,
    address: SocketAddr,
) -> impl Future<Output = ()> {
    if let Err(error) = hub.limits.set_on(&stream, hub.metrics.accepted.get()) {
        debug!(%address, %error, "cannot set a socket option");
    }
    let client = Rc::<Connection>::default();
    let place = hub.clients.borrow_mut().insert(Rc::clone(&client));
    hub.metrics.open.inc();
    debug!(%address, "connected");
    async move {
        let end = client::serve(stream, &client, &hub).await;
        hub.clients.borrow_mut().remove(place);
        hub.metrics.open.dec();
        match end {
            Ok(()) => debug!(%address, "closed"),
            Err(reason) => {
                hub.metrics.refused.inc();
                if lines.check().is_ok() {
                    warn!(%address, %reason, "refused");
                }
            }
        }
    }
}

/// One clock serves all connections and requests, because a timer for each would cost more than forwarding a request.
async fn clock(hub: Rc<Hub>) {
    let mut clock = interval(hub.limits.timeout / TICKS);
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        clock.tick().await;
        let now = hub.tick.get().wrapping_add(1);
        hub.tick.set(now);
        for upstream in &hub.active().upstreams {
            let connection = &upstream.connection;
            if connection.tick(connection.in_flight.get() > 0 || connection.has_unwritten()) > TICKS {
                connection.end(Refusal::Silent);
            }
        }
        let late = hub.give_up(|call| now.wrapping_sub(call.since) > TICKS, "no reply in time");
        if late > 0 {
            hub.metrics.refused_for("no reply in time").inc_by(late);
            warn!(requests = late, "no reply in time");
        }
        for (_, client) in hub.clients.borrow().iter() {
            let (still, bytes) = (client.tick(true), client.input.borrow().begun());
            if still > TICKS && client.has_unwritten() {
                client.end(Refusal::Deaf);
            } else if still > TICKS && bytes > 0 {
                client.end(Refusal::Slow { bytes });
            } else if still == TICKS {
                client.shrink();
            }
        }
    }
}

/// Reads the policy file each time that `asked` is ready. If the file has an error, the policy does not change.
async fn reload(hub: Rc<Hub>, path: PathBuf, mut asked: impl AsyncFnMut()) {
    loop {
        asked().await;
        let file = path.clone();
        // Reads in a thread, because a file system may be slow or missing.
        match spawn_blocking(move || Policy::read(&file)).await.map_err(anyhow::Error::from).flatten() {
            Ok(policy) => {
                info!(policy = %path.display(), "new policy: {policy}");
                take(&hub, policy);
            }
            Err(error) => {
                hub.metrics.bad_policies.inc();
                warn!(policy = %path.display(), error = format!("{error:#}"), "the new policy is rejected; the old policy remains in use");
            }
        }
    }
}
