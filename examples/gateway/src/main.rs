//! `gateway`: serves until Ctrl-C or SIGTERM.

use clap::Parser;
use tracing::Level;

/// Requests of many clients over one connection to each backend, under a policy.
#[derive(Parser)]
struct Command {
    /// The level of the log on standard error: error, warn, info, debug or trace
    #[arg(long, default_value_t = Level::INFO)]
    log: Level,
    #[command(flatten)]
    arguments: gateway::Arguments,
}

fn main() -> anyhow::Result<()> {
    let command = Command::parse();
    gateway::log::start(command.log);
    gateway::run(command.arguments)
}
