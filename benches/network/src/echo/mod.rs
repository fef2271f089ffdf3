//! The subcommand `echo`: an RPC whose reply is its request, measured.
//!
//! ```text
//! gateway::message, limits ──► turn ──► server      requests to replies; a connection; all connections
//!    └───► protocol ──► link        many callers on one connection
//!              │   └──► direct      a connection for each caller
//!             json                  the same callers over newline-JSON;  grpc: tonic;  quic: another transport
//!                        load       callers in a closed loop, and the row they make
//! peers ──► sweep, demo ──► rows
//! ```

pub mod demo;
pub mod direct;
pub mod grpc;
pub mod json;
pub mod limits;
pub mod link;
pub mod load;
pub mod peers;
pub mod protocol;
pub mod quic;
pub mod rows;
pub mod server;
pub mod sweep;
pub mod turn;

use std::future::pending;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;

use crate::program::{event_loop, interrupted};
use crate::terminal::{Rate, watch};
use crate::{process, program};

/// Arguments of `network echo`.
#[derive(clap::Args, Default)]
pub struct Arguments {
    #[command(subcommand)]
    program: Option<Program>,
}

#[derive(clap::Subcommand)]
enum Program {
    /// Runs servers and callers in this process and prints a table (the default).
    Demo(demo::Arguments),
    /// Serves until Ctrl-C; prints `listening ADDRESS` first.
    Server(ServerArguments),
    /// Measures one server and prints a row as JSON.
    Client(ClientArguments),
    /// Measures all servers, each in a process on a core of its own.
    Sweep(sweep::Arguments),
}

#[derive(clap::Args)]
struct ServerArguments {
    /// What to speak.
    #[arg(long, value_enum, default_value_t = peers::Server::Y3)]
    kind: peers::Server,
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:7001")]
    addr: SocketAddr,
    /// How long the handler waits before it replies: 5ms, 1s.
    #[arg(long, default_value = "0ms", value_parser = humantime::parse_duration)]
    delay: Duration,
    /// Connections open at the same time (y3).
    #[arg(long, default_value_t = limits::Limits::default().connections)]
    max_connections: u64,
    /// The longest body in bytes (y3).
    #[arg(long, default_value_t = limits::Limits::default().body)]
    max_body: usize,
    /// How long a begun request may take, or a reply that the peer does not read (y3).
    #[arg(long, default_value = "10s", value_parser = humantime::parse_duration)]
    timeout: Duration,
    /// Where to write the certificate that clients trust (y3-quic).
    #[arg(long, default_value = "network-echo.der")]
    certificate: PathBuf,
    /// Shows no progress.
    #[arg(long)]
    quiet: bool,
}

#[derive(clap::Args)]
struct ClientArguments {
    /// What to speak, and over how many connections.
    #[arg(long, value_enum, default_value_t = peers::Client::Y3Mux)]
    kind: peers::Client,
    /// Where the server listens.
    #[arg(long, default_value = "127.0.0.1:7001")]
    addr: SocketAddr,
    /// Callers that wait for one reply each.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    callers: u32,
    /// Bytes of a body.
    #[arg(long, default_value_t = 1024)]
    body: usize,
    /// How long to measure.
    #[arg(long, default_value_t = 3.0, value_parser = program::seconds)]
    seconds: f64,
    /// How long to run before.
    #[arg(long, default_value_t = 0.5, value_parser = program::seconds)]
    warm: f64,
    /// How long a call may take.
    #[arg(long, default_value = "10s", value_parser = humantime::parse_duration)]
    timeout: Duration,
    /// The server's certificate (y3-quic).
    #[arg(long, default_value = "network-echo.der")]
    certificate: PathBuf,
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
        Program::Demo(arguments) => demo::run(&arguments),
        Program::Server(arguments) => event_loop()?.block_on(server(arguments)),
        Program::Client(arguments) => event_loop()?.block_on(client(arguments)),
        Program::Sweep(arguments) => event_loop()?.block_on(sweep::run(arguments)),
    }
}

async fn server(arguments: ServerArguments) -> anyhow::Result<()> {
    let limits = limits::Limits {
        delay: arguments.delay,
        body: arguments.max_body,
        connections: arguments.max_connections,
        timeout: arguments.timeout,
        ..limits::Limits::default()
    };
    let (ready, address) = tokio::sync::oneshot::channel();
    let serving = arguments.kind.serve(arguments.addr, limits, ready, interrupted());
    let told = async {
        // Without an address the server has ended, with a reason of its own.
        let Ok(peers::Ready { address, certificate, counts }) = address.await else { return pending().await };
        if let Some(certificate) = certificate {
            let path = &arguments.certificate;
            std::fs::write(path, certificate).with_context(|| format!("cannot write {}", path.display()))?;
        }
        println!("listening {address}");
        if !arguments.quiet {
            let mut rate = Rate::default();
            watch(|| counts.as_ref().map_or_else(|| "serving".to_owned(), |counts| counts.now(&mut rate))).await;
        }
        pending::<anyhow::Result<()>>().await
    };
    let summary = tokio::select! {
        summary = serving => summary?,
        failed = told => return failed,
    };
    eprintln!("{summary}");
    Ok(())
}

async fn client(arguments: ClientArguments) -> anyhow::Result<()> {
    let load = load::Load {
        callers: arguments.callers as usize,
        body: arguments.body,
        warm: Duration::from_secs_f64(arguments.warm),
        measure: Duration::from_secs_f64(arguments.seconds),
    };
    let certificate = match arguments.kind {
        peers::Client::Y3Quic => Some(
            std::fs::read(&arguments.certificate)
                .with_context(|| format!("cannot read {}, which the server writes", arguments.certificate.display()))?,
        ),
        _ => None,
    };
    let line = load.progress(arguments.quiet);
    let row = arguments.kind.measure(arguments.addr, certificate, load, arguments.timeout, interrupted()).await?;
    drop(line);
    println!("{}", serde_json::to_string(&row)?);
    Ok(())
}
