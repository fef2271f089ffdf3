//! Worker: receives packets from the durable consumer, stores their results, and then acknowledges the packets.
//!
//! ```text
//! packet ──► watch, project ──► publish result ──► stored? ──► acknowledge ──► confirmed?
//!               │ fault                                └─ no: try again, extend the ack wait
//!               └─► returned; the last time: parked with the fault as text, then ended
//! ```

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use anyhow::{Context as _, Result};
use async_nats::connection::State;
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::consumer::pull::{self, MessagesError, MessagesErrorKind};
use async_nats::jetstream::context::PublishError;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{AckKind, Message};
use clap::Parser;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};

use crate::group::Group;
use crate::{packet, source};

/// The pause after a refusal or a lost connection.
const PAUSE: Duration = Duration::from_millis(250);
/// The interval of the broker's heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// The maximum time for packets in progress after a stop.
const GRACE: Duration = Duration::from_secs(5);
/// The number of bytes that are kept of a packet that is too long to be parked.
const FRONT: usize = 1024;
/// The maximum number of tries to acknowledge a packet.
const ACKS: u32 = 3;

/// The settings of a worker.
#[derive(Clone, Debug, Parser)]
pub struct Options {
    /// The maximum number of packets that are processed at the same time.
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub in_flight: u32,
    /// The delivery at which a faulty packet is parked.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub tries: u32,
    /// The maximum number of deliveries; after them, a packet is parked unread, because it may crash workers.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub deliveries: u32,
    /// Simulated work per packet, such as 5ms.
    #[arg(long, default_value = "0ms", value_parser = humantime::parse_duration)]
    pub work: Duration,
}

/// The counters of a worker.
#[derive(Debug, Default)]
pub struct Done {
    /// Results that the broker stored.
    pub stored: AtomicU64,
    /// Results that the broker had already stored after an earlier delivery.
    pub stored_before: AtomicU64,
    /// Faulty packets returned for another delivery.
    pub given_back: AtomicU64,
    /// Packets parked.
    pub parked: AtomicU64,
    /// Acknowledgements that the broker did not confirm. Their packets are delivered again.
    pub unconfirmed: AtomicU64,
}

/// Works until `stop` is ready. Then returns packets that are not begun, and finishes the others: for at most five
/// seconds, and only while the broker is connected.
///
/// If the broker is away, waits until it is back. If the future is dropped, another worker receives the unfinished
/// packets after the ack wait.
pub async fn run(group: &Group, options: &Options, done: &Done, stop: impl Future<Output = ()>) -> Result<()> {
    let mut stop = pin!(stop.fuse());
    let (mut working, mut stream) = (FuturesUnordered::new(), None);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => break,
            Some(()) = working.next() => {}
            pulled = pull(group, options, &mut stream), if working.len() < options.in_flight as usize => {
                working.push(handle(group, options, done, pulled?));
            }
        }
    }
    let end = async {
        // Returns the packets that are not begun, so that other workers receive them at once.
        if let Some(mut messages) = stream {
            while let Some(Some(Ok(message))) = messages.next().now_or_never() {
                let _ = message.ack_with(AckKind::Nak(None)).await;
            }
        }
        while working.next().await.is_some() {}
    };
    // Without a broker, no packet can be finished. Other workers will receive the packets.
    let client = group.context.client();
    let away = async {
        while client.connection_state() == State::Connected {
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::select! {
        () = end => {}
        () = away => {}
        () = tokio::time::sleep(GRACE) => {}
    }
    Ok(())
}

/// The next packet. Opens the stream again if it has ended. Cancel safe.
async fn pull(group: &Group, options: &Options, stream: &mut Option<pull::Stream>) -> Result<Message> {
    let is_deleted = |error: &anyhow::Error| {
        error.downcast_ref::<MessagesError>().is_some_and(|error| error.kind() == MessagesErrorKind::ConsumerDeleted)
    };
    loop {
        match next(group, options, stream).await {
            Err(error) if !is_deleted(&error) => {
                tracing::warn!(error = format!("{error:#}"), "cannot receive packets; trying again")
            }
            pulled => return pulled,
        }
        *stream = None;
        tokio::time::sleep(PAUSE).await;
    }
}

async fn next(group: &Group, options: &Options, stream: &mut Option<pull::Stream>) -> Result<Message> {
    let messages = match stream {
        Some(messages) => messages,
        None => {
            group.renew().await?;
            let pull = group.consumer.stream().max_messages_per_batch(options.in_flight as usize);
            let pull = pull.expires(HEARTBEAT * 10).heartbeat(HEARTBEAT);
            stream.insert(pull.messages().await.context("cannot pull packets")?)
        }
    };
    Ok(messages.next().await.context("the broker ended the pull")??)
}

/// Handles one delivery of a packet.
async fn handle(group: &Group, options: &Options, done: &Done, message: Message) {
    // Every message of a consumer has this information.
    let Ok(info) = message.info() else { return };
    let deliveries = u32::try_from(info.delivered).unwrap_or(u32::MAX);
    let header = message.headers.as_ref().and_then(|headers| headers.get(NATS_MESSAGE_ID));
    // Each delivery of the packet has the same id. Packets of other senders may have none; the number in the stream
    // replaces it.
    let id = match header {
        Some(id) => id.to_string(),
        None => format!("{}-{}-{}", info.stream, info.stream_sequence, info.published.unix_timestamp_nanos()),
    };
    let last_word = message.subject.rsplit('.').next().unwrap_or_default();
    if deliveries > options.deliveries {
        let fault = format!("delivered {deliveries} times without an acknowledgement");
        return park(group, done, &message, &id, last_word, deliveries, &fault).await;
    }
    let fault = match packet::work(&message.payload) {
        Ok(outcome) => {
            tokio::time::sleep(options.work).await;
            let subject = format!("{}.results.{last_word}.{}", group.name, outcome.class);
            let result = PublishMessage::build().message_id(&id).payload(outcome.result.into());
            match store(group, &message, &subject, result).await {
                Ok(before) => {
                    done.stored_before.fetch_add(u64::from(before), Relaxed);
                    done.stored.fetch_add(u64::from(!before), Relaxed);
                    return finish(group, done, &message, "+ACK").await;
                }
                Err(error) => format!("the result cannot be stored: {error}"),
            }
        }
        Err(_) if deliveries < options.tries => {
            done.given_back.fetch_add(1, Relaxed);
            // If the broker does not get this message, it delivers the packet again after the ack wait.
            let _ = message.ack_with(AckKind::Nak(Some(PAUSE))).await;
            return;
        }
        Err(fault) => fault.to_string(),
    };
    park(group, done, &message, &id, last_word, deliveries, &fault).await;
}

/// Stores the packet with its fault, then ends its delivery.
async fn park(group: &Group, done: &Done, message: &Message, id: &str, source: &str, deliveries: u32, fault: &str) {
    tracing::warn!(id, fault, deliveries, "parked");
    let subject = format!("{}.parked.{source}", group.name);
    let parked = PublishMessage::build()
        .message_id(id)
        .header("Y3-Fault", fault)
        .header("Y3-Deliveries", deliveries.to_string().as_str());
    if store(group, message, &subject, parked.clone().payload(message.payload.clone())).await.is_err() {
        // The packet is too long with the headers, so only its first bytes are stored.
        let len = message.payload.len();
        let front =
            parked.header("Y3-Cut-From", len.to_string().as_str()).payload(message.payload.slice(..len.min(FRONT)));
        let _ = store(group, message, &subject, front).await;
    }
    done.parked.fetch_add(1, Relaxed);
    finish(group, done, message, "+TERM").await;
}

/// Publishes a message until the broker has stored it, and returns whether the broker had it already.
///
/// # Errors
/// The message is too long. Another try would fail too.
async fn store(group: &Group, packet: &Message, subject: &str, publish: PublishMessage) -> Result<bool, PublishError> {
    let mut before = None;
    let again = |error: &PublishError| {
        if before.replace(error.kind()) != Some(error.kind()) {
            tracing::warn!(%error, subject, "cannot store a message; trying again");
        }
        true
    };
    source::store(group, subject, &publish, Some(packet), again).await.map(|ack| ack.duplicate)
}

/// Acknowledges a packet and waits for the broker's confirmation (NATS calls this `ack_sync` or double ack).
///
/// The request uses the connection's inbox, so the broker handles one message. The client's `double_ack` subscribes to
/// a new inbox each time.
async fn finish(group: &Group, done: &Done, message: &Message, what: &'static str) {
    let Some(reply) = &message.reply else { return };
    for _ in 0..ACKS {
        if group.context.client().request(reply.clone(), what.into()).await.is_ok() {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
    done.unconfirmed.fetch_add(1, Relaxed);
}
