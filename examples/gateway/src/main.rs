//! `gateway`: serves until Ctrl-C or SIGTERM.

use std::process::ExitCode;

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

fn main() -> ExitCode {
    let command = Command::parse();
    gateway::log::start(command.log);
    match gateway::run(command.arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
