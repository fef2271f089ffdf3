//! Broker: a `nats-server` with JetStream as a child process, which ends when its guard is dropped.
//!
//! In: a folder for its store. Out: its address; it can be killed and started again on the same store.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use tokio::net::TcpSocket;

use crate::process::Guard;

/// How long the broker may take to start or to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running broker; dropping it kills it. Its store stays.
#[derive(Debug)]
pub struct Broker {
    program: PathBuf,
    folder: PathBuf,
    port: TcpSocket,
    child: Guard,
}

/// How a broker ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// SIGTERM: it closes its files.
    Asked,
    /// SIGKILL: it closes nothing.
    Killed,
}

/// The program `nats-server`: the given path, or the first one in `PATH` and in the folders of system packages.
pub fn find(path: Option<&Path>) -> Result<PathBuf> {
    let get = "install Debian's package (apt-get install nats-server), take a release from nats.io, or name it with --nats-server PATH";
    if let Some(path) = path {
        if !path.is_file() {
            bail!("no nats-server at {}: {get}", path.display());
        }
        return Ok(path.to_owned());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let packaged = ["/usr/sbin", "/usr/local/bin"].map(PathBuf::from);
    std::env::split_paths(&folders)
        .chain(packaged)
        .map(|folder| folder.join("nats-server"))
        .find(|program| program.is_file())
        .with_context(|| format!("nats-server is not found: {get}"))
}

/// A socket that reserves the port while the broker is down. It does not listen, so that the broker can.
fn keep_port() -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
    Ok(socket)
}

impl Broker {
    /// Starts a broker on loopback, on a free port, with its store in `folder`.
    ///
    /// `max_file_store` is the store's limit in bytes.
    pub fn start(program: &Path, folder: &Path, max_file_store: Option<u64>) -> Result<Broker> {
        let limit = max_file_store.map_or_else(String::new, |bytes| format!("max_file_store: {bytes}\n"));
        let port = keep_port().context("no port is free")?;
        let store = folder.join("store");
        fs::create_dir_all(&store).with_context(|| format!("cannot make {}", store.display()))?;
        let config = format!(
            "listen: {:?}\nlog_file: {:?}\njetstream {{\nstore_dir: {store:?}\n{limit}}}\n",
            port.local_addr()?.to_string(),
            folder.join("log"),
        );
        fs::write(folder.join("config"), config)?;
        let child = Broker::spawn(program, folder)?;
        let mut broker = Broker { program: program.to_owned(), folder: folder.to_owned(), port, child };
        broker.ready()?;
        Ok(broker)
    }

    fn spawn(program: &Path, folder: &Path) -> Result<Guard> {
        let child = Command::new(program)
            .arg("--config")
            .arg(folder.join("config"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        Ok(Guard(child))
    }

    /// Waits until the port is open and the store is read.
    fn ready(&mut self) -> Result<()> {
        self.wait("is not ready", |broker| {
            if let Some(status) = broker.child.0.try_wait()? {
                bail!("nats-server ended with {status}; its log ends with\n{}", broker.log());
            }
            let log = fs::read_to_string(broker.folder.join("log"));
            let is_ready = log.is_ok_and(|log| log.contains("Server is ready"));
            Ok(is_ready && TcpStream::connect(broker.port.local_addr()?).is_ok())
        })
    }

    fn wait(&mut self, what: &str, is_over: impl Fn(&mut Broker) -> Result<bool>) -> Result<()> {
        let began = Instant::now();
        while !is_over(self)? {
            if began.elapsed() > PATIENCE {
                bail!("nats-server {what} after {PATIENCE:?}; its log ends with\n{}", self.log());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// The last lines of its log.
    fn log(&self) -> String {
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(8)..].join("\n")
    }

    /// `127.0.0.1:port`, the same after a restart.
    pub fn address(&self) -> String {
        self.port.local_addr().expect("it is bound").to_string()
    }

    /// The id of the process.
    pub fn process(&self) -> u32 {
        self.child.0.id()
    }

    /// Ends the process and waits for it.
    pub fn end(&mut self, how: End) -> Result<()> {
        match how {
            End::Killed => self.child.0.kill()?,
            End::Asked => kill_process(Pid::from_child(&self.child.0), Signal::TERM).map_err(io::Error::from)?,
        }
        self.wait("has not ended", |broker| Ok(broker.child.0.try_wait()?.is_some()))
    }

    /// Starts the process again, on the same port and store.
    pub fn start_again(&mut self) -> Result<()> {
        self.end(End::Killed)?;
        fs::rename(self.folder.join("log"), self.folder.join("log.before"))?;
        self.child = Broker::spawn(&self.program, &self.folder)?;
        self.ready()
    }
}
