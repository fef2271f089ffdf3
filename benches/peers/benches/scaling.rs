//! Times how one read grows with the message, compared with the least time that the machine needs.
//!
//! Groups are named `scaling/<axis>/<codec> <mode>` and `floor/<what>`. A bench id is the number on the axis: of pairs before the watched
//! one, of bytes in a text before it, of nodes around it, or of watched paths. All readers but `rotating` get the same message each time.
//! Every answer is asserted before it is timed.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kit::data::{Item, Node};
use peers::extract::mode::Ways;
use peers::extract::scenario::Regime;
use peers::extract::shape::{Digest, K4, K63};
use serde_json::Value;
use y3::{Key, KeySet, Packet, Path, PathSet, keys, path};

/// The watched value: the last pair of a message or of its innermost node. The axis `paths` has other values.
const WATCHED: i64 = -1;

/// One point on an axis, with its messages and the value that is found in each.
struct Point {
    axis: &'static str,
    at: usize,
    regime: Regime,
    models: Vec<Node>,
    answer: i64,
}

impl Point {
    fn new(axis: &'static str, at: impl Into<usize>, model: Node) -> Point {
        Point { axis, at: at.into(), regime: Regime::OneBuffer, models: vec![model], answer: WATCHED }
    }

    fn time(&self, criterion: &mut Criterion, ways: Ways) {
        for mut reader in ways.all {
            let inputs = reader.inputs(self.regime, &self.models);
            let name = format!("{}/{}", self.axis, reader.name);
            let mut answers = reader.read_all(&inputs).into_iter();
            assert!(answers.all(|answer| answer == self.answer.digest()), "{name}, {}", self.at);
            let mut group = criterion.benchmark_group(name);
            group.throughput(Throughput::Bytes(inputs.slices().next().map_or(0, <[u8]>::len) as u64));
            group.bench_function(BenchmarkId::from_parameter(self.at), |bencher| {
                bencher.iter_custom(|iterations| (reader.time)(&inputs, iterations));
            });
            group.finish();
        }
    }
}

/// The key of the watched value on the axes `pairs` and `value`.
const LAST: u8 = 63;

#[inline(always)]
#[allow(clippy::inline_always, reason = "the closures of the other readers are inlined too")]
fn find_last(bytes: &[u8]) -> Option<u64> {
    Packet::from_slice(bytes).ok()?.find(LAST).ok()??.decode::<i64>().ok().digest()
}

/// All readers of the last value of a flat message.
fn last() -> Ways {
    const SET: PathSet<1> = PathSet::new([path!(0, LAST)]);
    Ways::of("y3", Node::to_y3)
        .reader("find", find_last)
        .reader("PathSet", |bytes| const { &SET }.watch(bytes).next()?.ok()?.decode::<i64>().ok().digest())
        .reader("KeySet", |bytes| {
            let hit = Packet::from_slice(bytes).ok()?.children().watch(keys![LAST]).next()?.ok()?;
            hit.decode::<i64>().ok().digest()
        })
        .and_of("serde_json", Node::to_json)
        .reader("typed, one field", |bytes| serde_json::from_slice::<K63<i64>>(bytes).ok().digest())
}

/// Makes each call wait for the one before it. Without this the processor begins the next call before the current one is done.
fn alone(mut read: impl FnMut(&[u8]) -> Option<u64> + Clone) -> impl FnMut(&[u8]) -> Option<u64> + Clone {
    let mut last = WATCHED.cast_unsigned();
    move |bytes| {
        // This is always zero, but the processor knows it only when it has the last answer.
        let start = usize::try_from(black_box(last).leading_zeros()).ok()?;
        last = read(bytes.get(start..)?)?;
        Some(last)
    }
}

/// Varies the number of pairs before the watched one. They have the report's seven kinds.
fn pairs(criterion: &mut Criterion) {
    let with_last = |Node(mut pairs): Node| {
        pairs.push((LAST, Item::I64(WATCHED)));
        Node(pairs)
    };
    for count in [0, 1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 62] {
        let before = Node::new(count, Item::cycle);
        let point = Point::new("scaling/pairs", count, with_last(before.clone()));
        point.time(criterion, last().and_of("y3", Node::to_y3).reader("find, alone", alone(find_last)));

        let models = Regime::Rotating.models(&before).into_iter().map(with_last).collect();
        let rotating = Point { regime: Regime::Rotating, models, ..point };
        rotating.time(criterion, Ways::of("y3", Node::to_y3).reader("find, rotating", find_last));

        let floor = Point::new("floor", count, with_last(before));
        let message = floor.models[0].to_y3();
        let root = Packet::from_slice(&message).expect("whole");
        // The length of the first packet follows its tag.
        let (first, hops) = (message.len() - root.value().len() + 1, usize::from(count));
        let read = move |bytes: &[u8]| chain(bytes, first, hops).digest();
        let chains = Ways::of("load-add", with_distances).reader("chain", read).reader("chain, alone", alone(read));
        floor.time(criterion, chains);
    }
}

/// The least work of any reader of lengths. A reader knows the offset of a packet when it has loaded and added the length of the packet
/// before. This function does only this, as often as the readers of `pairs` jump. It reads no tags and no longer lengths, and finds no
/// errors. The processor works on a few independent calls at once, here and in the readers; `alone` shows one call at a time.
///
/// A jump is a load and an addition: five cycles if a load takes four. Safe Rust's check of the index is a predicted branch for which no
/// jump waits. A mask instead of the check would make each jump longer.
#[inline]
fn chain(bytes: &[u8], first: usize, hops: usize) -> i64 {
    let mut at = first;
    for _ in 0..hops {
        at += usize::from(bytes[at]);
    }
    i64::from(bytes[at + 1].cast_signed())
}

/// Writes the packet, but with the distance to the next length in place of each length, so a jump adds only this one number.
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

/// Varies the length of one text before the watched value.
fn value(criterion: &mut Criterion) {
    for power in 0..=10 {
        let len = 4_usize.pow(power);
        let text = Item::Text("a".repeat(len));
        Point::new("scaling/value", len, Node(vec![(1, text), (LAST, Item::I64(WATCHED))])).time(criterion, last());
    }
}

/// The least time of any reader that looks at each byte.
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

/// One type for each level of nested fields, as an application would write them.
type L1<T = i64> = K4<T>;
type L2<T = i64> = L1<L1<T>>;
type L4<T = i64> = L2<L2<T>>;
type L8<T = i64> = L4<L4<T>>;
type L16<T = i64> = L8<L8<T>>;
type L32<T = i64> = L16<L16<T>>;

/// Varies the number of nested nodes. Each has three values before the next node; the innermost has them before the watched value.
fn depth(criterion: &mut Criterion) {
    let nested = |bottom, _| {
        let Node(mut pairs) = Node::new(3, Item::cycle);
        pairs.push((4, bottom));
        Item::Node(Node(pairs))
    };
    macro_rules! depths {
        ($($depth:literal $typed:ty $(: $($key:literal)+)?;)*) => {$(
            let Item::Node(node) = (0..$depth).fold(Item::I64(WATCHED), nested) else { unreachable!("there are nodes") };
            let depth: u8 = black_box($depth);
            let ways = Ways::of("y3", Node::to_y3).reader("find", move |bytes| {
                let mut node = Packet::from_slice(bytes).ok()?;
                for _ in 0..depth {
                    node = node.find(4).ok()??;
                }
                node.decode::<i64>().ok().digest()
            });
            $(let ways = ways.reader("PathSet", |bytes| {
                let hit = const { &PathSet::new([path!(0, $($key),+)]) }.watch(bytes).next()?.ok()?;
                hit.decode::<i64>().ok().digest()
            });)?
            let ways = ways.and_of("serde_json", Node::to_json);
            let ways = ways.reader("typed, one field", |bytes| serde_json::from_slice::<$typed>(bytes).ok().digest());
            Point::new("scaling/depth", $depth as usize, node).time(criterion, ways);
        )*};
    }
    // A path has at most eight keys. The first is the key of the root.
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

/// Varies the number of watched paths, which are spread over one message of 63 numbers and a node with one more. All readers read the
/// message to its end.
fn paths(criterion: &mut Criterion) {
    macro_rules! counts {
        ($($count:literal)*) => { $(watch_paths::<$count>(criterion);)* };
    }
    counts! { 1 2 4 8 16 32 48 63 64 }
}

fn watch_paths<const N: usize>(criterion: &mut Criterion) {
    /// The number of keys in the root below which the value is a number.
    const FLAT: u8 = 63;
    let Node(mut pairs) = Node::new(FLAT, |place| Item::I64(i64::from(place) + 1));
    pairs.push((0, Item::Node(Node(vec![(1, Item::I64(64))]))));
    // The keys of each path below the root, and the value that it leads to.
    let all: Vec<(Vec<u8>, i64)> = (1..=FLAT).map(|key| (vec![key], key.into())).chain([(vec![0, 1], 64)]).collect();
    let watched: [&(Vec<u8>, i64); N] = std::array::from_fn(|place| &all[place * N.max(FLAT.into()) / N]);
    let answer = watched.iter().map(|watched| watched.1).sum();
    let watched = watched.map(|watched| watched.0.as_slice());

    let set = PathSet::new(watched.map(|keys| Path::new(&[&[0], keys].concat()).expect("keys below 64")));
    let mut ways = Ways::of("y3", Node::to_y3).reader("PathSet", move |bytes| {
        set.watch(bytes).try_fold(0, |sum, hit| Some(sum + hit.ok()?.decode::<i64>().ok()?)).digest()
    });
    if watched.iter().all(|keys| keys.len() == 1) {
        let set: KeySet = watched.iter().filter_map(|keys| Key::new(keys[0])).collect();
        ways = ways.reader("KeySet", move |bytes| {
            let mut hits = Packet::from_slice(bytes).ok()?.children().watch(set);
            hits.try_fold(0, |sum, hit| Some(sum + hit.ok()?.decode::<i64>().ok()?)).digest()
        });
    }
    let names = watched.map(|keys| keys.iter().map(|key| format!("k{key}")).collect::<Vec<String>>());
    let ways = ways.and_of("serde_json", Node::to_json).reader("Value", move |bytes| {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let number = |names: &Vec<String>| names.iter().try_fold(&value, |value, name| value.get(name))?.as_i64();
        names.iter().try_fold(0, |sum, names| Some(sum + number(names)?)).digest()
    });
    Point { answer, ..Point::new("scaling/paths", N, Node(pairs)) }.time(criterion, ways);
}

criterion_group! {
    name = scaling;
    config = kit::bench::criterion(50, 200, 20);
    targets = memory_read, pairs, value, depth, paths
}
criterion_main!(scaling);
