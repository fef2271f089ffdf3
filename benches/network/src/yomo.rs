//! The subcommand `yomo`: what a message costs a YoMo source, YoMo's server in Go, and a stream function.
//!
//! In: how many messages. Out: microseconds of a core for each. Processor time is told rather than messages a second, so that a busy
//! machine says the same. Source and function have a thread each, whose clock counts it; the server is a process.

use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, anyhow};
use report::markdown::{columns, grouped};
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::{oneshot, watch};
use y3::{Encoder, PathSet, path};
use y3_yomo::{Options, Source, StreamFunction, Tls};

use crate::process::Usage;
use crate::program::event_loop;

/// Arguments of `network yomo`.
#[derive(clap::Args)]
pub struct Arguments {
    /// How many messages.
    #[arg(long, default_value_t = 100_000)]
    messages: u64,
    /// Bytes in each message that the function does not read.
    #[arg(long, default_value_t = 256)]
    ballast: usize,
    /// The function answers each message; otherwise none.
    #[arg(long)]
    answers: bool,
}

const TAGS: (u32, u32) = (0x33, 0x34);
/// How long a part may take.
const PATIENCE: Duration = Duration::from_secs(300);
/// The reading in a message.
const NOISE: PathSet<1> = PathSet::new([path!(0x01, 0x10, 0x11)]);

/// YoMo's server; ended when this is dropped.
struct Server {
    child: Child,
    /// Its end ends the server.
    _input: ChildStdin,
    address: String,
    folder: PathBuf,
}

impl Server {
    fn start() -> anyhow::Result<Server> {
        use std::io::{BufRead as _, BufReader};
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../yomo/go");
        let folder = std::env::temp_dir().join(format!("network-yomo-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let program = folder.join("server");
        let built = Command::new("go").arg("build").arg("-o").arg(&program).arg(".").current_dir(source).status();
        anyhow::ensure!(built.context("YoMo's server needs Go")?.success(), "go build failed");
        let mut child = Command::new(program).arg("server").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().context("no input")?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line)?;
        let address = line.trim().strip_prefix("listening ").with_context(|| line.clone())?.to_owned();
        Ok(Server { child, _input: input, address, folder })
    }

    fn used(&self) -> f64 {
        Usage::of(self.child.id()).map_or(0.0, |usage| usage.user + usage.system)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Seconds of a core that this thread has used.
fn used() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn message(ballast: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes).node(0x01, |root| {
        root.node(0x10, |reading| {
            reading.put(0x11, 45.12_f32)?;
            reading.put(0x13, "10.0.3.113")
        })?;
        root.put(0x14, ballast)
    })?;
    Ok(bytes)
}

/// The server makes its own certificate, and is this program's.
fn options(server: &str, name: &str) -> Options {
    Options::new(server, name, Tls::dangerously_trust_any())
}

/// Sends all messages in this thread; returns the seconds of a core that it took.
fn source(server: &str, messages: u64, payload: &[u8]) -> anyhow::Result<f64> {
    event_loop()?.block_on(async {
        let source = Source::connect(options(server, "source")).await?;
        let before = used();
        for _ in 0..messages {
            source.send((TAGS.0, payload.to_vec())).await?;
        }
        source.confirm(PATIENCE).await?;
        Ok(used() - before)
    })
}

/// Watches the noise of so many messages in this thread; returns the seconds of a core that it took.
fn function(server: &str, messages: u64, answers: bool, ready: oneshot::Sender<()>) -> anyhow::Result<f64> {
    event_loop()?.block_on(async {
        let (tell, mut told) = watch::channel(0);
        let mut loud = 0_u64;
        let handler = move |message: y3_yomo::Message| {
            let noise = NOISE.watch(&message.payload).next().and_then(|hit| hit.ok()?.decode::<f32>().ok());
            loud += u64::from(noise.is_some());
            tell.send_replace(loud);
            std::future::ready(answers.then_some((TAGS.1, message.payload)))
        };
        let function = StreamFunction::new(options(server, "function"), [TAGS.0]).connect(handler).await?;
        let before = used();
        let _ = ready.send(());
        tokio::time::timeout(PATIENCE, told.wait_for(|seen| *seen >= messages))
            .await
            .context("messages are missing")??;
        function.close().await?;
        Ok(used() - before)
    })
}

/// Runs source, server and function, and prints what a message costs each.
///
/// # Errors
/// There is no Go; a peer fails.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let payload = message(&vec![7; arguments.ballast])?;
    let (messages, answers, server) = (arguments.messages, arguments.answers, Server::start()?);
    let (ready, told) = oneshot::channel();
    let address = server.address.clone();
    let function = std::thread::spawn(move || function(&address, messages, answers, ready));
    told.blocking_recv().context("the function did not start")?;
    let before = server.used();
    let sent = source(&server.address, messages, &payload)?;
    let seen = function.join().map_err(|_| anyhow!("the function panicked"))??;
    let routed = server.used() - before;
    let row = |name: &str, seconds: f64| {
        let each = seconds / messages as f64;
        [name.to_owned(), format!("{:.1}", each * 1e6), grouped(1.0 / each)]
    };
    let rows = [row("source", sent), row("server, Go", routed), row("function", seen)];
    println!(
        "{} messages of {} bytes{}",
        grouped(messages as f64),
        payload.len(),
        if answers { ", each answered" } else { "" }
    );
    print!("{}", columns(&["", ">µs of a core a message", ">messages a second and core"], &rows));
    Ok(())
}
