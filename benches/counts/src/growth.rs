//! Growth: inputs as bad as they come, at sizes that grow.
//!
//! In: nothing. Out: a case for each family, reader and size, with what it may cost at the most.

use std::fmt::Debug;
use std::hint::black_box;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use y3::parser::{Fault, Parser};
use y3::{
    Encoder, Error, ErrorKind, Limits, Observer, Observers, Packet, Path, PathSet, Sink, SliceSink, check, encoded_len,
    keys, packets, path, walk,
};

use crate::by_hand::{field, nested, packet, repeat};
use crate::measure::measure;
use crate::stream::{self, Answer};
use crate::types::{Chain, Map, Slices, Two, Wide};

/// How a cost may grow with the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// With the bytes, or less.
    Linear,
    /// With their square: what the README names as not linear.
    Quadratic,
}

/// How many bytes may be allocated at once: some whatever comes, and some for each byte that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    pub fixed: usize,
    pub per_byte: usize,
}

impl Memory {
    const NONE: Memory = Memory::fixed(0);

    const fn fixed(fixed: usize) -> Memory {
        Memory { fixed, per_byte: 0 }
    }

    const fn per_byte(per_byte: usize) -> Memory {
        Memory { fixed: 1 << 10, per_byte }
    }
}

/// A vector that grows holds its old and its new bytes while it moves.
const GROWING: Memory = Memory::per_byte(3);
/// The readers that own a buffer for what they read.
const BUFFER: Memory = Memory::fixed(65 << 10);
/// It makes room for as much as has come, and so its buffer may double twice at once.
const CODEC: Memory = Memory::per_byte(6);
const BUFFER_AND_JOINED: Memory = Memory { per_byte: 3, ..BUFFER };

/// One family before one reader at one size.
pub struct Case {
    pub family: &'static str,
    pub reader: &'static str,
    pub growth: Growth,
    pub memory: Memory,
    /// Bytes read, or written.
    pub bytes: usize,
    /// Bytes allocated at once, at the most.
    pub peak: usize,
}

/// Bytes of input, more or less; a family makes the nearest it can.
type Sizes = &'static [usize];
const SIZES: Sizes = &[1 << 9, 1 << 11, 1 << 13, 1 << 15];
/// For what goes through bytes a word at a time and faster.
const LARGE: Sizes = &[1 << 14, 1 << 16, 1 << 18, 1 << 20];

/// Nodes one in another that are still read.
const DEPTH: usize = y3::MAX_DEPTH;

/// In the order in which they are counted.
pub fn run() -> Vec<Case> {
    let mut cases = Cases(Vec::new());
    siblings(&mut cases);
    nesting(&mut cases);
    paths(&mut cases);
    lengths(&mut cases);
    chunks(&mut cases);
    joins(&mut cases);
    resume(&mut cases);
    structs(&mut cases);
    encoder(&mut cases);
    cases.0
}

struct Cases(Vec<Case>);

/// An input and the answer.
struct Input {
    bytes: Vec<u8>,
    answer: Answer,
}

impl Cases {
    /// Inputs of about these sizes, made by `make`.
    fn family<F: Fn(usize) -> Input>(&mut self, name: &'static str, sizes: Sizes, make: F) -> Family<'_, F> {
        Family { cases: self, name, sizes, make }
    }

    /// One case: `bytes` are what it reads or writes.
    fn case<T: PartialEq + Debug>(
        &mut self,
        (family, reader): (&'static str, &'static str),
        (growth, memory): (Growth, Memory),
        bytes: usize,
        want: &T,
        run: impl FnMut() -> T,
    ) {
        let peak = measure(&format!("{family}, {reader}, {bytes} bytes"), want, run);
        self.0.push(Case { family, reader, growth, memory, bytes, peak });
    }
}

/// The inputs of a family, for one reader after another.
struct Family<'c, F> {
    cases: &'c mut Cases,
    name: &'static str,
    sizes: Sizes,
    make: F,
}

impl<F: Fn(usize) -> Input> Family<'_, F> {
    /// A reader that gives the family's answer and allocates nothing.
    fn by(self, reader: &'static str, read: impl Fn(&[u8]) -> Answer) -> Self {
        self.with(reader, Memory::NONE, same, read)
    }

    /// A reader that may allocate, and whose answer may not be the family's.
    fn with(
        self,
        reader: &'static str,
        memory: Memory,
        answer: impl Fn(Answer) -> Answer,
        read: impl Fn(&[u8]) -> Answer,
    ) -> Self {
        for &size in self.sizes {
            let input = (self.make)(size);
            let (names, rules) = ((self.name, reader), (Growth::Linear, memory));
            let want = answer(input.answer);
            self.cases.case(names, rules, input.bytes.len(), &want, || read(black_box(&input.bytes)));
        }
        self
    }
}

const ONE: PathSet<1> = PathSet::new([path!(0x01)]);
const CHILD: PathSet<1> = PathSet::new([path!(0x01, 0x02)]);
const NOWHERE: PathSet<1> = PathSet::new([path!(0x3f, 0x3f)]);
/// A path at each level, each the beginning of the next.
const LEVELS: PathSet<8> = PathSet::new([
    path!(1),
    path!(1, 1),
    path!(1, 1, 1),
    path!(1, 1, 1, 1),
    path!(1, 1, 1, 1, 1),
    path!(1, 1, 1, 1, 1, 1),
    path!(1, 1, 1, 1, 1, 1, 1),
    path!(1, 1, 1, 1, 1, 1, 1, 1),
]);

const BOTH: PathSet<2> = PathSet::new([path!(0x01), path!(0x01, 0x02)]);
const DEEP: PathSet<2> = PathSet::new([path!(0x01, 0x02), path!(1, 1, 1, 1, 1, 1, 1, 1)]);

fn nom(bytes: &[u8]) -> Answer {
    let (mut rest, mut items) = (bytes, 0);
    while let Ok((after, _)) = y3::parser::packet::<Fault>().parse(rest) {
        (rest, items) = (after, items + 1);
    }
    Answer::items(items)
}

fn checked(bytes: &[u8]) -> Answer {
    Answer::default().ending(check(bytes))
}

/// The family's answer.
fn same(answer: Answer) -> Answer {
    answer
}

/// No items, the same fault.
fn no_items(answer: Answer) -> Answer {
    Answer { items: 0, ..answer }
}

fn nothing(_: Answer) -> Answer {
    Answer::default()
}

fn siblings(cases: &mut Cases) {
    let families: [(&'static str, &'static [u8]); 3] = [
        ("empty packets", &[0x01, 0x00]),
        ("empty nodes", &[0x81, 0x00]),
        ("padded lengths", &[0x01, 0x80, 0x80, 0x80, 0x80, 0x00]),
    ];
    for (name, part) in families {
        let make = |size| {
            let (bytes, times) = repeat(part, size);
            Input { bytes, answer: Answer::items(times) }
        };
        cases
            .family(name, SIZES, make)
            .by("packets", |bytes| Answer::of(packets(bytes)))
            .by("nom", nom)
            .by("walk", |bytes| Answer::of(walk(bytes)))
            .with("check", Memory::NONE, no_items, checked)
            .by("KeySet::search", |bytes| Answer::of(keys![0x01].search(bytes)))
            .by("KeySet::watch", |bytes| Answer::of(keys![0x01].watch(bytes)))
            .with("KeySet::watch, no hit", Memory::NONE, nothing, |bytes| Answer::of(keys![0x02].watch(bytes)))
            .by("PathSet::watch", |bytes| Answer::of(ONE.watch(bytes)))
            .with("PathSet::watch, no hit", Memory::NONE, nothing, |bytes| Answer::of(NOWHERE.watch(bytes)))
            .by("Watcher, chunks of 1", |bytes| stream::watcher(bytes, 1, &ONE))
            .by("Watcher, chunks of 64", |bytes| stream::watcher(bytes, 64, &ONE))
            .with("Collector, one chunk", Memory::NONE, same, |bytes| stream::collector(bytes, bytes.len(), &ONE))
            .with("Collector::feed_bytes, one chunk", Memory::per_byte(1), same, |bytes| {
                stream::collector_bytes(&Bytes::copy_from_slice(bytes), bytes.len(), &ONE)
            })
            .with("Reader", BUFFER, same, |bytes| stream::reader(bytes, usize::MAX, &ONE))
            .with("AsyncReader", BUFFER, same, |bytes| stream::async_reader(bytes, usize::MAX, &ONE, drop))
            .with("PacketCodec, chunks of 1", Memory::fixed(64), same, |bytes| stream::codec(bytes, 1))
            .with("PacketCodec, one chunk", Memory::per_byte(1), same, |bytes| stream::codec(bytes, bytes.len()));
    }
    let duplicates = |size| {
        let (inside, items) = repeat(&[0x02, 0x01, 0x07], size);
        Input { bytes: packet(0x81, &inside), answer: Answer::items(items) }
    };
    let found = |bytes: &[u8], key| {
        let found = Packet::from_slice(bytes).and_then(|node| node.find(key));
        Answer::items(usize::from(found.is_ok_and(|packet| packet.is_some())))
    };
    cases
        .family("duplicate keys", SIZES, duplicates)
        .with("find", Memory::NONE, |_| Answer::items(1), move |bytes| found(bytes, 0x02))
        .with("find, another", Memory::NONE, nothing, move |bytes| found(bytes, 0x03))
        .by("PathSet::watch", |bytes| Answer::of(CHILD.watch(bytes)))
        .by("Watcher, chunks of 1", |bytes| stream::watcher(bytes, 1, &CHILD))
        .with(
            "serde, a field",
            Memory::fixed(256),
            |_| Answer::items(1),
            |bytes| {
                let error = y3::serde::from_slice::<Chain>(bytes).expect_err("a field comes twice");
                Answer::items(usize::from(error.kind() == y3::serde::ErrorKind::RepeatedKey(Some("0x02"))))
            },
        )
        .with(
            "serde, a map",
            Memory::fixed(256),
            |_| Answer::items(1),
            |bytes| {
                let error = y3::serde::from_slice::<Map>(bytes).expect_err("a key comes twice");
                Answer::items(usize::from(error.kind() == y3::serde::ErrorKind::RepeatedKey(None)))
            },
        );
}

fn nesting(cases: &mut Cases) {
    // Headers one in another down to the last byte: walks stop at their limit.
    let hostile = |size| {
        let (bytes, depth) = nested(size, usize::MAX, &[]);
        // The node that is too deep begins behind the headers of those around it.
        let offset = bytes.len() - nested(bytes.len(), depth - DEPTH, &[]).0.len();
        Input { bytes, answer: Answer::fault(DEPTH, ErrorKind::DepthLimit, offset as u64) }
    };
    // Lengths of three bytes nearly all of them: the ways to read one of two bytes and one of three differ.
    cases
        .family("nodes one in another, without end", &[1 << 14, 1 << 16, 1 << 18], hostile)
        .by("walk", |bytes| Answer::of(walk(bytes)))
        .with("check", Memory::NONE, no_items, checked)
        .by("KeySet::search", |bytes| Answer::of(keys![0x01].search(bytes)))
        .with("PathSet::watch, no hit", Memory::NONE, nothing, |bytes| Answer::of(NOWHERE.watch(bytes)))
        .with("PathSet::watch, each level", Memory::NONE, |_| Answer::items(8), |bytes| Answer::of(LEVELS.watch(bytes)))
        .with(
            "find, all the way down",
            Memory::NONE,
            |_| Answer::items(1),
            |bytes| {
                let mut node = Packet::from_slice(bytes).expect("a node");
                while let Ok(Some(inner)) = node.find(0x01) {
                    node = inner;
                }
                Answer::items(usize::from(node.value().is_empty()))
            },
        )
        .with("Watcher, chunks of 1", Memory::NONE, |_| Answer::items(8), |bytes| stream::watcher(bytes, 1, &LEVELS))
        .with("PacketCodec, chunks of 64", CODEC, no_items, |bytes| stream::codec(bytes, 64))
        .with("serde, a recursive type", Memory::fixed(256), no_items, serde_fault::<Chain>)
        .with("serde, slices in slices", Memory::fixed(2 << 10), no_items, serde_fault::<Slices>);

    // As deep as may be, again and again: every level is read.
    let forest = |size| {
        let (bytes, times) = repeat(&nested(usize::MAX, DEPTH, &[]).0, size);
        Input { bytes, answer: Answer::items(times * DEPTH) }
    };
    let trees = |answer: Answer| Answer::items(answer.items / DEPTH);
    cases
        .family("64 nodes one in another, again and again", SIZES, forest)
        .by("walk", |bytes| Answer::of(walk(bytes)))
        .with("check", Memory::NONE, nothing, checked)
        .by("KeySet::search", |bytes| Answer::of(keys![0x01].search(bytes)))
        .with(
            "PathSet::watch, each level",
            Memory::NONE,
            |answer| Answer::items(answer.items / 8),
            |bytes| Answer::of(LEVELS.watch(bytes)),
        )
        .with("PacketCodec, chunks of 64", Memory::fixed(512), trees, |bytes| stream::codec(bytes, 64))
        .with("serde, a recursive type", Memory::fixed(2 << 10), same, |bytes| {
            let chains = packets(bytes).map(|packet| y3::serde::from_packet::<Chain>(packet.expect("a packet")));
            Answer::items(chains.map(|chain| chain.map_or(0, |chain| chain.nodes())).sum())
        })
        .with("serde, slices in slices", Memory::fixed(2 << 10), same, |bytes| {
            let slices = packets(bytes).map(|packet| y3::serde::from_packet::<Slices>(packet.expect("a packet")));
            Answer::items(slices.map(|slices| slices.map_or(0, |slices| slices.count())).sum())
        });
}

/// The fault with which serde refuses bytes.
fn serde_fault<T: DeserializeOwned + Debug>(bytes: &[u8]) -> Answer {
    let error = y3::serde::from_slice::<T>(bytes).expect_err("the input is hostile");
    match error.kind() {
        y3::serde::ErrorKind::Wire(kind) => Answer::fault(0, kind, error.offset()),
        kind => panic!("{kind}"),
    }
}

/// Paths that begin alike: the first 1, 2, 4, … of 256 with two keys.
fn many_paths<const N: usize>() -> PathSet<N> {
    let mut paths = [path!(0); N];
    for (place, path) in paths.iter_mut().enumerate() {
        let key = u8::try_from(place % 64).expect("below 64");
        let node = u8::try_from(place / 64).expect("below 4") + 1;
        *path = Path::new(&[node, key]).expect("two keys");
    }
    PathSet::new(paths)
}

fn paths(cases: &mut Cases) {
    // A value in eight nodes, and at each level a path that ends.
    let make = |size| {
        let inside = vec![0x61; size];
        Input { bytes: nested(usize::MAX, 7, &packet(0x01, &inside)).0, answer: Answer::items(8) }
    };
    cases
        .family("paths that begin alike, one long value", LARGE, make)
        .by("PathSet::watch", |bytes| Answer::of(LEVELS.watch(bytes)))
        .by("Watcher, chunks of 64", |bytes| stream::watcher(bytes, 64, &LEVELS))
        .with("Collector, chunks of 64", GROWING, same, |bytes| stream::collector(bytes, 64, &LEVELS))
        .with("Collector::feed_bytes, chunks of 64, hits kept", Memory::per_byte(11), same, |bytes| {
            let mut collector = y3::Collector::new(&LEVELS, Limits::NONE);
            let mut kept = Vec::new();
            let bytes = Bytes::copy_from_slice(bytes);
            for start in (0..bytes.len()).step_by(64) {
                kept.extend(
                    collector.feed_bytes(bytes.slice(start..bytes.len().min(start + 64))).map_while(Result::ok),
                );
            }
            Answer::items(kept.len())
        });

    let make = |size| {
        let (bytes, times) = repeat(&nested(usize::MAX, 8, &[]).0, size);
        Input { bytes, answer: Answer::items(8 * times) }
    };
    cases
        .family("paths that begin alike, empty nodes", SIZES, make)
        .by("PathSet::watch", |bytes| Answer::of(LEVELS.watch(bytes)))
        .by("Watcher, chunks of 1", |bytes| stream::watcher(bytes, 1, &LEVELS))
        .with("Collector, chunks of 1", Memory::fixed(256), same, |bytes| stream::collector(bytes, 1, &LEVELS));

    // Here it is the paths that grow, and the input stays: 4 nodes of 64 values each, again and again.
    let node: Vec<u8> = (0..64).flat_map(|key| [key, 0x01, 0x07]).collect();
    let input = [0x81, 0x82, 0x83, 0x84].map(|tag| packet(tag, &node)).concat().repeat(16);
    macro_rules! sets {
        ($($paths:literal)*) => {$(
            let set = many_paths::<$paths>();
            let names = ("1, 4, 16, 64 and 256 paths, the input always the same", "PathSet::watch");
            let rules = (Growth::Linear, Memory::NONE);
            cases.case(names, rules, $paths, &Answer::items(16 * $paths), || Answer::of(set.watch(black_box(&input))));
        )*};
    }
    sets!(1 4 16 64 256);
    macro_rules! observers {
        ($($paths:literal)*) => {$(
            let names = ("1, 4, 16, 64 and 256 observers of one path", "Observers");
            let all = std::array::from_fn::<_, $paths, _>(|_| Observer::hits(path!(0x01, 0x02), |_| Ok(())));
            let mut observers = Observers::new(all, Limits::NONE);
            cases.case(names, (Growth::Linear, Memory::NONE), $paths, &Ok(()), || observers.feed(black_box(&input)));
        )*};
    }
    observers!(1 4 16 64 256);
}

fn lengths(cases: &mut Cases) {
    // Two gigabytes promised, and only so many bytes sent.
    let huge = |size| {
        let bytes = [&[0x01, 0x87, 0xff, 0xff, 0xff, 0x7f][..], &vec![0x61; size]].concat();
        Input { bytes, answer: Answer::fault(0, ErrorKind::UnexpectedEnd, 0) }
    };
    cases
        .family("2 GiB promised", LARGE, huge)
        .by("packets", |bytes| Answer::of(packets(bytes)))
        .with("check", Memory::NONE, same, checked)
        .by("PathSet::watch", |bytes| Answer::of(ONE.watch(bytes)))
        .by("PathSet::watch, no hit", |bytes| Answer::of(NOWHERE.watch(bytes)))
        .by("Watcher, chunks of 64", |bytes| stream::watcher(bytes, 64, &ONE))
        .with("Collector, chunks of 64", GROWING, same, |bytes| stream::collector(bytes, 64, &ONE))
        .with("Collector, no hit, chunks of 64", Memory::NONE, same, |bytes| stream::collector(bytes, 64, &NOWHERE))
        .with("PacketCodec, chunks of 64", CODEC, same, |bytes| stream::codec(bytes, 64))
        .with("Reader, chunks of 64", BUFFER_AND_JOINED, same, |bytes| stream::reader(bytes, 64, &ONE))
        .with("AsyncReader, chunks of 64", BUFFER_AND_JOINED, same, |bytes| {
            stream::async_reader(bytes, 64, &ONE, drop)
        });

    // Packets in good order, and behind them eight nodes one in another that all want more than there is.
    let cut = |size| {
        let (mut bytes, items) = repeat(&packet(0x81, &[0x02, 0x01, 0x07]), size);
        let start = bytes.len() as u64;
        (0..8).for_each(|level| bytes.extend([&[0x81], &*field(0x7fff_ffff - 6 * level)].concat()));
        Input { bytes, answer: Answer::fault(items, ErrorKind::UnexpectedEnd, start) }
    };
    cases
        .family("nodes cut short behind good ones", SIZES, cut)
        .by("PathSet::watch", |bytes| Answer::of(DEEP.watch(bytes)))
        .by("Watcher, chunks of 1", |bytes| stream::watcher(bytes, 1, &DEEP))
        .with("check", Memory::NONE, no_items, checked);

    // One node that wants more than there is, around good packets.
    let torn = |size| {
        let (inside, items) = repeat(&[0x02, 0x01, 0x07], size);
        let bytes = [&[0x81, 0x87, 0xff, 0xff, 0xff, 0x00][..], &inside].concat();
        Input { bytes, answer: Answer::fault(items, ErrorKind::UnexpectedEnd, 0) }
    };
    cases
        .family("a node cut short around good packets", SIZES, torn)
        .by("PathSet::watch", |bytes| Answer::of(CHILD.watch(bytes)))
        .by("Watcher, chunks of 1", |bytes| stream::watcher(bytes, 1, &CHILD))
        .by("Watcher, chunks of 64", |bytes| stream::watcher(bytes, 64, &CHILD));
}

/// A number, a watched value, a text.
fn message() -> Vec<u8> {
    packet(0x81, &[packet(0x10, &[0x07]), packet(0x02, b"abcd"), packet(0x13, b"10.0.3.7")].concat())
}

fn chunks(cases: &mut Cases) {
    let make = |size| {
        let (bytes, items) = repeat(&message(), size);
        Input { bytes, answer: Answer::items(items) }
    };
    cases
        .family("messages in chunks of 1", SIZES, make)
        .by("Watcher", |bytes| stream::watcher(bytes, 1, &CHILD))
        .with("Watcher, no hit", Memory::NONE, nothing, |bytes| stream::watcher(bytes, 1, &NOWHERE))
        .with("Collector", Memory::fixed(256), same, |bytes| stream::collector(bytes, 1, &CHILD))
        .with("Collector::feed_bytes", Memory::per_byte(1), same, |bytes| {
            stream::collector_bytes(&Bytes::copy_from_slice(bytes), 1, &CHILD)
        })
        .with("Reader", BUFFER, same, |bytes| stream::reader(bytes, 1, &CHILD))
        .with("AsyncReader", BUFFER, same, |bytes| stream::async_reader(bytes, 1, &CHILD, drop))
        .with("PacketCodec", Memory::fixed(256), same, |bytes| stream::codec(bytes, 1));
    cases
        .family("messages in chunks of 64 KiB", SIZES, make)
        .by("Watcher", |bytes| stream::watcher(bytes, 64 << 10, &CHILD))
        .with("Collector", Memory::fixed(256), same, |bytes| stream::collector(bytes, 64 << 10, &CHILD))
        .with("AsyncReader", BUFFER, same, |bytes| stream::async_reader(bytes, 64 << 10, &CHILD, drop));

    // One small hit in some 64 KiB, and each is kept.
    let sparse = |size| {
        let (bytes, items) =
            repeat(&[packet(0x81, &[0x02, 0x01, 0x07]), packet(0x03, &vec![0x61; 65_000])].concat(), size);
        Input { bytes, answer: Answer::items(items) }
    };
    cases
        .family("one hit in 64 KiB", &[1 << 17, 1 << 18, 1 << 19, 1 << 20], sparse)
        .by("Watcher, one chunk", |bytes| stream::watcher(bytes, bytes.len(), &CHILD))
        .with("AsyncReader, hits kept", Memory { per_byte: 1, ..BUFFER }, same, |bytes| {
            let mut kept = Vec::new();
            stream::async_reader(bytes, usize::MAX, &CHILD, |hit| kept.push(hit));
            Answer::items(kept.len())
        })
        .with("Reader::seeking", BUFFER, same, |bytes| stream::seeking(bytes, &CHILD));
}

fn joins(cases: &mut Cases) {
    let long = |size| Input { bytes: packet(0x01, &vec![0x61; size]), answer: Answer::items(1) };
    cases
        .family("one long value, chunks of 64", LARGE, long)
        .by("Watcher", |bytes| stream::watcher(bytes, 64, &ONE))
        .with("Collector", GROWING, same, |bytes| stream::collector(bytes, 64, &ONE))
        .with("Reader", BUFFER_AND_JOINED, same, |bytes| stream::reader(bytes, 64, &ONE))
        .with("AsyncReader", BUFFER_AND_JOINED, same, |bytes| stream::async_reader(bytes, 64, &ONE, drop))
        .with("PacketCodec", CODEC, same, |bytes| stream::codec(bytes, 64));
    cases
        .family("one long value, chunks of 1", SIZES, long)
        .by("Watcher", |bytes| stream::watcher(bytes, 1, &ONE))
        .with("Collector", GROWING, same, |bytes| stream::collector(bytes, 1, &ONE))
        .with("PacketCodec", CODEC, same, |bytes| stream::codec(bytes, 1));
    // The outer packet is split, so the inner ones come out of the buffer in which it was joined.
    let outer = |size| {
        let (inside, items) = repeat(&[0x02, 0x01, 0x07], size);
        Input { bytes: packet(0x81, &inside), answer: Answer::items(items + 1) }
    };
    cases
        .family("one watched node full of watched packets, chunks of 64", SIZES, outer)
        .by("Watcher", |bytes| stream::watcher(bytes, 64, &BOTH))
        .with("Collector", GROWING, same, |bytes| stream::collector(bytes, 64, &BOTH))
        .with("Collector::feed_bytes", Memory::per_byte(4), same, |bytes| {
            stream::collector_bytes(&Bytes::copy_from_slice(bytes), 64, &BOTH)
        });
    let values = |size| {
        let (bytes, items) = repeat(&packet(0x01, &[0x61; 100]), size);
        Input { bytes, answer: Answer::items(items) }
    };
    cases
        .family("values of 100 bytes, all split", SIZES, values)
        .with("Collector, chunks of 99", Memory::fixed(512), same, |bytes| stream::collector(bytes, 99, &ONE))
        .with("Collector::feed_bytes, chunks of 99", Memory::per_byte(1), same, |bytes| {
            stream::collector_bytes(&Bytes::copy_from_slice(bytes), 99, &ONE)
        });
}

fn resume(cases: &mut Cases) {
    // A hit, and then a child that wants more than its node has: both are items.
    let make = |size| {
        let (bytes, times) = repeat(&[0x81, 0x02, 0x02, 0x00, 0x81, 0x03, 0x02, 0x05, 0x00], size);
        Input { bytes, answer: Answer::items(2 * times) }
    };
    cases
        .family("every second packet has a fault", SIZES, make)
        .by("Watcher, resumed, chunks of 1", |bytes| stream::resuming(bytes, 1, &CHILD))
        .by("Watcher, resumed, chunks of 64", |bytes| stream::resuming(bytes, 64, &CHILD))
        .by("Watcher, resumed, one chunk", |bytes| stream::resuming(bytes, bytes.len(), &CHILD))
        .with("Collector, resumed, chunks of 1", Memory::fixed(256), same, |bytes| {
            stream::collector_resuming(bytes, 1, &CHILD)
        });
    // Nobody resumes: every chunk gives the same fault again.
    let failed = |size| {
        let (rest, _) = repeat(&[0x01, 0x00], size);
        Input { bytes: [&[0x01, 0x7f][..], &rest].concat(), answer: Answer::items(size + 1) }
    };
    cases.family("a fault, and the sender goes on", SIZES, failed).by("Watcher, chunks of 1", |bytes| {
        let mut watcher = y3::Watcher::new(&ONE, Limits::NONE);
        let faults = bytes.chunks(1).map(|chunk| watcher.feed(chunk).filter(Result::is_err).count());
        Answer::items(faults.sum())
    });
}

fn structs(cases: &mut Cases) {
    let unknown = |size| {
        let (mut inside, _) = repeat(&[0x10, 0x00, 0x91, 0x00, 0x12, 0x01, 0x07], size);
        inside.extend([0x3e, 0x01, 0x07, 0x3f, 0x01, 0x61]);
        Input { bytes: packet(0x81, &inside), answer: Answer::items(1) }
    };
    cases.family("keys that a struct does not have", SIZES, unknown).by("serde", |bytes| {
        let two = y3::serde::from_slice::<Two<'_>>(bytes);
        Answer::items(usize::from(two == Ok(Two { number: 7, text: "a" })))
    });
    let slice = |item: &'static [u8]| {
        move |size| {
            let (items, count) = repeat(item, size);
            Input { bytes: packet(0xc1, &items), answer: Answer::items(count) }
        }
    };
    cases
        .family("slice of empty items", &[1 << 17, 1 << 18, 1 << 19], slice(&[0x00, 0x00]))
        .by("serde, Vec<()>", items::<()>)
        .with("serde, Vec<String>", Memory::per_byte(24), same, items::<String>);
    cases
        .family("slice of empty nodes", &[1 << 15, 1 << 16, 1 << 17, 1 << 18], slice(&[0x80, 0x00]))
        .with("serde, Vec of a struct of 96 bytes", Memory::per_byte(96), same, items::<Wide>)
        .with("serde, Vec<BTreeMap>", Memory::per_byte(24), same, items::<Map>);
    cases.family("slice of empty slices", SIZES, slice(&[0xc0, 0x00])).with(
        "serde, slices in slices",
        Memory::per_byte(24),
        same,
        items::<Slices>,
    );
    cases.family("slice of maps with one key", SIZES, slice(&[0x80, 0x03, 0x05, 0x01, 0x07])).with(
        "serde, Vec<BTreeMap>",
        Memory::per_byte(24),
        same,
        items::<Map>,
    );
    let deep = |size| {
        let (bytes, times) = repeat(&nested(usize::MAX, DEPTH - 2, &[]).0, size);
        Input { bytes: packet(0xc1, &bytes), answer: Answer::items(times) }
    };
    cases.family("slice of nodes 62 deep", SIZES, deep).with(
        "serde, slices in slices",
        Memory::per_byte(12),
        same,
        items::<Slices>,
    );
    let text = |size| {
        let inside = [&packet(0x3e, &[0x07])[..], &packet(0x3f, &vec![0x61; size])].concat();
        Input { bytes: packet(0x81, &inside), answer: Answer::items(size) }
    };
    cases.family("text of 1 MiB in a struct", LARGE, text).by("serde, &str", |bytes| {
        Answer::items(y3::serde::from_slice::<Two<'_>>(bytes).map_or(0, |two| two.text.len()))
    });
    let text = |size| {
        let bytes = nested(usize::MAX, 1, &packet(0x02, &vec![0x61; size])).0;
        Input { bytes, answer: Answer::items(size) }
    };
    cases.family("text of 1 MiB", LARGE, text).with("serde, String", Memory::per_byte(1), same, |bytes| {
        let chain = y3::serde::from_slice::<Chain>(bytes).ok();
        Answer::items(chain.and_then(|chain| chain.text).map_or(0, |text| text.len()))
    });
    let invalid = |size| {
        let bytes = nested(usize::MAX, DEPTH, &packet(0x02, &[&vec![0x61; size][..], &[0xff]].concat())).0;
        let offset = bytes.len() - 1;
        Input { bytes, answer: Answer::fault(0, ErrorKind::InvalidUtf8, offset as u64) }
    };
    cases.family("text of 1 MiB in 64 nodes, its last byte wrong", LARGE, invalid).with(
        "serde",
        Memory::fixed(256),
        same,
        serde_fault::<Chain>,
    );
}

/// How many items a slice has.
fn items<T: DeserializeOwned>(bytes: &[u8]) -> Answer {
    Answer::items(y3::serde::from_slice::<Vec<T>>(bytes).map_or(0, |items| items.len()))
}

/// With its header 64 bytes: the node around it needs a length of two bytes, and so its body moves by one.
const BODY: [u8; 62] = [0x61; 62];

/// What an encoder is to write.
enum Output {
    /// Primitives that no node holds, so many.
    Numbers(usize),
    /// Nodes side by side, so many.
    Nodes(usize),
    /// Nodes one in another, so many, each with a body of its own too.
    Chain(usize),
    /// 64 nodes one in another around one value.
    Around(Vec<u8>),
    /// Items of a slice, so many.
    Items(usize),
}

impl Output {
    fn write<S: Sink, const NESTED: bool>(&self, encoder: &mut Encoder<'_, S, NESTED>) -> Result<(), Error> {
        match self {
            Output::Numbers(count) => (0..*count).try_for_each(|_| encoder.put(0x01, 7i32)),
            Output::Nodes(count) => (0..*count).try_for_each(|_| encoder.node(0x01, |node| node.put(0x02, BODY))),
            Output::Chain(nodes) => encoder.node(0x01, |node| chain(node, nodes - 1)),
            Output::Around(value) => encoder.node(0x01, |node| around(node, DEPTH - 1, value)),
            Output::Items(count) => encoder.slice(0x01, |items| (0..*count).try_for_each(|_| items.put([]))),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Output::Numbers(count) => [0x01, 0x01, 0x07].repeat(*count),
            Output::Nodes(count) => packet(0x81, &packet(0x02, &BODY)).repeat(*count),
            Output::Chain(nodes) => {
                let (body, mut len) = (packet(0x02, &BODY), 0);
                let fronts = (0..*nodes).map(|_| {
                    let front = [&[0x81], &*field(len + body.len()), &*body].concat();
                    len += front.len();
                    front
                });
                // Made from the innermost on.
                let mut fronts: Vec<_> = fronts.collect();
                fronts.reverse();
                fronts.concat()
            }
            Output::Around(value) => nested(usize::MAX, DEPTH, &packet(0x02, value)).0,
            Output::Items(count) => packet(0xc1, &[0x00, 0x00].repeat(*count)),
        }
    }
}

fn chain<S: Sink>(encoder: &mut Encoder<'_, S>, nodes: usize) -> Result<(), Error> {
    encoder.put(0x02, BODY)?;
    if nodes == 0 { Ok(()) } else { encoder.node(0x01, |node| chain(node, nodes - 1)) }
}

fn around<S: Sink>(encoder: &mut Encoder<'_, S>, nodes: usize, value: &[u8]) -> Result<(), Error> {
    if nodes == 0 { encoder.put(0x02, value) } else { encoder.node(0x01, |node| around(node, nodes - 1, value)) }
}

fn encoder(cases: &mut Cases) {
    written(cases, "encode numbers, no node", Growth::Linear, SIZES, |size| Output::Numbers(size / 3));
    written(cases, "encode nodes of 64 bytes, side by side", Growth::Linear, SIZES, |size| Output::Nodes(size / 67));
    written(
        cases,
        "encode nodes of 64 bytes and more, one in another",
        Growth::Quadratic,
        &[1 << 14, 1 << 16, 1 << 18],
        |size| Output::Chain(size / 68),
    );
    written(cases, "encode 64 nodes around one value", Growth::Linear, LARGE, |size| Output::Around(vec![0x61; size]));
    written(cases, "encode empty items of a slice", Growth::Linear, SIZES, |size| Output::Items(size / 2));

    saved(cases, "serde, 64 structs around one text", LARGE, |size| Chain::new(DEPTH, &"a".repeat(size)));
    saved(cases, "serde, 60 structs one in another, again and again", SIZES, |size| {
        (0..size / 220).map(|_| Chain::new(60, "a")).collect::<Vec<_>>()
    });
    saved(cases, "serde, empty texts", SIZES, |size| vec![String::new(); size / 2]);
    saved(cases, "serde, maps with one key", SIZES, |size| vec![Map::from([(5, 7)]); size / 5]);
}

/// Into each sink, and only counted.
fn written(cases: &mut Cases, family: &'static str, growth: Growth, sizes: Sizes, make: impl Fn(usize) -> Output) {
    for &size in sizes {
        let (output, want) = (make(size), make(size).bytes());
        let mut slice = vec![0; want.len()];
        cases.case((family, "SliceSink"), (growth, Memory::NONE), want.len(), &Ok(want.len()), || {
            let mut sink = SliceSink::new(&mut slice);
            output.write(&mut Encoder::new(&mut sink)).map(|()| sink.written().len())
        });
        assert!(slice == want, "{family}, {size}");
    }
    for &size in sizes {
        let (output, want) = (make(size), make(size).bytes());
        cases.case((family, "Vec"), (growth, GROWING), want.len(), &Ok(want), || {
            let mut vec = Vec::new();
            output.write(&mut Encoder::new(&mut vec)).map(|()| vec)
        });
    }
    for &size in sizes {
        let (output, len) = (make(size), make(size).bytes().len());
        cases.case((family, "encoded_len"), (Growth::Linear, Memory::NONE), len, &Ok(len), || {
            encoded_len(|encoder| output.write(encoder))
        });
    }
}

/// Into each sink by serde, and read again.
fn saved<T: Serialize + DeserializeOwned>(
    cases: &mut Cases,
    family: &'static str,
    sizes: Sizes,
    make: impl Fn(usize) -> T,
) {
    let bytes_of = |value: &T| y3::serde::to_vec(value).expect("a packet");
    for &size in sizes {
        let value = make(size);
        let want = bytes_of(&value);
        let mut slice = vec![0; want.len()];
        cases.case((family, "to_slice"), (Growth::Linear, Memory::NONE), want.len(), &Ok(want.len()), || {
            y3::serde::to_slice(&mut slice, black_box(&value)).map(|written| written.len())
        });
        let read = y3::serde::from_slice::<T>(&slice).map(|value| bytes_of(&value));
        assert!(slice == want && read == Ok(want), "{family}, {size}");
    }
    for &size in sizes {
        let value = make(size);
        let want = bytes_of(&value);
        cases.case((family, "to_vec"), (Growth::Linear, GROWING), want.len(), &Ok(want), || {
            y3::serde::to_vec(black_box(&value))
        });
    }
}
