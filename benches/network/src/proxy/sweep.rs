//! Sweep: the proxy beside nginx and haproxy, the same traffic in the same run, over numbers of connections.
//!
//! In: what to measure, the CSV of rows that are there. Out: the CSV with new rows, a table. Proxies and backends share one core,
//! the load has another.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::ValueEnum;
use tokio::process::Command;
use workers::process::Folder;

use super::programs::{self, Running, client, haproxy, nginx, own};
use super::table::{self, Measured};
use crate::echo::load::Row;
use crate::kept::csv_file;
use crate::kept::turns::middle;
use crate::kept::undisturbed::Undisturbed;
use crate::process::Usage;
use crate::program::interrupted;
use crate::terminal::Progress;

/// What a sweep measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// The echo server without a proxy.
    Y3Backend,
    /// A policy that watches and routes.
    Y3Route,
    /// A policy that watches, routes and redacts.
    Y3Redact,
    /// The same through two proxies.
    Y3Chained,
    /// nginx replying itself, loaded by wrk.
    HttpBackend,
    Nginx,
    Haproxy,
    /// nginx loaded by h2load over HTTP/2; its backend speaks HTTP/1.1.
    NginxH2,
}

impl Kind {
    /// The programs of others that it takes.
    fn needs(self) -> &'static [programs::Program] {
        use programs::{H2LOAD, HAPROXY, NGINX, WRK};
        match self {
            Kind::HttpBackend | Kind::Nginx => &[NGINX, WRK],
            Kind::Haproxy => &[HAPROXY, NGINX, WRK],
            Kind::NginxH2 => &[NGINX, H2LOAD],
            _ => &[],
        }
    }
}

/// Arguments of `network proxy sweep`.
#[derive(clap::Args)]
pub struct Arguments {
    /// What to measure; repeat it for more. All kinds otherwise.
    #[arg(long, value_enum)]
    kind: Vec<Kind>,
    /// Numbers of clients, each with a connection.
    #[arg(long, value_delimiter = ',', default_values_t = [100, 500])]
    connections: Vec<usize>,
    /// How long a row is measured.
    #[arg(long, default_value_t = 3.0, value_parser = crate::program::seconds)]
    seconds: f64,
    /// The file that keeps rows: those measured now replace their older ones, others stay.
    #[arg(long, default_value = "network-proxy.csv")]
    csv: PathBuf,
    /// How often each row is measured, in turns with those of as many connections; the one in the middle is kept.
    #[arg(long, default_value_t = 1)]
    turns: usize,
    /// Seconds for rows that are measured again because the hypervisor took the cores.
    #[arg(long, default_value_t = 600.0, value_parser = crate::program::seconds)]
    again: f64,
    /// The cores of proxies and backends, and of the load.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 1])]
    cores: Vec<usize>,
}

const BACKENDS: &str = "default = 'one'\n[backends]\none = 'ADDRESS'\n\n";
const ROUTE: &str = "[[rule]]\nmatch = '01/12'\nvalue = 'eu'\nroute = 'one'\n";
const REDACT: &str =
    "[[rule]]\nmatch = '01/12'\nvalue = 'eu'\nroute = 'one'\nremove = ['01/13/02']\n[[rule]]\nremove = ['01/13/02']\n";

/// Runs the sweep.
///
/// # Errors
/// A program that does not start, a file that cannot be written. Rows until then are in the CSV.
pub async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let [server, load] = arguments.cores[..] else { anyhow::bail!("--cores takes two numbers: proxies, load") };
    let kinds = if arguments.kind.is_empty() { Kind::value_variants() } else { &arguments.kind };
    let turns = arguments.turns.max(1);
    let mut all: Vec<Measured> = csv_file::read(&arguments.csv)?;
    let mut measured: Vec<Measured> = Vec::new();
    let mut failures = Vec::new();
    let mut undisturbed = Undisturbed::new(arguments.seconds, arguments.again);
    let progress = Progress::rows(kinds.len() * arguments.connections.len() * turns);
    'all: for &connections in &arguments.connections {
        let mut found = vec![Vec::new(); kinds.len()];
        let mut failed = vec![false; kinds.len()];
        for (&kind, at) in (0..turns).flat_map(|_| kinds.iter().zip(0..)) {
            if failed[at] {
                continue;
            }
            let name = kind.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
            progress.show(&format!("{name} {connections}"));
            let one = One { kind, name: &name, connections, seconds: arguments.seconds, server, load };
            let row = tokio::select! {
                row = undisturbed.least(async || one.run().await) => row,
                () = interrupted() => break 'all,
            };
            match row {
                Ok((row, stolen)) => {
                    found[at].push(Measured { stolen, ..row });
                    let (row, turns, spread) = middle(&found[at], |row| row.qps);
                    let row = Measured { turns, spread, ..row };
                    for rows in [&mut all, &mut measured] {
                        rows.retain(|other| !other.is_of(&name, connections));
                        rows.push(row.clone());
                    }
                    csv_file::write(&arguments.csv, &all)?;
                }
                // The other rows are worth having.
                Err(error) => {
                    failed[at] = true;
                    failures.push(format!("{name} {connections}: {error:#}"));
                }
            }
            progress.done();
        }
    }
    drop(progress);
    print!("{}", table::table(&measured));
    println!("{} rows in {}", all.len(), arguments.csv.display());
    anyhow::ensure!(failures.is_empty(), "rows that failed:\n{}", failures.join("\n"));
    Ok(())
}

/// One row to measure.
struct One<'a> {
    kind: Kind,
    name: &'a str,
    connections: usize,
    seconds: f64,
    server: usize,
    load: usize,
}

impl One<'_> {
    async fn run(&self) -> anyhow::Result<Measured> {
        let missing = programs::missing(self.kind.needs(), |path| Path::new(path).exists());
        anyhow::ensure!(missing.is_empty(), "it needs Debian's {}", missing.join(", "));
        let folder = Folder::new("proxy-sweep")?;
        let (backend, proxies) = self.start(&folder).await?;
        let target = proxies.last().unwrap_or(&backend).address;
        let processes: Vec<&Running> = [&backend].into_iter().chain(&proxies).collect();
        let used = || -> Vec<Option<Usage>> { processes.iter().map(|one| Usage::of(one.child.id()?)).collect() };
        let before = used();
        let begin = Instant::now();
        let row = match self.kind {
            Kind::HttpBackend | Kind::Nginx | Kind::Haproxy => self.wrk(&folder, target).await?,
            Kind::NginxH2 => self.h2load(&folder, target).await?,
            _ => self.own(target).await?,
        };
        let wall = begin.elapsed().as_secs_f64();
        let mut all = [None; 3];
        for ((all, before), after) in all.iter_mut().zip(before).zip(used()) {
            *all = before.zip(after).map(|(before, after)| after.since(before));
        }
        Ok(Measured::new(self.name, &row, &all, wall))
    }

    /// The backend, and the proxies before it: the last takes the load.
    async fn start(&self, folder: &Folder) -> anyhow::Result<(Running, Vec<Running>)> {
        let core = self.server;
        Ok(match self.kind {
            Kind::HttpBackend => (nginx(core, folder, None, false).await?, Vec::new()),
            Kind::Nginx | Kind::NginxH2 => {
                let backend = nginx(core, folder, None, false).await?;
                let proxy = nginx(core, folder, Some(backend.address), self.kind == Kind::NginxH2).await?;
                (backend, vec![proxy])
            }
            Kind::Haproxy => {
                let backend = nginx(core, folder, None, false).await?;
                let proxy = haproxy(core, folder, backend.address).await?;
                (backend, vec![proxy])
            }
            _ => {
                let backend =
                    own(core, &["echo", "server", "--quiet", "--kind", "y3", "--addr", "127.0.0.1:0"]).await?;
                let mut proxies = Vec::new();
                match self.kind {
                    Kind::Y3Route => proxies.push(proxy(core, folder, "route", ROUTE, backend.address).await?),
                    Kind::Y3Redact => proxies.push(proxy(core, folder, "redact", REDACT, backend.address).await?),
                    Kind::Y3Chained => {
                        let second = proxy(core, folder, "second", ROUTE, backend.address).await?;
                        let first = proxy(core, folder, "first", REDACT, second.address).await?;
                        proxies.extend([second, first]);
                    }
                    _ => {}
                }
                (backend, proxies)
            }
        })
    }

    fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.seconds + 30.0)
    }

    async fn own(&self, target: SocketAddr) -> anyhow::Result<Row> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--log", "warn", "proxy", "client", "--quiet", "--addr", &target.to_string()]);
        command.args(["--connections", &self.connections.to_string(), "--seconds", &self.seconds.to_string()]);
        let (text, _) = client(self.load, command, self.limit()).await?;
        let line = text.lines().last().context("the client printed nothing")?;
        serde_json::from_str(line).with_context(|| format!("not a row: {line}"))
    }

    async fn wrk(&self, folder: &Folder, target: SocketAddr) -> anyhow::Result<Row> {
        let mut command = Command::new(programs::WRK.path);
        command.args(["-t1", "-c", &self.connections.to_string(), "-d", &format!("{:.0}s", self.seconds.ceil())]);
        command.args(["--latency", "-s"]).arg(programs::script(folder)?).arg(format!("http://{target}/"));
        let (text, usage) = client(self.load, command, self.limit()).await?;
        let line = text.lines().find_map(|line| line.strip_prefix("ROW ")).with_context(|| text.clone())?;
        let numbers: Vec<f64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let [requests, microseconds, errors, mean, p99, p999, max] = numbers[..] else {
            anyhow::bail!("not a row: {line}")
        };
        Ok(self.row(requests as u64, microseconds / 1e6, errors as u64, [mean, p99, p999, max], usage))
    }

    async fn h2load(&self, folder: &Folder, target: SocketAddr) -> anyhow::Result<Row> {
        let body = folder.write("post", &"x".repeat(1024))?;
        let log = folder.path().join("h2load.log");
        let mut command = Command::new(programs::H2LOAD.path);
        command.args(["-t1", "-m1", "-c", &self.connections.to_string(), "-D", &format!("{:.0}", self.seconds.ceil())]);
        command.arg("-d").arg(body).arg(format!("--log-file={}", log.display())).arg(format!("http://{target}/"));
        let (text, usage) = client(self.load, command, self.limit()).await?;
        // A line of the log: start in microseconds, status, duration in microseconds.
        let log = std::fs::read_to_string(&log).with_context(|| text.clone())?;
        let lines = log.lines().filter_map(|line| {
            let mut fields = line.split('\t');
            Some((fields.nth(1)?, fields.next()?.parse::<f64>().ok()?))
        });
        let (good, bad): (Vec<_>, Vec<_>) = lines.partition(|(status, _)| *status == "200");
        anyhow::ensure!(!good.is_empty(), "h2load got no reply:\n{text}");
        let mut times: Vec<f64> = good.into_iter().map(|(_, time)| time).collect();
        times.sort_by(f64::total_cmp);
        let at = |quantile: f64| times[((times.len() - 1) as f64 * quantile) as usize];
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let found = [mean, at(0.99), at(0.999), at(1.0)];
        Ok(self.row(times.len() as u64, self.seconds.ceil(), bad.len() as u64, found, usage))
    }

    fn row(&self, requests: u64, seconds: f64, errors: u64, times: [f64; 4], usage: Option<Usage>) -> Row {
        let usage = usage.unwrap_or_default();
        Row {
            name: self.name.to_owned(),
            callers: self.connections,
            body: 1024,
            seconds,
            requests,
            errors,
            tps: requests as f64 / seconds,
            mean_us: times[0],
            p99_us: times[1],
            p999_us: times[2],
            max_us: times[3],
            cpu_user_s: usage.user,
            cpu_system_s: usage.system,
            rss_kib: usage.rss,
        }
    }
}

async fn proxy(core: usize, folder: &Folder, name: &str, rules: &str, backend: SocketAddr) -> anyhow::Result<Running> {
    let policy = folder.write(&format!("{name}.toml"), &(BACKENDS.replace("ADDRESS", &backend.to_string()) + rules))?;
    own(core, &["proxy", "serve", "--addr", "127.0.0.1:0", "--policy", &policy.to_string_lossy()]).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_names_what_it_misses_and_nothing_else() {
        let missing = |kind: Kind, there: &[&str]| {
            programs::missing(kind.needs(), |path| there.iter().any(|name| path.ends_with(name)))
        };
        assert_eq!(missing(Kind::Haproxy, &["nginx", "wrk"]), ["haproxy"]);
        assert_eq!(missing(Kind::Haproxy, &["wrk"]), ["haproxy", "nginx-light"]);
        assert_eq!(missing(Kind::NginxH2, &["nginx"]), ["nghttp2-client"]);
        assert!(missing(Kind::Y3Redact, &[]).is_empty());
    }
}
