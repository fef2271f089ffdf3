//! `workers`: a source, workers and a checker, each against a broker of yours.

use std::io::IsTerminal as _;

use clap::Parser;
use tracing::Level;

/// Y3 packets on NATS JetStream, and a group of workers that watch them.
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
    // A file has no colours.
    let colours = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(colours).with_max_level(command.log).init();
    workers::run(command.program)
}
