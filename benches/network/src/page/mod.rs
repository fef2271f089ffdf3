//! The subcommand `report` runs all sweeps one after the other, and writes a page with the results.
//!
//! ```text
//! sweeps, each a process ──► CSVs ──► figures ──► text of NETWORK.md beside this file, filled in ──► docs/report/NETWORK.md
//! ```
//!
//! People write the sentences of the page. The program inserts numbers, tables and charts.

pub mod figures;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use report::machine::{Machine, said};
use report::stamp::date;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::program::{event_loop, interrupted};
use figures::{Figures, IDLE, ROWS, WORKERS};

/// Arguments of `network report`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Write the page from existing rows, and measure nothing.
    #[arg(long)]
    page: bool,
    /// Measure only a few seconds for each sweep, to test that all sweeps work. Without `--out` the page goes to a temporary
    /// folder.
    #[arg(long)]
    quick: bool,
    /// The folder for the page, its charts and the rows. The default is docs/report.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// A sweep: its command, the name of its CSV, and its time limit in seconds.
type Sweep = (&'static str, &'static str, u64);

/// A full run takes about fourteen minutes on two idle cores. On any machine it takes less than eighteen minutes, because
/// each sweep has a time limit.
const FULL: [Sweep; 5] = [
    ("echo sweep --between loopback,namespaces --seconds 1.5 --turns 3 --callers 100,400,1000", ROWS, 800),
    ("proxy sweep --seconds 1.5 --turns 2", ROWS, 120),
    ("proxy idle --connections 1000,10000,100000 --seconds 4", IDLE, 75),
    ("workers rate --workers 1,2,4 --packets 40000", WORKERS, 45),
    ("workers rate --workers 1,2,4 --packets 6000 --work 5ms --in-flight 4", WORKERS, 45),
];

const QUICK: [Sweep; 5] = [
    ("echo sweep --between loopback,namespaces --seconds 0.3 --callers 100,1000 --body 1024", ROWS, 120),
    ("proxy sweep --seconds 0.3 --callers 100", ROWS, 60),
    ("proxy idle --connections 500,1000 --seconds 0.9", IDLE, 30),
    ("workers rate --workers 1,2 --packets 2000", WORKERS, 30),
    ("workers rate --workers 1,2 --packets 400 --work 5ms --in-flight 4", WORKERS, 30),
];

/// The file name of the page, and the index of the line that names the machine.
pub const NAME: &str = "NETWORK.md";
const MACHINE: usize = 4;

/// Runs each sweep as a process, and writes the page.
///
/// # Errors
/// Returns an error if a sweep failed. The other sweeps still run, and the page is written.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None if arguments.quick => std::env::temp_dir().join(format!("network-quick-{}", std::process::id())),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report"),
    };
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    if arguments.page {
        println!("wrote {}", write(&out, None)?.display());
        return Ok(());
    }
    event_loop()?.block_on(measure(if arguments.quick { &QUICK } else { &FULL }, &out))
}

async fn measure(sweeps: &[Sweep], out: &Path) -> anyhow::Result<()> {
    let own = std::env::current_exe().context("the path of this program")?;
    // The sweeps write to a temporary folder, so that their files replace the older files only as a whole.
    let fresh = TempDir::with_prefix("network-report")?;
    let begin = Instant::now();
    let mut failed = Vec::new();
    for (line, file, seconds) in sweeps {
        println!("\nnetwork {line}");
        let rows = fresh.path().join(file);
        let mut child = Command::new(&own).args(line.split(' ')).arg("--csv").arg(rows).kill_on_drop(true).spawn()?;
        let status = tokio::select! {
            status = child.wait() => status?,
            () = interrupted()? => {
                ended(&mut child).await?;
                anyhow::bail!("ended by Ctrl-C after {:.0} s; the page is unchanged", begin.elapsed().as_secs_f64());
            }
            () = tokio::time::sleep(Duration::from_secs(*seconds)) => {
                println!("the sweep is stopped after {seconds} s, and its rows are kept");
                ended(&mut child).await?
            }
        };
        if !status.success() {
            failed.push(*line);
        }
    }
    for (_, file, _) in sweeps {
        if fresh.path().join(file).exists() {
            fs::copy(fresh.path().join(file), out.join(file)).with_context(|| out.join(file).display().to_string())?;
        }
    }
    let page = write(out, Some(machine()))?;
    println!("\nall sweeps took {:.0} s; wrote {}", begin.elapsed().as_secs_f64(), page.display());
    anyhow::ensure!(failed.is_empty(), "failed, at least in part: {}", failed.join("; "));
    Ok(())
}

/// Tells a sweep to end and to write its rows. After ten seconds the sweep is killed.
async fn ended(child: &mut Child) -> anyhow::Result<std::process::ExitStatus> {
    // Ctrl-C in a terminal also ends the sweep. Another signal may have reached only this process.
    if let Some(sweep) = child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?)) {
        // The sweep may have ended in the meantime.
        let _ = kill_process(sweep, Signal::INT);
    }
    if let Ok(status) = tokio::time::timeout(Duration::from_secs(10), child.wait()).await {
        return Ok(status?);
    }
    child.kill().await?;
    Ok(child.wait().await?)
}

/// Names the processor, the cores, the kernel, the compilers and the date.
fn machine() -> String {
    let (machine, go) = (Machine::here(), said(std::process::Command::new("go").arg("version")));
    let parts = [Some(machine.name()), Some(machine.kernel), Some(machine.rustc), go, Some(date(SystemTime::now()))];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Writes the page and its charts from the rows in a folder. If `machine` is `None`, the page keeps the machine that it
/// names.
pub fn write(folder: &Path, machine: Option<String>) -> anyhow::Result<PathBuf> {
    let path = folder.join(NAME);
    let before = fs::read_to_string(&path).unwrap_or_default();
    let named = before.lines().nth(MACHINE).map(|line| line.trim_end_matches('.').to_owned());
    let page = Figures::read(folder, machine.or(named).unwrap_or_default())?.filled(figures::TEXT);
    for (name, svg) in page.charts.into_iter().chain([(NAME.to_owned(), page.text)]) {
        fs::write(folder.join(&name), svg).with_context(|| name)?;
    }
    Ok(path)
}
