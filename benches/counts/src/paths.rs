//! Paths: the calls that users make most often, on the data of the timed benches.

use std::array;
use std::hint::black_box;
use std::iter::repeat_with;

use kit::bench::{Cases, Throughput, batches, extract, report};
use kit::message::{Message, of_stream};
use kit::readers;
use kit::regime::Regime;
use kit::watched::{C03K02, C16K08, C32K16, C63K32, Miss, Nested, Values100, Watched};
use y3::serde::{from_slice, to_sink};
use y3::{Encoder, Path, PathSet, check, decode, packets, path, walk};

use crate::measure::Paths;
use crate::stream::{self, Answer};
use crate::types::{self, Options, Record};
use crate::{edit, encode, hinted, reach};

/// Runs all cases, and returns their names in the order in which they are counted.
pub fn run(is_timed: bool) -> Vec<String> {
    let cases = &mut Paths::new(is_timed);
    cases.case("nothing", &0, || black_box(0));
    let regime = cases.regime();
    report::<C63K32>(cases, regime);
    report::<C32K16>(cases, regime);
    report::<C16K08>(cases, regime);
    report::<C03K02>(cases, regime);
    extract::<Miss>(cases, "shapes", regime);
    extract::<Nested>(cases, "shapes", regime);
    batches::<Values100>(cases);
    batches::<Nested>(cases);
    if !is_timed {
        hinted::cases(cases);
    }
    whole(cases);
    messages(cases);
    reports(cases, regime);
    reach::cases(cases);
    encode::cases(cases);
    edit::cases(cases);
    structs(cases);
    std::mem::take(&mut cases.names)
}

fn group(cases: &mut Paths, name: &str) {
    cases.group(name, Throughput::Elements(1));
}

/// Cases that read all packets.
fn whole(cases: &mut Paths) {
    let [flat, nested] = [C63K32::model(), Nested::model()].map(|model| model.to_y3());
    group(cases, "whole");
    cases.case("C63, children", &Answer::items(63), || {
        Answer::of(packets(black_box(&flat)).flat_map(|root| root.expect("a packet").children()))
    });
    // 1 root, 8 nodes, 64 nodes, 512 values.
    cases.case("8x8x8, walk", &Answer::items(585), || Answer::of(walk(black_box(&nested))));
    cases.case("8x8x8, check", &Ok(()), || check(black_box(&nested)));
    let patterns = y3::Patterns(["**/04".parse().expect("a pattern")]);
    cases.case("8x8x8, Patterns::watch", &Answer::items(73), || Answer::of(patterns.watch(black_box(&nested))));
}

/// A stream of messages. Each message has a number, a value of four bytes and a text. In one of ten messages, the value
/// has the watched key.
fn messages(cases: &mut Paths) {
    const ONE: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
    const TWO: PathSet<2> = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x13)]);
    let mut bytes = Vec::new();
    for number in 0..100 {
        of_stream(&mut bytes, number, number % 10 == 7, &[0x7f; 4]).expect("keys are below 64");
    }
    let (ten, most) = (Answer::items(10), Answer::items(110));
    let bytes = || black_box(&*bytes);
    group(cases, "100 messages");
    cases.case("PathSet<1>::watch", &ten, || Answer::of(ONE.watch(bytes())));
    cases.case("PathSet<2>::watch", &most, || Answer::of(TWO.watch(bytes())));
    for chunk in [1, 16, 64, 1024, 16384] {
        let name = |reader| format!("{reader}, chunks of {chunk}");
        cases.case(name("Watcher<1>"), &ten, || stream::watcher(bytes(), chunk, &ONE));
        cases.case(name("Watcher<2>"), &most, || stream::watcher(bytes(), chunk, &TWO));
        cases.case(name("Collector"), &ten, || stream::collector(bytes(), chunk, &ONE));
        cases.case(name("Collector and Hint"), &ten, || stream::collector_and_hint(bytes(), chunk, &ONE));
    }
    cases.case("Collector, Hit::to_bytes, chunks of 64", &ten, || stream::collector_bytes(bytes(), 64, &ONE, drop));
    cases.case("Reader, chunks of 64", &ten, || stream::reader(bytes(), 64, &ONE));
    cases.case("AsyncReader, chunks of 64", &ten, || stream::async_reader(bytes(), 64, &ONE, drop));
    cases.case("PacketCodec, chunks of 64", &Answer::items(100), || stream::codec(bytes(), 64));
}

/// A stream of the report's packets. In some cases, chunks split the packets.
fn reports(cases: &mut Paths, regime: Regime) {
    let next = regime.feed(&readers::messages::<C63K32>(regime));
    let bytes: Vec<u8> = repeat_with(next).take(100).flatten().copied().collect();
    let (set, bytes, hundred) = (const { &C63K32::SET }, || black_box(&*bytes), Answer::items(100));
    let first = set.first_only();
    group(cases, "100 packets of C63-K32");
    cases.case("PathSet::watch", &hundred, || Answer::of(set.watch(bytes())));
    cases.case("FirstOnly::watch", &hundred, || Answer::of(first.watch(bytes())));
    for chunk in [64, 1024, 16384] {
        let name = |reader| format!("{reader}, chunks of {chunk}");
        cases.case(name("Watcher"), &hundred, || stream::watcher(bytes(), chunk, &set));
        cases.case(name("Watcher, FirstOnly"), &hundred, || stream::watcher(bytes(), chunk, &first));
        cases.case(name("Collector"), &hundred, || stream::collector(bytes(), chunk, set));
        cases.case(name("Collector and Hint"), &hundred, || stream::collector_and_hint(bytes(), chunk, set));
    }
    // Three and 60 of the 63 pairs. No pair has the key 0.
    let three = PathSet::new([path!(0, 8), path!(0, 32), path!(0, 60)]);
    let sixty: PathSet<61> =
        PathSet::new(array::from_fn(|key| Path::new(&[0, u8::try_from(key).expect("below 61")]).expect("two keys")));
    cases.case("3 paths, PathSet::watch", &Answer::items(300), || Answer::of(three.watch(bytes())));
    cases.case("60 paths, PathSet::watch", &Answer::items(6000), || Answer::of(sixty.watch(bytes())));
}

/// Structs read and written by hand, by serde and by the derive.
fn structs(cases: &mut Paths) {
    let bytes = b"\x81\x1b\x10\x01\x00\x11\x07success\x92\x0d\x10\x08testName\x11\x01\x12";
    let three = b"\x81\x09\x11\x01a\x14\x01\x01\x17\x01\x07";
    let flat = C63K32::model().to_y3();
    // The structs that are read are written again below.
    let (derived, owned): (types::Message<&str>, types::Message<String>) =
        (decode(bytes).expect("a message"), decode(bytes).expect("a message"));
    let (options, record): (Options<'_>, Record<'_>) = (decode(three).expect("options"), decode(&flat).expect("pairs"));
    group(cases, "written");
    kit::written! { cases;
        "message, by hand": bytes, |sink| black_box(&Message::EXAMPLE).encode(sink);
        "message, serde": bytes, |sink| to_sink(sink, black_box(&Message::EXAMPLE));
        "message, derived": bytes, |sink| Encoder::new(sink).put(0x01, black_box(&derived));
        "8 options of which 5 are absent, derived": three, |sink| Encoder::new(sink).put(0x01, black_box(&options));
        "63 pairs, derived": &flat, |sink| Encoder::new(sink).put(0x00, black_box(&record));
    }
    group(cases, "read");
    cases.case("message, by hand", &Ok(Message::EXAMPLE), || Message::decode(black_box(bytes)));
    cases.case("message, serde, borrowed", &Ok(Message::EXAMPLE), || from_slice::<Message<&str>>(black_box(bytes)));
    cases.case("message, serde, owned", &Ok(Message::EXAMPLE.into()), || {
        from_slice::<Message<String>>(black_box(bytes))
    });
    cases.case("message, derived, borrowed", &Ok(derived), || decode::<types::Message<&str>>(black_box(bytes)));
    cases.case("message, derived, owned", &Ok(owned), || decode::<types::Message<String>>(black_box(bytes)));
    cases.case("8 options of which 5 are absent, derived", &Ok(options), || decode::<Options<'_>>(black_box(three)));
    cases.case("63 pairs, derived", &Ok(record), || decode::<Record<'_>>(black_box(&flat)));
}
