//! Shapes: what the report leaves out: nodes in nodes, long values, a key that is not there, and packets back to back.

#[allow(dead_code, reason = "each bench uses its part")]
mod support;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde::Deserialize;
use serde_json::{Deserializer, Value};
use support::data::Pair;
use support::watched::{C16K08, Miss, Nested, Values100, Values1024, Watched};
use support::{Group, OneBuffer, Regime, Rotating, hand, peers};
use y3::parser::{Fault, Parser};
use y3::{keys, packets};

fn shape<W: Watched>(criterion: &mut Criterion) {
    peers::<W, OneBuffer>(criterion, "shapes");
    peers::<W, Rotating>(criterion, "shapes");
}

/// Packets back to back in a batch: of 16 pairs each, the 8th watched.
const BATCH: usize = 1000;

/// What the reader of a batch comes to: how many values, and how many bytes in them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sum(usize, usize);

impl Sum {
    #[inline(always)]
    fn add(&mut self, value: &[u8]) {
        self.0 += 1;
        self.1 += value.len();
    }
}

/// The packets alone, unopened.
mod frames {
    use super::{Fault, Parser, Sum, hand, keys, packets};

    pub fn hand(batch: &[u8]) -> Option<Sum> {
        let (mut sum, mut rest) = (Sum::default(), batch);
        while !rest.is_empty() {
            let (_, value, after) = hand::packet(rest).ok()?;
            sum.add(value);
            rest = after;
        }
        Some(sum)
    }

    pub fn y3_packets(batch: &[u8]) -> Option<Sum> {
        let mut sum = Sum::default();
        for packet in packets(batch) {
            sum.add(packet.ok()?.value());
        }
        Some(sum)
    }

    pub fn y3_keys(batch: &[u8]) -> Option<Sum> {
        let mut sum = Sum::default();
        for packet in keys![0].watch(batch) {
            sum.add(packet.ok()?.value());
        }
        Some(sum)
    }

    pub fn y3_nom(batch: &[u8]) -> Option<Sum> {
        let (mut sum, mut rest) = (Sum::default(), batch);
        while !rest.is_empty() {
            let (after, packet) = y3::parser::packet::<Fault>().parse(rest).ok()?;
            sum.add(packet.value());
            rest = after;
        }
        Some(sum)
    }
}

/// The first watched value of each packet; what is behind it in the packet is not looked at.
mod first {
    use super::{C16K08, Deserialize, Deserializer, Fault, Parser, Sum, Value, Watched, hand, keys, packets};

    const KEY: u8 = C16K08::PATH[1];

    pub fn hand(batch: &[u8]) -> Option<Sum> {
        let (mut sum, mut rest) = (Sum::default(), batch);
        while !rest.is_empty() {
            let (tag, value, after) = hand::packet(rest).ok()?;
            if tag == 0x80 {
                sum.add(hand::find(value, &[KEY]).ok()??);
            }
            rest = after;
        }
        Some(sum)
    }

    pub fn y3_packets(batch: &[u8]) -> Option<Sum> {
        let mut sum = Sum::default();
        for packet in packets(batch) {
            sum.add(packet.ok()?.find(KEY).ok()??.value());
        }
        Some(sum)
    }

    pub fn y3_keys(batch: &[u8]) -> Option<Sum> {
        let mut sum = Sum::default();
        for packet in keys![0].watch(batch) {
            sum.add(packet.ok()?.children().watch(keys![KEY]).next()?.ok()?.value());
        }
        Some(sum)
    }

    pub fn y3_nom(batch: &[u8]) -> Option<Sum> {
        let (mut sum, mut rest) = (Sum::default(), batch);
        while !rest.is_empty() {
            let (after, packet) = y3::parser::packet::<Fault>().parse(rest).ok()?;
            let mut level = packet.value();
            sum.add(loop {
                let (after, packet) = y3::parser::packet::<Fault>().parse(level).ok()?;
                if packet.key() == KEY {
                    break packet.value();
                }
                level = after;
            });
            rest = after;
        }
        Some(sum)
    }

    pub fn json_value(batch: &[u8]) -> Option<Sum> {
        let mut sum = Sum::default();
        for value in Deserializer::from_slice(batch).into_iter::<Value>() {
            sum.add(value.ok()?.get_mut(C16K08::FIELDS[0])?.take().as_str()?.as_bytes());
        }
        Some(sum)
    }

    pub fn json_typed(batch: &[u8]) -> Option<Sum> {
        #[derive(Deserialize)]
        struct Only<'a> {
            k8: &'a str,
        }
        let mut sum = Sum::default();
        for only in Deserializer::from_slice(batch).into_iter::<Only<'_>>() {
            sum.add(only.ok()?.k8.as_bytes());
        }
        Some(sum)
    }
}

/// Every watched value: packets are read to their end, as a key may come twice.
mod every {
    use super::{C16K08, Sum, Watched, hand};

    pub fn hand(batch: &[u8]) -> Option<Sum> {
        let (mut sum, mut rest) = (Sum::default(), batch);
        while !rest.is_empty() {
            let (tag, mut level, after) = hand::packet(rest).ok()?;
            while tag == 0x80 && !level.is_empty() {
                let (tag, value, after) = hand::packet(level).ok()?;
                if tag & 0x3f == C16K08::PATH[1] {
                    sum.add(value);
                }
                level = after;
            }
            rest = after;
        }
        Some(sum)
    }

    pub fn y3_watch(batch: &[u8]) -> Option<Sum> {
        let mut sum = Sum::default();
        for hit in C16K08::SET.watch(batch) {
            sum.add(hit.ok()?.value());
        }
        Some(sum)
    }
}

fn batch<R: Regime>(criterion: &mut Criterion) {
    let pairs = C16K08::pairs::<R>();
    let pairs: Vec<&Pair> = pairs.iter().collect();
    let (mut y3, mut json) = (Vec::new(), Vec::new());
    for pair in std::iter::repeat_with(R::feed(&pairs)).take(BATCH) {
        y3.extend_from_slice(&pair.y3);
        json.extend_from_slice(&pair.json);
    }

    let mut group = criterion.benchmark_group(format!("batch/{}/frames", R::NAME));
    let whole = frames::hand(&y3);
    assert_eq!(whole.map(|sum| sum.0), Some(BATCH));
    time_batch(&mut group, "hand", &y3, whole, frames::hand);
    time_batch(&mut group, "y3 packets", &y3, whole, frames::y3_packets);
    time_batch(&mut group, "y3 keys", &y3, whole, frames::y3_keys);
    time_batch(&mut group, "y3 nom", &y3, whole, frames::y3_nom);
    group.finish();

    let mut group = criterion.benchmark_group(format!("batch/{}/first-hit", R::NAME));
    let hits = first::hand(&y3);
    assert_eq!(hits.map(|sum| sum.0), Some(BATCH));
    time_batch(&mut group, "hand", &y3, hits, first::hand);
    time_batch(&mut group, "y3 packets", &y3, hits, first::y3_packets);
    time_batch(&mut group, "y3 keys", &y3, hits, first::y3_keys);
    time_batch(&mut group, "y3 nom", &y3, hits, first::y3_nom);
    time_batch(&mut group, "serde_json Value", &json, hits, first::json_value);
    time_batch(&mut group, "serde_json typed", &json, hits, first::json_typed);
    group.finish();

    let mut group = criterion.benchmark_group(format!("batch/{}/every-hit", R::NAME));
    time_batch(&mut group, "hand", &y3, hits, every::hand);
    time_batch(&mut group, "y3 watch", &y3, hits, every::y3_watch);
    group.finish();
}

/// Times one reader of the batch, whose answer is known.
fn time_batch(group: &mut Group<'_>, name: &str, batch: &[u8], want: Option<Sum>, read: fn(&[u8]) -> Option<Sum>) {
    assert_eq!(read(batch), want, "{name}");
    group.throughput(Throughput::ElementsAndBytes { elements: BATCH as u64, bytes: batch.len() as u64 });
    group.bench_function(name, |bencher| bencher.iter(|| read(std::hint::black_box(batch))));
}

criterion_group! {
    name = shapes;
    config = support::criterion();
    targets = shape::<Nested>, shape::<Values100>, shape::<Values1024>, shape::<Miss>, batch::<OneBuffer>, batch::<Rotating>
}
criterion_main!(shapes);
