//! Source: publishes packets until the broker has acknowledged all of them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use anyhow::{Result, anyhow};
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::message::{AckKind, Message, PublishMessage};
use async_nats::jetstream::publish::PublishAck;
use clap::Parser;
use futures_util::{TryStreamExt, stream};
use tokio::time::Instant;

use crate::group::{Group, word};
use crate::packet;

/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(200);
/// The maximum number of packets without an acknowledgement.
const IN_FLIGHT: usize = 512;

/// The packets of a source.
#[derive(Clone, Debug, Parser)]
pub struct Options {
    /// The name of the source: a word of its subjects and the start of its message ids.
    #[arg(long, default_value = "source")]
    pub source: String,
    /// The number of packets; the ids start at 0.
    #[arg(long, default_value_t = 20_000)]
    pub packets: u64,
    /// The number of faulty packets.
    #[arg(long, default_value_t = 0)]
    pub poison: u64,
    /// The number of bytes in each packet that no worker reads.
    #[arg(long, default_value_t = 256)]
    pub ballast: usize,
    /// Packets per second; 0 means as fast as the broker accepts them.
    #[arg(long, default_value_t = 0.0)]
    pub rate: f64,
    /// How long a packet is tried again. Keep it below the duplicate window, or the broker may store the packet twice.
    #[arg(long, default_value = "60s", value_parser = humantime::parse_duration)]
    pub patience: Duration,
}

impl Options {
    /// True if the packet with this id is faulty. Faulty packets are spread evenly.
    pub fn is_poison(&self, id: u64) -> bool {
        self.poison > 0 && {
            let every = (self.packets / self.poison).max(1);
            id % every == every / 2 && id / every < self.poison
        }
    }

    pub fn message_id(&self, id: u64) -> String {
        format!("{}-{id}", self.source)
    }

    fn packet(&self, id: u64) -> Vec<u8> {
        if self.is_poison(id) { packet::poison(id, self.ballast) } else { packet::make(id, self.ballast) }
    }
}

/// The counters of a source. They can be read while the source runs.
#[derive(Debug, Default)]
pub struct Sent {
    /// Packets that the broker acknowledged.
    pub stored: AtomicU64,
    /// Packets that the broker had stored at an earlier try, but had not acknowledged.
    pub stored_before: AtomicU64,
    /// Tries that failed.
    pub tried_again: AtomicU64,
}

/// Publishes each packet until the broker acknowledges it.
///
/// # Errors
/// A packet failed for longer than `patience`, or with an error that another try cannot change. All packets counted in
/// `sent.stored` are stored.
pub async fn run(group: &Group, options: &Options, sent: &Sent) -> Result<()> {
    word("a source's name", &options.source)?;
    let subject = format!("{}.packets.{}", group.name, options.source);
    let (subject, began) = (&subject, Instant::now());
    let each = |id| async move {
        if options.rate > 0.0 {
            tokio::time::sleep_until(began + Duration::from_secs_f64(id as f64 / options.rate)).await;
        }
        let message = PublishMessage::build().message_id(options.message_id(id)).payload(options.packet(id).into());
        let until = Instant::now() + options.patience;
        let again = |error: &PublishError| {
            if sent.tried_again.fetch_add(1, Relaxed) == 0 {
                tracing::warn!(%error, "cannot publish; trying again for {:?}", options.patience);
            }
            Instant::now() + PAUSE <= until
        };
        let stored = store(group, subject, &message, None, again).await;
        let ack = stored.map_err(|error| anyhow!("packet {id} is not stored: {error}"))?;
        sent.stored_before.fetch_add(u64::from(ack.duplicate), Relaxed);
        sent.stored.fetch_add(1, Relaxed);
        Ok(())
    };
    stream::iter((0..options.packets).map(Ok)).try_for_each_concurrent(IN_FLIGHT, each).await
}

/// Publishes a message and waits until the broker has stored it.
pub async fn publish(group: &Group, subject: &str, message: &PublishMessage) -> Result<PublishAck, PublishError> {
    group.context.send_publish(subject.to_owned(), message.clone()).await?.await
}

/// Publishes a message until the broker has stored it. After a failure, calls `again`, which returns true for another
/// try. Then extends the ack wait of the packet `claim`, so that no other worker receives the packet.
///
/// # Errors
/// The last error. A message longer than the broker's `max_payload` is not tried again.
pub async fn store(
    group: &Group,
    subject: &str,
    message: &PublishMessage,
    claim: Option<&Message>,
    mut again: impl FnMut(&PublishError) -> bool,
) -> Result<PublishAck, PublishError> {
    loop {
        let error = match publish(group, subject, message).await {
            Err(error) if error.kind() != PublishErrorKind::MaxPayloadExceeded => error,
            published => return published,
        };
        if !again(&error) {
            return Err(error);
        }
        if let Some(packet) = claim {
            let _ = packet.ack_with(AckKind::Progress).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
}
