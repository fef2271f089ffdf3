//! Group: the streams and the consumer that sources, workers and checkers share.
//!
//! In: a connection and a name. Out: the streams, made if they are missing, and how far the workers are behind.
//!
//! ```text
//! NAME.packets.SOURCE         ──► stream NAME_packets   a work queue: a packet is removed once it is acknowledged
//! NAME.results.SOURCE.CLASS   ──► stream NAME_results   remembers message ids for the duplicate window
//! NAME.parked.SOURCE          ──► stream NAME_parked    faulty packets with the header Y3-Fault
//! ```

use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use async_nats::ConnectOptions;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{Context, ContextBuilder};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use clap::Parser;

/// How long one exchange with the broker may take.
const EXCHANGE: Duration = Duration::from_secs(2);
/// Packets that all workers together may have without an acknowledgement; the broker's own default is 1,000.
const MAX_ACK_PENDING: i64 = 65_536;

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

/// Checks that a name can be one word of a subject.
pub fn word(what: &str, name: &str) -> Result<()> {
    let is_word = !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || "-_".contains(char));
    ensure!(is_word, "{what} has letters, digits, - and _: {name:?} has not");
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
        let Settings { name, ack_wait, window, max_packets, max_results } = settings;
        word("a group's name", name)?;
        ensure!(
            *ack_wait * 2 <= *window,
            "a duplicate window of {window:?} is shorter than two ack waits of {ack_wait:?}: a redelivered packet could be stored twice"
        );
        let options = ConnectOptions::new().connection_timeout(EXCHANGE).request_timeout(Some(EXCHANGE));
        // Its text has its cause.
        let client = options
            .connect(server)
            .await
            .map_err(|error| anyhow!("no NATS server answers at {server}: {error}; start one with: nats-server -js"))?;
        let context = ContextBuilder::new().timeout(EXCHANGE).max_ack_inflight(16_384).build(client);
        let make = async |kind: &str, retention, max_messages| {
            let config = Config {
                name: format!("{name}_{kind}"),
                subjects: vec![format!("{name}.{kind}.>")],
                retention,
                // A full stream refuses what is new; the other policy would drop what is old without a word.
                discard: DiscardPolicy::New,
                max_messages,
                duplicate_window: *window,
                ..Config::default()
            };
            context
                .create_stream(config)
                .await
                .map_err(|error| anyhow!("cannot make the stream {name}_{kind}: {error}"))
        };
        let packets = make("packets", RetentionPolicy::WorkQueue, *max_packets).await?;
        let results = make("results", RetentionPolicy::Limits, *max_results).await?;
        let parked = make("parked", RetentionPolicy::Limits, *max_results).await?;
        let consumer = consumer(&packets, *ack_wait).await?;
        Ok(Group { name: name.clone(), context, packets, results, parked, consumer })
    }

    /// Makes the consumer if it is missing, for example after a restart of the broker.
    pub async fn renew(&self) -> Result<()> {
        consumer(&self.packets, self.consumer.cached_info().config.ack_wait).await.map(drop)
    }

    /// Asks how far the workers are behind.
    pub async fn lag(&self) -> Result<Lag> {
        let consumer = self.consumer.get_info().await?;
        Ok(Lag {
            waiting: consumer.num_pending,
            in_work: consumer.num_ack_pending as u64,
            redelivered: consumer.num_redelivered as u64,
            results: self.results.get_info().await?.state.messages,
            parked: self.parked.get_info().await?.state.messages,
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
        durable_name: Some("workers".to_owned()),
        ack_policy: AckPolicy::Explicit,
        ack_wait,
        max_ack_pending: MAX_ACK_PENDING,
        memory_storage: true,
        ..pull::Config::default()
    };
    packets.create_consumer(config).await.context("cannot make the durable consumer")
}
