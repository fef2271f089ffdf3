//! Sweep: every server and client as processes on a core each, over callers and bodies.
//!
//! In: what to measure, the CSV of rows that are there. Out: the CSV with new rows, a table, a comparison with an earlier CSV.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::ValueEnum;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};

use super::load::Row;
use super::rows::{self, Entry};
use crate::kept::csv_file;
use crate::kept::turns::middle;
use crate::kept::undisturbed::Undisturbed;
use crate::process::{Usage, pinned};
use crate::program::interrupted;
use crate::terminal::{Progress, say};

/// What a sweep measures: a server and a client, in Rust here or in Go from `go/rpc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Kind {
    Y3Mux,
    Y3Pooled,
    Y3Quic,
    JsonMux,
    JsonPooled,
    Tonic,
    Grpc,
    KitexMux,
    KitexPooled,
}

impl Kind {
    /// The name on command lines, in rows and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Y3Mux => "y3-mux",
            Kind::Y3Pooled => "y3-pooled",
            Kind::Y3Quic => "y3-quic",
            Kind::JsonMux => "json-mux",
            Kind::JsonPooled => "json-pooled",
            Kind::Tonic => "tonic",
            Kind::Grpc => "grpc",
            Kind::KitexMux => "kitex-mux",
            Kind::KitexPooled => "kitex-pooled",
        }
    }

    fn server(self) -> &'static str {
        match self {
            Kind::Y3Mux | Kind::Y3Pooled => "y3",
            Kind::JsonMux | Kind::JsonPooled => "json",
            // Servers in Go go by the names of their clients.
            _ => self.name(),
        }
    }

    fn is_go(self) -> bool {
        matches!(self, Kind::Grpc | Kind::KitexMux | Kind::KitexPooled)
    }

    /// One row is enough: QUIC shows what another transport costs, at one size.
    fn takes(self, body: usize) -> bool {
        self != Kind::Y3Quic || body == 1024
    }
}

/// Arguments of `network echo sweep`.
#[derive(clap::Args)]
pub struct Arguments {
    /// What to measure; repeat it for more. All kinds otherwise.
    #[arg(long, value_enum)]
    kind: Vec<Kind>,
    /// Numbers of callers.
    #[arg(long, value_delimiter = ',', default_values_t = [100, 200, 400, 600, 800, 1000])]
    callers: Vec<usize>,
    /// Bytes of bodies.
    #[arg(long, value_delimiter = ',', default_values_t = [1024, 5120])]
    body: Vec<usize>,
    /// How long a row is measured.
    #[arg(long, default_value_t = 3.0, value_parser = crate::program::seconds)]
    seconds: f64,
    /// How often each row is measured, in turns with those of as many callers; the one in the middle is kept.
    #[arg(long, default_value_t = 1)]
    turns: usize,
    /// Seconds for rows that are measured again because the hypervisor took the cores.
    #[arg(long, default_value_t = 600.0, value_parser = crate::program::seconds)]
    again: f64,
    /// A short run: 100 and 1,000 callers, 1 KiB, a second each.
    #[arg(long)]
    quick: bool,
    /// How long handlers wait before they reply.
    #[arg(long, default_value = "0ms", value_parser = humantime::parse_duration)]
    delay: Duration,
    /// The file that keeps rows: those measured now replace their older ones, others stay.
    #[arg(long, default_value = "network.csv")]
    csv: PathBuf,
    /// Leave out rows that the file has.
    #[arg(long)]
    missing: bool,
    /// Stop after this many seconds; the rest is for the next run with `--missing`.
    #[arg(long, value_parser = crate::program::seconds)]
    stop_after: Option<f64>,
    /// Compare with the rows of another file.
    #[arg(long)]
    against: Option<PathBuf>,
    /// The address of a server that runs already, here or on another machine, started with the kind of the one `--kind`.
    #[arg(long)]
    at: Option<SocketAddr>,
    /// The server's certificate, for y3-quic with `--at`.
    #[arg(long)]
    certificate: Option<PathBuf>,
    /// The cores of server and client.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 1])]
    cores: Vec<usize>,
    /// The program in Go, if it is built already.
    #[arg(long)]
    go: Option<PathBuf>,
}

/// The package's folder in the repository.
fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs the sweep.
///
/// # Errors
/// A server that does not start, a client without a reply, a file that cannot be written. Rows until then are in the CSV.
pub async fn run(mut arguments: Arguments) -> anyhow::Result<()> {
    if arguments.quick {
        (arguments.callers, arguments.body, arguments.seconds) = (vec![100, 1000], vec![1024], 1.0);
    }
    anyhow::ensure!(
        arguments.at.is_none() || arguments.kind.len() == 1,
        "with --at name the one --kind that the server was started with"
    );
    let sweep = Sweep::new(&arguments).await?;
    let mut entries: Vec<Entry> = csv_file::read(&arguments.csv)?;
    let before = arguments.against.as_deref().map(csv_file::read).transpose()?;
    let jobs = sweep.jobs(&entries);
    let turns = arguments.turns.max(1);
    let progress = Progress::rows(jobs.len() * turns);
    let begin = Instant::now();
    let mut undisturbed = Undisturbed::new(arguments.seconds, arguments.again);
    let mut measured: Vec<Entry> = Vec::new();
    let mut failures = Vec::new();
    'all: for beside in jobs.chunk_by(|one, other| (one.body, one.callers) == (other.body, other.callers)) {
        let mut found = vec![Vec::new(); beside.len()];
        let mut failed = vec![false; beside.len()];
        for (job, at) in (0..turns).flat_map(|_| beside.iter().zip(0..)) {
            if failed[at] {
                continue;
            }
            if arguments.stop_after.is_some_and(|limit| begin.elapsed().as_secs_f64() > limit) {
                say(&format!("stopped with {} of {} rows; --missing goes on", measured.len(), jobs.len()));
                break 'all;
            }
            progress.show(&format!("{} {} callers {} B", job.kind.name(), job.callers, job.body));
            let row = tokio::select! {
                row = undisturbed.least(async || sweep.row(job).await) => row,
                () = interrupted() => {
                    say(&format!("interrupted with {} of {} rows", measured.len(), jobs.len()));
                    break 'all;
                }
            };
            match row {
                Ok((entry, stolen)) => {
                    found[at].push(Entry { stolen, ..entry });
                    let (entry, turns, spread) = middle(&found[at], |entry| entry.tps);
                    let entry = Entry { turns, spread, ..entry };
                    rows::put(&mut measured, entry.clone());
                    rows::put(&mut entries, entry);
                    rows::write(&arguments.csv, &entries)?;
                }
                // The other rows are worth having.
                Err(error) => {
                    failed[at] = true;
                    failures.push(format!("{} {} {}: {error:#}", job.kind.name(), job.callers, job.body));
                }
            }
            progress.done();
        }
    }
    drop(progress);
    let bodies: BTreeSet<usize> = measured.iter().map(|entry| entry.body).collect();
    for body in bodies {
        println!("\n{body} bytes");
        print!("{}", rows::table(&measured.iter().filter(|entry| entry.body == body).collect::<Vec<_>>()));
    }
    println!("\n{} rows in {}", entries.len(), arguments.csv.display());
    if let (Some(before), Some(path)) = (before, &arguments.against) {
        println!("\nCompared with {}\n{}", path.display(), rows::diff(&measured, &before));
    }
    anyhow::ensure!(failures.is_empty(), "rows that failed:\n{}", failures.join("\n"));
    Ok(())
}

/// One row to measure.
struct Job {
    kind: Kind,
    body: usize,
    callers: usize,
}

struct Sweep<'a> {
    arguments: &'a Arguments,
    own: PathBuf,
    go: Option<PathBuf>,
    certificate: PathBuf,
    cores: (usize, usize),
}

impl<'a> Sweep<'a> {
    async fn new(arguments: &'a Arguments) -> anyhow::Result<Self> {
        let [server, client] = arguments.cores[..] else { anyhow::bail!("--cores takes two numbers: server, client") };
        let wants_go = arguments.kind.is_empty() || arguments.kind.iter().any(|kind| kind.is_go());
        let go = match &arguments.go {
            Some(go) => Some(go.canonicalize().with_context(|| format!("no program {}", go.display()))?),
            None if wants_go => match built_go().await {
                Ok(go) => Some(go),
                Err(error) => {
                    eprintln!("no rows for gRPC and Kitex in Go: {error:#}");
                    None
                }
            },
            None => None,
        };
        Ok(Sweep {
            arguments,
            own: std::env::current_exe().context("the path of this program")?,
            go,
            certificate: std::env::temp_dir().join(format!("network-echo-{}.der", std::process::id())),
            cores: (server, client),
        })
    }

    /// The rows to measure: kinds in turns, so that a change of the machine's speed meets all of them.
    fn jobs(&self, there: &[Entry]) -> Vec<Job> {
        let all = Kind::value_variants();
        let kinds = if self.arguments.kind.is_empty() { all } else { &self.arguments.kind };
        let mut jobs = Vec::new();
        for &body in &self.arguments.body {
            for &callers in &self.arguments.callers {
                for &kind in kinds.iter().filter(|kind| kind.takes(body) && (!kind.is_go() || self.go.is_some())) {
                    let is_there = there.iter().any(|entry| entry.is_of(kind.name(), body, callers, self.delay_ms()));
                    if !(self.arguments.missing && is_there) {
                        jobs.push(Job { kind, body, callers });
                    }
                }
            }
        }
        jobs
    }

    fn delay_ms(&self) -> f64 {
        self.arguments.delay.as_secs_f64() * 1e3
    }

    /// A command of this program, or of the one in Go.
    fn command(&self, kind: Kind, role: &str) -> Command {
        let mut command = match &self.go {
            Some(go) if kind.is_go() => Command::new(go),
            _ => {
                let mut own = Command::new(&self.own);
                own.args(["--log", "warn", "echo"]);
                own
            }
        };
        command.arg(role).env("GOMAXPROCS", "1").stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        if !kind.is_go() {
            command.arg("--quiet");
        }
        if kind == Kind::Y3Quic {
            command.arg("--certificate").arg(self.arguments.certificate.as_ref().unwrap_or(&self.certificate));
        }
        command
    }

    /// Starts a server and reads where it listens.
    async fn server(&self, kind: Kind) -> anyhow::Result<(Child, SocketAddr)> {
        let mut command = self.command(kind, "server");
        command.args(["--kind", kind.server(), "--addr", "127.0.0.1:0"]);
        command.arg("--delay").arg(format!("{}us", self.arguments.delay.as_micros()));
        let mut child = pinned(self.cores.0, || command.spawn()).context("cannot start the server")?;
        let output = child.stdout.take().context("no output")?;
        let mut line = String::new();
        let read = tokio::time::timeout(Duration::from_secs(10), BufReader::new(output).read_line(&mut line)).await;
        read.context("the server says nothing for 10 s")??;
        let address = line.trim().strip_prefix("listening ").context("the server did not say where it listens")?;
        Ok((child, address.parse().with_context(|| format!("not an address: {address}"))?))
    }

    async fn row(&self, job: &Job) -> anyhow::Result<Entry> {
        let (mut server, address) = match self.arguments.at {
            Some(address) => (None, address),
            None => {
                let (child, address) = self.server(job.kind).await?;
                (Some(child), address)
            }
        };
        let used = || Usage::of(server.as_ref()?.id()?);
        let before = used();
        let begin = Instant::now();
        let row = self.client(job, address).await?;
        let wall = begin.elapsed().as_secs_f64();
        let usage = before.zip(used()).map(|(before, after)| after.since(before));
        if let Some(server) = &mut server {
            server.kill().await?;
        }
        Ok(Entry::new(row, self.delay_ms(), wall, usage))
    }

    async fn client(&self, job: &Job, address: SocketAddr) -> anyhow::Result<Row> {
        let mut command = self.command(job.kind, "client");
        command.args(["--kind", job.kind.name(), "--addr", &address.to_string()]);
        command.args(["--callers", &job.callers.to_string(), "--body", &job.body.to_string()]);
        command.args(["--seconds", &self.arguments.seconds.to_string(), "--warm", "0.5"]);
        let mut child = pinned(self.cores.1, || command.spawn()).context("cannot start the client")?;
        let mut output = String::new();
        let mut stdout = child.stdout.take().context("no output")?;
        let limit = Duration::from_secs_f64(self.arguments.seconds + 30.0);
        tokio::time::timeout(limit, stdout.read_to_string(&mut output)).await.context("the client does not end")??;
        let status = child.wait().await?;
        anyhow::ensure!(status.success(), "the client failed: {status}");
        let line = output.lines().last().context("the client printed nothing")?;
        let row: Row = serde_json::from_str(line).with_context(|| format!("not a row: {line}"))?;
        anyhow::ensure!(row.errors == 0, "{} of {} calls failed", row.errors, row.requests + row.errors);
        Ok(row)
    }
}

impl Drop for Sweep<'_> {
    fn drop(&mut self) {
        // Only a run with QUIC has made it.
        let _ = std::fs::remove_file(&self.certificate);
    }
}

/// Builds the program in Go.
async fn built_go() -> anyhow::Result<PathBuf> {
    let folder = package().join("go/rpc");
    anyhow::ensure!(folder.exists(), "{} is not there", folder.display());
    let program = package().join("target/rpc");
    for arguments in [&["generate"][..], &["build", "-o", &program.to_string_lossy(), "."]] {
        let run = Command::new("go").args(arguments).current_dir(&folder).output().await;
        let run = run.context("Go is not installed (https://go.dev/dl)")?;
        let said = String::from_utf8_lossy(&run.stderr);
        anyhow::ensure!(run.status.success(), "go {}: {said}", arguments.join(" "));
    }
    Ok(program)
}
