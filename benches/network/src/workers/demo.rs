//! Demo: broker, source, workers and checker in one command, with what goes wrong in operation.
//!
//! Workers are processes of their own, so that one can be killed as a crash kills it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};

use workers::broker::{self, Broker, End};
use workers::check::{self, Found};
use workers::group::{Group, Settings};
use workers::process::Folder;
use workers::{source, worker};

use super::progress;
use crate::program::interrupted;
use crate::terminal::say;

/// How long the whole demo waits for its workers.
const PATIENCE: Duration = Duration::from_secs(120);

/// Arguments of `network workers demo`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The broker's program; by default it is looked for in PATH.
    #[arg(long)]
    nats_server: Option<PathBuf>,
    /// How many packets.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    packets: u64,
    /// How many of them are faulty.
    #[arg(long, default_value_t = 3)]
    poison: u64,
    /// How many workers.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=64))]
    workers: u32,
    /// Kills no worker and does not restart the broker.
    #[arg(long)]
    calm: bool,
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments { nats_server: None, packets: 20_000, poison: 3, workers: 3, calm: false }
    }
}

/// Runs the demo.
///
/// # Errors
/// There is no `nats-server`; the counts are not right; or Ctrl-C, after which no process is left.
pub async fn run(arguments: Arguments) -> Result<()> {
    let program = broker::find(arguments.nats_server.as_deref())?;
    let began = Instant::now();
    let sent: Arc<source::Sent> = Arc::default();
    // Asked first, so that Ctrl-C is seen from here on.
    let ended = tokio::select! {
        biased;
        () = interrupted() => Err(anyhow!("ended by Ctrl-C before all results were counted")),
        found = demo(&arguments, &program, &sent) => found,
    };
    println!("seconds        {:>9.1}", began.elapsed().as_secs_f64());
    println!("acknowledged   {:>9}", sent.stored.load(Relaxed));
    let found = ended?;
    println!("{found}");
    if !found.is_right() {
        bail!("the results are not those of the packets");
    }
    println!("nothing acknowledged is lost, and nothing is stored twice");
    Ok(())
}

/// All of it; the processes end when this does or is dropped.
async fn demo(arguments: &Arguments, program: &Path, sent: &Arc<source::Sent>) -> Result<Found> {
    let folder = Folder::new("workers")?;
    let mut broker = Broker::start(program, folder.path(), None)?;
    println!("broker         {} on {}", program.display(), broker.address());
    let settings = Settings { ack_wait: Duration::from_secs(2), ..Settings::default() };
    let group = Group::open(&broker.address(), &settings).await?;
    let own = std::env::current_exe()?;
    let start = || progress::start(&own, &broker, &settings, &worker::Options::default());
    let mut workers = (0..arguments.workers).map(|_| start()).collect::<Result<Vec<_>>>()?;
    println!("workers        {}", workers.len());
    let options =
        source::Options { packets: arguments.packets, poison: arguments.poison, ..source::Options::default() };
    // Without calm, a worker is killed after a third of the packets and the broker after two thirds.
    let reached = async |packets| {
        while sent.stored.load(Relaxed) <= packets {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let trouble = async {
        if arguments.calm {
            return Ok(());
        }
        reached(arguments.packets / 3).await;
        workers.pop().context("no worker")?.kill()?;
        say(&format!("a worker is killed (SIGKILL) after {} packets", sent.stored.load(Relaxed)));
        reached(arguments.packets * 2 / 3).await;
        broker.end(End::Killed)?;
        broker.start_again()?;
        say(&format!("the broker is killed (SIGKILL) after {} packets, and started again", sent.stored.load(Relaxed)));
        anyhow::Ok(())
    };
    let work = async {
        tokio::try_join!(source::run(&group, &options, sent), trouble)?;
        check::drained(&group, PATIENCE).await
    };
    tokio::select! {
        worked = work => worked?,
        () = progress::show(&group, || format!("; {} sent", sent.stored.load(Relaxed))) => {}
    }
    check::run(&group, &options).await
}
