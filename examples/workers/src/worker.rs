//! Worker: takes packets from the durable consumer, stores their results, and then acknowledges the packets.
//!
//! ```text
//! packet ──► watch, project ──► publish result ──► stored? ──► acknowledge ──► confirmed?
//!               │ fault                                └─ no: again, the claim extended
//!               └─► given back; the last time: parked with the fault as text, then ended
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
/// How often the broker sends a heartbeat.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How long packets in work may take after a stop.
const GRACE: Duration = Duration::from_secs(5);
/// How many bytes are kept of a packet that is too long to be parked.
const FRONT: usize = 1024;
/// How often an acknowledgement is sent without an answer.
const ACKS: u32 = 3;

/// The settings of a worker.
#[derive(Clone, Debug, Parser)]
pub struct Options {
    /// Packets in work at the same time.
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub in_flight: u32,
    /// A faulty packet is parked at this delivery.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub tries: u32,
    /// A packet that was delivered more often is parked unread, since it may be the cause of crashes.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub deliveries: u32,
    /// How long the work on a packet takes besides reading it: 5ms.
    #[arg(long, default_value = "0ms", value_parser = humantime::parse_duration)]
    pub work: Duration,
}

/// The counts of a worker so far.
#[derive(Debug, Default)]
pub struct Done {
    /// Results that the broker stored.
    pub stored: AtomicU64,
    /// Results that the broker had already, from an earlier delivery.
    pub stored_before: AtomicU64,
    /// Faulty packets given back for another try.
    pub given_back: AtomicU64,
    /// Packets parked.
    pub parked: AtomicU64,
    /// Acknowledgements that the broker did not confirm; these packets come again.
    pub unconfirmed: AtomicU64,
}

/// Works until `stop`. Then gives back packets that it has not begun, and finishes the others, for at most five seconds and
/// while the broker is there.
///
/// If the broker goes away, waits until it is back. If the future is dropped, another worker gets the packets in work
/// after the ack wait.
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
        // Packets that were not begun go to other workers at once.
        if let Some(mut messages) = stream {
            while let Some(Some(Ok(message))) = messages.next().now_or_never() {
                let _ = message.ack_with(AckKind::Nak(None)).await;
            }
        }
        while working.next().await.is_some() {}
    };
    // Without a broker nothing in work can end; it comes to another worker.
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

/// The next packet. Opens the stream again whenever it ends. Cancel safe.
async fn pull(group: &Group, options: &Options, stream: &mut Option<pull::Stream>) -> Result<Message> {
    let is_deleted = |error: &anyhow::Error| {
        error.downcast_ref::<MessagesError>().is_some_and(|error| error.kind() == MessagesErrorKind::ConsumerDeleted)
    };
    loop {
        match next(group, options, stream).await {
            Err(error) if !is_deleted(&error) => tracing::warn!(error = format!("{error:#}"), "pulls again"),
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
    Ok(messages.next().await.context("the pull ended")??)
}

/// Handles one delivery of a packet.
async fn handle(group: &Group, options: &Options, done: &Done, message: Message) {
    // Every message of a consumer has it.
    let Ok(info) = message.info() else { return };
    let deliveries = u32::try_from(info.delivered).unwrap_or(u32::MAX);
    let header = message.headers.as_ref().and_then(|headers| headers.get(NATS_MESSAGE_ID));
    // The same for each delivery of the packet. Other senders' packets may have no id; the number in the stream is one.
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
                Err(error) => format!("its result is not stored: {error}"),
            }
        }
        Err(_) if deliveries < options.tries => {
            done.given_back.fetch_add(1, Relaxed);
            // If this is lost, the packet comes again after the ack wait.
            let _ = message.ack_with(AckKind::Nak(Some(PAUSE))).await;
            return;
        }
        Err(fault) => fault.to_string(),
    };
    park(group, done, &message, &id, last_word, deliveries, &fault).await;
}

/// Stores the packet together with its fault, then ends its delivery.
async fn park(group: &Group, done: &Done, message: &Message, id: &str, source: &str, deliveries: u32, fault: &str) {
    tracing::warn!(id, fault, deliveries, "parked");
    let subject = format!("{}.parked.{source}", group.name);
    let parked = PublishMessage::build()
        .message_id(id)
        .header("Y3-Fault", fault)
        .header("Y3-Deliveries", deliveries.to_string().as_str());
    if store(group, message, &subject, parked.clone().payload(message.payload.clone())).await.is_err() {
        // The headers made it too long; its fault and its front are worth more than nothing.
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
/// The message is too long, so another try would fail too.
async fn store(group: &Group, packet: &Message, subject: &str, publish: PublishMessage) -> Result<bool, PublishError> {
    let mut before = None;
    let again = |error: &PublishError| {
        if before.replace(error.kind()) != Some(error.kind()) {
            tracing::warn!(%error, subject, "a result waits");
        }
        true
    };
    source::store(group, subject, &publish, Some(packet), again).await.map(|ack| ack.duplicate)
}

/// Acknowledges and waits for the broker's confirmation (NATS calls it `ack_sync` or double ack).
///
/// As a request over the connection's one inbox it costs the broker one message; the client's `double_ack` subscribes to
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
