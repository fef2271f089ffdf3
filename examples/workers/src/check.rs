//! Check: reads all results and parked packets of a source and counts them by id.
//!
//! In: the packets that the source sent. Out: the ids that are missing, stored twice, changed or unexpected.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use async_nats::header::{HeaderValue, NATS_MESSAGE_ID};
use async_nats::jetstream::consumer::pull;
use futures_util::StreamExt;

use crate::group::Group;
use crate::{packet, source};

/// How long the broker may be silent while it is read.
const SILENCE: Duration = Duration::from_secs(10);

/// The counts.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Packets that the source sent.
    pub packets: u64,
    /// Ids with a result.
    pub results: u64,
    /// Parked ids, with fault and deliveries as text.
    pub parked: BTreeMap<u64, String>,
    /// What is wrong, and with which ids. For messages with an id that the source did not send, these are their numbers.
    pub wrong: BTreeMap<&'static str, Vec<u64>>,
}

impl Found {
    /// Whether each packet has its result or is parked, once.
    pub fn is_right(&self) -> bool {
        self.wrong.is_empty()
    }

    fn add(&mut self, what: &'static str, id: u64) {
        self.wrong.entry(what).or_default().push(id);
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} packets, {} results, {} parked", self.packets, self.results, self.parked.len())?;
        for (id, fault) in &self.parked {
            write!(f, "\n    packet {id}: {fault}")?;
        }
        for (what, ids) in &self.wrong {
            write!(f, "\n{} {what}, the first: {:?}", ids.len(), &ids[..ids.len().min(10)])?;
        }
        Ok(())
    }
}

/// Reads all results and parked packets of a source.
///
/// Cost: eight bytes of memory a packet.
pub async fn run(group: &Group, sent: &source::Options) -> Result<Found> {
    let mut found = Found { packets: sent.packets, ..Found::default() };
    // How often each packet has a result, and how often it is parked.
    let mut all = vec![[0_u32; 2]; usize::try_from(sent.packets)?];
    for (kind, stream, subject) in [(0, &group.results, "results.SOURCE.>"), (1, &group.parked, "parked.SOURCE")] {
        let filter_subject = format!("{}.{}", group.name, subject.replace("SOURCE", &sent.source));
        let config = pull::OrderedConfig { filter_subject, ..pull::OrderedConfig::default() };
        let consumer = stream.create_consumer(config).await?;
        let count = consumer.cached_info().num_pending;
        let mut messages = consumer.messages().await?;
        for left in (0..count).rev() {
            let message = tokio::time::timeout(SILENCE, messages.next())
                .await
                .with_context(|| format!("the broker is silent with {left} messages to read"))?;
            let message = message.context("the broker ended the stream")??;
            let header = |name| message.headers.as_ref()?.get(name).map(HeaderValue::as_str);
            let id = match kind {
                0 => packet::id(&message.payload).ok(),
                _ => header(NATS_MESSAGE_ID.as_ref()).and_then(|id| id.rsplit('-').next()?.parse().ok()),
            };
            let Some((id, times)) = id.and_then(|id| Some((id, all.get_mut(usize::try_from(id).ok()?)?))) else {
                found.add("not asked for", message.info().map_or(0, |info| info.stream_sequence));
                continue;
            };
            times[kind] += 1;
            let expected = packet::expected(id);
            if kind == 1 {
                let [fault, deliveries] = ["Y3-Fault", "Y3-Deliveries"].map(|name| header(name).unwrap_or_default());
                found.parked.insert(id, format!("{fault} (delivery {deliveries})"));
            } else if message.payload[..] != expected.result[..] || !message.subject.ends_with(expected.class) {
                found.add("changed", id);
            }
        }
    }
    for (id, [results, parked]) in (0..).zip(all) {
        found.results += u64::from(results > 0);
        match results + parked {
            0 => found.add("missing", id),
            1 => {}
            _ => found.add("stored twice", id),
        }
        if sent.is_poison(id) && results > 0 || !sent.is_poison(id) && parked > 0 {
            found.add("misjudged", id);
        }
    }
    Ok(found)
}

/// Waits until no packet waits and none is in work.
pub async fn drained(group: &Group, patience: Duration) -> Result<()> {
    let until = tokio::time::Instant::now() + patience;
    loop {
        match group.lag().await {
            Ok(lag) if lag.waiting == 0 && lag.in_work == 0 => return Ok(()),
            lag if tokio::time::Instant::now() > until => bail!("not done after {patience:?}: {:?}", lag?),
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}
