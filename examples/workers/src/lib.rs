//! Workers: Y3 packets on NATS JetStream, and a group of workers that watch them.
//!
//! ```text
//! packet                        what a source sends and a worker makes of it
//!   └──► group                  streams, the durable consumer, lag, the names of refusals
//!          ├──► source, worker
//!          └──► check           counts results by id
//! broker, process               a nats-server and workers of one's own, for tests and measurements
//! ```

pub mod broker;
pub mod check;
pub mod group;
pub mod packet;
pub mod process;
pub mod source;
pub mod worker;

use std::pin::pin;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use group::{Group, Settings};
use tokio::signal::unix::{SignalKind, signal};

/// The time between two log lines about the group.
const LINE: Duration = Duration::from_secs(1);

/// The programs of the command.
#[derive(clap::Subcommand, Debug)]
pub enum Program {
    /// Publishes packets until the broker acknowledges each.
    Source(SourceArguments),
    /// Watches, projects, stores results and acknowledges, until Ctrl-C.
    Worker(WorkerArguments),
    /// Counts what is stored for a source; fails if something is missing or stored twice.
    Check(CheckArguments),
}

/// The broker and the group.
#[derive(clap::Args, Debug)]
struct Place {
    /// Where the broker listens; start one with: nats-server -js
    #[arg(long, default_value = "127.0.0.1:4222")]
    server: String,
    #[command(flatten)]
    group: Settings,
    /// Does not say each second how far the workers are behind.
    #[arg(long)]
    quiet: bool,
}

/// The arguments of a source or a worker.
#[derive(clap::Args, Debug)]
pub struct Arguments<O: clap::Args> {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    options: O,
}

pub type SourceArguments = Arguments<source::Options>;
pub type WorkerArguments = Arguments<worker::Options>;

/// The arguments of the checker. It compares the results with those expected for the source's arguments.
#[derive(clap::Args, Debug)]
pub struct CheckArguments {
    #[command(flatten)]
    source: SourceArguments,
    /// How long to wait until no packet waits.
    #[arg(long, default_value = "60s", value_parser = humantime::parse_duration)]
    wait: Duration,
}

/// Runs the program.
///
/// # Errors
/// The errors of the program. Ctrl-C and SIGTERM are errors too, except for a worker, which they end.
pub fn run(program: Program) -> Result<()> {
    let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    event_loop.block_on(async {
        let mut stop = pin!(told_to_end()?);
        let place = match &program {
            Program::Source(arguments) => &arguments.place,
            Program::Worker(arguments) => &arguments.place,
            Program::Check(arguments) => &arguments.source.place,
        };
        let group = tokio::select! {
            group = Group::open(&place.server, &place.group) => group?,
            () = &mut stop => bail!("ended by Ctrl-C before the broker answered"),
        };
        let work = async {
            match &program {
                Program::Source(arguments) => source(&group, &arguments.options, stop).await,
                Program::Worker(arguments) => worker(&group, &arguments.options, stop).await,
                Program::Check(arguments) => check(&group, arguments, stop).await,
            }
        };
        tokio::select! {
            result = work => result,
            never = lag(&group, place.quiet) => never,
        }
    })
}

async fn source(group: &Group, options: &source::Options, stop: impl Future<Output = ()>) -> Result<()> {
    let sent = source::Sent::default();
    let result = tokio::select! {
        result = source::run(group, options, &sent) => result,
        () = stop => Err(anyhow::anyhow!("ended by Ctrl-C")),
    };
    println!(
        "{} of {} packets acknowledged; {} of them stored by a try before; {} tries refused",
        sent.stored.load(Relaxed),
        options.packets,
        sent.stored_before.load(Relaxed),
        sent.tried_again.load(Relaxed),
    );
    result
}

async fn worker(group: &Group, options: &worker::Options, stop: impl Future<Output = ()>) -> Result<()> {
    println!("working");
    let done = worker::Done::default();
    let result = worker::run(group, options, &done, stop).await;
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

async fn check(group: &Group, arguments: &CheckArguments, stop: impl Future<Output = ()>) -> Result<()> {
    let found = async {
        check::drained(group, arguments.wait).await?;
        check::run(group, &arguments.source.options).await
    };
    let found = tokio::select! {
        found = found => found?,
        () = stop => bail!("ended by Ctrl-C"),
    };
    println!("{found}");
    if found.is_right() { Ok(()) } else { bail!("the results are not those of the packets") }
}

/// Logs each second how far the workers are behind.
async fn lag(group: &Group, quiet: bool) -> Result<()> {
    if quiet {
        return std::future::pending().await;
    }
    let (mut before, mut at) = (None, Instant::now());
    loop {
        tokio::time::sleep(LINE).await;
        match group.lag().await {
            Ok(lag) => {
                let done = lag.results + lag.parked;
                let seconds = std::mem::replace(&mut at, Instant::now()).elapsed().as_secs_f64();
                let rate = done.saturating_sub(before.replace(done).unwrap_or(done)) as f64 / seconds;
                eprintln!("{lag}; {rate:.0}/s");
            }
            Err(error) => eprintln!("the broker does not answer: {}", said(&error)),
        }
    }
}

/// Ready at Ctrl-C or SIGTERM. After the call these signals no longer kill the process.
pub fn told_to_end() -> std::io::Result<impl Future<Output = ()>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// An error with its causes. Leaves out a cause that the text before it already has, since the client's errors repeat theirs.
pub fn said(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}
