//! Process: a worker as a child process, and a temporary folder, for tests and measurements.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

use crate::group::Settings;
use crate::worker;

/// A folder that is removed with everything in it.
#[derive(Debug)]
pub struct Folder(TempDir);

impl Folder {
    /// Makes a new folder among the system's temporary ones.
    pub fn new(name: &str) -> Result<Folder> {
        tempfile::Builder::new().prefix(&format!("y3-{name}-")).tempdir().map(Folder).context("cannot make a folder")
    }

    /// Writes a file in it, and returns its path.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.0.path().join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// A process that is killed when this is dropped.
#[derive(Debug)]
pub struct Guard(pub Child);

impl Drop for Guard {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A worker in a process of its own; dropping it kills it.
#[derive(Debug)]
pub struct Process(Guard);

impl Process {
    /// Starts a worker: `command` with its subcommand and its settings after its own arguments.
    pub fn start(mut command: Command, server: &str, group: &Settings, options: &worker::Options) -> Result<Process> {
        let us = |duration: Duration| format!("{}us", duration.as_micros());
        let child = command
            .args(["worker", "--quiet", "--log", "error", "--server", server, "--group", &group.name])
            .args(["--ack-wait", &us(group.ack_wait), "--window", &us(group.window)])
            .args(["--max-packets", &group.max_packets.to_string()])
            .args(["--max-results", &group.max_results.to_string()])
            .args(["--in-flight", &options.in_flight.to_string(), "--work", &us(options.work)])
            .args(["--tries", &options.tries.to_string(), "--deliveries", &options.deliveries.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context("cannot start a worker")?;
        Ok(Process(Guard(child)))
    }

    /// The id of the process.
    pub fn id(&self) -> u32 {
        self.0.0.id()
    }

    /// Ends it as a crash would (SIGKILL) and waits for its end.
    pub fn kill(&mut self) -> Result<()> {
        if let Some(status) = self.0.0.try_wait()? {
            bail!("the worker ended before, with {status}");
        }
        self.0.0.kill()?;
        self.0.0.wait()?;
        Ok(())
    }
}
