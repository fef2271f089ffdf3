//! The subcommand `workers`: the workers of `examples/workers`, all of them in one command, and measured.

pub mod demo;
pub mod progress;
pub mod rate;
pub mod rows;

use anyhow::Result;

use crate::program::event_loop;

/// Arguments of `network workers`.
#[derive(clap::Args, Default)]
pub struct Arguments {
    #[command(subcommand)]
    program: Option<Program>,
}

#[derive(clap::Subcommand)]
enum Program {
    /// Starts a broker, a source, workers and a checker, kills some of them, and prints what was counted (the default).
    Demo(demo::Arguments),
    /// A worker, as the package of that name starts it.
    Worker(workers::WorkerArguments),
    /// Starts a broker and prints packets a second for several numbers of workers.
    Rate(rate::Arguments),
}

/// Runs the subcommand.
///
/// # Errors
/// Those of its program.
pub fn run(arguments: Arguments) -> Result<()> {
    match arguments.program.unwrap_or_else(|| Program::Demo(demo::Arguments::default())) {
        Program::Demo(arguments) => event_loop()?.block_on(demo::run(arguments)),
        Program::Worker(arguments) => workers::run(workers::Program::Worker(arguments)),
        Program::Rate(arguments) => event_loop()?.block_on(rate::run(arguments)),
    }
}
