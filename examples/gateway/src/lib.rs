//! Gateway: forwards requests of many clients over one connection to each backend. A policy routes, drops and redacts
//! them.
//!
//! ```text
//! message  policy     connection    requests and replies; rules; a stream and its unsent bytes
//!             │            │
//!             └──► hub ◄───┘        state that all connections share: backends, pending calls
//!                   ├──► client     requests to a backend
//!                   └──► backend    replies to clients
//!        log, metrics ──► serve     the log and counters; listener, clock, reload
//! ```

pub mod backend;
pub mod client;
pub mod connection;
pub mod hub;
pub mod log;
pub mod message;
pub mod metrics;
pub mod policy;
pub mod refusal;
pub mod serve;

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use policy::Policy;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The address to listen on; with port 0, the system chooses a port.
    #[arg(long, default_value = "127.0.0.1:7000")]
    addr: SocketAddr,
    /// The policy, a TOML file; SIGHUP reloads it.
    #[arg(long)]
    policy: PathBuf,
    /// The address of the metrics for Prometheus.
    #[arg(long)]
    metrics: Option<SocketAddr>,
    #[command(flatten)]
    limits: hub::Limits,
}

/// Forwards requests until Ctrl-C or SIGTERM; prints `listening ADDRESS` first.
///
/// # Errors
/// The policy has an error, or an address cannot be used. The policy is read first.
pub fn run(arguments: Arguments) -> anyhow::Result<()> {
    let Arguments { addr, policy: path, metrics, limits } = arguments;
    anyhow::ensure!(!limits.timeout.is_zero(), "--timeout is zero");
    let policy = Policy::read(&path)?;
    let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = event_loop.block_on(async {
        let listener = bind(addr).await?;
        let page = if let Some(address) = metrics { Some(bind(address).await?) } else { None };
        let (mut hang_up, stop) = (signal(SignalKind::hangup())?, told_to_end()?);
        let asked = async move || _ = hang_up.recv().await;
        println!("listening {}", listener.local_addr()?);
        serve::serve(listener, (path, policy), limits, page, asked, stop).await;
        Ok(())
    });
    // Does not wait for a thread that still reads the policy.
    event_loop.shutdown_background();
    result
}

async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
}

/// Completes at Ctrl-C or SIGTERM. After the call, these signals no longer kill the process.
pub fn told_to_end() -> std::io::Result<impl Future<Output = ()>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
