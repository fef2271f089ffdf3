//! Stamp: what was measured, on which machine, and when.
//!
//! In: the repository and the machine. Out: what stands above the figures.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::machine::{Machine, said};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Seconds since 1970.
    pub started: u64,
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
}

/// Measures, and writes the report.
pub const COMMAND: &str = "cargo run --release --manifest-path benches/report/Cargo.toml";

impl Stamp {
    pub fn new(repository: &Path, mode: Mode) -> Result<Stamp> {
        let (peers, features) = peers(repository)?;
        Ok(Stamp {
            started: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs(),
            mode,
            commit: commit(repository, &MEASURED).ok_or("the report is measured in a clone of the repository")?,
            machine: Machine::here(),
            features: format!("{features} beside other codecs; std, {OWN_FEATURES} in the crate's own benches"),
            flags: env::var("RUSTFLAGS").ok().filter(|flags| !flags.is_empty()),
            peers,
        })
    }

    pub fn date(&self) -> String {
        date(SystemTime::UNIX_EPOCH + Duration::from_secs(self.started))
    }

    pub fn machine(&self) -> String {
        self.machine.name()
    }
}

/// The features with which the crate's own benches are built.
pub const OWN_FEATURES: &str = "codec";

/// A date as `2026-11-21`, in UTC.
pub fn date(time: SystemTime) -> String {
    let time = humantime::format_rfc3339_seconds(time).to_string();
    time.split('T').next().unwrap_or(&time).to_owned()
}

/// What the figures depend on, but for the compiler, which the stamp names: no prose, and no programs that only show figures.
pub const MEASURED: [&str; 5] = [".", ":!*.md", ":!docs", ":!benches/charts", ":!benches/report"];

/// The commit, with `+ changes` if files on which the figures depend are not as they are there; `None` outside of a repository.
pub fn commit(repository: &Path, measured: &[&str]) -> Option<String> {
    let git = |arguments: &[&str]| said(Command::new("git").current_dir(repository).args(arguments));
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changes = git(&[&["status", "--porcelain", "--untracked-files=all", "--"], measured].concat())?;
    Some(if changes.is_empty() { commit } else { commit + " + changes" })
}

/// The versions of the direct dependencies of the peers package by its lock file, and y3's features among them.
fn peers(repository: &Path) -> Result<(BTreeMap<String, String>, String)> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["tree", "--locked", "--edges", "normal", "--depth", "1", "--prefix", "none", "--format", "{p} {f}"]);
    cargo.arg("--manifest-path").arg(repository.join("benches/peers/Cargo.toml"));
    let tree = said(cargo.stderr(Stdio::inherit()));
    let tree = tree.ok_or("`cargo tree` fails in benches/peers")?;
    let (mut peers, mut features) = (BTreeMap::new(), None);
    // `serde v1.0.0 (proc-macro) default,derive`; packages of this repository have a path in brackets.
    for line in tree.lines() {
        let (name, rest) = line.split_once(" v").ok_or_else(|| format!("`cargo tree` says {line}"))?;
        let words: Vec<&str> = rest.split(' ').collect();
        if name == "y3" {
            let named = words.last().into_iter().flat_map(|all| all.split(',')).filter(|name| *name != "default");
            features = Some(named.collect::<Vec<_>>().join(", "));
        } else if !rest.contains('/') {
            peers.insert(name.to_owned(), words[0].to_owned());
        }
    }
    Ok((peers, features.ok_or("benches/peers does not depend on y3")?))
}
