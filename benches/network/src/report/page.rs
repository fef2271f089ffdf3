//! Page: docs/report/NETWORK.md, from the rows of all sweeps.
//!
//! In: the CSVs of a folder. Out: the page and its charts in the same folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use report::machine::{Machine, said};
use report::page::Page;

use super::findings::commits;
use super::{echo, proxy, workers};
use crate::echo::rows::Entry;
use crate::kept::csv_file;
use crate::proxy::table::{Idle, Measured};
use crate::workers::rows::{Rate, Waiting};

/// The page, and its line that names the machine.
const NAME: &str = "NETWORK.md";
const MACHINE: usize = 4;

/// The rows of all sweeps.
#[derive(Debug, Default)]
struct Rows {
    echo: Vec<Entry>,
    proxy: Vec<Measured>,
    idle: Vec<Idle>,
    rates: Vec<Rate>,
    waiting: Vec<Waiting>,
}

impl Rows {
    /// Reads what is there.
    fn read(folder: &Path) -> anyhow::Result<Rows> {
        Ok(Rows {
            echo: csv_file::read(&folder.join("network.csv"))?,
            proxy: csv_file::read(&folder.join("network-proxy.csv"))?,
            idle: csv_file::read(&folder.join("network-idle.csv"))?,
            rates: csv_file::read(&folder.join("network-workers.csv"))?,
            waiting: csv_file::read(&folder.join("network-lag.csv"))?,
        })
    }

    fn commits(&self) -> String {
        let echo = self.echo.iter().map(|row| &*row.commit);
        let proxy = self.proxy.iter().map(|row| &*row.commit);
        let idle = self.idle.iter().map(|row| &*row.commit);
        let rates = self.rates.iter().map(|row| &*row.commit);
        commits(echo.chain(proxy).chain(idle).chain(rates))
    }
}

/// Writes the page and its charts, after something was measured on this machine.
///
/// # Errors
/// A CSV with a fault, or a file that cannot be written.
pub fn write(folder: &Path) -> anyhow::Result<PathBuf> {
    written(folder, &machine())
}

/// Writes them again from rows that were measured before: the machine stays as the page has it.
///
/// # Errors
/// As of [`write`].
pub fn write_again(folder: &Path) -> anyhow::Result<PathBuf> {
    let before = fs::read_to_string(folder.join(NAME)).unwrap_or_default();
    match before.lines().nth(MACHINE) {
        Some(machine) => written(folder, machine),
        None => write(folder),
    }
}

fn written(folder: &Path, machine: &str) -> anyhow::Result<PathBuf> {
    let rows = Rows::read(folder)?;
    let title = "On the network: y3 beside JSON, Kitex, gRPC, nginx and haproxy";
    let mut page = Page::titled(NAME, title, "network report");
    // Its place is MACHINE.
    page.say(machine);
    echo::first(&mut page, &rows.echo);
    page.say(&format!("\n{}.", rows.commits()));
    echo::section(&mut page, &rows.echo);
    proxy::section(&mut page, &rows.proxy, &rows.idle);
    workers::section(&mut page, &rows.rates, &rows.waiting);
    let page = page.finish();
    let path = folder.join(page.name);
    report::page::write(&[page], folder).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    Ok(path)
}

/// Processor, cores, kernel, compilers, date.
fn machine() -> String {
    let Machine { cpu, cores, kernel, rustc, .. } = Machine::here();
    let more = [said(Command::new("go").arg("version")), said(Command::new("date").args(["-u", "+%F"]))];
    let parts = [format!("{cpu}, {cores} cores"), kernel, rustc].into_iter().chain(more.into_iter().flatten());
    parts.collect::<Vec<_>>().join(", ") + "."
}
