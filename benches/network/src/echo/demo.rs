//! Demo: a server and its callers in one process, a thread and a core each.

use std::net::{Ipv4Addr, SocketAddr};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use tokio::sync::oneshot;

use super::limits::Limits;
use super::load::{Load, Row};
use super::peers::{Client, Ready};
use super::rows::{Entry, table};
use crate::process;
use crate::program::{event_loop, interrupted};
use crate::terminal::Progress;

/// Arguments of `network echo demo`.
#[derive(clap::Args)]
pub struct Arguments {
    /// What to run; repeat it for more. All but the clients in Go otherwise.
    #[arg(long, value_enum)]
    kind: Vec<Client>,
    /// Callers that wait for one reply each.
    #[arg(long, default_value_t = 100)]
    callers: usize,
    /// Bytes of a body.
    #[arg(long, default_value_t = 1024)]
    body: usize,
    /// How long each row is measured.
    #[arg(long, default_value_t = 2.0, value_parser = crate::program::seconds)]
    seconds: f64,
    /// How long a handler waits before it replies.
    #[arg(long, default_value = "0ms", value_parser = humantime::parse_duration)]
    delay: Duration,
}

impl Default for Arguments {
    fn default() -> Self {
        Arguments { kind: Vec::new(), callers: 100, body: 1024, seconds: 2.0, delay: Duration::ZERO }
    }
}

const ALL: [Client; 6] =
    [Client::Y3Mux, Client::Y3Pooled, Client::Y3Quic, Client::JsonMux, Client::JsonPooled, Client::Tonic];

/// Runs the demo and prints its table.
///
/// # Errors
/// A server that does not start, or a client without a reply.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let kinds = if arguments.kind.is_empty() { &ALL[..] } else { &arguments.kind };
    let load = Load {
        callers: arguments.callers,
        body: arguments.body,
        warm: Duration::from_millis(300),
        measure: Duration::from_secs_f64(arguments.seconds),
    };
    let progress = Progress::rows(kinds.len());
    let mut entries = Vec::new();
    for kind in kinds {
        progress.show(&kind.name());
        let limits = Limits { delay: arguments.delay, body: arguments.body.max(1 << 20), ..Limits::default() };
        let begin = Instant::now();
        let (row, stopped) = one(*kind, load, limits).with_context(|| kind.name())?;
        // Memory and processor time are those of the whole process, so the demo leaves them to the sweep.
        entries.push(Entry::new(row, arguments.delay.as_secs_f64() * 1e3, begin.elapsed().as_secs_f64(), None));
        progress.done();
        if stopped {
            break;
        }
    }
    drop(progress);
    println!("{} callers, {} bytes, one process; `network echo sweep` compares processes", load.callers, load.body);
    print!("{}", table(&entries.iter().collect::<Vec<_>>()));
    Ok(())
}

/// A server on the first core, its callers on the second. Also whether Ctrl-C came.
fn one(kind: Client, load: Load, limits: Limits) -> anyhow::Result<(Row, bool)> {
    let (ready, address) = oneshot::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = thread::spawn(move || {
        on_core(0);
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        event_loop()?.block_on(kind.server().serve(any, limits, ready, async { drop(stopped.await) }))
    });
    let client = thread::spawn(move || {
        on_core(1);
        event_loop()?.block_on(async {
            let Ready { address, certificate, .. } = address.await.context("the server did not start")?;
            let (tell, told) = oneshot::channel();
            let stop = async {
                interrupted().await;
                let _ = tell.send(());
            };
            let row = kind.measure(address, certificate, load, Duration::from_secs(10), stop).await?;
            let mut told = told;
            anyhow::Ok((row, told.try_recv().is_ok()))
        })
    });
    let row = client.join().map_err(|_| anyhow!("the client panicked"))?;
    drop(stop);
    server.join().map_err(|_| anyhow!("the server panicked"))??;
    row
}

fn on_core(core: usize) {
    if let Err(error) = process::pin(core) {
        tracing::info!(core, %error, "not pinned");
    }
}
