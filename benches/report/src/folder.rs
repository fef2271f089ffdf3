//! Folder: where the files of a run are, and whether they are of that run.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::Result;

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn stamp(&self) -> PathBuf {
        self.0.join("stamp.json")
    }

    pub fn promises(&self) -> PathBuf {
        self.0.join("promises.json")
    }

    pub fn facts(&self) -> PathBuf {
        self.0.join("facts.json")
    }

    pub fn go(&self) -> PathBuf {
        self.0.join("go.json")
    }

    pub fn instructions(&self) -> PathBuf {
        self.0.join("instructions.json")
    }

    /// A pass of a bench that is measured in turns.
    pub fn turns(&self, bench: &str, pass: usize) -> PathBuf {
        self.0.join("turns").join(bench).join(format!("pass-{pass}.json"))
    }

    /// The clock beside the other benches.
    pub fn pace(&self) -> PathBuf {
        self.0.join("pace.json")
    }

    pub fn cpu(&self) -> PathBuf {
        self.0.join("cpu.json")
    }

    /// Criterion's folder for a package, so that groups of the same name do not mix.
    pub fn criterion(&self, package: &str) -> PathBuf {
        self.0.join("criterion").join(package)
    }
}

/// Criterion's name for the results of a pass.
pub fn baseline(pass: usize) -> String {
    format!("pass-{pass}")
}

/// A file's contents, if it was written during the run.
pub fn recent(path: &Path, since: SystemTime) -> Result<Vec<u8>> {
    let missing = |error| format!("missing measurement: {}: {error}", path.display());
    let contents = fs::read(path).map_err(missing)?;
    if fs::metadata(path)?.modified()? < since {
        return Err(format!("{} is older than the run it should belong to: measure again", path.display()).into());
    }
    Ok(contents)
}
