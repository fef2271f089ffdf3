//! The command `network` with its subcommands.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use network::measure::setups::Section;
use network::measure::{idle, sweep};
use network::program::event_loop;
use network::{echo, page, process, workers as rate, yomo};
use tracing::Level;

/// Measures Y3 between processes.
#[derive(Parser)]
struct Arguments {
    /// The level of the log on standard error: error, warn, info, debug or trace.
    #[arg(long, global = true, default_value_t = Level::INFO)]
    log: Level,
    #[command(subcommand)]
    program: Program,
}

#[derive(Subcommand)]
// Made once; boxes would only hide the arguments.
#[allow(clippy::large_enum_variant, reason = "parsed once")]
enum Program {
    /// An RPC echo server, its clients and their measurement.
    #[command(subcommand)]
    Echo(Echo),
    /// Workers on NATS JetStream.
    #[command(subcommand)]
    Workers(Workers),
    /// A proxy that routes and redacts requests by a policy.
    #[command(subcommand)]
    Proxy(Proxy),
    /// Measures the processor time per message in a YoMo source, server and stream function.
    Yomo(yomo::Arguments),
    /// Measures everything and writes docs/report/NETWORK.md. Takes about fourteen minutes on an idle machine with two
    /// cores.
    Report(page::Arguments),
}

#[derive(Subcommand)]
enum Echo {
    /// Prints `listening ADDRESS`, and serves until Ctrl-C.
    Server(echo::ServerArguments),
    /// Measures a server, or a server behind a proxy, and prints a row as JSON.
    Client(echo::ClientArguments),
    /// Measures all servers. Servers and clients are processes, with one core each.
    Sweep(sweep::Arguments),
}

#[derive(Subcommand)]
enum Proxy {
    /// Runs the gateway, with the arguments of its own command.
    Serve(gateway::Arguments),
    /// Measures the gateway and other proxies, each in a process.
    Sweep(sweep::Arguments),
    /// Measures the gateway with thousands of mostly idle connections.
    Idle(idle::Arguments),
}

#[derive(Subcommand)]
enum Workers {
    /// Runs a worker, with the arguments of its own command.
    Worker(workers::WorkerArguments),
    /// Starts a broker, and measures packets a second with several numbers of workers.
    Rate(rate::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    gateway::log::start(arguments.log);
    match run(arguments.program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(program: Program) -> anyhow::Result<()> {
    process::allow_many_files();
    match program {
        Program::Echo(Echo::Server(arguments)) => event_loop()?.block_on(echo::server(arguments)),
        Program::Echo(Echo::Client(arguments)) => event_loop()?.block_on(echo::client(arguments)),
        Program::Echo(Echo::Sweep(arguments)) => event_loop()?.block_on(sweep::run(arguments, Section::Echo)),
        Program::Proxy(Proxy::Serve(arguments)) => gateway::run(arguments),
        Program::Proxy(Proxy::Sweep(arguments)) => event_loop()?.block_on(sweep::run(arguments, Section::Proxy)),
        Program::Proxy(Proxy::Idle(arguments)) => event_loop()?.block_on(idle::run(arguments)),
        Program::Workers(Workers::Worker(arguments)) => workers::run(workers::Program::Worker(arguments)),
        Program::Workers(Workers::Rate(arguments)) => event_loop()?.block_on(rate::run(arguments)),
        Program::Yomo(arguments) => yomo::run(&arguments),
        Program::Report(arguments) => page::run(&arguments),
    }
}
