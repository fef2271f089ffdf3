//! The program `yomo demo`: server, source and stream function in one command.

use std::time::Duration;

use anyhow::{Context, anyhow};

use super::{function, pause, readings, source};
use crate::terminal::{Interrupt, Progress};
use crate::yomo::{Go, Options, Source, StreamFunction};

const TAG: u32 = 0x33;

/// How long a server of YoMo may take to start.
const START: Duration = Duration::from_secs(20);

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Where the server listens; port 0 is a free one
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: String,
    /// How many readings; 0 goes on until Ctrl-C
    #[arg(long, default_value_t = 25)]
    count: u64,
    /// Milliseconds between two readings
    #[arg(long, default_value_t = 200)]
    every: u64,
}

impl Default for Arguments {
    fn default() -> Self {
        Self { listen: "127.0.0.1:0".into(), count: 25, every: 200 }
    }
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let Arguments { listen, count, every } = arguments;
    let mut pause = pause(every)?;
    let mut interrupt = Interrupt::listen()?;
    let progress = Progress::new("building YoMo's server with Go; the first time takes a minute or two");
    let Started { mut server, address, mut function, seen, mut source } = tokio::select! {
        started = start(&listen, &progress) => started?,
        () = interrupt.came() => return Ok(()),
    };
    progress.print(&format!("source -> YoMo 1.18.12 in Go at {address} -> stream function"));
    let count = if count == 0 { usize::MAX } else { usize::try_from(count).unwrap_or(usize::MAX) };
    let ended = {
        let writing = async {
            for payload in readings::payloads().take(count) {
                pause.tick().await;
                source.write(TAG, payload).await?;
            }
            Ok(())
        };
        tokio::select! {
            written = writing => written,
            ended = function.ended() => Err(ended.err().map_or_else(|| anyhow!("the stream function ended"), Into::into)),
            () = server.gone() => Err(anyhow!("the server ended")),
            () = interrupt.came() => Ok(()),
        }
    };
    ended?;
    let sent = source.close().await?;
    // Confirmed is what the server has routed; the function gets it soon.
    for _ in 0..100 {
        if seen.messages() >= sent.messages {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let handled = function.close().await?;
    progress.end(&format!("{}\n{}", source::summary(&sent), seen.summary(Some(&handled))));
    server.end(START).await.map_err(|error| anyhow!(error))
}

/// All three, connected.
struct Started {
    server: Go,
    address: String,
    function: StreamFunction,
    seen: function::Seen,
    source: Source,
}

async fn start(listen: &str, progress: &Progress) -> anyhow::Result<Started> {
    let folder = std::env::current_exe().context("where this program is")?;
    let folder = folder.parent().context("this program is in no folder")?;
    let program = Go::build(folder).await.map_err(|error| anyhow!(error))?;
    progress.show("starting");
    let mut server = Go::start(&program, &["server", "--addr", listen]).map_err(|error| anyhow!(error))?;
    let address = server.expect("listening", START).await.map_err(|error| anyhow!("no server at {listen}: {error}"))?;
    let options = Options::new(&address, "noise-function");
    let (function, seen) = function::printing(options, vec![TAG], progress.clone()).await?;
    let source = Source::connect(Options::new(&address, "noise-source")).await?;
    Ok(Started { server, address, function, seen, source })
}
