//! `network`: the programs of this package as subcommands.

use clap::{Parser, Subcommand};

/// Y3 between processes.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    program: Program,
}

#[derive(Subcommand)]
enum Program {
    /// Sources and stream functions of YoMo.
    Yomo(network::yomo::Arguments),
    /// An RPC echo, measured.
    Echo(network::echo::Arguments),
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    match Arguments::parse().program {
        Program::Yomo(arguments) => network::yomo::run(arguments).await,
        Program::Echo(arguments) => network::echo::run(arguments).await,
    }
}
