//! Gateway: requests of many clients over one connection to each backend, under a policy that routes, drops and redacts.
//!
//! ```text
//! message  policy    connection ──► peer ──► calls   requests and replies; rules; bytes that wait; a client, and its
//!             │            └─────► upstream           requests on their way; a backend
//!             └──► hub ◄──────────────┘               what all connections share
//!                   │   input                         bytes of one connection
//!                   ├──► client                       requests to a backend
//!                   └──► backend                      replies to clients
//!  file, log, metrics ──► serve                       the policy's file, the log, what is counted; listener and clock
//! ```

pub mod backend;
pub mod calls;
pub mod client;
pub mod connection;
pub mod file;
pub mod hub;
pub mod input;
pub mod log;
pub mod message;
pub mod metrics;
pub mod peer;
pub mod policy;
pub mod refusal;
pub mod serve;
pub mod upstream;

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// The arguments of the command.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:7000")]
    addr: SocketAddr,
    /// The policy, a TOML file; SIGHUP, or a change of the file, reloads it.
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
    let limits = arguments.limits;
    anyhow::ensure!(!limits.timeout.is_zero(), "--timeout is zero");
    let policy = file::PolicyFile::open(arguments.policy)?;
    let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    event_loop.block_on(async {
        let listener = bind(arguments.addr).await?;
        let page = match arguments.metrics {
            Some(address) => Some(bind(address).await.context("metrics")?),
            None => None,
        };
        println!("listening {}", listener.local_addr()?);
        serve::serve(listener, policy, limits, page, told_to_end()?).await
    })
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
