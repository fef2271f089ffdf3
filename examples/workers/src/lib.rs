//! Workers: Y3 packets on NATS JetStream, and a group of workers that watch them.
//!
//! ```text
//! packet                        the packets of a source and the results of a worker
//!   └──► group                  streams, the durable consumer, number of waiting packets
//!          ├──► source, worker
//!          └──► check           counts results by id
//! broker                        a nats-server for tests and measurements
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

/// The subcommands.
#[derive(clap::Subcommand, Debug)]
pub enum Program {
    /// Publish packets until the broker has acknowledged all of them.
    Source(Arguments<source::Options>),
    /// Watch packets, store results and acknowledge the packets, until Ctrl-C.
    Worker(WorkerArguments),
    /// Check the results of a source; fails if one is missing or stored twice.
    Check(Arguments<CheckOptions>),
}

/// The default options of a program.
pub fn defaults<O: clap::Parser>() -> O {
    O::parse_from([""])
}

/// The arguments of a program.
#[derive(clap::Args, Debug)]
pub struct Arguments<O: clap::Args> {
    /// The address of the broker; start a broker with: nats-server -js
    #[arg(long, default_value = "127.0.0.1:4222")]
    server: String,
    #[command(flatten)]
    group: Settings,
    #[command(flatten)]
    options: O,
}

pub type WorkerArguments = Arguments<worker::Options>;

/// The arguments of the checker. The source's arguments determine the expected results.
#[derive(clap::Args, Debug)]
pub struct CheckOptions {
    #[command(flatten)]
    source: source::Options,
    /// How long to wait until all packets are processed.
    #[arg(long, default_value = "60s", value_parser = humantime::parse_duration)]
    wait: Duration,
}

/// Runs a subcommand. At Ctrl-C or SIGTERM, a worker finishes its packets, and other programs end at once.
///
/// # Errors
/// The error of the subcommand.
pub fn run(program: Program) -> Result<()> {
    let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    event_loop.block_on(async {
        match &program {
            Program::Source(arguments) => {
                let (sent, options) = (Sent::default(), &arguments.options);
                let result = arguments.run(async |group| source::run(&group, options, &sent).await).await;
                let (Sent { stored, stored_before, tried_again }, packets) = (&sent, options.packets);
                println!(
                    "{stored:?} of {packets} packets acknowledged; {stored_before:?} of them were already stored by an earlier try; {tried_again:?} tries failed"
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
                    "{stored:?} results stored; {stored_before:?} already stored by an earlier delivery; {given_back:?} packets returned, {parked:?} parked; {unconfirmed:?} acknowledgements unconfirmed"
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
                ensure!(found.is_right(), "the results do not match the packets");
                Ok(())
            }
        }
    })
}

impl<O: clap::Args> Arguments<O> {
    /// Runs a program with the group, and logs once per second how many packets are not processed yet.
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

/// Completes at Ctrl-C or SIGTERM. After the call, these signals no longer kill the process.
fn told_to_end() -> std::io::Result<impl Future<Output = ()>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
