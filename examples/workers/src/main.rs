//! `workers`: a source, workers and a checker, which connect to a NATS broker.

use std::io::IsTerminal as _;

use clap::Parser;
use tracing::Level;

/// Publishes Y3 packets on NATS JetStream and processes them with a group of workers.
#[derive(Parser)]
struct Command {
    /// The level of the log on standard error: error, warn, info, debug or trace
    #[arg(long, global = true, default_value_t = Level::INFO)]
    log: Level,
    #[command(subcommand)]
    program: workers::Program,
}

fn main() -> anyhow::Result<()> {
    let command = Command::parse();
    // A log file gets no colours.
    let colours = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(colours).with_max_level(command.log).init();
    workers::run(command.program)
}
