//! The hosts of a row: this machine with its loopback, or two network namespaces that are connected by a veth pair.
//!
//! The namespaces have no names. The kernel removes them and the veth pair when the last process in them ends, even if
//! a sweep is killed.

use std::fs::File;
use std::io::{self, Write as _};
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd as _;
use std::process::Stdio;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use nix::sched::{CloneFlags, setns, unshare};
use serde::{Deserialize, Serialize};
use tokio::process::{Child, Command};

use crate::process::pinned;

/// The network between servers and load generators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Between {
    /// The loopback of one machine.
    #[default]
    Loopback,
    /// A veth pair between two namespaces, each with its own network stack.
    Namespaces,
    /// The network to a server that was started elsewhere (`--at`).
    #[value(skip)]
    Machines,
}

/// A core, and the network namespace of the processes on it.
#[derive(Clone, Debug)]
pub struct Host {
    pub core: usize,
    pub address: Ipv4Addr,
    namespace: Option<Arc<File>>,
}

/// Addresses that are reserved for benchmarks (RFC 2544).
const ADDRESSES: [Ipv4Addr; 2] = [Ipv4Addr::new(198, 18, 0, 1), Ipv4Addr::new(198, 18, 0, 2)];

/// The network namespace of this thread.
const OWN: &str = "/proc/thread-self/ns/net";

/// Creates a network namespace, which exists as long as the file or a process in it.
fn namespace() -> anyhow::Result<File> {
    // A separate thread enters the namespace, so this thread stays in its own.
    let made = std::thread::spawn(|| {
        unshare(CloneFlags::CLONE_NEWNET).context("cannot create a network namespace; this usually requires root")?;
        Ok(File::open(OWN)?)
    });
    made.join().map_err(|_| anyhow!("the thread panicked"))?
}

impl Host {
    /// Creates a host in this machine's network.
    #[must_use]
    pub fn here(core: usize) -> Host {
        Host { core, address: Ipv4Addr::LOCALHOST, namespace: None }
    }

    /// Creates two hosts that are connected only to each other.
    ///
    /// # Errors
    /// Returns an error if the system does not allow network namespaces, or `ip` (iproute2) is missing.
    pub fn joined(cores: [usize; 2]) -> anyhow::Result<[Host; 2]> {
        let (one, other) = (namespace()?, namespace()?);
        let peer = format!("/proc/{}/fd/{}", std::process::id(), other.as_raw_fd());
        let host = |at: usize, file| Host { core: cores[at], address: ADDRESSES[at], namespace: Some(Arc::new(file)) };
        let hosts = [host(0, one), host(1, other)];
        hosts[0].ip(&format!("link add wire type veth peer name wire netns {peer}\n"))?;
        for host in &hosts {
            host.ip(&format!("link set lo up\naddr add {}/30 dev wire\nlink set wire up\n", host.address))?;
        }
        Ok(hosts)
    }

    /// Runs lines of `ip` commands on the host.
    fn ip(&self, lines: &str) -> anyhow::Result<()> {
        let mut command = std::process::Command::new("ip");
        command.args(["-batch", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            self.within(|| command.spawn()).context("cannot start ip, which is in Debian's package iproute2")?;
        child.stdin.take().context("no input")?.write_all(lines.as_bytes())?;
        let output = child.wait_with_output()?;
        anyhow::ensure!(output.status.success(), "ip: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    /// Runs `start` on the core and in the network of the host. Processes and sockets that it creates stay there.
    ///
    /// # Errors
    /// Returns the errors of `start`, and an error if the core does not exist or the system denies the namespace.
    pub fn within<T>(&self, start: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let Some(namespace) = &self.namespace else { return pinned(self.core, start) };
        let own = File::open(OWN)?;
        setns(namespace, CloneFlags::CLONE_NEWNET)?;
        let started = pinned(self.core, start);
        setns(own, CloneFlags::CLONE_NEWNET)?;
        started
    }

    /// Starts a process that is killed when the child is dropped.
    pub fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        command.stdin(Stdio::piped()).kill_on_drop(true);
        if self.namespace.is_none() {
            return self.within(|| command.spawn());
        }
        // A process that outlives a killed sweep would keep its namespace.
        let inner = command.as_std();
        let mut outer = Command::new("setpriv");
        outer.args(["--pdeathsig", "KILL", "--"]).arg(inner.get_program()).args(inner.get_args());
        outer.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        outer.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        self.within(|| outer.spawn())
    }
}
