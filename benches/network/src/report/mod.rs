//! The subcommand `report`: all sweeps, one after the other, and the page that shows them.
//!
//! ```text
//! csv_file, findings, undisturbed ──► echo::sweep, proxy::sweep, proxy::idle, workers::rate ──► page ──► docs/report/NETWORK.md
//! ```

pub mod csv_file;
pub mod findings;
pub mod page;
pub mod undisturbed;

use std::time::Instant;

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Command;

use crate::program::{event_loop, interrupted, seconds};

/// Arguments of `network report`.
#[derive(clap::Args)]
pub struct Arguments {
    /// How long each row of the echo and of the proxy is measured.
    #[arg(long, default_value_t = 2.5, value_parser = seconds)]
    seconds: f64,
    /// Write the page from the rows that are there, and measure nothing.
    #[arg(long)]
    page: bool,
}

/// Measures everything, each sweep as a process, and writes the page.
///
/// # Errors
/// A sweep that failed; the others are measured and the page is written.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.page {
        println!("wrote {}", page::write_again(&findings::folder())?.display());
        return Ok(());
    }
    event_loop()?.block_on(measure(arguments))
}

async fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    let own = std::env::current_exe().context("the path of this program")?;
    let seconds = arguments.seconds.to_string();
    let sweeps: [&[&str]; 5] = [
        &["echo", "sweep", "--seconds", &seconds],
        &["proxy", "sweep", "--seconds", &seconds],
        &["proxy", "idle", "--seconds", "6"],
        &["workers", "rate", "--workers", "1,2,4", "--packets", "40000"],
        &["workers", "rate", "--workers", "1,2,4", "--packets", "6000", "--work", "5ms", "--in-flight", "4"],
    ];
    let begin = Instant::now();
    let mut failed = Vec::new();
    for sweep in sweeps {
        println!("\nnetwork {} --write", sweep.join(" "));
        let mut child = Command::new(&own).args(sweep).arg("--write").kill_on_drop(true).spawn()?;
        let status = tokio::select! {
            status = child.wait() => status?,
            () = interrupted() => {
                // A terminal tells the sweep too; anybody else may have told this process alone.
                if let Some(sweep) = child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?)) {
                    // It may have ended meanwhile.
                    let _ = kill_process(sweep, Signal::INT);
                }
                // It ends with the rows that it has. Whoever does not want them asks again.
                tokio::select! {
                    status = child.wait() => drop(status?),
                    () = interrupted() => {}
                }
                anyhow::bail!("ended by Ctrl-C after {:.0} s", begin.elapsed().as_secs_f64());
            }
        };
        if !status.success() {
            failed.push(sweep.join(" "));
        }
    }
    println!("\nall sweeps took {:.0} s", begin.elapsed().as_secs_f64());
    anyhow::ensure!(failed.is_empty(), "failed: {}", failed.join("; "));
    Ok(())
}
