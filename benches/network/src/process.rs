//! The processor time and memory of a process, and the core that it runs on.

use std::fs;
use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The resources that a process has used so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Seconds of processor time.
    pub user: f64,
    pub system: f64,
    /// The peak of resident memory in KiB.
    pub rss: u64,
}

impl Usage {
    /// Reads the usage of a process on this machine. Returns `None` if the system does not report it.
    pub fn of(process: u32) -> Option<Usage> {
        // The name in parentheses may contain spaces. Fields 14 and 15 of the line are in hundredths of a second.
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        let mut seconds = || Some(fields.next()?.parse::<f64>().ok()? / 100.0);
        Some(Usage { user: seconds()?, system: seconds()?, rss: status(process, "VmHWM:")? })
    }

    /// Returns the processor time used since `before`. The memory is still the peak.
    pub fn since(self, before: Usage) -> Usage {
        Usage { user: self.user - before.user, system: self.system - before.system, ..self }
    }

    /// Returns the processor time in percent of a core, for this many seconds.
    pub fn percent(self, seconds: f64) -> f64 {
        100.0 * (self.user + self.system) / seconds.max(1e-9)
    }

    /// Reads the usage of this process.
    pub fn own() -> Option<Usage> {
        Usage::of(std::process::id())
    }
}

/// Reads a number in KiB from the status of a process.
pub fn status(process: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix(name))?.trim_end_matches("kB").trim().parse().ok()
}

/// Keeps this thread, and the threads and processes that it starts, on one core.
pub fn pin(core: usize) -> io::Result<()> {
    let mut cores = CpuSet::new();
    if core >= CpuSet::MAX_CPU {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    cores.set(core);
    Ok(sched_setaffinity(None, &cores)?)
}

/// Runs `start` on one core. A process that it starts also stays there.
pub fn pinned<T>(core: usize, start: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let before = sched_getaffinity(None)?;
    pin(core)?;
    let started = start();
    sched_setaffinity(None, &before)?;
    started
}

/// The maximum number of open files of this process and its child processes.
pub fn open_files() -> u64 {
    getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX)
}

/// Raises the limit of open files as far as the system allows, because each connection is an open file.
pub fn allow_many_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, ..limit };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::debug!(%error, "the limit of open files stays");
    }
}
