//! Page: docs/report/NETWORK.md, from the rows of all sweeps.
//!
//! In: the CSVs of a folder. Out: the page and its charts in the same folder.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use charts::Curve;

use super::{csv_file, stamp};
use crate::echo::rows::Entry;
use crate::proxy::table::{Idle, Measured};
use crate::workers::rate::{Rate, Waiting};
use crate::{echo, proxy, workers};

/// The rows of all sweeps.
#[derive(Debug, Default)]
pub struct Rows {
    pub echo: Vec<Entry>,
    pub proxy: Vec<Measured>,
    pub idle: Vec<Idle>,
    pub rates: Vec<Rate>,
    pub waiting: Vec<Waiting>,
}

impl Rows {
    /// Reads what is there.
    ///
    /// # Errors
    /// A CSV with a fault.
    pub fn read(folder: &Path) -> anyhow::Result<Rows> {
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
        stamp::commits(echo.chain(proxy).chain(idle).chain(rates))
    }
}

/// Writes the page and its charts.
///
/// # Errors
/// A CSV with a fault, or a file that cannot be written.
pub fn write(folder: &Path) -> anyhow::Result<PathBuf> {
    let rows = Rows::read(folder)?;
    let mut page = String::from(
        "# On the network: y3 beside gRPC, Kitex, JSON, nginx and haproxy\n\n\
         Written by `network report` from its measurements. Do not edit; run the command again.\n\n",
    );
    let _ = writeln!(page, "{}\n\n{}.\n", machine(), capital(&rows.commits()));
    page += &echo::page::section(folder, &rows.echo)?;
    page += &proxy::page::section(folder, &rows.proxy, &rows.idle)?;
    page += &workers::page::section(folder, &rows.rates, &rows.waiting)?;
    let path = folder.join("NETWORK.md");
    fs::write(&path, page.trim_end().to_owned() + "\n").with_context(|| path.display().to_string())?;
    Ok(path)
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Processor, cores, kernel, compilers, date.
fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let shared = if info.contains("hypervisor") { ", virtual" } else { "" };
    let cores = info.lines().filter(|line| line.starts_with("processor")).count();
    let parts = [
        model.map(|(_, model)| format!("{model}{shared}, {cores} cores")),
        stamp::said("uname", &["-sr"]),
        stamp::said("rustc", &["-V"]),
        stamp::said("go", &["version"]),
        stamp::said("date", &["-u", "+%F"]),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ") + "."
}

/// A difference below this share comes from one run to the next on the machine of the report, so it says nothing.
pub const NOISE: f64 = 0.05;

/// What became of a goal: `share` is what was found over what was asked for; `disturbed` if hypervisor time is in it.
pub fn verdict(reached: bool, share: f64, disturbed: bool) -> String {
    let mut text = if reached { "reached".to_owned() } else { format!("**missed**, {share:.2} of the goal") };
    if (share - 1.0).abs() < NOISE {
        text += ", within noise";
    }
    if disturbed {
        text += ", from a disturbed row";
    }
    text
}

/// Draws lines into a file of the folder, and returns the Markdown that shows them.
///
/// Curves of one point are left out; without any other, or with zeros alone, there is no picture and no Markdown.
///
/// # Errors
/// The file cannot be written.
pub fn picture(
    folder: &Path,
    file: &str,
    title: &str,
    axes: [&str; 2],
    curves: &[Curve],
    logarithmic: bool,
) -> anyhow::Result<String> {
    let curves: Vec<&Curve> = curves.iter().filter(|curve| curve.points.len() > 1).collect();
    if !curves.iter().any(|curve| curve.points.iter().any(|(_, value)| *value > 0.0)) {
        return Ok(String::new());
    }
    let [unit, parameter] = axes;
    let svg = charts::lines(title, unit, parameter, &curves, logarithmic);
    fs::write(folder.join(file), svg).with_context(|| file.to_owned())?;
    Ok(format!("![{title}]({file})\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_says_what_may_be_noise_and_what_the_hypervisor_disturbed() {
        assert_eq!(verdict(true, 2.0, false), "reached");
        assert_eq!(verdict(false, 0.6, false), "**missed**, 0.60 of the goal");
        assert_eq!(verdict(false, 0.99, false), "**missed**, 0.99 of the goal, within noise");
        assert_eq!(verdict(true, 1.02, true), "reached, within noise, from a disturbed row");
    }
}
