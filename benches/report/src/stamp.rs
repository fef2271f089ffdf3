//! Stamp: the conditions of a run, such as the machine, the commit and the versions.

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
    /// Ends with `+ changes` if files that influence the figures differ from the commit.
    pub commit: String,
    #[serde(flatten)]
    pub machine: Machine,
    /// The features with which y3 is built for the benches.
    pub features: String,
    /// The value of `RUSTFLAGS`.
    pub flags: Option<String>,
    /// The versions of the codecs.
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

/// The command that measures and writes the report.
pub const COMMAND: &str = "cargo run --release --manifest-path benches/report/Cargo.toml";

impl Stamp {
    pub fn new(repository: &Path, mode: Mode) -> Result<Stamp> {
        let (peers, features) = peers(repository)?;
        Ok(Stamp {
            started: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs(),
            mode,
            commit: commit(repository, &MEASURED).ok_or("the report must run in a clone of the repository")?,
            machine: Machine::here(),
            features: format!(
                "{features} (comparison with other codecs); std, {OWN_FEATURES} (the crate's own benches)"
            ),
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

/// Formats the date of a time in UTC as `2026-11-21`.
pub fn date(time: SystemTime) -> String {
    let time = humantime::format_rfc3339_seconds(time).to_string();
    time.split('T').next().unwrap_or(&time).to_owned()
}

/// The files that influence the figures. Prose and the programs that only show figures do not.
pub const MEASURED: [&str; 5] = [".", ":!*.md", ":!docs", ":!benches/charts", ":!benches/report"];

/// The current commit, with `+ changes` if files in `measured` differ from it. Returns `None` outside of a repository.
pub fn commit(repository: &Path, measured: &[&str]) -> Option<String> {
    let git = |arguments: &[&str]| said(Command::new("git").current_dir(repository).args(arguments));
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changes = git(&[&["status", "--porcelain", "--untracked-files=all", "--"], measured].concat())?;
    Some(if changes.is_empty() { commit } else { commit + " + changes" })
}

/// The versions of the direct dependencies in the lock file of the package peers, and the features with which it uses y3.
fn peers(repository: &Path) -> Result<(BTreeMap<String, String>, String)> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["tree", "--locked", "--edges", "normal", "--depth", "1", "--prefix", "none", "--format", "{p} {f}"]);
    cargo.arg("--manifest-path").arg(repository.join("benches/peers/Cargo.toml"));
    let tree = said(cargo.stderr(Stdio::inherit()));
    let tree = tree.ok_or("`cargo tree` fails in benches/peers")?;
    let (mut peers, mut features) = (BTreeMap::new(), None);
    // A line is `serde v1.0.0 (proc-macro) default,derive`, for example. Packages of this repository have a path in brackets.
    for line in tree.lines() {
        let (name, rest) =
            line.split_once(" v").ok_or_else(|| format!("`cargo tree` prints an unknown line: {line}"))?;
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
