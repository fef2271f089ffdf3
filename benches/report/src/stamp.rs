//! Stamp: what was measured, on which machine, and when.
//!
//! In: the repository and the machine. Out: what stands above the figures.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};
use std::{env, fs};

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::machine::{Machine, said};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Seconds since 1970.
    pub started: u64,
    /// `None` while the run lasts, and after an aborted run.
    pub finished: Option<u64>,
    pub mode: Mode,
    /// With `+ changes` if files on which figures depend differ from it.
    pub commit: String,
    #[serde(flatten)]
    pub machine: Machine,
    /// The features of y3 that are built into the benches.
    pub features: String,
    /// Flags for the compiler from the environment.
    pub flags: Option<String>,
    /// The versions of the peers.
    pub peers: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Full,
    Quick,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Mode::Full => "full",
            Mode::Quick => "quick",
        }
    }

    pub fn command(self) -> &'static str {
        match self {
            Mode::Full => "cargo run --release --manifest-path benches/report/Cargo.toml",
            Mode::Quick => "cargo run --release --manifest-path benches/report/Cargo.toml -- --quick",
        }
    }
}

impl Stamp {
    pub fn new(repository: &Path, mode: Mode) -> Result<Stamp> {
        Ok(Stamp {
            started: now(),
            finished: None,
            mode,
            commit: commit(repository)?,
            machine: Machine::here(),
            features: features(repository)?,
            flags: env::var("RUSTFLAGS").ok().filter(|flags| !flags.is_empty()),
            peers: peers(repository)?,
        })
    }

    pub fn finish(&mut self) {
        self.finished = Some(now());
    }

    pub fn started(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.started)
    }

    /// The date as `2026-11-21`, in UTC.
    pub fn date(&self) -> String {
        let time = humantime::format_rfc3339_seconds(self.started()).to_string();
        time.split('T').next().unwrap_or(&time).to_owned()
    }

    pub fn machine(&self) -> String {
        let Machine { cpu, processor, cores, .. } = &self.machine;
        let processor = if processor.is_empty() { String::new() } else { format!(" ({processor})") };
        format!("{cpu}{processor}, {cores} cores")
    }

    /// What the figures of a page depend on, in a line above its tables.
    pub fn conditions(&self) -> String {
        let flags = self.flags.as_ref().map_or_else(String::new, |flags| format!(" with `RUSTFLAGS={flags}`"));
        format!(
            "{}. {}{flags}, {}, commit {}. y3's features: {}.",
            self.machine(),
            self.machine.rustc,
            self.date(),
            self.commit,
            self.features
        )
    }
}

/// The features that the manifests ask for: those of the crate's own benches, and those of the benches beside other codecs.
fn features(repository: &Path) -> Result<String> {
    let manifest = fs::read_to_string(repository.join("benches/peers/Cargo.toml"))?;
    let line = manifest.lines().find(|line| line.starts_with("y3 = ")).ok_or("benches/peers does not depend on y3")?;
    let list = line.split_once("features = [").and_then(|(_, rest)| rest.split_once(']')).map_or("", |(list, _)| list);
    Ok(format!("std, {} beside other codecs; std, {OWN_FEATURES} in the crate's own benches", list.replace('"', "")))
}

/// The features with which the crate's own benches are built.
pub const OWN_FEATURES: &str = "codec";

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// What the figures depend on, but for the compiler, which the stamp names: no prose, and no programs with figures of their own.
const MEASURED: [&str; 13] = [
    "Cargo.lock",
    "Cargo.toml",
    "benches",
    "derive/Cargo.toml",
    "derive/src",
    "src",
    "tests/data",
    ":!*.md",
    ":!benches/charts",
    ":!benches/counts",
    ":!benches/network",
    ":!benches/pair",
    ":!benches/report",
];

/// The files that the figures depend on, or those of them that differ from the commit.
fn files(repository: &Path, which: &[&str]) -> Result<BTreeSet<String>> {
    let output = Command::new("git").current_dir(repository).args(which).arg("--").args(MEASURED).output();
    let output = output.map_err(|error| format!("git: {error}"))?;
    if !output.status.success() {
        return Err(format!("git {}: {}", which.join(" "), String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// The commit, with `+ changes` if files on which the figures depend are not as they are there.
pub fn commit(repository: &Path) -> Result<String> {
    let commit = said(Command::new("git").current_dir(repository).args(["rev-parse", "--short=12", "HEAD"]));
    let commit = commit.ok_or("the report is measured in a clone of the repository")?;
    let changed = [&["diff", "--name-only", "HEAD"][..], &["ls-files", "--others", "--exclude-standard"]];
    let changed: Vec<BTreeSet<String>> = changed.iter().map(|which| files(repository, which)).collect::<Result<_>>()?;
    Ok(if changed.iter().all(BTreeSet::is_empty) { commit } else { commit + " + changes" })
}

/// The direct dependencies of the peers package, with the versions in its lock file.
fn peers(repository: &Path) -> Result<BTreeMap<String, String>> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["tree", "--locked", "--edges", "normal", "--depth", "1", "--prefix", "none", "--manifest-path"]);
    let output = cargo.arg(repository.join("benches/peers/Cargo.toml")).output()?;
    if !output.status.success() {
        return Err(format!("cargo tree: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let tree = String::from_utf8_lossy(&output.stdout).into_owned();
    // `serde v1.0.0 (proc-macro)`; packages of this repository have a path in brackets.
    let package = |line: &str| {
        let (name, version) = line.split_once(" v")?;
        (!version.contains('/')).then(|| (name.to_owned(), version.split(' ').next().unwrap_or(version).to_owned()))
    };
    Ok(tree.lines().filter_map(package).collect())
}
