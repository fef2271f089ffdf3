//! The subcommand `proxy`: requests of many clients over one connection to each backend, under a policy.
//!
//! ```text
//! policy    batch ──► peer ──► calls        rules; messages in one write; a client, and its requests on their way
//!    │        └─────► upstream              a backend
//!    └──► hub ◄─────────┘                   what all connections share
//!          │   input                        bytes of one connection
//!          ├──► client                      requests to a backend
//!          └──► backend                     replies to clients
//!                  └──► serve               listener, clock, policy file, metrics
//!
//! request ──► load, demo                    the proxy's own clients
//! programs ──► sweep, idle ──► table ──► page
//! ```

pub mod backend;
pub mod batch;
pub mod calls;
pub mod client;
pub mod demo;
pub mod hub;
pub mod idle;
pub mod input;
pub mod load;
pub mod metrics;
pub mod page;
pub mod peer;
pub mod policy;
pub mod programs;
pub mod request;
pub mod serve;
pub mod sweep;
pub mod table;
pub mod upstream;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use tokio::net::TcpListener;

use crate::echo::load::Load;
use crate::echo::{event_loop, interrupted, process, taken};

/// Arguments of `network proxy`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    program: Option<Program>,
}

#[derive(clap::Subcommand)]
enum Program {
    /// Forwards requests until Ctrl-C; prints `listening ADDRESS` first. SIGHUP, or a change of the file, reloads the policy.
    Serve(ServeArguments),
    /// Runs backends, a proxy and clients in this process, with three policies, and prints a table (the default).
    Demo(demo::Arguments),
    /// Measures a proxy or a backend and prints a row as JSON.
    Client(ClientArguments),
    /// Measures proxies, ours and others, each in a process.
    Sweep(sweep::Arguments),
    /// Measures thousands of mostly idle connections.
    Idle(idle::Arguments),
}

#[derive(clap::Args)]
struct ClientArguments {
    /// Where the proxy listens.
    #[arg(long, default_value = "127.0.0.1:7000")]
    addr: SocketAddr,
    /// Clients, each with a connection.
    #[arg(long, default_value_t = 100)]
    connections: usize,
    /// Bytes of a body.
    #[arg(long, default_value_t = 1024)]
    body: usize,
    /// How long to measure.
    #[arg(long, default_value_t = 3.0, value_parser = crate::echo::seconds)]
    seconds: f64,
    /// Shows no progress.
    #[arg(long)]
    quiet: bool,
}

#[derive(clap::Args)]
struct ServeArguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:7000")]
    addr: SocketAddr,
    /// The policy, a TOML file; src/proxy/policy.rs has an example.
    #[arg(long)]
    policy: PathBuf,
    /// Where to serve metrics for Prometheus.
    #[arg(long)]
    metrics: Option<SocketAddr>,
    /// Clients' connections open at the same time.
    #[arg(long, default_value_t = hub::Limits::default().connections)]
    max_connections: usize,
    /// The longest packet in bytes.
    #[arg(long, default_value_t = hub::Limits::default().packet)]
    max_packet: usize,
    /// How long a reply may take, a request that is begun, or a client that does not read.
    #[arg(long, default_value = "10s", value_parser = crate::echo::duration)]
    timeout: Duration,
    /// Allocate buffers anew in each round: what their reuse saves.
    #[arg(long)]
    no_reuse: bool,
    /// Shows no progress.
    #[arg(long)]
    quiet: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// Those of its program.
pub fn run(arguments: Arguments) -> anyhow::Result<()> {
    process::allow_many_files();
    match arguments.program.unwrap_or_else(|| Program::Demo(demo::Arguments::default())) {
        Program::Serve(arguments) => event_loop()?.block_on(serve(arguments)),
        Program::Demo(arguments) => demo::run(&arguments),
        Program::Client(arguments) => event_loop()?.block_on(client(arguments)),
        Program::Sweep(arguments) => event_loop()?.block_on(sweep::run(arguments)),
        Program::Idle(arguments) => event_loop()?.block_on(idle::run(arguments)),
    }
}

async fn client(arguments: ClientArguments) -> anyhow::Result<()> {
    let load = Load {
        callers: arguments.connections,
        body: arguments.body,
        warm: Duration::from_millis(500),
        measure: Duration::from_secs_f64(arguments.seconds),
    };
    let line = load.progress(arguments.quiet);
    let row = load::measure("proxy", arguments.addr, load, interrupted()).await?;
    drop(line);
    println!("{}", serde_json::to_string(&row)?);
    Ok(())
}

async fn serve(arguments: ServeArguments) -> anyhow::Result<()> {
    anyhow::ensure!(!arguments.timeout.is_zero(), "--timeout is zero");
    let limits = hub::Limits {
        connections: arguments.max_connections,
        packet: arguments.max_packet,
        timeout: arguments.timeout,
        reuse: !arguments.no_reuse,
        ..hub::Limits::default()
    };
    let listener = TcpListener::bind(arguments.addr).await.with_context(|| taken(arguments.addr))?;
    let page = match arguments.metrics {
        Some(address) => {
            let taken = || format!("cannot serve metrics on {address}; another program may have the port");
            Some(TcpListener::bind(address).await.with_context(taken)?)
        }
        None => None,
    };
    // Read again when serving begins; a fault is said before anybody hears of the address.
    serve::load(&arguments.policy)?;
    println!("listening {}", listener.local_addr()?);
    serve::serve(listener, arguments.policy, limits, page, !arguments.quiet, interrupted()).await
}
