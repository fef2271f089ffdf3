//! The subcommand `proxy`: the gateway of `examples/gateway`, measured beside other proxies.
//!
//! ```text
//! request ──► load, demo                    clients
//! programs ──► sweep, idle ──► table
//! ```

pub mod demo;
pub mod idle;
pub mod load;
pub mod programs;
pub mod request;
pub mod sweep;
pub mod table;

use std::net::SocketAddr;
use std::time::Duration;

use crate::echo::load::Load;
use crate::process;
use crate::program::{event_loop, interrupted};

/// Arguments of `network proxy`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    program: Option<Program>,
}

#[derive(clap::Subcommand)]
enum Program {
    /// The gateway, as the package of that name starts it.
    Serve(gateway::Arguments),
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
    #[arg(long, default_value_t = 3.0, value_parser = crate::program::seconds)]
    seconds: f64,
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
        Program::Serve(arguments) => gateway::run(arguments),
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
