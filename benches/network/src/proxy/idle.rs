//! Idle: thousands of connections with few requests among them; what each costs the proxy.
//!
//! In: numbers of connections. Out: memory and processor time of the proxy at each, as CSV and table.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use hdrhistogram::Histogram;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use workers::process::Folder;

use super::programs::own;
use super::request::Tagged;
use super::table::{self, Idle};
use crate::echo::protocol::Protocol;
use crate::kept::undisturbed::Undisturbed;
use crate::kept::{commit, csv_file};
use crate::process::{Usage, open_files, pin};
use crate::program::interrupted;
use crate::terminal::Progress;

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
    #[arg(long, default_value_t = 8.0, value_parser = crate::program::seconds)]
    seconds: f64,
    /// The file for rows.
    #[arg(long, default_value = "network-idle.csv")]
    csv: PathBuf,
    /// Seconds for rows that are measured again because the hypervisor took the cores.
    #[arg(long, default_value_t = 600.0, value_parser = crate::program::seconds)]
    again: f64,
    /// The cores of proxy and backend, and of the load.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 1])]
    cores: Vec<usize>,
}

const POLICY: &str = "default = 'one'\n[backends]\none = 'ADDRESS'\n[[rule]]\nremove = ['01/13/02']\n";

/// How long a reply may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Open files that are no clients' connections, in the process with the most of them.
const OTHER_FILES: u64 = 64;

/// Resident memory now, in KiB.
fn resident(process: u32) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}

/// A connection from an address of the loopback of its own for each 20,000, with ports of its own choice: left to the system, a
/// search for a free port takes a millisecond where thousands are in use.
async fn connect(number: usize, target: SocketAddr) -> anyhow::Result<TcpStream> {
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
    Ok(stream)
}

/// Measures.
///
/// # Errors
/// A part that does not start, or fewer open files than connections.
pub async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let [server, load] = arguments.cores[..] else { anyhow::bail!("--cores takes two numbers: proxy, load") };
    let folder = Folder::new("proxy-idle")?;
    let backend = own(server, &["echo", "server", "--quiet", "--kind", "y3", "--addr", "127.0.0.1:0"]).await?;
    let policy = folder.write("policy.toml", &POLICY.replace("ADDRESS", &backend.address.to_string()))?;
    // Idle connections give buffers back after a time-out.
    let policy = policy.to_string_lossy();
    let of_it = ["proxy", "serve", "--addr", "127.0.0.1:0", "--timeout", "2s", "--policy", &policy];
    let proxy = own(server, &of_it).await?;
    if let Err(error) = pin(load) {
        tracing::info!(%error, "not pinned");
    }
    let process = proxy.child.id().context("the proxy ended")?;
    // What the proxy needs for itself: its buffers are touched by some requests.
    let mut first = connect(0, proxy.address).await?;
    for _ in 0..100 {
        ask(&mut first, 1).await?;
    }
    let mut streams = VecDeque::from([first]);
    let base = resident(process)?;
    let mut rows: Vec<Idle> = Vec::new();
    let most = open_files().saturating_sub(OTHER_FILES) as usize;
    let mut numbers: Vec<usize> = arguments.connections.iter().map(|&number| number.min(most)).collect();
    numbers.dedup();
    if arguments.connections.iter().any(|&number| number > most) {
        println!("at most {most} connections: the limit of open files (ulimit -Hn)");
    }
    let progress = Progress::rows(2 * numbers.len());
    let mut undisturbed = Undisturbed::new(arguments.seconds, arguments.again);
    'all: for connections in numbers {
        progress.show(&format!("{connections} connections"));
        while streams.len() < connections {
            let mut stream = connect(streams.len(), proxy.address).await?;
            // Each has had a request: a connection that never spoke costs less.
            ask(&mut stream, 1).await?;
            streams.push_back(stream);
        }
        // The proxy's clock tells each quiet connection to give its buffers back.
        tokio::time::sleep(Duration::from_secs(4)).await;
        for rate in [0, arguments.rate] {
            let one = async || {
                let before = Usage::of(process).context("the proxy ended")?;
                let begin = Instant::now();
                let Paced { errors, times } = paced(&mut streams, rate, arguments.seconds).await?;
                let used = Usage::of(process).context("the proxy ended")?.since(before);
                let now = resident(process)?;
                Ok(Idle {
                    connections,
                    rate,
                    errors,
                    p99_us: times.value_at_quantile(0.99) as f64,
                    resident_kib: now,
                    proxy_cpu: 100.0 * (used.user + used.system) / begin.elapsed().as_secs_f64(),
                    bytes_each: (now.saturating_sub(base) * 1024) as f64 / connections as f64,
                    stolen: None,
                    commit: commit(),
                })
            };
            let (row, stolen) = tokio::select! {
                row = undisturbed.least(one) => row?,
                () = interrupted() => break 'all,
            };
            rows.push(Idle { stolen, ..row });
            csv_file::write(&arguments.csv, &rows)?;
            progress.done();
        }
    }
    drop(progress);
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

/// Sends requests at a fixed rate, each when it is due, whether earlier ones have their replies or not. The connection that is
/// quiet for the longest takes the next one, so that all have their turn.
///
/// A time counts from when its request was due: what waits for the timer, whose grain is a millisecond, or for a connection
/// waits in it.
async fn paced(streams: &mut VecDeque<TcpStream>, rate: u64, seconds: f64) -> anyhow::Result<Paced> {
    let mut paced = Paced { errors: 0, times: Histogram::new_with_bounds(1, 60_000_000, 3)? };
    let begin = Instant::now();
    if rate == 0 {
        tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
        return Ok(paced);
    }
    let mut flying = JoinSet::new();
    for number in 0..(rate as f64 * seconds) as u64 {
        let due = begin + Duration::from_secs_f64(number as f64 / rate as f64);
        if due > Instant::now() {
            tokio::time::sleep_until(due.into()).await;
        }
        while let Some(done) = flying.try_join_next() {
            streams.extend(paced.count(done?));
        }
        while streams.is_empty() {
            let done = flying.join_next().await.context("all connections are lost")?;
            streams.extend(paced.count(done?));
        }
        let Some(mut stream) = streams.pop_front() else { continue };
        flying.spawn(async move {
            let asked = tokio::time::timeout(PATIENCE, ask(&mut stream, number)).await;
            (stream, matches!(asked, Ok(Ok(()))), due.elapsed())
        });
    }
    while let Some(done) = flying.join_next().await {
        streams.extend(paced.count(done?));
    }
    Ok(paced)
}

/// What requests at a fixed rate came to.
struct Paced {
    errors: u64,
    times: Histogram<u64>,
}

impl Paced {
    /// Counts a request, and gives its connection back unless it is broken.
    fn count(&mut self, (stream, is_right, time): (TcpStream, bool, Duration)) -> Option<TcpStream> {
        if is_right {
            self.times.saturating_record(time.as_micros() as u64);
            return Some(stream);
        }
        self.errors += 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    /// A peer that replies to each request after `delay`.
    async fn peer(delay: Duration) -> SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let limits = crate::echo::limits::Limits { delay, ..Default::default() };
        tokio::spawn(crate::echo::server::serve(listener, limits, Default::default(), std::future::pending()));
        address
    }

    #[tokio::test]
    async fn a_request_leaves_when_it_is_due_while_others_wait_for_replies() {
        let address = peer(Duration::from_millis(200)).await;
        let mut streams = VecDeque::new();
        for number in 0..100 {
            streams.push_back(connect(number, address).await.unwrap());
        }
        // One after the other they would take 20 seconds.
        let begin = Instant::now();
        let paced = paced(&mut streams, 200, 0.5).await.unwrap();
        assert_eq!((paced.errors, paced.times.len(), streams.len()), (0, 100, 100));
        assert!(paced.times.min() >= 200_000, "{} us", paced.times.min());
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    }

    #[tokio::test]
    async fn a_time_counts_from_when_the_request_was_due() {
        let address = peer(Duration::from_millis(100)).await;
        let mut streams = VecDeque::from([connect(0, address).await.unwrap()]);
        // Ten requests due within 50 ms on one connection: the last one waits for nine replies.
        let paced = paced(&mut streams, 200, 0.05).await.unwrap();
        assert_eq!((paced.errors, paced.times.len()), (0, 10));
        assert!(paced.times.max() >= 900_000, "{} us", paced.times.max());
    }
}
