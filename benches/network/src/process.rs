//! Process: what a process uses, and on which core.
//!
//! In: a process id, a core. Out: processor time and memory from the system's tables.

use std::fs;
use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// What a process has used so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Seconds of a core.
    pub user: f64,
    pub system: f64,
    /// Peak of resident memory in KiB.
    pub rss: u64,
}

impl Usage {
    /// Of a process on this machine; `None` if the system does not tell.
    pub fn of(process: u32) -> Option<Usage> {
        // The name in parentheses may have spaces; fields 14 and 15 of the line are ticks, 100 of a second.
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        let mut seconds = || Some(fields.next()?.parse::<f64>().ok()? / 100.0);
        Some(Usage { user: seconds()?, system: seconds()?, rss: status(process, "VmHWM:")? })
    }

    /// What was used since then; memory is still the peak.
    pub fn since(self, before: Usage) -> Usage {
        Usage { user: self.user - before.user, system: self.system - before.system, ..self }
    }

    /// Percent of a core in so many seconds.
    pub fn percent(self, seconds: f64) -> f64 {
        100.0 * (self.user + self.system) / seconds.max(1e-9)
    }

    /// Of this process.
    pub fn own() -> Option<Usage> {
        Usage::of(std::process::id())
    }
}

/// A number of KiB in a process's status.
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

/// Runs `start` with this thread on one core, so that a process it starts is there too.
pub fn pinned<T>(core: usize, start: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let before = sched_getaffinity(None)?;
    pin(core)?;
    let started = start();
    sched_setaffinity(None, &before)?;
    started
}

/// How many files this process, and those that it starts, may have open.
pub fn open_files() -> u64 {
    getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX)
}

/// Raises the limit of open files as far as the system allows; each connection is one.
pub fn allow_many_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, ..limit };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::debug!(%error, "the limit of open files stays");
    }
}
