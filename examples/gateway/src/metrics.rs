//! Metrics: the proxy's counts, in Prometheus' text form over HTTP.
//!
//! In: counts. Out: a page at every path of the address.

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

/// The backend's address, or the reason why a request was not forwarded.
pub type Label = [(&'static str, String); 1];

/// All counts.
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
    /// All counts at zero, with their names.
    fn default() -> Metrics {
        let mut registry = Registry::with_prefix("y3_proxy");
        let all = &mut registry;
        Metrics {
            refusals: named(all, "requests_refused", "Requests answered by the proxy itself"),
            requests: named(all, "requests", "Requests forwarded"),
            replies: named(all, "replies", "Replies delivered"),
            up: named(all, "backend_up", "Whether the backend is connected"),
            redacted: named(all, "requests_redacted", "Requests forwarded without what a rule removes"),
            late: named(all, "replies_late", "Replies that nobody waits for"),
            accepted: named(all, "connections", "Clients' connections accepted"),
            refused: named(all, "connections_refused", "Clients' connections closed for a fault"),
            open: named(all, "connections_open", "Clients' connections open now"),
            in_flight: named(all, "requests_in_flight", "Requests that wait for a reply"),
            read: named(all, "read_bytes", "Bytes read from clients"),
            policies: named(all, "policies", "Policies taken"),
            bad_policies: named(all, "policies_refused", "Policy files with a fault"),
            registry: Arc::new(registry),
        }
    }
}

impl Metrics {
    /// The count of requests that the proxy itself answers for a reason.
    pub fn refused_for(&self, reason: &'static str) -> Counter {
        self.refusals.get_or_create_owned(&[("reason", reason.to_owned())])
    }
}

/// Makes a metric that is zero, and registers it for the page under a name.
fn named<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}

/// Serves the page.
pub async fn serve(listener: TcpListener, registry: Arc<Registry>) -> io::Result<()> {
    let page = move || {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &registry);
        async { ([(CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text) }
    };
    axum::serve(listener, Router::new().fallback(page)).await
}
