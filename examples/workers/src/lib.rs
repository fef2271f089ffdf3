//! Workers: Y3 packets on NATS JetStream, and a group of workers that watch them.
//!
//! ```text
//! packet                        what a source sends and a worker makes of it
//!   └──► group                  streams, the durable consumer, lag
//!          ├──► source, worker
//!          └──► check           counts results by id
//! broker                        a nats-server of one's own, for tests and measurements
//! ```

pub mod broker;
pub mod check;
pub mod group;
pub mod packet;
pub mod source;
pub mod worker;

use std::time::Duration;

use anyhow::{Result, ensure};
use group::{Group, Settings};
use source::Sent;
use tokio::signal::unix::{SignalKind, signal};
use worker::Done;

/// The programs of the command.
#[derive(clap::Subcommand, Debug)]
pub enum Program {
    /// Publishes packets until the broker acknowledges each.
    Source(Arguments<source::Options>),
    /// Watches, projects, stores results and acknowledges, until Ctrl-C.
    Worker(WorkerArguments),
    /// Counts what is stored for a source; fails if something is missing or stored twice.
    Check(Arguments<CheckOptions>),
}

/// The options of a program without arguments.
pub fn defaults<O: clap::Parser>() -> O {
    O::parse_from([""])
}

/// The arguments of a program.
#[derive(clap::Args, Debug)]
pub struct Arguments<O: clap::Args> {
    /// Where the broker listens; start one with: nats-server -js
    #[arg(long, default_value = "127.0.0.1:4222")]
    server: String,
    #[command(flatten)]
    group: Settings,
    #[command(flatten)]
    options: O,
}

pub type WorkerArguments = Arguments<worker::Options>;

/// The arguments of the checker. It compares the results with those expected for the source's arguments.
#[derive(clap::Args, Debug)]
pub struct CheckOptions {
    #[command(flatten)]
    source: source::Options,
    /// How long to wait until no packet waits.
    #[arg(long, default_value = "60s", value_parser = humantime::parse_duration)]
    wait: Duration,
}

/// Runs the program. Ctrl-C and SIGTERM end a worker when its packets in work are done, and other programs at once.
///
/// # Errors
/// The errors of the program.
pub fn run(program: Program) -> Result<()> {
    let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    event_loop.block_on(async {
        match &program {
            Program::Source(arguments) => {
                let (sent, options) = (Sent::default(), &arguments.options);
                let result = arguments.run(async |group| source::run(&group, options, &sent).await).await;
                let (Sent { stored, stored_before, tried_again }, packets) = (&sent, options.packets);
                println!(
                    "{stored:?} of {packets} packets acknowledged; {stored_before:?} of them stored by a try before; {tried_again:?} tries refused"
                );
                result
            }
            Program::Worker(arguments) => {
                let done = Done::default();
                let work = async |group: Group| {
                    let stop = told_to_end()?;
                    println!("working");
                    worker::run(&group, &arguments.options, &done, stop).await
                };
                let result = arguments.run(work).await;
                let Done { stored, stored_before, given_back, parked, unconfirmed } = &done;
                println!(
                    "{stored:?} results stored; {stored_before:?} stored by a delivery before; {given_back:?} packets given back, {parked:?} parked; {unconfirmed:?} acknowledgements unconfirmed"
                );
                result
            }
            Program::Check(arguments) => {
                let check = async |group: Group| {
                    check::drained(&group, arguments.options.wait).await?;
                    check::run(&group, &arguments.options.source).await
                };
                let found = arguments.run(check).await?;
                println!("{found}");
                ensure!(found.is_right(), "the results are not those of the packets");
                Ok(())
            }
        }
    })
}

impl<O: clap::Args> Arguments<O> {
    /// Runs a program with the group, and logs each second how far the workers are behind.
    async fn run<T>(&self, program: impl AsyncFnOnce(Group) -> Result<T>) -> Result<T> {
        let group = Group::open(&self.server, &self.group).await?;
        let lag = async {
            loop {
                tokio::time::sleep(Duration::from_secs(1)).await;
                match group.lag().await {
                    Ok(lag) => tracing::info!("{lag:?}"),
                    Err(error) => tracing::warn!(%error, "the broker does not answer"),
                }
            }
        };
        tokio::select! {
            result = program(group.clone()) => result,
            () = lag => unreachable!("it has no end"),
        }
    }
}

/// Ready at Ctrl-C or SIGTERM. After the call these signals no longer kill the process.
fn told_to_end() -> std::io::Result<impl Future<Output = ()>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
