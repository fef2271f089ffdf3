//! Measures how many packets a second one or more workers of `examples/workers` handle.
//!
//! All packets are stored before the first worker starts. The rate is computed from the broker's timestamps of the
//! first and the last result, so it does not include the start of the workers.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use report::markdown::{self, grouped};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use workers::broker::{self, Broker, Process};
use workers::group::Group;
use workers::{check, defaults, source, worker};

use crate::measure::bar;
use crate::measure::kept::{self, commit};
use crate::process::Usage;
use crate::program::interrupted;

/// One measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rate {
    pub workers: u32,
    pub packets: u64,
    pub ballast: usize,
    pub in_flight: u32,
    pub work_ms: f64,
    /// Packets a second.
    pub rate: f64,
    /// Processor time divided by elapsed time.
    pub broker_cores: f64,
    pub workers_cores: f64,
    /// The commit that was measured.
    pub commit: String,
}

/// Formats rows as a table, compared with the row of one worker.
pub fn table(rows: &[&Rate]) -> String {
    let one = rows.iter().find(|row| row.workers == 1).map(|row| row.rate);
    let cells = |row: &&Rate| {
        [
            row.workers.to_string(),
            grouped(row.packets as f64),
            grouped(row.rate),
            one.map_or_else(String::new, |one| format!("×{:.2}", row.rate / one)),
            format!("{:.2}", row.broker_cores),
            format!("{:.2}", row.workers_cores),
        ]
    };
    let head = ["workers", ">packets", ">packets/s", ">against one", ">broker's cores", ">workers' cores"];
    markdown::table(&head, &rows.iter().map(cells).collect::<Vec<_>>())
}

/// The maximum time of a row.
const PATIENCE: Duration = Duration::from_secs(300);
/// Arguments of `network workers rate`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The broker's program. By default it is found in PATH.
    #[arg(long)]
    nats_server: Option<PathBuf>,
    /// The numbers of workers. Each number makes a row.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8")]
    workers: Vec<u32>,
    /// The number of packets per row.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(2..))]
    packets: u64,
    /// The number of bytes in each packet that no worker reads.
    #[arg(long, default_value_t = 256)]
    ballast: usize,
    /// The CSV file for the rows. New rows replace older rows of the same measurement.
    #[arg(long)]
    csv: Option<PathBuf>,
    #[command(flatten)]
    options: worker::Options,
}

/// Measures all rows and prints them.
///
/// # Errors
/// Returns an error if `nats-server` is missing, a row takes more than five minutes, or its counts are wrong.
pub async fn run(arguments: Arguments) -> Result<()> {
    let program = broker::find(arguments.nats_server.as_deref())?;
    let mut rows: Vec<Rate> = Vec::new();
    let progress = bar(arguments.workers.len());
    for &workers in &arguments.workers {
        // The signal handler is installed first, so that Ctrl-C works from the start.
        let row = tokio::select! {
            biased;
            () = interrupted()? => {
                eprintln!("ended by Ctrl-C after {} of {} rows", rows.len(), arguments.workers.len());
                break;
            }
            row = one(&program, &arguments, workers) => row?,
        };
        rows.push(row);
        progress.inc(1);
    }
    progress.finish_and_clear();
    print!("{}", table(&rows.iter().collect::<Vec<_>>()));
    if let Some(path) = &arguments.csv {
        let mut all: Vec<Rate> = kept::read(path)?;
        all.retain(|old| !rows.iter().any(|row| row.work_ms == old.work_ms && row.workers == old.workers));
        kept::write(path, all.iter().chain(&rows))?;
    }
    Ok(())
}

async fn one(program: &Path, arguments: &Arguments, count: u32) -> Result<Rate> {
    let (options, own) = (&arguments.options, std::env::current_exe()?);
    // Each row has its own store, because a long store is slower.
    let folder = TempDir::with_prefix("rate")?;
    let broker = Broker::start(program, folder.path(), None)?;
    let group = Group::open(&broker.address(), &defaults()).await?;
    let sending = source::Options { packets: arguments.packets, ballast: arguments.ballast, ..defaults() };
    source::run(&group, &sending, &Arc::default()).await?;
    let usage = |process| Usage::of(process).map_or(0.0, |usage| usage.user + usage.system);
    let before = usage(broker.process());
    let workers = (0..count).map(|_| start(&own, &broker, options)).collect::<Result<Vec<_>>>()?;
    let work_ms = options.work.as_secs_f64() * 1e3;
    check::drained(&group, PATIENCE).await?;
    let cores: f64 = workers.iter().map(|worker| usage(worker.0.id())).sum();
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
    Ok(row)
}

/// Starts a worker as a process of this program.
fn start(own: &Path, broker: &Broker, options: &worker::Options) -> Result<Process> {
    let mut command = Command::new(own);
    command.args(["workers", "worker", "--log", "error", "--server", &broker.address()]);
    command.args(["--in-flight", &options.in_flight.to_string()]);
    command.args(["--work", &humantime::format_duration(options.work).to_string().replace(' ', "")]);
    command.args(["--tries", &options.tries.to_string(), "--deliveries", &options.deliveries.to_string()]);
    Ok(Process(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?))
}
