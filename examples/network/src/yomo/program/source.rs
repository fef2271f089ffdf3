//! The program `yomo source`.

use std::time::Duration;

use tokio::time::Instant;

use super::{Server, pause, readings, tag};
use crate::terminal::{Interrupt, Progress};
use crate::yomo::{Error, Sent, Source};

/// How often the server has to confirm what was written.
const CONFIRM: Duration = Duration::from_secs(1);

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    server: Server,
    /// The tag of the messages
    #[arg(long, default_value = "0x33", value_parser = tag)]
    tag: u32,
    /// How many readings; without it until Ctrl-C
    #[arg(long)]
    count: Option<u64>,
    /// Milliseconds between two readings
    #[arg(long, default_value_t = 200)]
    every: u64,
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let Arguments { server, tag, count, every } = arguments;
    let mut pause = pause(every)?;
    let mut interrupt = Interrupt::listen()?;
    let mut source = tokio::select! {
        source = Source::connect(server.options("noise-source")) => source?,
        () = interrupt.came() => return Ok(()),
    };
    let progress = Progress::new("connected");
    let writing = async {
        let mut confirmed = Instant::now();
        for payload in
            readings::payloads().take(count.map_or(usize::MAX, |count| count.try_into().unwrap_or(usize::MAX)))
        {
            pause.tick().await;
            source.write(tag, payload).await?;
            progress.show(&format!("{} written", source.sent().messages));
            if confirmed.elapsed() >= CONFIRM {
                match source.confirm(CONFIRM).await {
                    // What is open is confirmed later, or reported when the connection is lost.
                    Ok(()) | Err(Error::Unconfirmed { .. }) => confirmed = Instant::now(),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    };
    let ended = tokio::select! {
        ended = writing => ended,
        () = interrupt.came() => Ok(()),
    };
    let sent = match source.close().await {
        Ok(sent) => sent,
        Err(error) => return Err(ended.err().unwrap_or(error).into()),
    };
    progress.end(&summary(&sent));
    Ok(ended?)
}

/// What became of the messages, in words.
pub(super) fn summary(sent: &Sent) -> String {
    let Sent { messages, bytes, unconfirmed } = sent;
    let lost: u64 = unconfirmed.iter().map(|range| range.end - range.start).sum();
    let mut text = format!("written: {messages} messages, {bytes} bytes; confirmed by the server: {}", messages - lost);
    if lost > 0 {
        let ranges: Vec<_> = unconfirmed.iter().map(|range| format!("{} to {}", range.start, range.end - 1)).collect();
        text += &format!("; may be lost: {lost}, number {}", ranges.join(", "));
    }
    text
}
