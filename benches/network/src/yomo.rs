//! Measures the processor time per message in a YoMo source, in YoMo's Go server, and in a stream function.
//!
//! Processor time hardly depends on how busy the machine is, unlike messages a second. Source and function have one
//! thread each, whose clock is read. The server is a process.

use std::time::Duration;

use anyhow::{Context, anyhow};
use report::markdown::{grouped, table};
use rustix::time::{ClockId, clock_gettime};
use tokio::process::Command;
use tokio::sync::{oneshot, watch};
use y3::{Encoder, PathSet, path};
use y3_yomo::{Options, Source, StreamFunction, Tls};

use crate::measure::hosts::Host;
use crate::measure::programs::{Running, built_go, said};
use crate::process::Usage;
use crate::program::event_loop;

/// Arguments of `network yomo`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The number of messages.
    #[arg(long, default_value_t = 100_000)]
    messages: u64,
    /// The number of bytes in each message that the function does not read.
    #[arg(long, default_value_t = 256)]
    ballast: usize,
    /// Answer each message. By default the function sends no answers.
    #[arg(long)]
    answers: bool,
}

const TAGS: (u32, u32) = (0x33, 0x34);
/// The maximum time of each part.
const PATIENCE: Duration = Duration::from_secs(300);
/// The path of the reading in a message.
const NOISE: PathSet<1> = PathSet::new([path!(0x01, 0x10, 0x11)]);

/// YoMo's server. It is killed when this value is dropped.
async fn server() -> anyhow::Result<Running> {
    said(&Host::here(0), Command::new(built_go("../../yomo/go").await?).arg("server")).await
}

/// Returns the processor time of this thread in seconds.
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

/// The server creates its own certificate, and this program started the server.
fn options(server: &str, name: &str) -> Options {
    Options::new(server, name, Tls::dangerously_trust_any())
}

/// Sends all messages in this thread, and returns the processor time in seconds.
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

/// Watches the noise value of this many messages in this thread, and returns the processor time in seconds.
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

/// Runs server, source and function, and prints the processor time of a message in each.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let payload = message(&vec![7; arguments.ballast])?;
    let (messages, answers, event_loop) = (arguments.messages, arguments.answers, event_loop()?);
    let server = event_loop.block_on(server())?;
    let used_by = || server.child.id().and_then(Usage::of).map_or(0.0, |usage| usage.user + usage.system);
    let (ready, told) = oneshot::channel();
    let address = server.address.to_string();
    let at = address.clone();
    let function = std::thread::spawn(move || function(&at, messages, answers, ready));
    told.blocking_recv().context("the function did not start")?;
    let before = used_by();
    let sent = source(&address, messages, &payload)?;
    let seen = function.join().map_err(|_| anyhow!("the function panicked"))??;
    let routed = used_by() - before;
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
    print!("{}", table(&["", ">µs of a core a message", ">messages a second and core"], &rows));
    Ok(())
}
