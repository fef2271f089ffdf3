//! Metrics: the proxy's counters, as a page for Prometheus at every path of an HTTP address.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Metric, Registry};
use tokio::net::TcpListener;

/// The label of a counter: the address of a backend, or the reason why a request was not forwarded.
pub type Label = [(&'static str, String); 1];

/// The reasons why the proxy refuses requests.
const REASONS: [&str; 6] = [
    "a path cannot be followed",
    "backend lost",
    "backend not reachable",
    "dropped by the policy",
    "no reply in time",
    "too many pending requests",
];

/// All counters.
#[derive(Debug)]
pub struct Metrics {
    pub registry: Arc<Registry>,
    pub requests: Family<Label, Counter>,
    pub replies: Family<Label, Counter>,
    pub up: Family<Label, Gauge>,
    refusals: Family<Label, Counter>,
    pub redacted: Counter,
    pub late: Counter,
    pub accepted: Counter,
    pub refused: Counter,
    pub open: Gauge,
    pub in_flight: Gauge,
    pub read: Counter,
    pub policies: Counter,
    pub bad_policies: Counter,
}

impl Default for Metrics {
    /// Creates all counters and registers their names.
    fn default() -> Metrics {
        let mut registry = Registry::with_prefix("y3_proxy");
        let all = &mut registry;
        let refusals = named::<Family<_, Counter>>(all, "requests_refused", "Requests refused by the proxy");
        // Each reason is shown from the start, so that its first increase is seen.
        for reason in REASONS {
            refusals.get_or_create_owned(&[("reason", reason.to_owned())]);
        }
        Metrics {
            refusals,
            requests: named(all, "requests", "Requests forwarded"),
            replies: named(all, "replies", "Replies delivered"),
            up: named(all, "backend_up", "1 if the backend is connected, otherwise 0"),
            redacted: named(all, "requests_redacted", "Requests forwarded under a rule that removes packets"),
            late: named(all, "replies_late", "Replies that came too late"),
            accepted: named(all, "connections", "Clients' connections accepted"),
            refused: named(all, "connections_refused", "Clients' connections closed because of an error"),
            open: named(all, "connections_open", "Clients' connections open now"),
            in_flight: named(all, "requests_in_flight", "Requests that wait for a reply"),
            read: named(all, "read_bytes", "Bytes read from clients"),
            policies: named(all, "policies", "Policies loaded"),
            bad_policies: named(all, "policies_refused", "Policy files rejected"),
            registry: Arc::new(registry),
        }
    }
}

impl Metrics {
    /// The counter of requests refused for a reason.
    pub fn refused_for(&self, reason: &'static str) -> Counter {
        self.refusals.get_or_create_owned(&[("reason", reason.to_owned())])
    }
}

/// Creates a metric and registers it under a name.
fn named<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}

/// Serves the page.
pub async fn serve(listener: TcpListener, registry: Arc<Registry>) -> io::Result<()> {
    let page = move || {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &registry);
        async { ([(CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text) }
    };
    axum::serve(listener, Router::new().fallback(page)).await
}
