//! Shapes: data that the report does not have: nested nodes, long values, a missing key, and packets back to back.

use criterion::{Criterion, criterion_group, criterion_main};
use kit::Sum;
use kit::bench::{Group, all_readers, standard, time};
use kit::data::Pair;
use kit::hand;
use kit::readers;
use kit::regime::Regime;
use kit::watched::{C16K08, Miss, Nested, Values100, Values1024, Watched};
use serde::Deserialize;
use serde_json::{Deserializer, Value};
use y3::parser::{Parser, packet};
use y3::{Error, Packet, keys, packets};

fn shape<W: Watched>(criterion: &mut Criterion) {
    all_readers::<W>(criterion, "shapes");
}

/// The packets in a batch, back to back: 16 pairs each, of which the 8th is watched.
const BATCH: usize = 1000;
const KEY: u8 = C16K08::PATH[1];

type Read = fn(&[u8]) -> Option<Sum>;

/// Counts a value, as the last step of a closure that may fail before it.
#[allow(clippy::unnecessary_wraps, reason = "the closures that end with it return an option")]
#[inline(always)]
fn add(sum: &mut Sum, value: &[u8]) -> Option<()> {
    sum.add(value);
    Some(())
}

/// Adds up the values that a function reads from each item; `None` if one is malformed.
#[inline(always)]
fn sum<T>(items: impl Iterator<Item = Result<T, Error>>, take: impl Fn(T, &mut Sum) -> Option<()>) -> Option<Sum> {
    let mut sum = Sum::default();
    for item in items {
        take(item.ok()?, &mut sum)?;
    }
    Some(sum)
}

/// Reads the packets by hand: the tag and the value of each packet.
#[inline(always)]
fn hand_sum(batch: &[u8], take: impl Fn(u8, &[u8], &mut Sum) -> Option<()>) -> Option<Sum> {
    let (mut sum, mut rest) = (Sum::default(), batch);
    while !rest.is_empty() {
        let (tag, value, after) = hand::packet(rest).ok()?;
        take(tag, value, &mut sum)?;
        rest = after;
    }
    Some(sum)
}

/// Reads the packets with the nom parser, called directly.
#[inline(always)]
fn nom_sum(batch: &[u8], take: impl Fn(Packet<'_>, &mut Sum) -> Option<()>) -> Option<Sum> {
    let (mut sum, mut rest) = (Sum::default(), batch);
    while !rest.is_empty() {
        let (after, packet) = packet::<y3::ErrorKind>().parse(rest).ok()?;
        take(packet, &mut sum)?;
        rest = after;
    }
    Some(sum)
}

/// Reads the packets without entering them.
const FRAMES: [(&str, Read); 4] = [
    ("hand", |batch| hand_sum(batch, |_, value, sum| add(sum, value))),
    ("y3 packets", |batch| sum(packets(batch), |packet, sum| add(sum, packet.value()))),
    ("y3 keys", |batch| sum(packets(batch).watch(keys![0]), |packet, sum| add(sum, packet.value()))),
    ("y3 nom", |batch| nom_sum(batch, |packet, sum| add(sum, packet.value()))),
];

/// Reads the first watched value of each packet, and not the rest of the packet.
const FIRST: [(&str, Read); 4] = [
    ("hand", |batch| {
        hand_sum(
            batch,
            |tag, value, sum| if tag == 0x80 { add(sum, hand::find(value, &[KEY]).ok()??) } else { Some(()) },
        )
    }),
    ("y3 packets", |batch| sum(packets(batch), |packet, sum| add(sum, packet.find(KEY).ok()??.value()))),
    ("y3 keys", |batch| {
        sum(packets(batch).watch(keys![0]), |packet, sum| {
            add(sum, packet.children().watch(keys![KEY]).next()?.ok()?.value())
        })
    }),
    ("y3 nom", |batch| {
        nom_sum(batch, |root, sum| {
            let mut level = root.value();
            loop {
                let (after, packet) = packet::<y3::ErrorKind>().parse(level).ok()?;
                if packet.key() == KEY {
                    return add(sum, packet.value());
                }
                level = after;
            }
        })
    }),
];

/// Reads the same from JSON texts back to back.
const FIRST_JSON: [(&str, Read); 2] = [
    ("serde_json Value", |batch| {
        let mut sum = Sum::default();
        for value in Deserializer::from_slice(batch).into_iter::<Value>() {
            sum.add(value.ok()?.get_mut(C16K08::FIELDS[0])?.take().as_str()?.as_bytes());
        }
        Some(sum)
    }),
    ("serde_json typed", |batch| {
        #[derive(Deserialize)]
        struct Only<'a> {
            k8: &'a str,
        }
        let mut sum = Sum::default();
        for only in Deserializer::from_slice(batch).into_iter::<Only<'_>>() {
            sum.add(only.ok()?.k8.as_bytes());
        }
        Some(sum)
    }),
];

/// Reads every watched value: packets are read to their end, as a key may be repeated.
const EVERY: [(&str, Read); 2] = [
    ("hand", |batch| {
        hand_sum(batch, |tag, mut level, sum| {
            while tag == 0x80 && !level.is_empty() {
                let (tag, value, after) = hand::packet(level).ok()?;
                if tag & 0x3f == KEY {
                    sum.add(value);
                }
                level = after;
            }
            Some(())
        })
    }),
    ("y3 watch", |batch| sum(C16K08::SET.watch(batch), |hit, sum| add(sum, hit.value()))),
];

fn batch(criterion: &mut Criterion) {
    for regime in Regime::BOTH {
        let pairs = readers::pairs::<C16K08>(regime);
        let pairs: Vec<&Pair> = pairs.iter().collect();
        let (mut y3, mut json) = (Vec::new(), Vec::new());
        for pair in std::iter::repeat_with(regime.feed(&pairs)).take(BATCH) {
            y3.extend_from_slice(&pair.y3);
            json.extend_from_slice(&pair.json);
        }
        let hits = FIRST[0].1(&y3);
        let name = |name| format!("batch/{}/{name}", regime.name());
        time_all(&mut criterion.benchmark_group(name("frames")), &FRAMES, &y3, FRAMES[0].1(&y3));
        let mut first = criterion.benchmark_group(name("first-hit"));
        time_all(&mut first, &FIRST, &y3, hits);
        time_all(&mut first, &FIRST_JSON, &json, hits);
        first.finish();
        time_all(&mut criterion.benchmark_group(name("every-hit")), &EVERY, &y3, hits);
    }
}

/// Times readers of a batch; all must return the same answer.
fn time_all(group: &mut Group<'_>, readers: &[(&str, Read)], batch: &[u8], want: Option<Sum>) {
    assert_eq!(want.map(|sum| sum.values), Some(BATCH));
    for (name, read) in readers {
        time(group, name, batch, want, read);
    }
}

criterion_group!(
    name = shapes; config = standard();
    targets = shape::<Nested>, shape::<Values100>, shape::<Values1024>, shape::<Miss>, batch
);
criterion_main!(shapes);
