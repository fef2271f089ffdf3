//! A sweep measures rows of the table in `setups` with several numbers of callers and body sizes. Servers and proxies
//! share one core, and the load generator runs on another core.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use tempfile::TempDir;
use tokio::process::Command;

use super::hosts::{Between, Host};
use super::kept::{self, middle};
use super::programs::{self, Running, own, start};
use super::row::{self, Row};
use super::setups::{Load, SETUPS, Section, Setup, named};
use crate::process::Usage;
use crate::program::interrupted;

/// Arguments of `network echo sweep` and `network proxy sweep`.
#[derive(clap::Args)]
pub struct Arguments {
    /// What to measure. Repeat the option for several. By default, measures all rows of the echo, or of the proxy.
    #[arg(long, value_parser = PossibleValuesParser::new(SETUPS.iter().map(|setup| setup.name)))]
    kind: Vec<String>,
    /// The numbers of callers. With a proxy, each caller has a connection. The default is 100 to 1,000 for the echo,
    /// and 100 and 500 for a proxy.
    #[arg(long, visible_alias = "connections", value_delimiter = ',')]
    callers: Vec<usize>,
    /// The body sizes in bytes. The default is 1,024 and 5,120 for the echo, and 1,024 for a proxy.
    #[arg(long, value_delimiter = ',')]
    body: Vec<usize>,
    /// The networks between servers and load generators. Each row is measured over each of them, in turns.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Between::Loopback])]
    between: Vec<Between>,
    /// Seconds to measure a row.
    #[arg(long, default_value = "3", value_parser = crate::program::seconds)]
    seconds: Duration,
    /// How often each row is measured, in turns with the other rows of as many callers. The median is kept.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    turns: u64,
    /// A short run with 100 and 1,000 callers, bodies of 1 KiB, and one second per row.
    #[arg(long)]
    quick: bool,
    /// The CSV file for the rows. New rows replace older rows of the same measurement.
    #[arg(long, default_value = "network.csv")]
    csv: PathBuf,
    /// Measure only rows that are not in the file.
    #[arg(long)]
    missing: bool,
    /// The address of a running server, on this or another machine. Its kind must match the only `--kind`.
    #[arg(long)]
    at: Option<SocketAddr>,
    /// Two cores: one for servers, one for the load generator.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 1])]
    cores: Vec<usize>,
    /// The Go program of go/rpc, if it is built already.
    #[arg(long)]
    go: Option<PathBuf>,
}

/// Runs the sweep.
///
/// # Errors
/// Returns an error if a server does not start, a client gets no reply, or a file cannot be written. Rows measured
/// before the error are in the CSV.
pub async fn run(mut arguments: Arguments, section: Section) -> anyhow::Result<()> {
    let is_echo = section == Section::Echo;
    if arguments.quick {
        (arguments.callers, arguments.body, arguments.seconds) = (vec![100, 1000], vec![1024], Duration::from_secs(1));
    }
    if arguments.callers.is_empty() {
        arguments.callers = if is_echo { vec![100, 200, 400, 600, 800, 1000] } else { vec![100, 500] };
    }
    if arguments.body.is_empty() || !is_echo {
        arguments.body = if is_echo { vec![1024, 5120] } else { vec![1024] };
    }
    let is_one = arguments.kind.len() == 1;
    anyhow::ensure!(arguments.at.is_none() || is_one, "with --at name the one --kind that the server was started with");
    let sweep = Sweep::new(&arguments, section).await?;
    let mut rows: Vec<Row> = kept::read(&arguments.csv)?;
    let jobs = sweep.jobs(&rows);
    let progress = super::bar(jobs.len() * arguments.turns as usize);
    let mut measured: Vec<Row> = Vec::new();
    let mut failures = Vec::new();
    'all: for beside in jobs.chunk_by(|one, other| (one.body, one.callers) == (other.body, other.callers)) {
        let mut found = vec![Vec::new(); beside.len()];
        let mut failed = vec![false; beside.len()];
        for (job, at) in (0..arguments.turns).flat_map(|_| beside.iter().zip(0..)) {
            if failed[at] {
                continue;
            }
            progress.set_message(job.to_string());
            let row = tokio::select! {
                row = sweep.row(job) => row,
                () = interrupted()? => {
                    eprintln!("interrupted with {} of {} rows; --missing measures the other rows", measured.len(), jobs.len());
                    break 'all;
                }
            };
            match row {
                Ok(row) => {
                    found[at].push(row);
                    let (row, turns, spread) = middle(&found[at], |row| row.tps);
                    let row = Row { turns, spread, ..row };
                    row::put(&mut measured, row.clone());
                    row::put(&mut rows, row);
                    row::write(&arguments.csv, &rows)?;
                }
                // The other rows are still useful.
                Err(error) => {
                    failed[at] = true;
                    failures.push(format!("{job}: {error:#}"));
                }
            }
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    for (between, _) in &sweep.hosts {
        for body in &arguments.body {
            let of: Vec<&Row> = measured.iter().filter(|row| row.between == *between && row.body == *body).collect();
            println!("\n{between:?}, {body} bytes{}", row::table(&of));
        }
    }
    println!("{} rows in {}", rows.len(), arguments.csv.display());
    anyhow::ensure!(failures.is_empty(), "rows that failed:\n{}", failures.join("\n"));
    Ok(())
}

/// One row to measure.
struct Job {
    setup: &'static Setup,
    body: usize,
    callers: usize,
    between: Between,
}

impl std::fmt::Display for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} callers {} B, {:?}", self.setup.name, self.callers, self.body, self.between)
    }
}

struct Sweep<'a> {
    arguments: &'a Arguments,
    /// The rows whose programs are installed.
    setups: Vec<&'static Setup>,
    go: Option<PathBuf>,
    /// Each network, with its hosts for servers and for load generators.
    hosts: Vec<(Between, [Host; 2])>,
}

impl<'a> Sweep<'a> {
    async fn new(arguments: &'a Arguments, section: Section) -> anyhow::Result<Self> {
        let [server, load] = arguments.cores[..] else { anyhow::bail!("--cores takes two numbers: servers, load") };
        let mut setups: Vec<&Setup> = match &arguments.kind[..] {
            [] => SETUPS.iter().filter(|setup| setup.section == section).collect(),
            kinds => kinds.iter().filter_map(|name| named(name)).collect(),
        };
        let go = match &arguments.go {
            Some(go) => Some(go.canonicalize().with_context(|| format!("no program {}", go.display()))?),
            None if setups.iter().any(|setup| setup.needs_go()) => match programs::built_go("go/rpc").await {
                Ok(go) => Some(go),
                Err(error) => {
                    eprintln!("no rows for gRPC and Kitex in Go: {error:#}");
                    None
                }
            },
            None => None,
        };
        setups.retain(|setup| {
            let missing = setup.missing(|path| Path::new(path).exists());
            if !missing.is_empty() {
                eprintln!("no rows for {}: it needs Debian's package {}", setup.name, missing.join(", "));
            }
            missing.is_empty() && (go.is_some() || !setup.needs_go())
        });
        let mut hosts = Vec::new();
        let here = [server, load].map(Host::here);
        for between in &arguments.between {
            match between {
                _ if arguments.at.is_some() => hosts = vec![(Between::Machines, here.clone())],
                Between::Namespaces => match Host::joined([server, load]) {
                    Ok(joined) => hosts.push((*between, joined)),
                    Err(error) => eprintln!("no rows across hosts: {error:#}"),
                },
                _ => hosts.push((*between, here.clone())),
            }
        }
        Ok(Sweep { arguments, setups, go, hosts })
    }

    /// Returns the rows to measure. Rows take turns, so that a change of the machine's speed affects all of them.
    fn jobs(&self, there: &[Row]) -> Vec<Job> {
        let Arguments { body, callers, missing, .. } = self.arguments;
        let each = body.iter().flat_map(|&body| callers.iter().map(move |&callers| (body, callers)));
        let over = || self.hosts.iter().flat_map(|(between, _)| self.setups.iter().map(move |setup| (setup, *between)));
        let is_there = |job: &Job| {
            let is_of = |row: &&Row| row.is_of(job.setup.name, job.body, job.callers);
            there.iter().filter(is_of).any(|row| row.between == job.between)
        };
        each.flat_map(|(body, callers)| over().map(move |(setup, between)| Job { setup, body, callers, between }))
            .filter(|job| !(*missing && is_there(job)))
            .collect()
    }

    async fn row(&self, job: &Job) -> anyhow::Result<Row> {
        let folder = TempDir::with_prefix("sweep")?;
        let hosts = self.hosts.iter().find(|(between, _)| *between == job.between);
        let (_, [host, load]) = hosts.context("no hosts")?;
        let mut servers: Vec<Running> = Vec::new();
        if self.arguments.at.is_none() {
            for process in job.setup.servers {
                let server = start(*process, host, &folder, self.go.as_deref(), servers.last()).await?;
                servers.push(server);
            }
        }
        let target = self.arguments.at.or(servers.last().map(|last| last.address)).context("no server")?;
        let used = || servers.iter().map(|one| Usage::of(one.child.id()?)).collect::<Vec<Option<Usage>>>();
        let before = used();
        let begin = Instant::now();
        let row = self.client(job, load, target, &folder).await?;
        let wall = begin.elapsed().as_secs_f64();
        let used: Vec<Option<Usage>> =
            before.into_iter().zip(used()).map(|(before, after)| Some(after?.since(before?))).collect();
        // Proxies end before their backends. Otherwise, a proxy would log that its backend is lost.
        for server in servers.iter_mut().rev() {
            server.child.kill().await?;
        }
        Ok(row.beside(job.setup.name, job.between, &used, wall))
    }

    async fn client(&self, job: &Job, load: &Host, target: SocketAddr, folder: &TempDir) -> anyhow::Result<Row> {
        let seconds = self.arguments.seconds.as_secs_f64();
        let (mut command, kind) = match job.setup.load {
            Load::Wrk => return programs::wrk(load, folder, target, job.callers, seconds).await,
            Load::Own(kind) => (own(&["echo", "client"])?, kind),
            Load::Go(kind) => {
                let mut command = Command::new(self.go.as_ref().context("go/rpc is not built")?);
                command.env("GOMAXPROCS", "1").arg("client");
                (command, kind)
            }
        };
        command.args(["--kind", kind, "--addr", &target.to_string(), "--warm", "0.5"]);
        command.args(["--callers", &job.callers.to_string(), "--body", &job.body.to_string()]);
        command.args(["--seconds", &seconds.to_string()]);
        programs::row(load, command, seconds).await
    }
}
