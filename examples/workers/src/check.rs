//! Check: reads all results and parked packets of a source and counts them by id.
//!
//! In: the packets that the source sent. Out: the ids that are missing, stored twice, changed or unexpected.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::stream::Stream;
use futures_util::StreamExt;

use crate::group::Group;
use crate::{packet, source};

/// How long the broker may be silent while it is read.
const SILENCE: Duration = Duration::from_secs(10);

/// The counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Packets that the source sent.
    pub packets: u64,
    /// Ids with a result.
    pub results: u64,
    /// Parked ids, with fault and deliveries as text.
    pub parked: BTreeMap<u64, String>,
    /// Ids with neither.
    pub missing: Vec<u64>,
    /// Ids stored more than once, as results or parked, or as both.
    pub twice: Vec<u64>,
    /// Ids whose result differs from the expected one, or is on another subject.
    pub changed: Vec<u64>,
    /// Parked ids that are not faulty, and faulty ones with a result.
    pub misjudged: Vec<u64>,
    /// Messages with an id that the source did not send.
    pub foreign: u64,
}

impl Found {
    /// Whether each packet has its result or is parked, once.
    pub fn is_right(&self) -> bool {
        self.foreign == 0 && self.wrong().iter().all(|(_, ids)| ids.is_empty())
    }

    fn wrong(&self) -> [(&str, &[u64]); 4] {
        [
            ("missing", &self.missing),
            ("stored twice", &self.twice),
            ("changed", &self.changed),
            ("misjudged", &self.misjudged),
        ]
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "packets        {:>9}", self.packets)?;
        writeln!(f, "results        {:>9}", self.results)?;
        writeln!(f, "parked         {:>9}", self.parked.len())?;
        for (id, fault) in &self.parked {
            writeln!(f, "    packet {id}: {fault}")?;
        }
        for (what, ids) in self.wrong() {
            writeln!(f, "{what:<14} {:>9}", ids.len())?;
            if !ids.is_empty() {
                writeln!(f, "    the first ids: {:?}", &ids[..ids.len().min(10)])?;
            }
        }
        write!(f, "not asked for  {:>9}", self.foreign)
    }
}

/// Reads all results and parked packets of a source.
///
/// Cost: eight bytes of memory a packet.
pub async fn run(group: &Group, sent: &source::Options) -> Result<Found> {
    let count = usize::try_from(sent.packets)?;
    let mut found = Found { packets: sent.packets, ..Found::default() };
    let (mut results, mut parked) = (vec![0_u32; count], vec![0_u32; count]);
    let filter = format!("{}.results.{}.>", group.name, sent.source);
    let id = |message: &Message| packet::id(&message.payload).ok();
    found.foreign += for_each(&group.results, filter, &mut results, id, |id, message| {
        let expected = packet::expected(id);
        if message.payload[..] != expected.result[..] || !message.subject.ends_with(expected.class) {
            found.changed.push(id);
        }
    })
    .await?;
    let filter = format!("{}.parked.{}", group.name, sent.source);
    let id = |message: &Message| header(message, NATS_MESSAGE_ID.as_ref()).rsplit('-').next()?.parse().ok();
    found.foreign += for_each(&group.parked, filter, &mut parked, id, |id, message| {
        let (fault, deliveries) = (header(message, "Y3-Fault"), header(message, "Y3-Deliveries"));
        found.parked.insert(id, format!("{fault} (delivery {deliveries})"));
    })
    .await?;
    for (id, (&result, &park)) in (0..).zip(results.iter().zip(&parked)) {
        found.results += u64::from(result > 0);
        match result + park {
            0 => found.missing.push(id),
            1 => {}
            _ => found.twice.push(id),
        }
        if sent.is_poison(id) && result > 0 || !sent.is_poison(id) && park > 0 {
            found.misjudged.push(id);
        }
    }
    Ok(found)
}

fn header<'a>(message: &'a Message, name: &str) -> &'a str {
    message.headers.as_ref().and_then(|headers| headers.get(name)).map_or("", |value| value.as_str())
}

/// Counts messages by their ids, and returns how many have an unknown id.
async fn for_each(
    stream: &Stream,
    filter: String,
    times: &mut [u32],
    id: impl Fn(&Message) -> Option<u64>,
    mut each: impl FnMut(u64, &Message),
) -> Result<u64> {
    let config = pull::OrderedConfig { filter_subject: filter, ..pull::OrderedConfig::default() };
    let consumer = stream.create_consumer(config).await?;
    let mut left = consumer.cached_info().num_pending;
    let mut messages = consumer.messages().await?;
    let mut foreign = 0;
    while left > 0 {
        let message = tokio::time::timeout(SILENCE, messages.next())
            .await
            .with_context(|| format!("the broker is silent with {left} messages to read"))?;
        let message = message.context("the broker ended the stream")??;
        match id(&message).and_then(|id| Some((id, times.get_mut(usize::try_from(id).ok()?)?))) {
            Some((id, times)) => {
                *times += 1;
                each(id, &message);
            }
            None => foreign += 1,
        }
        left -= 1;
    }
    Ok(foreign)
}

/// Waits until no packet waits and none is in work.
pub async fn drained(group: &Group, patience: Duration) -> Result<()> {
    let until = tokio::time::Instant::now() + patience;
    loop {
        let lag = group.lag().await;
        match lag {
            Ok(lag) if lag.waiting == 0 && lag.in_work == 0 => return Ok(()),
            lag if tokio::time::Instant::now() > until => bail!("not done after {patience:?}: {}", lag?),
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}
