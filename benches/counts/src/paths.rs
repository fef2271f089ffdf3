//! Paths: the calls that users make most, on the data of the timed benches.
//!
//! In: nothing. Out: a case for each, with its name in `paths.md`.

use std::hint::black_box;

use bytes::Bytes;
use kit::message::{Message, of_stream};
use kit::regime::Regime;
use kit::watched::{C03K02, C16K08, C32K16, C63K32, Miss, Nested, Watched, assert_is_the_reports};
use kit::{hand, readers};
use y3::{
    Encoder, Error, Event, Hit, Limits, Path, PathSet, Paths, Sink, SliceSink, Watcher, check, encoded_len, packets,
    path, walk,
};

use crate::measure::Names;
use crate::stream::{self, Answer};
use crate::types::Options;
use crate::{by_hand, hinted};

/// Runs all cases and returns their names in the order in which they are counted.
pub fn run() -> Vec<String> {
    let mut names = Names::default();
    names.case("nothing", &0, || black_box(0));
    assert_is_the_reports::<C63K32>();
    assert_is_the_reports::<C32K16>();
    assert_is_the_reports::<C16K08>();
    assert_is_the_reports::<C03K02>();
    extract::<C63K32>(&mut names);
    extract::<C32K16>(&mut names);
    extract::<C16K08>(&mut names);
    extract::<C03K02>(&mut names);
    extract::<Miss>(&mut names);
    extract::<Nested>(&mut names);
    hinted::cases(&mut names);
    hinted::batches(&mut names);
    whole(&mut names);
    streams(&mut names);
    sets(&mut names);
    embedded(&mut names);
    encode(&mut names);
    message(&mut names);
    names.0
}

/// The report's scenarios: one watched value out of one packet.
fn extract<W: Watched>(names: &mut Names) {
    let pairs = readers::pairs::<W>(Regime::OneBuffer);
    let [pair] = pairs.as_slice() else { panic!("one buffer") };
    let bytes = &*pair.y3;
    let (want, value) = (hand::find(bytes, W::PATH).expect("a packet"), readers::y3_watch_to::<W>(bytes));
    let name = |reader| format!("{} {reader}", W::NAME);
    names.case(name("hand"), &want, || readers::hand::<W>(black_box(bytes)));
    names.case(name("nom"), &want, || readers::y3_nom::<W>(black_box(bytes)));
    names.case(name("find"), &want, || readers::y3_find::<W>(black_box(bytes)));
    names.case(name("KeySet::watch"), &want, || readers::y3_keys::<W>(black_box(bytes)));
    names.case(name("PathSet::watch"), &want, || readers::y3_watch::<W>(black_box(bytes)));
    names.case(name("PathSet::watch to"), &value, || readers::y3_watch_to::<W>(black_box(bytes)));
    let mut hint = y3::hint::Hint::new(const { &W::SET });
    // The first packet is remembered.
    let count = hint.watch(bytes).count();
    names.case(name("Hint::watch"), &want, || readers::y3_hint::<W>(&mut hint, black_box(bytes)));
    names.case(name("all hits, PathSet::watch"), &count, || const { &W::SET }.watch(black_box(bytes)).count());
    names.case(name("all hits, Hint::watch"), &count, || hint.watch(black_box(bytes)).count());
}

/// Adds the readers of all packets.
fn whole(names: &mut Names) {
    let [flat, nested] = [C63K32::model(), Nested::model()].map(|model| model.to_y3());
    names.case("C63 children", &Answer::items(63), || {
        Answer::of(packets(black_box(&flat)).flat_map(|root| root.expect("a packet").children()))
    });
    // 1 root, 8 nodes, 64 nodes, 512 values.
    names.case("8x8x8 walk", &Answer::items(585), || Answer::of(walk(black_box(&nested))));
    names.case("8x8x8 check", &Ok(()), || check(black_box(&nested)));
    let patterns = y3::Patterns(["**/04".parse().expect("a pattern")]);
    names.case("8x8x8 Patterns::watch", &Answer::items(73), || Answer::of(patterns.watch(black_box(&nested))));
}

/// Messages with a number, a value of four bytes (under the watched key in one of ten messages) and a text.
fn messages() -> Vec<u8> {
    let mut out = Vec::new();
    for number in 0..100 {
        of_stream(&mut out, number, number % 10 == 7, &[0x7f; 4]).expect("keys are below 64");
    }
    out
}

fn streams(names: &mut Names) {
    const ONE: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
    const TWO: PathSet<2> = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x13)]);
    let stream = Bytes::from(messages());
    let (ten, most) = (Answer::items(10), Answer::items(110));
    names.case("100 messages, PathSet<1>::watch", &ten, || Answer::of(ONE.watch(black_box(&stream))));
    names.case("100 messages, PathSet<2>::watch", &most, || Answer::of(TWO.watch(black_box(&stream))));
    for chunk in [1, 16, 64, 1024, 16384] {
        let name = |reader| format!("100 messages, {reader}, chunks of {chunk}");
        names.case(name("Watcher<1>"), &ten, || stream::watcher(black_box(&stream), chunk, &ONE));
        names.case(name("Watcher<2>"), &most, || stream::watcher(black_box(&stream), chunk, &TWO));
        names.case(name("Collector"), &ten, || stream::collector(black_box(&stream), chunk, &ONE));
    }
    let name = |reader| format!("100 messages, {reader}, chunks of 64");
    names.case(name("Collector, Hit::to_bytes"), &ten, || stream::collector_bytes(black_box(&stream), 64, &ONE));
    names.case(name("Reader"), &ten, || stream::reader(black_box(&stream), 64, &ONE));
    names.case(name("AsyncReader"), &ten, || stream::async_reader(black_box(&stream), 64, &ONE, drop));
    names.case(name("PacketCodec"), &Answer::items(100), || stream::codec(black_box(&stream), 64));

    // Packets with the same 63 headers, each whole in its chunk or not.
    let (set, flat) = (const { &C63K32::SET }, C63K32::model().to_y3().repeat(100));
    let hundred = Answer::items(100);
    let first = set.first_only();
    names.case("100 packets of C63-K32, PathSet::watch", &hundred, || Answer::of(set.watch(black_box(&flat))));
    names.case("100 packets of C63-K32, FirstOnly::watch", &hundred, || Answer::of(first.watch(black_box(&flat))));
    for chunk in [64, 1024, 16384] {
        let name = |reader| format!("100 packets of C63-K32, {reader}, chunks of {chunk}");
        names.case(name("Watcher"), &hundred, || stream::watcher(black_box(&flat), chunk, &set));
        names.case(name("Watcher, FirstOnly"), &hundred, || stream::watcher(black_box(&flat), chunk, &first));
    }
    for chunk in [1024, 16384] {
        let name = |reader| format!("100 packets of C63-K32, {reader}, chunks of {chunk}");
        names.case(name("Collector"), &hundred, || stream::collector(black_box(&flat), chunk, set));
        names.case(name("Collector and Hint"), &hundred, || stream::collector_and_hint(black_box(&flat), chunk, set));
        let name = |reader| format!("100 messages, {reader}, chunks of {chunk}");
        names.case(name("Collector and Hint"), &ten, || stream::collector_and_hint(black_box(&stream), chunk, &ONE));
    }
}

/// The same watched packet among more and more paths, in a constant set and in an owned one.
fn sets(names: &mut Names) {
    let stream = [0x81, 0x03, 0x02, 0x01, 0x07].repeat(100);
    let hits = Answer::items(100);
    macro_rules! sets {
        ($($len:literal)*) => {$(
            let paths: [Path; $len] = std::array::from_fn(path_of);
            let (constant, owned) = (PathSet::new(paths), Paths::new(paths));
            let name = |set, reader| format!("100 packets, {set} of {}, {reader}", $len);
            names.case(name("PathSet", "watch"), &hits, || Answer::of(constant.watch(black_box(&stream))));
            names.case(name("Paths", "watch"), &hits, || Answer::of(owned.watch(black_box(&stream))));
            names.case(name("PathSet", "Watcher"), &hits, || stream::watcher(black_box(&stream), 1024, &constant));
            names.case(name("Paths", "Watcher"), &hits, || stream::watcher(black_box(&stream), 1024, &owned));
        )*};
    }
    sets!(1 8 64 200 4096);
}

/// All paths of two keys, from `01/02` on.
fn path_of(place: usize) -> Path {
    let key = |number: usize| u8::try_from(number % 64).expect("below 64");
    Path::new(&[key(1 + place / 64), key(2 + place)]).expect("two keys")
}

/// A value in packets inside a primitive: with one path that enters them, and with a watch inside a watch.
fn embedded(names: &mut Names) {
    const ENTERING: PathSet<1> = PathSet::new([path!(0x01, 0x02 => 0x11)]);
    const OUTER: PathSet<1> = PathSet::new([path!(0x01, 0x02)]);
    const INNER: PathSet<1> = PathSet::new([path!(0x11)]);
    let stream = [0x81, 0x0b, 0x05, 0x01, 0x07, 0x02, 0x06, 0x10, 0x01, 0x07, 0x11, 0x01, 0x07].repeat(100);
    let hits = Answer::items(100);
    let inside = |hit: &Hit<'_>| Answer::of(INNER.watch_packets(hit.packet().embedded())).items;
    let name = |reader| format!("100 embedded values, {reader}");
    names.case(name("PathSet::watch"), &hits, || Answer::of(ENTERING.watch(black_box(&stream))));
    names.case(name("two PathSet::watch"), &hits, || {
        Answer::items(OUTER.watch(black_box(&stream)).flatten().map(|hit| inside(&hit)).sum())
    });
    names.case(name("Watcher"), &hits, || stream::watcher(black_box(&stream), 16384, &ENTERING));
    names.case(name("Watcher and PathSet::watch"), &hits, || {
        let mut watcher = Watcher::new(&OUTER, Limits::NONE);
        let hits = watcher.feed(black_box(&stream)).filter_map(|event| match event {
            Ok(Event::Hit(hit)) => Some(inside(&hit)),
            _ => None,
        });
        Answer::items(hits.sum())
    });
}

/// Nine lines of the report's seven kinds: the 63 pairs of C63.
#[inline(always)]
fn pairs(sink: &mut impl Sink) -> Result<(), Error> {
    Encoder::new(sink).node(0, |root| {
        (1..63).step_by(7).try_for_each(|key| {
            root.put(key, black_box("a"))?;
            root.put(key + 1, black_box(-65i32))?;
            root.put(key + 2, black_box(128u32))?;
            root.put(key + 3, black_box(-1i64))?;
            root.put(key + 4, black_box(u64::MAX))?;
            root.put(key + 5, black_box(0.25f32))?;
            root.put(key + 6, black_box(23.0f64))
        })
    })
}

/// Writes four nested nodes, all below 64 bytes or none, depending on the text.
#[inline(always)]
fn nodes(sink: &mut impl Sink, text: &str) -> Result<(), Error> {
    Encoder::new(sink)
        .node(0x01, |one| one.node(0x01, |two| two.node(0x01, |three| three.node(0x01, |four| four.put(0x02, text)))))
}

#[inline(always)]
fn top(sink: &mut impl Sink) -> Result<(), Error> {
    let mut encoder = Encoder::new(sink);
    (0..63).try_for_each(|key| encoder.put(key, black_box(7i32)))
}

fn encode(names: &mut Names) {
    let flat = C63K32::model().to_y3();
    let (short, long) = ("a", "a".repeat(100));
    /// Writes into a reused buffer and compares the bytes with those in a new vector.
    macro_rules! sinks {
        ($name:literal, $want:expr, $write:expr) => {{
            let want: &[u8] = &$want;
            let (mut vec, mut slice) = (Vec::new(), vec![0; want.len() + 16]);
            let name = |sink| format!("encode {}, {sink}", $name);
            names.case(name("Vec"), &Ok(want.len()), || {
                vec.clear();
                $write(&mut vec).map(|()| black_box(&vec).len())
            });
            assert_eq!(vec, want, "{}", $name);
            names.case(name("SliceSink"), &Ok(want.len()), || {
                let mut sink = SliceSink::new(&mut slice);
                $write(&mut sink).map(|()| black_box(sink.into_written()).len())
            });
            assert_eq!(slice[..want.len()], *want, "{}", $name);
        }};
    }
    let nested = |text: &str| by_hand::nested(usize::MAX, 4, &by_hand::packet(0x02, text.as_bytes())).0;
    let seven: Vec<u8> = (0..63).flat_map(|key| [key, 1, 7]).collect();
    sinks!("63 pairs", flat, pairs);
    sinks!("63 packets, no node", seven, top);
    sinks!("4 nodes below 64 bytes", nested(short), |sink| nodes(sink, black_box(short)));
    sinks!("4 nodes above 64 bytes", nested(&long), |sink| nodes(sink, black_box(&long)));
    let len = flat.len();
    names.case("encoded_len, 63 pairs", &Ok(len), || {
        encoded_len(|encoder| {
            encoder.node(0, |root| {
                (1..64).try_for_each(|key| match key % 7 {
                    1 => root.put(key, black_box("a")),
                    2 => root.put(key, black_box(-65i32)),
                    3 => root.put(key, black_box(128u32)),
                    4 => root.put(key, black_box(-1i64)),
                    5 => root.put(key, black_box(u64::MAX)),
                    6 => root.put(key, black_box(0.25f32)),
                    _ => root.put(key, black_box(23.0f64)),
                })
            })
        })
    });
}

fn message(names: &mut Names) {
    let bytes = *b"\x81\x1b\x10\x01\x00\x11\x07success\x92\x0d\x10\x08testName\x11\x01\x12";
    let mut by_hand = Vec::new();
    assert_eq!(Message::EXAMPLE.encode(&mut by_hand), Ok(()));
    assert_eq!((&*by_hand, y3::serde::to_vec(&Message::EXAMPLE)), (&bytes[..], Ok(bytes.to_vec())));

    let (mut vec, mut slice) = (Vec::new(), [0; 64]);
    let message = || black_box(&Message::EXAMPLE);
    names.case("message, encode by hand, Vec", &Ok(bytes.len()), || {
        vec.clear();
        message().encode(&mut vec).map(|()| vec.len())
    });
    names.case("message, encode by hand, SliceSink", &Ok(bytes.len()), || {
        let mut sink = SliceSink::new(&mut slice);
        message().encode(&mut sink).map(|()| sink.written().len())
    });
    names.case("message, serde to_sink, Vec", &Ok(bytes.len()), || {
        vec.clear();
        y3::serde::to_sink(&mut vec, message()).map(|()| vec.len())
    });
    names.case("message, serde to_slice", &Ok(bytes.len()), || {
        let mut sink = y3::SliceSink::new(&mut slice);
        y3::serde::to_sink(&mut sink, message()).map(|()| black_box(sink.written()).len())
    });
    names.case("message, decode by hand", &Ok(Message::EXAMPLE), || Message::decode(black_box(&bytes)));
    names.case("message, serde from_slice, borrowed", &Ok(Message::EXAMPLE), || {
        y3::serde::from_slice::<Message<&str>>(black_box(&bytes))
    });
    names.case("message, serde from_slice, owned", &Ok(Message::EXAMPLE.into()), || {
        y3::serde::from_slice::<Message<String>>(black_box(&bytes))
    });
    let three = b"\x81\x09\x11\x01a\x14\x01\x01\x17\x01\x07";
    names.case("8 options of which 5 are absent, derived, read", &Ok(Options::THREE), || {
        y3::decode::<Options<'_>>(black_box(three))
    });
    names.case("8 options of which 5 are absent, derived, written to Vec", &Ok(three.len()), || {
        vec.clear();
        Encoder::new(&mut vec).put(0x01, black_box(&Options::THREE)).map(|()| vec.len())
    });
}
