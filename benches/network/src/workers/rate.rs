//! Rate: packets a second against the number of workers, and how what waits gets less.
//!
//! All packets are stored before the first worker starts. The rate is taken from the times that the broker gives the first
//! and the last result, so it has neither the start of the workers nor the looks at the lag in it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use workers::broker::{self, Broker};
use workers::group::{Group, Settings};
use workers::process::Folder;
use workers::{check, source, worker};

use super::progress;
use super::rows::{Rate, Waiting, table};
use crate::kept::{commit, csv_file};
use crate::process::Usage;
use crate::program::interrupted;

/// How long one row may take.
const PATIENCE: Duration = Duration::from_secs(300);
/// Between two looks at what waits.
const LOOK: Duration = Duration::from_millis(200);

/// Arguments of `network workers rate`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The broker's program; by default it is looked for in PATH.
    #[arg(long)]
    nats_server: Option<PathBuf>,
    /// Numbers of workers, a row each.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8")]
    workers: Vec<u32>,
    /// Packets of a row.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(2..))]
    packets: u64,
    /// Bytes in each packet that no worker reads.
    #[arg(long, default_value_t = 256)]
    ballast: usize,
    /// Keep rows in network-workers.csv and network-lag.csv of this folder.
    #[arg(long)]
    keep: Option<PathBuf>,
    #[command(flatten)]
    options: worker::Options,
}

/// Runs the rows and prints them.
///
/// # Errors
/// There is no `nats-server`; a row is not done in five minutes, or its counts are not right.
pub async fn run(arguments: Arguments) -> Result<()> {
    let program = broker::find(arguments.nats_server.as_deref())?;
    let (mut rows, mut waiting) = (Vec::new(), Vec::new());
    for &workers in &arguments.workers {
        // Asked first, so that Ctrl-C is seen from the start.
        let (row, waited) = tokio::select! {
            biased;
            () = interrupted() => {
                eprintln!("ended by Ctrl-C after {} of {} rows", rows.len(), arguments.workers.len());
                break;
            }
            row = one(&program, &arguments, workers) => row?,
        };
        rows.push(row);
        waiting.extend(waited);
    }
    print!("{}", table(&rows.iter().collect::<Vec<_>>()));
    if let Some(folder) = &arguments.keep {
        let is_same = |work_ms: f64, workers| rows.iter().any(|row| row.work_ms == work_ms && row.workers == workers);
        let path = folder.join("network-workers.csv");
        let mut all: Vec<Rate> = csv_file::read(&path)?;
        all.retain(|row| !is_same(row.work_ms, row.workers));
        csv_file::write(&path, all.iter().chain(&rows))?;
        let path = folder.join("network-lag.csv");
        let mut all: Vec<Waiting> = csv_file::read(&path)?;
        all.retain(|row| !is_same(row.work_ms, row.workers));
        csv_file::write(&path, all.iter().chain(&waiting))?;
    }
    Ok(())
}

async fn one(program: &std::path::Path, arguments: &Arguments, count: u32) -> Result<(Rate, Vec<Waiting>)> {
    let (options, own) = (&arguments.options, std::env::current_exe()?);
    // A store of its own for each row: a longer one is slower.
    let folder = Folder::new("rate")?;
    let broker = Broker::start(program, folder.path(), None)?;
    let settings = Settings::default();
    let group = Group::open(&broker.address(), &settings).await?;
    let sending =
        source::Options { packets: arguments.packets, ballast: arguments.ballast, ..source::Options::default() };
    source::run(&group, &sending, &Arc::default()).await?;
    let usage = |process| Usage::of(process).map_or(0.0, |usage| usage.user + usage.system);
    let before = usage(broker.process());
    let begin = Instant::now();
    let workers = (0..count).map(|_| progress::start(&own, &broker, &settings, options)).collect::<Result<Vec<_>>>()?;
    let work_ms = options.work.as_secs_f64() * 1e3;
    let mut waiting = Vec::new();
    let mut look = async || {
        loop {
            // A broker that is busy may not answer in time.
            if let Ok(lag) = group.lag().await {
                let (seconds, packets) = (begin.elapsed().as_secs_f64(), lag.waiting + lag.in_work);
                waiting.push(Waiting { work_ms, workers: count, seconds, packets });
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::select! {
        done = check::drained(&group, PATIENCE) => done?,
        () = progress::show(&group, || format!("; {count} workers")) => {}
        () = look() => {}
    }
    let cores: f64 = workers.iter().map(|worker| usage(worker.id())).sum();
    let state = group.results.get_info().await?.state;
    let seconds = (state.last_timestamp - state.first_timestamp).as_seconds_f64();
    let row = Rate {
        workers: count,
        packets: arguments.packets,
        ballast: arguments.ballast,
        in_flight: options.in_flight,
        work_ms,
        rate: (arguments.packets - 1) as f64 / seconds,
        broker_cores: (usage(broker.process()) - before) / seconds,
        workers_cores: cores / seconds,
        commit: commit(),
    };
    let found = check::run(&group, &sending).await?;
    anyhow::ensure!(found.is_right(), "the counts are not right:\n{found}");
    Ok((row, waiting))
}
