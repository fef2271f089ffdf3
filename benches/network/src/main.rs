//! `network`: the programs of this package as subcommands.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tracing::Level;

/// Y3 between processes. Without a subcommand: the demo of `echo`.
#[derive(Parser)]
struct Arguments {
    /// What the log on standard error has: error, warn, info, debug or trace.
    #[arg(long, global = true, default_value_t = Level::INFO)]
    log: Level,
    #[command(subcommand)]
    program: Option<Program>,
}

#[derive(Subcommand)]
// Made once; boxes would only hide the arguments.
#[allow(clippy::large_enum_variant, reason = "parsed once")]
enum Program {
    /// An RPC echo, measured.
    Echo(network::echo::Arguments),
    /// Workers on NATS JetStream.
    Workers(network::workers::Arguments),
    /// A proxy that routes and redacts requests by a policy.
    Proxy(network::proxy::Arguments),
    /// What a message costs a YoMo source, server and stream function.
    Yomo(network::yomo::Arguments),
    /// Measures everything and writes docs/report/NETWORK.md: some ten minutes on an idle machine with two cores.
    Report(network::report::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // A file has no colours.
    let colours = std::io::stderr().is_terminal();
    let log = tracing_subscriber::fmt().with_writer(|| network::terminal::Log).with_ansi(colours);
    log.with_max_level(arguments.log).init();
    match run(arguments.program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", workers::said(&error));
            ExitCode::FAILURE
        }
    }
}

fn run(program: Option<Program>) -> anyhow::Result<()> {
    match program.unwrap_or_else(|| Program::Echo(network::echo::Arguments::default())) {
        // It makes event loops of its own, one for each core.
        Program::Echo(arguments) => network::echo::run(arguments),
        Program::Workers(arguments) => network::workers::run(arguments),
        Program::Proxy(arguments) => network::proxy::run(arguments),
        Program::Yomo(arguments) => network::yomo::run(&arguments),
        Program::Report(arguments) => network::report::run(&arguments),
    }
}
