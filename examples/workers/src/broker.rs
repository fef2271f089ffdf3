//! Broker: a `nats-server` with JetStream as a child process, which ends when its guard is dropped.
//!
//! In: a folder for its store. Out: its address; it can be killed and started again on the same store.

use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tokio::net::TcpSocket;

/// How long the broker may take to start.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running broker; dropping it kills it. Its store stays.
#[derive(Debug)]
pub struct Broker {
    command: Command,
    log: PathBuf,
    /// Reserves the port while the broker is down. It does not listen, so that the broker can.
    port: TcpSocket,
    child: Process,
}

/// A process that is killed (SIGKILL) when this is dropped.
#[derive(Debug)]
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The program `nats-server`: the given path, or the first one in `PATH` and in the folders of system packages.
pub fn find(path: Option<&Path>) -> Result<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::split_paths(&folders).chain(["/usr/sbin", "/usr/local/bin"].map(PathBuf::from));
    let all = all.map(|folder| folder.join("nats-server")).filter(|_| path.is_none());
    all.chain(path.map(PathBuf::from)).find(|program| program.is_file()).context(
        "no nats-server: install Debian's package (apt-get install nats-server), take a release from nats.io, or name it with --nats-server PATH",
    )
}

impl Broker {
    /// Starts a broker on loopback, on a free port, with its store in `folder`.
    ///
    /// `max_file_store` is the store's limit in bytes.
    pub fn start(program: &Path, folder: &Path, max_file_store: Option<u64>) -> Result<Broker> {
        let port = TcpSocket::new_v4()?;
        port.set_reuseaddr(true)?;
        port.bind((Ipv4Addr::LOCALHOST, 0).into())?;
        let (address, config, log) = (port.local_addr()?.to_string(), folder.join("config"), folder.join("log"));
        let limit = max_file_store.map_or_else(String::new, |bytes| format!("max_file_store: {bytes}\n"));
        let store = folder.join("store");
        let text = format!("listen: {address:?}\nlog_file: {log:?}\njetstream {{\nstore_dir: {store:?}\n{limit}}}\n");
        fs::write(&config, text).with_context(|| format!("cannot write {}", config.display()))?;
        let mut command = Command::new(program);
        command.arg("--config").arg(config).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = started(&mut command, &log)?;
        Ok(Broker { command, log, port, child })
    }

    /// `127.0.0.1:port`, the same after a restart.
    pub fn address(&self) -> String {
        self.port.local_addr().expect("it is bound").to_string()
    }

    /// The id of the process.
    pub fn process(&self) -> u32 {
        self.child.0.id()
    }

    /// Sends a signal that ends the process, and waits for its end. At SIGTERM the broker closes its files, at SIGKILL nothing.
    pub fn end(&mut self, signal: Signal) -> Result<()> {
        kill_process(Pid::from_child(&self.child.0), signal)?;
        self.child.0.wait()?;
        Ok(())
    }

    /// Starts the process again, on the same port and store.
    pub fn start_again(&mut self) -> Result<()> {
        fs::remove_file(&self.log)?;
        self.child = started(&mut self.command, &self.log)?;
        Ok(())
    }
}

/// Starts the process, and waits until it has read its store and listens.
fn started(command: &mut Command, log: &Path) -> Result<Process> {
    let mut child = Process(command.spawn().context("cannot start nats-server")?);
    let began = Instant::now();
    loop {
        let text = fs::read_to_string(log).unwrap_or_default();
        if text.contains("Server is ready") {
            return Ok(child);
        }
        if let Some(status) = child.0.try_wait()? {
            bail!("nats-server ended with {status}; its log is\n{text}");
        }
        ensure!(began.elapsed() < PATIENCE, "nats-server is not ready after {PATIENCE:?}; its log is\n{text}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
