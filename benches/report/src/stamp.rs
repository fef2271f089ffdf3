//! Stamp: what was measured, on which machine, and when.
//!
//! In: the repository and the machine. Out: `stamp.json`, written before the first measurement and again after the last, so
//! that an aborted run and measurements of other code are detected.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use std::{env, fs};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Result;
use crate::machine::{Machine, said};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Seconds since 1970.
    pub started: u64,
    /// `None` while the run lasts, and after an aborted run.
    pub finished: Option<u64>,
    pub mode: Mode,
    pub command: String,
    /// With `+ changes` if files on which figures depend differ from it.
    pub commit: String,
    pub cpu: String,
    /// Family, model, stepping, clock and cache, as far as the system says.
    pub processor: String,
    /// The features of y3 that are built into the benches.
    pub features: String,
    pub cores: usize,
    pub kernel: String,
    pub rustc: String,
    /// Flags for the compiler from the environment.
    pub flags: Option<String>,
    /// The fingerprint of the measured code.
    pub fingerprint: String,
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
        let Machine { cpu, processor, cores, kernel, rustc } = Machine::here();
        Ok(Stamp {
            started: now(),
            finished: None,
            mode,
            command: mode.command().to_owned(),
            commit: commit(repository),
            cpu,
            processor,
            features: features(repository)?,
            cores,
            kernel,
            rustc,
            flags: env::var("RUSTFLAGS").ok().filter(|flags| !flags.is_empty()),
            fingerprint: fingerprint(repository)?,
            peers: peers(repository)?,
        })
    }

    pub fn read(path: &Path) -> Result<Stamp> {
        let text = fs::read(path).map_err(|error| format!("nothing has been measured: {}: {error}", path.display()))?;
        Ok(serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?)
    }

    pub fn write(&self, path: &Path) -> Result<()> {
        Ok(fs::write(path, serde_json::to_string_pretty(self)?)?)
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
        let processor = if self.processor.is_empty() { String::new() } else { format!(" ({})", self.processor) };
        format!("{}{processor}, {} cores", self.cpu, self.cores)
    }

    /// What the figures of a page depend on, in a line above its tables.
    pub fn conditions(&self) -> String {
        let flags = self.flags.as_ref().map_or_else(String::new, |flags| format!(" with `RUSTFLAGS={flags}`"));
        format!(
            "{}. {}{flags}, {}, commit {}. y3's features: {}.",
            self.machine(),
            self.rustc,
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

/// The commit, with `+ changes` if files on which the figures depend are not as they are there.
pub fn commit(repository: &Path) -> String {
    let git =
        |arguments: &[&str]| said(Command::new("git").current_dir(repository).args(arguments).arg("--").args(MEASURED));
    let Some(commit) = said(Command::new("git").current_dir(repository).args(["rev-parse", "--short=12", "HEAD"]))
    else {
        return "not in git".to_owned();
    };
    let lists =
        [&["diff", "--name-only", "--relative", "HEAD"][..], &["ls-files", "--others", "--exclude-standard"]].map(git);
    let changed = |list: &Option<String>| {
        list.as_ref().is_none_or(|files| files.lines().any(|file| is_measured(Path::new(file))))
    };
    if lists.iter().any(changed) { commit + " + changes" } else { commit }
}

/// What the figures depend on, but for the compiler, which the stamp names.
const MEASURED: [&str; 7] =
    ["Cargo.lock", "Cargo.toml", "benches", "derive/Cargo.toml", "derive/src", "src", "tests/data"];

/// Programs among the benches with figures of their own, or none.
const OTHERS: [&str; 5] = ["benches/charts", "benches/counts", "benches/network", "benches/pair", "benches/report"];

/// Whether the figures depend on a file, or a folder, of those that are [`MEASURED`]: no prose, no build output.
fn is_measured(path: &Path) -> bool {
    !OTHERS.iter().any(|other| path.starts_with(other))
        && !path.ends_with("target")
        && path.extension().is_none_or(|extension| extension != "md")
}

/// A hash of the names and contents of the measured files.
pub fn fingerprint(repository: &Path) -> Result<String> {
    let mut files = Vec::new();
    for part in MEASURED {
        collect(repository, Path::new(part), &mut files)?;
    }
    files.sort();
    // FNV-1a, since the standard library's hash may change from one release to the next.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for file in files {
        add(file.to_string_lossy().as_bytes());
        add(&fs::read(repository.join(file))?);
    }
    Ok(format!("{hash:016x}"))
}

/// The files of a folder on which figures depend.
fn collect(repository: &Path, path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let whole = repository.join(path);
    if !is_measured(path) {
        return Ok(());
    }
    if whole.is_file() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(&whole).map_err(|error| format!("{}: {error}", whole.display()))? {
        collect(repository, &path.join(entry?.file_name()), files)?;
    }
    Ok(())
}

/// The direct dependencies of the peers package, with the versions in its lock file.
fn peers(repository: &Path) -> Result<BTreeMap<String, String>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = repository.join("benches/peers/Cargo.toml");
    let mut command = Command::new(cargo);
    command.args(["metadata", "--locked", "--format-version", "1", "--manifest-path"]).arg(&manifest);
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("{}: {}", manifest.display(), String::from_utf8_lossy(&output.stderr)).into());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let root = &metadata["resolve"]["root"];
    let nodes = list(&metadata["resolve"]["nodes"]);
    let node = nodes.iter().find(|node| node["id"] == *root).ok_or("cargo metadata names no root")?;
    let direct = list(&node["deps"]).into_iter().filter(|dependency| {
        // Dev-dependencies belong to the benches; a null kind is an ordinary dependency.
        list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null())
    });
    let packages = list(&metadata["packages"]);
    let version = |dependency: Value| {
        // Packages of this repository have no source.
        let is = |package: &&Value| package["id"] == dependency["pkg"] && !package["source"].is_null();
        let package = packages.iter().find(is)?;
        Some((package["name"].as_str()?.to_owned(), package["version"].as_str()?.to_owned()))
    };
    Ok(direct.filter_map(version).collect())
}
