//! Idle: thousands of connections with few requests among them; what each costs the proxy.
//!
//! In: numbers of connections. Out: memory and processor time of the proxy at each, as CSV and table.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use bytes::Bytes;
use hdrhistogram::Histogram;
use report::markdown::{self, grouped};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

use super::hosts::Host;
use super::kept::{self, commit};
use super::programs::{gateway, start};
use super::row::{mib, ms};
use super::setups::Process;
use crate::echo::direct::Direct;
use crate::echo::load::{Echo, bodies};
use crate::echo::protocol::Tagged;
use crate::process::{Usage, open_files, pin, status};
use crate::program::interrupted;

/// A number of connections, mostly idle.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Idle {
    pub connections: usize,
    /// Requests a second among them; 0 while all are idle.
    pub rate: u64,
    pub errors: u64,
    pub p99_us: f64,
    pub resident_kib: u64,
    pub proxy_cpu: f64,
    /// Resident memory above that without connections, for each of them.
    pub bytes_each: f64,
    /// What was measured.
    pub commit: String,
}

/// A table of rows.
#[must_use]
pub fn table(rows: &[Idle]) -> String {
    let head = ["connections", ">requests/s", ">errors", ">TP99, ms", ">MiB", ">bytes each", ">CPU"];
    let cells = |row: &Idle| {
        [
            grouped(row.connections as f64),
            grouped(row.rate as f64),
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
    /// Numbers of connections; more than the limit of open files allows (`ulimit -Hn`) become as many as it allows.
    #[arg(long, value_delimiter = ',', default_values_t = [1000, 5000, 10_000, 100_000])]
    connections: Vec<usize>,
    /// Requests a second among them.
    #[arg(long, default_value_t = 1000)]
    rate: u64,
    /// How long each number is measured, without requests and with.
    #[arg(long, default_value = "8", value_parser = crate::program::seconds)]
    seconds: Duration,
    /// The file for rows.
    #[arg(long, default_value = "network-idle.csv")]
    csv: PathBuf,
    /// The cores of proxy and backend, and of the load.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 1])]
    cores: Vec<usize>,
}

/// How long a reply may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Open files that are no clients' connections, in the process with the most of them.
const OTHER_FILES: u64 = 64;

type Caller = Direct<Tagged, TcpStream>;

fn body() -> Bytes {
    bodies(1, 1024).next().unwrap_or_default()
}

/// A connection from an address of the loopback of its own for each 20,000, with ports of its own choice: left to the system, a
/// search for a free port takes a millisecond where thousands are in use.
async fn connect(number: usize, target: SocketAddr) -> anyhow::Result<Caller> {
    let socket = TcpSocket::new_v4()?;
    let [_, _, high, low] = (257 + (number / 20_000) as u32).to_be_bytes();
    let from = Ipv4Addr::new(127, 0, high, low);
    // Ports of the run before may still wait for late packets.
    socket.set_reuseaddr(true)?;
    let own = SocketAddr::from((from, 10_000 + (number % 20_000) as u16));
    if socket.bind(own).is_err() {
        socket.bind(SocketAddr::from((from, 0)))?;
    }
    let stream = socket.connect(target).await.with_context(|| format!("connection {number}"))?;
    stream.set_nodelay(true)?;
    Ok(Direct::new(stream, PATIENCE))
}

/// Measures.
///
/// # Errors
/// A part that does not start, or fewer open files than connections.
pub async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let [server, load] = arguments.cores[..] else { anyhow::bail!("--cores takes two numbers: proxy, load") };
    let (folder, server) = (TempDir::with_prefix("proxy-idle")?, Host::here(server));
    let backend = start(Process::Echo("y3"), &server, &folder, None, None).await?;
    // Idle connections give buffers back after a time-out.
    let rules = "[[rule]]\nremove = ['01/13/02']\n";
    let proxy = gateway(&server, &folder, &backend, rules, &["--timeout", "2s"]).await?;
    if let Err(error) = pin(load) {
        tracing::info!(%error, "not pinned");
    }
    let process = proxy.child.id().context("the proxy ended")?;
    // What the proxy needs for itself: its buffers are touched by some requests.
    let mut first = connect(0, proxy.address).await?;
    for _ in 0..100 {
        first.echo(&body()).await?;
    }
    let mut callers = VecDeque::from([first]);
    let base = status(process, "VmRSS:").context("the proxy ended")?;
    let mut rows: Vec<Idle> = Vec::new();
    let most = open_files().saturating_sub(OTHER_FILES) as usize;
    let mut numbers: Vec<usize> = arguments.connections.iter().map(|&number| number.min(most)).collect();
    numbers.dedup();
    if arguments.connections.iter().any(|&number| number > most) {
        println!("at most {most} connections: the limit of open files (ulimit -Hn)");
    }
    let progress = super::bar(2 * numbers.len());
    'all: for connections in numbers {
        progress.set_message(format!("{connections} connections"));
        while callers.len() < connections {
            let mut caller = connect(callers.len(), proxy.address).await?;
            // Each has had a request: a connection that never spoke costs less.
            caller.echo(&body()).await?;
            callers.push_back(caller);
        }
        // The proxy's clock tells each quiet connection to give its buffers back.
        tokio::time::sleep(Duration::from_secs(4)).await;
        for rate in [0, arguments.rate] {
            let one = async {
                let before = Usage::of(process).context("the proxy ended")?;
                let begin = Instant::now();
                let (errors, times) = paced(&mut callers, rate, arguments.seconds.as_secs_f64()).await?;
                let used = Usage::of(process).context("the proxy ended")?.since(before);
                let now = status(process, "VmRSS:").context("the proxy ended")?;
                Ok(Idle {
                    connections,
                    rate,
                    errors,
                    p99_us: times.value_at_quantile(0.99) as f64,
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

/// Sends requests at a fixed rate, each when it is due, whether earlier ones have their replies or not. The connection that is
/// quiet for the longest takes the next one, so that all have their turn.
///
/// A time counts from when its request was due: what waits for the timer, whose grain is a millisecond, or for a connection
/// waits in it.
async fn paced(callers: &mut VecDeque<Caller>, rate: u64, seconds: f64) -> anyhow::Result<(u64, Histogram<u64>)> {
    let (mut errors, mut times) = (0, Histogram::new_with_bounds(1, 60_000_000, 3)?);
    let begin = Instant::now();
    if rate == 0 {
        tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
        return Ok((errors, times));
    }
    // A connection that is broken does not come back.
    let mut count = |callers: &mut VecDeque<Caller>, (caller, is_right, time): (Caller, bool, Duration)| {
        if is_right {
            times.saturating_record(time.as_micros() as u64);
            callers.push_back(caller);
        } else {
            errors += 1;
        }
    };
    let (mut flying, body) = (JoinSet::new(), body());
    for number in 0..(rate as f64 * seconds) as u64 {
        let due = begin + Duration::from_secs_f64(number as f64 / rate as f64);
        if due > Instant::now() {
            tokio::time::sleep_until(due.into()).await;
        }
        while let Some(done) = flying.try_join_next() {
            count(callers, done?);
        }
        while callers.is_empty() {
            count(callers, flying.join_next().await.context("all connections are lost")??);
        }
        let (Some(mut caller), body) = (callers.pop_front(), body.clone()) else { continue };
        flying.spawn(async move {
            let is_right = caller.echo(&body).await.is_ok();
            (caller, is_right, due.elapsed())
        });
    }
    while let Some(done) = flying.join_next().await {
        count(callers, done?);
    }
    Ok((errors, times))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    /// So many connections to a peer that gives each its bytes back after `delay`, under the tag of replies.
    async fn connected(number: usize, delay: Duration) -> VecDeque<Caller> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut bytes = vec![0; 4096];
                    loop {
                        let read = stream.read(&mut bytes).await.unwrap();
                        tokio::time::sleep(delay).await;
                        bytes[0] = gateway::message::REPLY | 0x80;
                        if read == 0 || stream.write_all(&bytes[..read]).await.is_err() {
                            return;
                        }
                    }
                });
            }
        });
        let mut callers = VecDeque::new();
        for at in 0..number {
            callers.push_back(connect(at, address).await.unwrap());
        }
        callers
    }

    #[tokio::test]
    async fn a_request_leaves_when_it_is_due_while_others_wait_for_replies() {
        let mut callers = connected(100, Duration::from_millis(200)).await;
        // One after the other they would take 20 seconds.
        let begin = Instant::now();
        let (errors, times) = paced(&mut callers, 200, 0.5).await.unwrap();
        assert_eq!((errors, times.len(), callers.len()), (0, 100, 100));
        assert!(times.min() >= 199_000 && begin.elapsed() < Duration::from_secs(10), "{} us", times.min());
    }

    #[tokio::test]
    async fn a_time_counts_from_when_the_request_was_due() {
        // Ten requests due within 50 ms on one connection: the last one waits for nine replies.
        let mut callers = connected(1, Duration::from_millis(100)).await;
        let (errors, times) = paced(&mut callers, 200, 0.05).await.unwrap();
        assert_eq!((errors, times.len()), (0, 10));
        assert!(times.max() >= 900_000, "{} us", times.max());
    }
}
