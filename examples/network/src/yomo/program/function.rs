//! The program `yomo function`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Server, readings, tag};
use crate::terminal::{Interrupt, Progress};
use crate::yomo::{Error, Handled, Message, Options, StreamFunction};

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    server: Server,
    /// A tag to observe; may be given several times
    #[arg(long = "tag", default_value = "0x33", value_parser = tag)]
    tags: Vec<u32>,
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let Arguments { server, tags } = arguments;
    let progress = Progress::new("waiting for messages");
    let mut interrupt = Interrupt::listen()?;
    let (mut function, seen) = tokio::select! {
        printing = printing(server.options("noise-function"), tags, progress.clone()) => printing?,
        () = interrupt.came() => return Ok(()),
    };
    let ended = tokio::select! {
        ended = function.ended() => ended,
        () = interrupt.came() => function.close().await,
    };
    progress.end(&seen.summary(ended.as_ref().ok()));
    ended?;
    Ok(())
}

/// A stream function that prints the readings in its messages.
pub(super) async fn printing(
    options: Options,
    tags: Vec<u32>,
    progress: Progress,
) -> Result<(StreamFunction, Seen), Error> {
    let seen = Seen::default();
    let counts = seen.clone();
    let handler = move |message: Message| {
        match readings::line(&message.payload) {
            Some(line) => progress.print(&line),
            None => {
                counts.strange.fetch_add(1, Ordering::Relaxed);
                progress.print(&format!("{} bytes with tag {:#04x}, no reading", message.payload.len(), message.tag));
            }
        }
        let messages = counts.messages.fetch_add(1, Ordering::Relaxed) + 1;
        progress.show(&format!("messages: {messages}"));
        async { None }
    };
    Ok((StreamFunction::connect(options, tags, handler).await?, seen))
}

/// Counts of a function's messages.
#[derive(Clone, Default)]
pub(super) struct Seen {
    messages: Arc<AtomicU64>,
    strange: Arc<AtomicU64>,
}

impl Seen {
    pub(super) fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    pub(super) fn summary(&self, handled: Option<&Handled>) -> String {
        let strange = self.strange.load(Ordering::Relaxed);
        let mut text = format!("received: {} messages", self.messages());
        if let Some(handled) = handled {
            text += &format!(", {} bytes", handled.bytes);
        }
        text + &if strange > 0 { format!("; {strange} of them without a reading") } else { String::new() }
    }
}
