//! Measures memory and processor time of the gateway with thousands of connections and few requests.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use report::markdown::{self, grouped};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tokio::net::{TcpSocket, TcpStream};

use super::hosts::Host;
use super::kept::{self, commit};
use super::programs::{gateway, start};
use super::row::{Row, mib, ms};
use super::setups::Process;
use crate::echo::direct::Direct;
use crate::echo::load::{self, Echo, Load, bodies};
use crate::echo::protocol::Tagged;
use crate::process::{Usage, open_files, pin, status};
use crate::program::interrupted;

/// The result for one number of connections.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Idle {
    pub connections: usize,
    /// Requests a second of all connections together. Zero if all are idle.
    pub rate: u32,
    pub errors: u64,
    pub p99_us: f64,
    pub resident_kib: u64,
    pub proxy_cpu: f64,
    /// The resident memory that each connection adds.
    pub bytes_each: f64,
    /// The commit that was measured.
    pub commit: String,
}

/// Formats rows as a table.
#[must_use]
pub fn table(rows: &[Idle]) -> String {
    let head = ["connections", ">requests/s", ">errors", ">TP99, ms", ">MiB", ">bytes each", ">CPU"];
    let cells = |row: &Idle| {
        [
            grouped(row.connections as f64),
            grouped(row.rate.into()),
            row.errors.to_string(),
            ms(row.p99_us),
            mib(row.resident_kib),
            grouped(row.bytes_each),
            format!("{:.1}%", row.proxy_cpu),
        ]
    };
    markdown::table(&head, &rows.iter().map(cells).collect::<Vec<_>>())
}

/// Arguments of `network proxy idle`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The numbers of connections. A number above the limit of open files (`ulimit -Hn`) is lowered to that limit.
    #[arg(long, value_delimiter = ',', default_values_t = [1000, 5000, 10_000, 100_000])]
    connections: Vec<usize>,
    /// Requests a second of all connections together.
    #[arg(long, default_value_t = 1000)]
    rate: u32,
    /// Seconds to measure each number, first without requests and then with requests.
    #[arg(long, default_value = "8", value_parser = crate::program::seconds)]
    seconds: Duration,
    /// The CSV file for the rows.
    #[arg(long, default_value = "network-idle.csv")]
    csv: PathBuf,
    /// Two cores: one for proxy and backend, one for the load generator.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 1])]
    cores: Vec<usize>,
}

/// The maximum time of a reply.
const PATIENCE: Duration = Duration::from_secs(10);
/// The number of open files besides client connections, in the process with the most of them.
const OTHER_FILES: u64 = 64;

/// The length of a body in bytes.
const BODY: usize = 1024;

type Caller = Direct<Tagged, TcpStream>;

/// Connects from another loopback address for every 20,000 connections. Chooses the port itself, because the system
/// needs a millisecond to find a free port among thousands of used ones.
async fn connect(number: usize, target: SocketAddr) -> anyhow::Result<Caller> {
    let socket = TcpSocket::new_v4()?;
    let [_, _, high, low] = (257 + (number / 20_000) as u32).to_be_bytes();
    let from = Ipv4Addr::new(127, 0, high, low);
    // Ports of the last run may still wait for late packets.
    socket.set_reuseaddr(true)?;
    let own = SocketAddr::from((from, 10_000 + (number % 20_000) as u16));
    if socket.bind(own).is_err() {
        socket.bind(SocketAddr::from((from, 0)))?;
    }
    let stream = socket.connect(target).await.with_context(|| format!("connection {number}"))?;
    stream.set_nodelay(true)?;
    Ok(Direct::new(stream, PATIENCE))
}

/// Sends requests at a rate, or none if the rate is 0. The connections take turns. A broken connection is not replaced.
async fn requests(callers: &mut Vec<Caller>, rate: u32, seconds: Duration) -> anyhow::Result<Row> {
    if rate == 0 {
        tokio::time::sleep(seconds).await;
        return Ok(Row::default());
    }
    // Within the warm-up, all callers are started.
    let warm = Duration::from_millis(500);
    let load = Load { callers: callers.len(), body: BODY, warm, measure: seconds, rate: Some(rate) };
    load::run(load, callers, std::future::pending()).await
}

/// Runs the measurement.
pub async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let [server, load] = arguments.cores[..] else { anyhow::bail!("--cores takes two numbers: proxy, load") };
    let (folder, server) = (TempDir::with_prefix("proxy-idle")?, Host::here(server));
    let backend = start(Process::Echo("y3"), &server, &folder, None, None).await?;
    // Idle connections free their buffers after a time-out.
    let rules = "[[rule]]\nremove = ['01/13/02']\n";
    let proxy = gateway(&server, &folder, &backend, rules, &["--timeout", "2s"]).await?;
    if let Err(error) = pin(load) {
        tracing::info!(%error, "not pinned");
    }
    let process = proxy.child.id().context("the proxy ended")?;
    // Some requests make the proxy allocate and touch its own buffers.
    let mut first = connect(0, proxy.address).await?;
    let body = bodies(1, BODY).next().context("no body")?;
    for _ in 0..100 {
        first.echo(&body).await?;
    }
    let mut callers = vec![first];
    let base = status(process, "VmRSS:").context("the proxy ended")?;
    let mut rows: Vec<Idle> = Vec::new();
    let most = open_files().saturating_sub(OTHER_FILES) as usize;
    let mut numbers: Vec<usize> = arguments.connections.iter().map(|&number| number.min(most)).collect();
    numbers.dedup();
    if arguments.connections.iter().any(|&number| number > most) {
        println!("at most {most} connections, because of the limit of open files (ulimit -Hn)");
    }
    let progress = super::bar(2 * numbers.len());
    'all: for connections in numbers {
        progress.set_message(format!("{connections} connections"));
        while callers.len() < connections {
            let mut caller = connect(callers.len(), proxy.address).await?;
            // Each connection sends one request, because a connection without any request takes less memory.
            caller.echo(&body).await?;
            callers.push(caller);
        }
        // The proxy's clock makes each quiet connection free its buffers.
        tokio::time::sleep(Duration::from_secs(4)).await;
        for rate in [0, arguments.rate] {
            let one = async {
                let before = Usage::of(process).context("the proxy ended")?;
                let begin = Instant::now();
                let row = requests(&mut callers, rate, arguments.seconds).await?;
                let used = Usage::of(process).context("the proxy ended")?.since(before);
                let now = status(process, "VmRSS:").context("the proxy ended")?;
                Ok(Idle {
                    connections,
                    rate,
                    errors: row.errors,
                    p99_us: row.p99_us,
                    resident_kib: now,
                    proxy_cpu: used.percent(begin.elapsed().as_secs_f64()),
                    bytes_each: (now.saturating_sub(base) * 1024) as f64 / connections as f64,
                    commit: commit(),
                })
            };
            let row: anyhow::Result<Idle> = tokio::select! {
                row = one => row,
                () = interrupted()? => break 'all,
            };
            rows.push(row?);
            kept::write(&arguments.csv, &rows)?;
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    print!("{}", table(&rows));
    println!("the proxy alone: {base} KiB");
    Ok(())
}
