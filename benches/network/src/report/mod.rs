//! The subcommand `report`: all sweeps, one after the other, and the page that shows them.
//!
//! ```text
//! sweeps, each a process ──► CSVs ──► page ──► docs/report/NETWORK.md
//!                                      ├──► echo, proxy, workers     its sections
//!                                      └──► findings                 what they share
//! ```
//!
//! The page reads rows; nothing that measures knows of it.

mod echo;
pub mod findings;
pub mod page;
mod proxy;
mod workers;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ::workers::process::Folder;
use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

use crate::program::{event_loop, interrupted};

/// Arguments of `network report`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Write the page from the rows that are there, and measure nothing.
    #[arg(long)]
    page: bool,
    /// Some seconds for each sweep, to see that all of them work. Without `--out` the page goes to a temporary folder.
    #[arg(long)]
    quick: bool,
    /// The folder of the page, its charts and the rows; docs/report otherwise.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// A sweep: its command, the rows it leaves, and when it is told to end.
struct Sweep {
    command: &'static str,
    /// The argument that says where rows go: a file, or a folder for several.
    keep: &'static str,
    files: &'static [&'static str],
    limit: Duration,
}

const fn sweep(command: &'static str, keep: &'static str, files: &'static [&'static str], seconds: u64) -> Sweep {
    Sweep { command, keep, files, limit: Duration::from_secs(seconds) }
}

const WORKERS: &[&str] = &["network-workers.csv", "network-lag.csv"];

/// Some nine minutes on two idle cores and less than twelve on any: `--again` bounds rows that are measured again, a limit each sweep.
const FULL: [Sweep; 5] = [
    sweep("echo sweep --seconds 1.5 --turns 3 --callers 100,400,1000 --again 40", "--csv", &["network.csv"], 420),
    sweep("proxy sweep --seconds 1.5 --turns 2 --again 20", "--csv", &["network-proxy.csv"], 120),
    sweep("proxy idle --connections 1000,10000,100000 --seconds 4 --again 12", "--csv", &["network-idle.csv"], 75),
    sweep("workers rate --workers 1,2,4 --packets 40000", "--keep", WORKERS, 45),
    sweep("workers rate --workers 1,2,4 --packets 6000 --work 5ms --in-flight 4", "--keep", WORKERS, 45),
];

const QUICK: [Sweep; 5] = [
    sweep("echo sweep --seconds 0.3 --callers 100,1000 --body 1024", "--csv", &["network.csv"], 120),
    sweep("proxy sweep --seconds 0.3 --connections 100", "--csv", &["network-proxy.csv"], 60),
    sweep("proxy idle --connections 500,1000 --seconds 0.9", "--csv", &["network-idle.csv"], 30),
    sweep("workers rate --workers 1,2 --packets 2000", "--keep", WORKERS, 30),
    sweep("workers rate --workers 1,2 --packets 400 --work 5ms --in-flight 4", "--keep", WORKERS, 30),
];

/// Measures everything, each sweep as a process, and writes the page.
///
/// # Errors
/// A sweep that failed; the others are measured and the page is written.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let temporary = || std::env::temp_dir().join(format!("network-quick-{}", std::process::id()));
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None if arguments.quick => temporary(),
        None => findings::folder(),
    };
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    if arguments.page {
        println!("wrote {}", page::write_again(&out)?.display());
        return Ok(());
    }
    event_loop()?.block_on(measure(if arguments.quick { &QUICK } else { &FULL }, &out))
}

async fn measure(sweeps: &[Sweep], out: &Path) -> anyhow::Result<()> {
    let own = std::env::current_exe().context("the path of this program")?;
    // Rows of this run alone: they replace those of an earlier one as whole files, if there are any.
    let fresh = Folder::new("network-report")?;
    let begin = Instant::now();
    let mut failed = Vec::new();
    let mut is_over = false;
    for sweep in sweeps {
        println!("\nnetwork {}", sweep.command);
        let rows = if sweep.keep == "--csv" { fresh.path().join(sweep.files[0]) } else { fresh.path().to_owned() };
        let mut command = Command::new(&own);
        command.args(sweep.command.split(' ')).arg(sweep.keep).arg(rows).kill_on_drop(true);
        let mut child = command.spawn()?;
        let status = tokio::select! {
            status = child.wait() => status?,
            () = interrupted() => {
                is_over = true;
                ended(&mut child).await?
            }
            () = tokio::time::sleep(sweep.limit) => {
                println!("told to end after {} s; the rows until now stay", sweep.limit.as_secs());
                ended(&mut child).await?
            }
        };
        if !status.success() {
            failed.push(sweep.command);
        }
        if is_over {
            anyhow::bail!("ended by Ctrl-C after {:.0} s; the page stays as it was", begin.elapsed().as_secs_f64());
        }
    }
    for file in sweeps.iter().flat_map(|sweep| sweep.files) {
        if fresh.path().join(file).exists() {
            fs::copy(fresh.path().join(file), out.join(file)).with_context(|| out.join(file).display().to_string())?;
        }
    }
    println!("\nall sweeps took {:.0} s; wrote {}", begin.elapsed().as_secs_f64(), page::write(out)?.display());
    anyhow::ensure!(failed.is_empty(), "failed, at least in part: {}", failed.join("; "));
    Ok(())
}

/// Tells a sweep to end with the rows that it has, and waits for it; not for long.
async fn ended(child: &mut Child) -> anyhow::Result<std::process::ExitStatus> {
    // A terminal tells the sweep too; anybody else may have told this process alone.
    if let Some(sweep) = child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?)) {
        // It may have ended meanwhile.
        let _ = kill_process(sweep, Signal::INT);
    }
    if let Ok(status) = tokio::time::timeout(Duration::from_secs(10), child.wait()).await {
        return Ok(status?);
    }
    child.kill().await?;
    Ok(child.wait().await?)
}
