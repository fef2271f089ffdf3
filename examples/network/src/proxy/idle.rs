//! Idle: thousands of connections with few requests among them; what each costs the proxy.
//!
//! In: numbers of connections. Out: memory and processor time of the proxy at each, as CSV and table.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use hdrhistogram::Histogram;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::programs::{Folder, own};
use super::request::Tagged;
use super::table::{self, Idle};
use crate::echo::process::{Usage, pin};
use crate::echo::protocol::Protocol;

/// Arguments of `network proxy idle`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Numbers of connections. The system's limit of open files counts in both processes (`ulimit -Hn`).
    #[arg(long, value_delimiter = ',', default_values_t = [1000, 5000, 10_000])]
    connections: Vec<usize>,
    /// Requests a second among them.
    #[arg(long, default_value_t = 1000)]
    rate: u64,
    /// How long each number is measured, without requests and with.
    #[arg(long, default_value_t = 8.0, value_parser = crate::echo::seconds)]
    seconds: f64,
    /// The file for rows.
    #[arg(long, default_value = "network-idle.csv")]
    csv: PathBuf,
    /// Write docs/report/network-idle.csv; `network echo sweep --write` puts it in the page.
    #[arg(long)]
    write: bool,
    /// The cores of proxy and backend, and of the load.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 1])]
    cores: Vec<usize>,
}

const POLICY: &str = "default = 'one'\n[backends]\none = 'ADDRESS'\n[[rule]]\nremove = ['01/13/02']\n";

/// Resident memory now, in KiB.
fn resident(process: u32) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}

/// A connection from an address of the loopback of its own for each 20,000: each has that many ports.
async fn connect(number: usize, target: SocketAddr) -> anyhow::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    let [_, _, high, low] = (1 + number as u32 / 20_000).to_be_bytes();
    socket.bind(SocketAddr::from((Ipv4Addr::new(127, 0, high, low), 0)))?;
    let stream = socket.connect(target).await.with_context(|| format!("connection {number}"))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Measures.
///
/// # Errors
/// A part that does not start, or fewer open files than connections.
pub async fn run(mut arguments: Arguments) -> anyhow::Result<()> {
    if arguments.write {
        arguments.csv = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/report/network-idle.csv"));
    }
    let [server, load] = arguments.cores[..] else { anyhow::bail!("--cores takes two numbers: proxy, load") };
    let folder = Folder::new()?;
    let backend = own(server, &["echo", "server", "--kind", "y3", "--addr", "127.0.0.1:0"]).await?;
    let policy = folder.write("policy.toml", &POLICY.replace("ADDRESS", &backend.address.to_string()))?;
    // Idle connections give buffers back after a time-out.
    let arguments_of_it =
        ["proxy", "serve", "--addr", "127.0.0.1:0", "--timeout", "2s", "--policy", &policy.to_string_lossy()];
    let proxy = own(server, &arguments_of_it).await?;
    if let Err(error) = pin(load) {
        tracing::info!(%error, "not pinned");
    }
    let process = proxy.child.id().context("the proxy ended")?;
    // What the proxy needs for itself: its buffers are touched by some requests.
    let mut streams = vec![connect(0, proxy.address).await?];
    for _ in 0..100 {
        ask(&mut streams[0], 1).await?;
    }
    let base = resident(process)?;
    let mut rows: Vec<Idle> = Vec::new();
    for &connections in &arguments.connections {
        while streams.len() < connections {
            let mut stream = connect(streams.len(), proxy.address).await?;
            // Each has had a request: a connection that never spoke costs less.
            ask(&mut stream, 1).await?;
            streams.push(stream);
        }
        tokio::time::sleep(Duration::from_secs(4)).await;
        for rate in [0, arguments.rate] {
            let before = Usage::of(process).context("the proxy ended")?;
            let begin = Instant::now();
            let (errors, p99_us) = paced(&mut streams, rate, arguments.seconds).await?;
            let used = Usage::of(process).context("the proxy ended")?.since(before);
            let now = resident(process)?;
            rows.push(Idle {
                connections,
                rate,
                errors,
                p99_us,
                resident_kib: now,
                proxy_cpu: 100.0 * (used.user + used.system) / begin.elapsed().as_secs_f64(),
                bytes_each: (now.saturating_sub(base) * 1024) as f64 / connections as f64,
            });
            table::write(&arguments.csv, &rows)?;
        }
    }
    print!("{}", table::idle_table(&rows));
    println!("the proxy alone: {base} KiB");
    Ok(())
}

/// One request and its reply.
async fn ask(stream: &mut TcpStream, id: u64) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    Tagged::request(&mut bytes, id, &[b'x'; 1024]);
    stream.write_all(&bytes).await?;
    bytes.clear();
    loop {
        anyhow::ensure!(stream.read_buf(&mut bytes).await? > 0, "the proxy closed a connection");
        let mut whole = None;
        Tagged::replies(&bytes, 0, |(of, reply)| whole = Some((of, reply))).map_err(anyhow::Error::msg)?;
        if let Some((of, reply)) = whole {
            let body = reply.map_err(anyhow::Error::msg)?;
            anyhow::ensure!(of == id && body.len() == 1024, "another reply");
            return Ok(());
        }
    }
}

/// Requests at a steady rate, one connection after the other.
async fn paced(streams: &mut [TcpStream], rate: u64, seconds: f64) -> anyhow::Result<(u64, f64)> {
    let mut times = Histogram::<u64>::new_with_bounds(1, 60_000_000, 3)?;
    let mut errors = 0;
    let begin = Instant::now();
    if rate == 0 {
        tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
        return Ok((0, 0.0));
    }
    let count = (rate as f64 * seconds) as u64;
    let step = (streams.len() / 7) | 1;
    for number in 0..count {
        let due = begin + Duration::from_secs_f64(number as f64 / rate as f64);
        // The timer's grain is a millisecond: a request may be late, and its time counts from when it was due.
        if due > Instant::now() {
            tokio::time::sleep_until(due.into()).await;
        }
        let place = number as usize * step % streams.len();
        match ask(&mut streams[place], number).await {
            Ok(()) => times.saturating_record(due.elapsed().as_micros() as u64),
            Err(_) => errors += 1,
        }
    }
    Ok((errors, times.value_at_quantile(0.99) as f64))
}
