//! Gateway: requests of many clients over one connection to each backend, under a policy that routes, drops and redacts.
//!
//! ```text
//! message  policy     connection    requests and replies; rules; a stream, and the bytes that wait
//!             │            │
//!             └──► hub ◄───┘        what all connections share: backends, requests on their way
//!                   ├──► client     requests to a backend
//!                   └──► backend    replies to clients
//!        log, metrics ──► serve     the log, what is counted; listener, clock, reload
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

/// The arguments of the command.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:7000")]
    addr: SocketAddr,
    /// The policy, a TOML file; SIGHUP reloads it.
    #[arg(long)]
    policy: PathBuf,
    /// Where to serve metrics for Prometheus.
    #[arg(long)]
    metrics: Option<SocketAddr>,
    #[command(flatten)]
    limits: hub::Limits,
}

/// Forwards requests until Ctrl-C or SIGTERM; prints `listening ADDRESS` first.
///
/// # Errors
/// The policy has a fault, or another program has an address. No address is taken before the policy is read.
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
    // Without a wait for a read of the policy.
    event_loop.shutdown_background();
    result
}

async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
}

/// Ready at Ctrl-C or SIGTERM. After the call these signals no longer kill the process.
pub fn told_to_end() -> std::io::Result<impl Future<Output = ()>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
