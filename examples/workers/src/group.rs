//! Group: the streams and the consumer that sources, workers and checkers share.
//!
//! In: a connection and a name. Out: the streams, made if they are missing, and how far the workers are behind.
//!
//! ```text
//! NAME.packets.SOURCE         ──► stream NAME_packets   a work queue: a packet is removed once it is acknowledged
//! NAME.results.SOURCE.CLASS   ──► stream NAME_results   remembers message ids for the duplicate window
//! NAME.parked.SOURCE          ──► stream NAME_parked    faulty packets with the header Y3-Fault
//! ```

use std::fmt;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use async_nats::ConnectOptions;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{Context, ContextBuilder, CreateStreamErrorKind, PublishError, PublishErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, ErrorCode};
use clap::Parser;

/// How long one exchange with the broker may take.
const EXCHANGE: Duration = Duration::from_secs(2);
/// Packets that all workers together may have without an acknowledgement; the broker's own default is 1,000.
const MAX_ACK_PENDING: i64 = 65_536;
/// The name of the durable consumer.
const CONSUMER: &str = "workers";

/// The promises of a group, and its limits.
#[derive(Clone, Debug, Parser)]
pub struct Settings {
    /// The name of the group: the first word of its subjects.
    #[arg(long = "group", default_value = "y3")]
    pub name: String,
    /// After this time without an acknowledgement a packet goes to another worker.
    #[arg(long, default_value = "30s", value_parser = humantime::parse_duration)]
    pub ack_wait: Duration,
    /// How long the broker remembers message ids. A result or packet that is sent again within this time is stored once.
    #[arg(long, default_value = "120s", value_parser = humantime::parse_duration)]
    pub window: Duration,
    /// The most packets that wait. A full stream refuses new packets.
    ///
    /// Not a limit of bytes: nats-server 2.9.10 compares it without the message's own header and then drops the oldest packets.
    #[arg(long, default_value_t = 1_000_000)]
    pub max_packets: i64,
    /// The most results, and also the most parked packets.
    #[arg(long, default_value_t = 10_000_000)]
    pub max_results: i64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::parse_from([""])
    }
}

impl Settings {
    fn check(&self) -> Result<()> {
        word("a group's name", &self.name)?;
        if self.ack_wait * 2 > self.window {
            bail!(
                "a duplicate window of {:?} is too short for an ack wait of {:?}: a redelivered packet could be stored twice; make it at least twice as long",
                self.window,
                self.ack_wait,
            );
        }
        Ok(())
    }
}

/// Checks that a name can be one word of a subject.
pub fn word(what: &str, name: &str) -> Result<()> {
    if name.is_empty() || !name.chars().all(|char| char.is_ascii_alphanumeric() || "-_".contains(char)) {
        bail!("{what} has letters, digits, - and _: {name:?} has not");
    }
    Ok(())
}

/// How far the workers are behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lag {
    /// Packets that no worker has.
    pub waiting: u64,
    /// Packets that a worker has and has not acknowledged.
    pub in_work: u64,
    /// The number of these packets that were delivered more than once.
    pub redelivered: u64,
    /// Results stored.
    pub results: u64,
    /// Packets parked.
    pub parked: u64,
}

impl fmt::Display for Lag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lag { waiting, in_work, redelivered, results, parked } = self;
        write!(
            f,
            "lag {waiting} waiting, {in_work} in work ({redelivered} redelivered); {results} results, {parked} parked"
        )
    }
}

/// The streams and the consumer of one group.
#[derive(Clone, Debug)]
pub struct Group {
    pub name: String,
    pub context: Context,
    pub packets: Stream,
    pub results: Stream,
    pub parked: Stream,
    pub consumer: PullConsumer,
}

impl Group {
    /// Connects, and makes the streams and the consumer that are missing.
    ///
    /// # Errors
    /// No broker answers at the address; it has no JetStream; a stream exists with other settings.
    pub async fn open(server: &str, settings: &Settings) -> Result<Group> {
        settings.check()?;
        let client = ConnectOptions::new()
            .connection_timeout(EXCHANGE)
            .request_timeout(Some(EXCHANGE))
            .connect(server)
            .await
            .with_context(|| format!("no NATS server answers at {server}; start one with: nats-server -js"))?;
        let context = ContextBuilder::new().timeout(EXCHANGE).max_ack_inflight(16_384).build(client);
        let name = &settings.name;
        let config = |kind: &str, retention, max_messages| Config {
            name: format!("{name}_{kind}"),
            subjects: vec![format!("{name}.{kind}.>")],
            retention,
            // A full stream refuses what is new; the other policy would drop what is old without a word.
            discard: DiscardPolicy::New,
            max_messages,
            duplicate_window: settings.window,
            ..Config::default()
        };
        let packets = make(&context, config("packets", RetentionPolicy::WorkQueue, settings.max_packets)).await?;
        let results = make(&context, config("results", RetentionPolicy::Limits, settings.max_results)).await?;
        let parked = make(&context, config("parked", RetentionPolicy::Limits, settings.max_results)).await?;
        let consumer = consumer(&packets, settings.ack_wait).await?;
        Ok(Group { name: name.clone(), context, packets, results, parked, consumer })
    }

    /// Makes the consumer if it is missing, for example after a restart of the broker.
    pub async fn renew(&self) -> Result<()> {
        consumer(&self.packets, self.consumer.cached_info().config.ack_wait).await.map(drop)
    }

    /// Asks how far the workers are behind.
    pub async fn lag(&self) -> Result<Lag> {
        let consumer = self.consumer.get_info().await?;
        let results = self.results.get_info().await?;
        let parked = self.parked.get_info().await?;
        Ok(Lag {
            waiting: consumer.num_pending,
            in_work: consumer.num_ack_pending as u64,
            redelivered: consumer.num_redelivered as u64,
            results: results.state.messages,
            parked: parked.state.messages,
        })
    }
}

/// The durable consumer, made if it is missing.
///
/// Its state is kept in memory. So a restarted broker knows only the packets in the stream, which are not acknowledged. A
/// state on disk could differ from the stream after a kill. nats-server 2.9.10 then kept acknowledged packets for ever and
/// counted deliveries of packets that were gone (in 2 of 120 runs of the test).
async fn consumer(packets: &Stream, ack_wait: Duration) -> Result<PullConsumer> {
    let config = pull::Config {
        durable_name: Some(CONSUMER.to_owned()),
        ack_policy: AckPolicy::Explicit,
        ack_wait,
        max_ack_pending: MAX_ACK_PENDING,
        memory_storage: true,
        ..pull::Config::default()
    };
    packets.create_consumer(config).await.context("cannot make the durable consumer")
}

async fn make(context: &Context, config: Config) -> Result<Stream> {
    let name = config.name.clone();
    context.create_stream(config).await.map_err(|error| {
        let code = match error.kind() {
            CreateStreamErrorKind::JetStream(sent) => Some(sent.error_code()),
            _ => None,
        };
        let hint = match code {
            Some(ErrorCode::STREAM_NAME_EXIST) => {
                "; it was made with other settings: give the same, or another --group"
            }
            Some(ErrorCode::JETSTREAM_NOT_ENABLED) => "; start the server with -js",
            _ => "",
        };
        anyhow::anyhow!("cannot make the stream {name}: {error}{hint}")
    })
}

/// The reason why the broker did not store a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The stream has its most messages, or the store its `max_file_store`.
    #[error("the broker's store is full ({0})")]
    Full(String),
    /// Trying again changes nothing.
    #[error("longer than the broker's max_payload ({0})")]
    TooLong(String),
    /// No answer. The message may be stored or not.
    #[error("the broker does not acknowledge ({0})")]
    NoAnswer(String),
    /// Any other answer of the broker.
    #[error("the broker refuses ({0})")]
    Other(String),
}

impl From<PublishError> for Refusal {
    /// Names the cause of a failed publish.
    fn from(error: PublishError) -> Refusal {
        let text = error.to_string();
        let sent = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<jetstream::Error>());
        let full = matches!(
            sent.map(jetstream::Error::error_code),
            Some(
                ErrorCode::INSUFFICIENT_RESOURCES
                    | ErrorCode::STORAGE_RESOURCES_EXCEEDED
                    | ErrorCode::ACCOUNT_RESOURCES_EXCEEDED
                    | ErrorCode::STREAM_STORE_FAILED
            )
        );
        match error.kind() {
            _ if full => Refusal::Full(text),
            PublishErrorKind::MaxPayloadExceeded => Refusal::TooLong(text),
            PublishErrorKind::TimedOut | PublishErrorKind::StreamNotFound | PublishErrorKind::BrokenPipe => {
                Refusal::NoAnswer(text)
            }
            _ => Refusal::Other(text),
        }
    }
}
