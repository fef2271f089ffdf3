//! An RPC whose reply is its request.
//!
//! ```text
//! gateway::message, limits ──► turn ──► server      the server: requests to replies, a connection, all connections
//!    └───► protocol ──► link        many callers on one connection
//!              │   └──► direct      a connection for each caller
//!             json                  the same callers over newline-JSON (and grpc, with tonic)
//!                        load       the callers and their measurement
//! peers                             all servers and clients by name
//! ```

pub mod direct;
pub mod grpc;
pub mod json;
pub mod limits;
pub mod link;
pub mod load;
pub mod peers;
pub mod protocol;
pub mod server;
pub mod turn;

use std::net::SocketAddr;
use std::time::Duration;

use crate::program::interrupted;

/// Arguments of `network echo server`.
#[derive(clap::Args)]
pub struct ServerArguments {
    /// The protocol of the server.
    #[arg(long, value_enum, default_value_t = peers::Server::Y3)]
    kind: peers::Server,
    /// The address to listen at. Port 0 selects a free port.
    #[arg(long, default_value = "127.0.0.1:7001")]
    addr: SocketAddr,
    #[command(flatten)]
    limits: limits::Limits,
}

/// Arguments of `network echo client`.
#[derive(clap::Args)]
pub struct ClientArguments {
    /// The protocol, and how callers share connections. Use y3-proxied for a server behind a proxy.
    #[arg(long, value_enum, default_value_t = peers::Client::Y3Mux)]
    kind: peers::Client,
    /// The address of the server.
    #[arg(long, default_value = "127.0.0.1:7001")]
    addr: SocketAddr,
    #[command(flatten)]
    load: load::Load,
    /// The maximum time of a call.
    #[arg(long, default_value = "10s", value_parser = humantime::parse_duration)]
    timeout: Duration,
}

/// Prints `listening ADDRESS`, and serves until Ctrl-C.
pub async fn server(arguments: ServerArguments) -> anyhow::Result<()> {
    let ServerArguments { kind, addr, limits } = arguments;
    let (ready, address) = tokio::sync::oneshot::channel();
    let told = async {
        if let Ok(address) = address.await {
            println!("listening {address}");
        }
    };
    let (summary, ()) = tokio::join!(kind.serve(addr, limits, ready, interrupted()?), told);
    eprintln!("{}", summary?);
    Ok(())
}

/// Measures one server and prints a row as JSON.
pub async fn client(arguments: ClientArguments) -> anyhow::Result<()> {
    let ClientArguments { kind, addr, load, timeout } = arguments;
    let row = kind.measure(addr, load, timeout, interrupted()?).await?;
    println!("{}", serde_json::to_string(&row)?);
    Ok(())
}
