//! Rate: packets a second against the number of workers.
//!
//! All packets are stored before the first worker starts. The rate is taken from the times that the broker gives the first
//! and the last result, so it has neither the start of the workers nor the looks at the lag in it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use super::broker::{self, Broker};
use super::demo::{Folder, Process};
use super::group::{Group, Settings};
use super::{check, progress, source, worker};
use crate::echo::process::Usage;

/// How long one row may take.
const PATIENCE: Duration = Duration::from_secs(300);

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
    #[arg(long, default_value_t = 20_000)]
    packets: u64,
    /// Bytes in each packet that no worker reads.
    #[arg(long, default_value_t = 256)]
    ballast: usize,
    #[command(flatten)]
    options: worker::Options,
}

/// Runs the rows and prints them.
///
/// # Errors
/// There is no `nats-server`; a row is not done in five minutes, or its counts are not right.
pub async fn run(arguments: Arguments) -> Result<()> {
    let program = broker::find(arguments.nats_server.as_deref())?;
    let own = std::env::current_exe()?;
    let options = &arguments.options;
    println!("in flight {}, work {:?}, ballast {} bytes", options.in_flight, options.work, arguments.ballast);
    println!("{:>8} {:>12} {:>16} {:>16}", "workers", "packets/s", "broker core", "workers' cores");
    for &count in &arguments.workers {
        // A store of its own for each row: a longer one is slower.
        let folder = Folder::new("rate")?;
        let broker = Broker::start(&program, folder.path(), None)?;
        let settings = Settings::default();
        let group = Group::open(&broker.address(), &settings).await?;
        let sending =
            source::Options { packets: arguments.packets, ballast: arguments.ballast, ..source::Options::default() };
        source::run(&group, &sending, &Arc::default()).await?;
        let usage = |process| Usage::of(process).map_or(0.0, |usage| usage.user + usage.system);
        let before = usage(broker.process());
        let workers = (0..count)
            .map(|_| Process::start(&own, &broker.address(), &settings, options))
            .collect::<Result<Vec<_>>>()?;
        tokio::select! {
            done = check::drained(&group, PATIENCE) => done?,
            () = progress::show(&group, || format!("; {count} workers")) => {}
        }
        let cores: f64 = workers.iter().map(|worker| usage(worker.id())).sum();
        let state = group.results.get_info().await?.state;
        let seconds = (state.last_timestamp - state.first_timestamp).as_seconds_f64();
        println!(
            "{count:>8} {:>12.0} {:>16.2} {:>16.2}",
            (arguments.packets - 1) as f64 / seconds,
            (usage(broker.process()) - before) / seconds,
            cores / seconds,
        );
        let found = check::run(&group, &sending).await?;
        anyhow::ensure!(found.is_right(), "the counts are not right:\n{found}");
    }
    Ok(())
}
