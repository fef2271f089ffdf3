//! Scaling: how the time for one message grows with its contents, compared with the least time that the machine needs.
//!
//! Groups `scaling/<axis>/<codec> <mode>` and `floor/<what>`; bench ids are the number on the axis: pairs before the
//! watched one, bytes of a text before it, nodes around it, watched paths, threads. The same message each time, except for
//! `rotating`. Every answer is asserted before it is timed.

use std::hint::black_box;
use std::thread;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use kit::bench::in_threads;
use kit::data::{Item, Node};
use peers::extract::mode::Codec;
use peers::extract::scenario::{Regime, Scenario};
use serde::Deserialize;
use serde_json::Value;
use y3::{Key, KeySet, Packet, Path, PathSet, keys, path};

/// The watched value on all axes but two: the last pair of a message, or of its innermost node.
const WATCHED: i64 = -1;

/// One point on an axis: the messages there, and the value found in each.
struct Point {
    axis: &'static str,
    at: usize,
    regime: Regime,
    models: Vec<Node>,
    answer: i64,
}

impl Point {
    /// Times a reader as one point of its line.
    fn time(
        &self,
        criterion: &mut Criterion,
        codec: Codec,
        mode: &'static str,
        mut read: impl FnMut(&[u8]) -> Option<i64> + Clone + 'static,
    ) {
        let mut reader = codec.reader(mode, move |bytes| read(bytes).map(i64::cast_unsigned));
        let inputs = reader.inputs(self.regime, &self.models);
        let name = format!("{}/{}", self.axis, reader.name());
        for message in inputs.slices() {
            assert_eq!(reader.read(message), Some(self.answer.cast_unsigned()), "{name}, {}", self.at);
        }
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(inputs.slices().next().map_or(0, <[u8]>::len) as u64));
        group.bench_function(BenchmarkId::from_parameter(self.at), |bencher| {
            bencher.iter_custom(|iterations| reader.time(&inputs, iterations));
        });
        group.finish();
    }

    /// Times all ways to the last value of a flat message.
    fn time_last(&self, criterion: &mut Criterion) {
        const SET: PathSet<1> = PathSet::new([path!(0, LAST)]);
        self.time(criterion, Y3, "find", find_last);
        self.time(criterion, Y3, "PathSet", |bytes| const { &SET }.watch(bytes).next()?.ok()?.decode().ok());
        self.time(criterion, Y3, "KeySet", |bytes| {
            Packet::from_slice(bytes).ok()?.children().watch(keys![LAST]).next()?.ok()?.decode().ok()
        });
        self.time(criterion, JSON, "typed, one field", |bytes| Some(serde_json::from_slice::<Only>(bytes).ok()?.k63));
    }
}

fn one_message(axis: &'static str, at: usize, model: Node) -> Point {
    Point { axis, at, regime: Regime::OneBuffer, models: vec![model], answer: WATCHED }
}

const Y3: Codec = Codec("y3", Node::to_y3);
const JSON: Codec = Codec("serde_json", Node::to_json);
const CHAIN: Codec = Codec("load-add", with_distances);

/// The watched value of `pairs` and `value`.
const LAST: u8 = 63;

#[derive(Deserialize)]
struct Only {
    k63: i64,
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "what the readers beside it do in closures is not called either")]
fn find_last(bytes: &[u8]) -> Option<i64> {
    Packet::from_slice(bytes).ok()?.find(LAST).ok()??.decode().ok()
}

/// Makes each call wait for the one before. Otherwise the processor begins the next one before the last one is done.
fn alone(mut read: impl FnMut(&[u8]) -> Option<i64> + Clone) -> impl FnMut(&[u8]) -> Option<i64> + Clone {
    let mut last = WATCHED;
    move |bytes| {
        // Always zero, but the processor knows it only after the last answer.
        let start = usize::try_from(black_box(last).leading_zeros()).ok()?;
        last = read(bytes.get(start..)?)?;
        Some(last)
    }
}

/// Pairs of the report's seven kinds, followed by the watched one.
fn pairs(criterion: &mut Criterion) {
    let with_last = |Node(mut pairs): Node| {
        pairs.push((LAST, Item::I64(WATCHED)));
        Node(pairs)
    };
    for count in [0, 1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 62] {
        let before = Node::new(count, Item::cycle);
        let point = one_message("scaling/pairs", count.into(), with_last(before.clone()));
        point.time_last(criterion);
        point.time(criterion, Y3, "find, alone", alone(find_last));

        let models = Regime::Rotating.models(&before).into_iter().map(with_last).collect();
        let rotating = Point { axis: point.axis, at: point.at, regime: Regime::Rotating, models, answer: WATCHED };
        rotating.time(criterion, Y3, "find, rotating", find_last);

        let floor = Point { axis: "floor", ..point };
        let (first, hops) = (first_length(&floor.models[0]), usize::from(count));
        floor.time(criterion, CHAIN, "chain", move |bytes| Some(chain(bytes, first, hops)));
        floor.time(criterion, CHAIN, "chain, alone", alone(move |bytes| Some(chain(bytes, first, hops))));
    }
}

/// The floor for every reader of lengths: the offset of a packet is known once the length of the one before it is loaded
/// and added. This function does only that, as often as the readers of `pairs` jump: no tags, no longer lengths, no errors.
/// The processor works on a few independent calls at once, here and in the readers; `alone` shows the chain of one call.
///
/// A link of the chain is a load and an addition, five cycles where a load takes four. Safe Rust's check of the index is a
/// predicted branch that no link waits for; a mask in its place would be one more link.
#[inline]
fn chain(bytes: &[u8], first: usize, hops: usize) -> i64 {
    let mut at = first;
    for _ in 0..hops {
        at += usize::from(bytes[at]);
    }
    i64::from(bytes[at + 1].cast_signed())
}

/// The packet, but each length is the distance to the next length, so that a link adds nothing else.
fn with_distances(model: &Node) -> Vec<u8> {
    let message = model.to_y3();
    let mut distances = message.clone();
    for packet in Packet::from_slice(&message).expect("whole").children() {
        let packet = packet.expect("whole");
        let tag = usize::try_from(packet.offset()).expect("short");
        distances[tag + 1] = u8::try_from(packet.as_bytes().len()).expect("short");
    }
    distances
}

/// The offset of the first length.
fn first_length(model: &Node) -> usize {
    let message = model.to_y3();
    message.len() - Packet::from_slice(&message).expect("whole").value().len() + 1
}

/// One text of varying length before the watched value.
fn value(criterion: &mut Criterion) {
    for power in 0..=10 {
        let len = 4_usize.pow(power);
        let text = Item::Text("a".repeat(len));
        let point = one_message("scaling/value", len, Node(vec![(1, text), (LAST, Item::I64(WATCHED))]));
        point.time_last(criterion);
    }
}

/// The floor for every reader that looks at each byte.
fn memory_read(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("floor/memory read");
    for bytes in [1_usize << 20, 1 << 26] {
        let words = vec![1_u64; bytes / size_of::<u64>()];
        let sum = |words: &[u64]| words.iter().fold(0, |sum: u64, word| sum.wrapping_add(*word));
        assert_eq!(sum(&words), words.len() as u64);
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(BenchmarkId::from_parameter(bytes), |bencher| bencher.iter(|| sum(black_box(&words))));
    }
    group.finish();
}

/// A field of a field of a field: one type per level, as an application writes them.
#[derive(Deserialize)]
struct L1<T = i64> {
    k4: T,
}
type L2<T = i64> = L1<L1<T>>;
type L4<T = i64> = L2<L2<T>>;
type L8<T = i64> = L4<L4<T>>;
type L16<T = i64> = L8<L8<T>>;
type L32<T = i64> = L16<L16<T>>;

trait Bottom {
    fn bottom(self) -> i64;
}

impl Bottom for i64 {
    fn bottom(self) -> i64 {
        self
    }
}

impl<T: Bottom> Bottom for L1<T> {
    fn bottom(self) -> i64 {
        self.k4.bottom()
    }
}

/// Nested nodes, each with three values before the next node or, in the innermost, before the watched value.
fn depth(criterion: &mut Criterion) {
    let nested = |bottom, _| {
        let Node(mut pairs) = Node::new(3, Item::cycle);
        pairs.push((4, bottom));
        Item::Node(Node(pairs))
    };
    macro_rules! depths {
        ($($depth:literal $typed:ty $(: $($key:literal)+)?;)*) => {$(
            let Item::Node(node) = (0..$depth).fold(Item::I64(WATCHED), nested) else { unreachable!("there are nodes") };
            let point = one_message("scaling/depth", $depth, node);
            let depth: u8 = black_box($depth);
            point.time(criterion, Y3, "find", move |bytes| {
                let mut node = Packet::from_slice(bytes).ok()?;
                for _ in 0..depth {
                    node = node.find(4).ok()??;
                }
                node.decode().ok()
            });
            $(point.time(criterion, Y3, "PathSet", |bytes| {
                const { &PathSet::new([path!(0, $($key),+)]) }.watch(bytes).next()?.ok()?.decode().ok()
            });)?
            point.time(criterion, JSON, "typed, one field", |bytes| {
                Some(serde_json::from_slice::<$typed>(bytes).ok()?.bottom())
            });
        )*};
    }
    // A path has at most eight keys, and the first is that of the root.
    depths! {
        1 L1: 4;
        2 L2: 4 4;
        3 L2<L1>: 4 4 4;
        4 L4: 4 4 4 4;
        5 L4<L1>: 4 4 4 4 4;
        6 L4<L2>: 4 4 4 4 4 4;
        7 L4<L2<L1>>: 4 4 4 4 4 4 4;
        8 L8;
        16 L16;
        32 L32;
        63 L32<L16<L8<L4<L2<L1>>>>>;
    }
}

/// The number of keys in the root of the message of `paths`; and the number of watched paths, one more, since one leads
/// into a node.
const FLAT: u8 = 63;
const PATHS: usize = 64;

/// Reads watched values spread over one message of 63 numbers and a node of one more. The message is read to its end.
fn paths(criterion: &mut Criterion) {
    watch_paths::<1>(criterion);
    watch_paths::<2>(criterion);
    watch_paths::<4>(criterion);
    watch_paths::<8>(criterion);
    watch_paths::<16>(criterion);
    watch_paths::<32>(criterion);
    watch_paths::<48>(criterion);
    watch_paths::<63>(criterion);
    watch_paths::<64>(criterion);
}

fn watch_paths<const N: usize>(criterion: &mut Criterion) {
    let Node(mut pairs) = Node::new(FLAT, |place| Item::I64(i64::from(place) + 1));
    pairs.push((0, Item::Node(Node(vec![(1, Item::I64(64))]))));
    // The keys below the root, and the value there.
    let all: Vec<(Vec<u8>, i64)> =
        (1..=FLAT).map(|key| (vec![key], i64::from(key))).chain([(vec![0, 1], 64)]).collect();
    assert_eq!(all.len(), PATHS);
    let watched: [&(Vec<u8>, i64); N] = std::array::from_fn(|place| &all[place * N.max(PATHS - 1) / N]);
    let answer = watched.iter().map(|watched| watched.1).sum();
    let point = Point { answer, ..one_message("scaling/paths", N, Node(pairs)) };

    let path = |keys: &[u8]| Path::new(&[&[0], keys].concat()).expect("keys below 64");
    let set = PathSet::new(watched.map(|(keys, _)| path(keys)));
    let read = move |bytes: &[u8]| {
        let mut sum = 0;
        for hit in set.watch(bytes) {
            sum += hit.ok()?.decode::<i64>().ok()?;
        }
        Some(sum)
    };
    point.time(criterion, Y3, "PathSet", read);

    if watched.iter().all(|(keys, _)| keys.len() == 1) {
        let set: KeySet = watched.iter().filter_map(|(keys, _)| Key::new(keys[0])).collect();
        let read = move |bytes: &[u8]| {
            let mut sum = 0;
            for hit in Packet::from_slice(bytes).ok()?.children().watch(set) {
                sum += hit.ok()?.decode::<i64>().ok()?;
            }
            Some(sum)
        };
        point.time(criterion, Y3, "KeySet", read);
    }

    let name = |key: &u8| format!("k{key}");
    let names: Vec<Vec<String>> = watched.iter().map(|(keys, _)| keys.iter().map(name).collect()).collect();
    let read = move |bytes: &[u8]| {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let mut sum = 0;
        for names in &names {
            sum += names.iter().try_fold(&value, |value, name| value.get(name))?.as_i64()?;
        }
        Some(sum)
    };
    point.time(criterion, JSON, "Value", read);
}

/// The report's C63-K32 in several threads at once, up to as many as there are cores. Times are per extraction over
/// all threads: two independent threads halve them.
fn threads(criterion: &mut Criterion) {
    let model = Scenario::C63K32.models(Regime::OneBuffer).remove(0);
    let pair = model.to_pair();
    let find = |bytes: &[u8]| Packet::from_slice(bytes).ok()?.find(32).ok()??.decode::<i64>().ok();
    let value = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok()?["k32"].as_i64();

    let cores = thread::available_parallelism().map_or(1, usize::from);
    let counts = (1..=cores).filter(|count| *count <= 4 || count.is_power_of_two() || *count == cores);
    for count in counts {
        time_threads(criterion, "y3 find", count, &pair.y3, find);
        time_threads(criterion, "serde_json Value", count, &pair.json, value);
    }
}

fn time_threads(
    criterion: &mut Criterion,
    name: &str,
    count: usize,
    message: &[u8],
    read: impl Fn(&[u8]) -> Option<i64> + Copy + Sync,
) {
    assert_eq!(read(message), Some(WATCHED), "{name}");
    let mut group = criterion.benchmark_group(format!("scaling/threads/{name}"));
    group.throughput(Throughput::Bytes(message.len() as u64)).sampling_mode(SamplingMode::Flat);
    in_threads(&mut group, &count.to_string(), count, Regime::OneBuffer, &[message], read);
    group.finish();
}

criterion_group! {
    name = scaling;
    config = kit::bench::criterion(50, 200, 20);
    targets = memory_read, pairs, value, depth, paths, threads
}
criterion_main!(scaling);
