//! Source: publishes packets until the broker acknowledges each.
//!
//! In: how many packets. Out: how many the broker stored, and the first refusal that was not overcome.

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

/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(200);
/// The most packets that wait for their acknowledgement.
const IN_FLIGHT: usize = 512;

/// The packets of a source.
#[derive(Clone, Debug, Parser)]
pub struct Options {
    /// The name of the source: a word of its subjects, and the first half of its message ids.
    #[arg(long, default_value = "source")]
    pub source: String,
    /// How many packets; their ids count from 0.
    #[arg(long, default_value_t = 20_000)]
    pub packets: u64,
    /// How many of them are faulty.
    #[arg(long, default_value_t = 0)]
    pub poison: u64,
    /// Bytes in each packet that no worker reads.
    #[arg(long, default_value_t = 256)]
    pub ballast: usize,
    /// Packets a second; 0 is as fast as the broker accepts them.
    #[arg(long, default_value_t = 0.0)]
    pub rate: f64,
    /// How long a packet is tried again; keep it below the duplicate window, so that a second try is not stored twice.
    #[arg(long, default_value = "60s", value_parser = humantime::parse_duration)]
    pub patience: Duration,
}

impl Options {
    /// Whether the packet with this id is faulty. Faulty packets are spread evenly.
    pub fn is_poison(&self, id: u64) -> bool {
        self.poison > 0 && {
            let every = (self.packets / self.poison).max(1);
            id % every == every / 2 && id / every < self.poison
        }
    }

    /// The message id of a packet, for the broker.
    pub fn message_id(&self, id: u64) -> String {
        format!("{}-{id}", self.source)
    }

    fn packet(&self, id: u64) -> Vec<u8> {
        if self.is_poison(id) { packet::poison(id, self.ballast) } else { packet::make(id, self.ballast) }
    }
}

/// The counts of a source so far. They may be read while the source runs.
#[derive(Debug, Default)]
pub struct Sent {
    /// Packets that the broker acknowledged.
    pub stored: AtomicU64,
    /// Packets that the broker had already: an earlier try was stored without an acknowledgement.
    pub stored_before: AtomicU64,
    /// Tries that were refused or not answered.
    pub tried_again: AtomicU64,
}

/// Publishes all packets, each until it is acknowledged.
///
/// # Errors
/// A packet was refused for longer than the patience, or in a way that trying again does not change; the error names the
/// cause. All packets counted in `sent.stored` are stored.
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
                tracing::warn!(%error, "tried again for {:?}", options.patience);
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

/// Publishes a message until the broker has stored it. After a failure, asks `again` whether to go on, and extends
/// the `claim` on a packet, so that the packet does not go to other workers.
///
/// # Errors
/// The last failure. A message that is longer than the broker's `max_payload` is not published again.
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
