//! The subcommand `workers`: Y3 packets on NATS JetStream, and a group of workers that watch them.
//!
//! ```text
//! packet                        what a source sends and a worker makes of it
//!   └──► group                  streams, the durable consumer, lag, the names of refusals
//!          ├──► source ──► worker
//!          ├──► check           counts results by id
//!          └──► progress        lag while something runs
//! broker ──► demo, rate         everything in one command; packets a second against workers
//!                   └──► page
//! ```

pub mod broker;
pub mod check;
pub mod demo;
pub mod group;
pub mod packet;
pub mod page;
pub mod progress;
pub mod rate;
pub mod source;
pub mod worker;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::echo::{event_loop, interrupted};
use group::{Group, Settings};

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
    /// Publishes packets until the broker acknowledges each.
    Source(SourceArguments),
    /// Watches, projects, stores results and acknowledges, until Ctrl-C.
    Worker(WorkerArguments),
    /// Counts what is stored for a source; fails if something is missing or stored twice.
    Check(CheckArguments),
    /// Starts a broker and prints packets a second for several numbers of workers.
    Rate(rate::Arguments),
}

#[derive(clap::Args)]
struct SourceArguments {
    /// Where the broker listens; start one with: nats-server -js
    #[arg(long, default_value = "127.0.0.1:4222")]
    server: String,
    #[command(flatten)]
    group: Settings,
    #[command(flatten)]
    options: source::Options,
}

#[derive(clap::Args)]
struct WorkerArguments {
    /// Where the broker listens; start one with: nats-server -js
    #[arg(long, default_value = "127.0.0.1:4222")]
    server: String,
    #[command(flatten)]
    group: Settings,
    #[command(flatten)]
    options: worker::Options,
    /// Shows no progress.
    #[arg(long)]
    quiet: bool,
}

#[derive(clap::Args)]
struct CheckArguments {
    /// Where the broker listens; start one with: nats-server -js
    #[arg(long, default_value = "127.0.0.1:4222")]
    server: String,
    #[command(flatten)]
    group: Settings,
    /// What the source was told; its results are compared with these.
    #[command(flatten)]
    options: source::Options,
    /// How long to wait until no packet waits.
    #[arg(long, default_value = "60s", value_parser = crate::echo::duration)]
    wait: Duration,
}

/// Runs the subcommand.
///
/// # Errors
/// Those of its program.
pub fn run(arguments: Arguments) -> Result<()> {
    let event_loop = event_loop()?;
    event_loop.block_on(async {
        match arguments.program.unwrap_or_else(|| Program::Demo(demo::Arguments::default())) {
            Program::Demo(arguments) => demo::run(arguments).await,
            Program::Source(arguments) => source(arguments).await,
            Program::Worker(arguments) => worker(arguments).await,
            Program::Check(arguments) => tokio::select! {
                done = check(arguments) => done,
                () = interrupted() => bail!("ended by Ctrl-C"),
            },
            Program::Rate(arguments) => rate::run(arguments).await,
        }
    })
}

async fn source(arguments: SourceArguments) -> Result<()> {
    let group = Group::open(&arguments.server, &arguments.group).await?;
    let sent = Arc::default();
    let result = tokio::select! {
        result = source::run(&group, &arguments.options, &sent) => result,
        () = progress::show(&group, || format!("; {} sent", sent.stored.load(Relaxed))) => Ok(()),
        () = interrupted() => Err(anyhow::anyhow!("ended by Ctrl-C")),
    };
    println!(
        "{} of {} packets acknowledged; {} of them stored by a try before; {} tries refused",
        sent.stored.load(Relaxed),
        arguments.options.packets,
        sent.stored_before.load(Relaxed),
        sent.tried_again.load(Relaxed),
    );
    result
}

async fn worker(arguments: WorkerArguments) -> Result<()> {
    let group = Group::open(&arguments.server, &arguments.group).await?;
    println!("working");
    let done = Arc::default();
    let result = tokio::select! {
        result = worker::run(&group, &arguments.options, &done, interrupted()) => result,
        () = progress::show(&group, String::new), if !arguments.quiet => Ok(()),
    };
    println!(
        "{} results stored; {} stored by a delivery before; {} packets given back, {} parked; {} acknowledgements unconfirmed",
        done.stored.load(Relaxed),
        done.stored_before.load(Relaxed),
        done.given_back.load(Relaxed),
        done.parked.load(Relaxed),
        done.unconfirmed.load(Relaxed),
    );
    result
}

async fn check(arguments: CheckArguments) -> Result<()> {
    let group = Group::open(&arguments.server, &arguments.group).await?;
    tokio::select! {
        drained = check::drained(&group, arguments.wait) => drained?,
        () = progress::show(&group, String::new) => {}
    }
    let found = check::run(&group, &arguments.options).await?;
    println!("{found}");
    if found.is_right() { Ok(()) } else { bail!("the results are not those of the packets") }
}
