//! Demo: two backends, a proxy and its clients in one process, and a policy that changes while they run.

use std::net::{Ipv4Addr, SocketAddr};
use std::thread;
use std::time::Duration;

use anyhow::{Context, anyhow};
use gateway::file::PolicyFile;
use gateway::hub::Limits;
use gateway::serve::serve;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use workers::process::Folder;

use super::load;
use crate::echo::limits;
use crate::echo::load::Load;
use crate::echo::peers::{Ready, Server};
use crate::program::{event_loop, interrupted};
use report::markdown::grouped;

const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Arguments of `network proxy demo`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Clients, each with a connection.
    #[arg(long, default_value_t = 100)]
    connections: usize,
    /// How long each policy is measured.
    #[arg(long, default_value_t = 2.0, value_parser = crate::program::seconds)]
    seconds: f64,
}

impl Default for Arguments {
    fn default() -> Self {
        Arguments { connections: 100, seconds: 2.0 }
    }
}

/// A thread with an event loop, stopped when this is dropped.
struct Thread {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<anyhow::Result<()>>>,
}

impl Thread {
    fn start<F: Future<Output = anyhow::Result<()>>>(
        run: impl FnOnce(oneshot::Receiver<()>) -> F + Send + 'static,
    ) -> Thread {
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || event_loop()?.block_on(run(stopped)));
        Thread { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(Err(error)) =
            self.thread.take().map(|thread| thread.join().map_err(|_| anyhow!("it panicked")).and_then(|end| end))
        {
            tracing::warn!(error = format!("{error:#}"), "a part of the demo failed");
        }
    }
}

fn backend() -> anyhow::Result<(Thread, SocketAddr)> {
    let (ready, told) = oneshot::channel::<Ready>();
    let thread = Thread::start(move |stop| async move {
        Server::Y3.serve(ANY, limits::Limits::default(), ready, async { drop(stop.await) }).await.map(drop)
    });
    Ok((thread, told.blocking_recv().context("the backend did not start")?.address))
}

/// Runs the demo and prints its table.
///
/// # Errors
/// A part that does not start, or clients without a reply.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let folder = Folder::new("proxy-demo")?;
    let ((_eu, eu), (_us, us)) = (backend()?, backend()?);
    let head = format!("default = 'us'\n\n[backends]\neu = '{eu}'\nus = '{us}'\n\n");
    let policies = [
        ("all to one backend", String::new()),
        ("Europe to its own", "[[rule]]\nmatch = '01/12'\nvalue = 'eu'\nroute = 'eu'\n".to_owned()),
        (
            "the same without tokens",
            "[[rule]]\nmatch = '01/12'\nvalue = 'eu'\nroute = 'eu'\nremove = ['01/13/02']\n\n[[rule]]\nremove = ['01/13/02']\n"
                .to_owned(),
        ),
    ];
    let file = folder.write("policy.toml", &head)?;
    let (tell, mut told) = mpsc::unbounded_channel();
    let policy = file.clone();
    let _proxy = Thread::start(async move |stop| {
        let (listener, page) = (TcpListener::bind(ANY).await?, TcpListener::bind(ANY).await?);
        tell.send((listener.local_addr()?, page.local_addr()?))?;
        serve(listener, PolicyFile::open(policy)?, Limits::default(), Some(page), async { drop(stop.await) }).await
    });
    let (address, page) = told.blocking_recv().context("the proxy did not start")?;
    println!("proxy on {address}, metrics on http://{page}/metrics, policy {}", file.display());
    println!(
        "{} clients, 1 KiB, all in one process; `network proxy sweep` compares processes\n",
        arguments.connections
    );
    println!("| policy | requests/s | TP99, ms | to eu | to us | redacted | refused |\n|---|---|---|---|---|---|---|");
    event_loop()?.block_on(async {
        let mut before = counts(page).await?;
        for (name, rules) in &policies {
            folder.write("policy.toml", &format!("{head}{rules}"))?;
            // The file is looked at twice a second, and has to be the same at two looks.
            tokio::time::sleep(Duration::from_millis(1200)).await;
            let load = Load {
                callers: arguments.connections,
                body: 1024,
                warm: Duration::ZERO,
                measure: Duration::from_secs_f64(arguments.seconds),
            };
            let (stop, mut stopped) = oneshot::channel();
            let interrupted = async {
                interrupted().await;
                let _ = stop.send(());
            };
            let row = load::measure(name, address, load, interrupted).await?;
            let now = counts(page).await?;
            let of = |what: &str| {
                let of = |text: &str| {
                    let line = |line: &str| line.strip_prefix(what)?.rsplit_once(' ')?.1.parse::<f64>().ok();
                    text.lines().filter_map(line).sum::<f64>()
                };
                grouped(of(&now) - of(&before))
            };
            let to = |backend: SocketAddr| of(&format!("y3_proxy_requests_total{{backend=\"{backend}\"}}"));
            println!(
                "| {name} | {} | {:.2} | {} | {} | {} | {} |",
                grouped(row.tps),
                row.p99_us / 1e3,
                to(eu),
                to(us),
                of("y3_proxy_requests_redacted_total"),
                of("y3_proxy_requests_refused_total")
            );
            before = now;
            if stopped.try_recv().is_ok() {
                break;
            }
        }
        anyhow::Ok(())
    })
}

/// The metrics' page.
async fn counts(page: SocketAddr) -> anyhow::Result<String> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = load::connect(page).await?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").await?;
    let mut text = String::new();
    stream.read_to_string(&mut text).await?;
    Ok(text)
}
