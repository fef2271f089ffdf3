//! One case for each serializer and task. The answer is asserted when the case is made.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hint::black_box;

use bincode::config::standard;
use kit::data::{Item, Node, Random};
use kit::message::Message as Keyed;
use kit::turns::{Timed, looped};
use rkyv::rancor::Error as RkyvError;
use simd_json::Buffers;
use simd_json::serde::from_slice_with_buffers;
use y3::SliceSink;

use super::dns::{self, ArchivedEntry, Entry, Lookup};
use super::message::{self, ArchivedMessage, Message, protobuf};
use super::partial::{self, Three};
use crate::extract::shape::record;
use crate::extract::{archive, names, numbers};
use crate::formats;

/// One serializer at one task. Its loop is compiled for it, so no run has the cost of a call that a user does not make.
pub struct Case {
    pub group: &'static str,
    pub name: &'static str,
    /// The number of bytes that a run writes or reads; a mean if messages differ.
    pub bytes: f64,
    pub timed: Timed<'static>,
}

impl Case {
    fn new<T>(group: &'static str, name: &'static str, bytes: f64, run: impl FnMut() -> T + 'static) -> Case {
        Case { group, name, bytes, timed: looped(run) }
    }
}

pub fn cases() -> Vec<Case> {
    let mut cases = encode();
    cases.extend(encode_into_a_slice());
    decode_messages(&mut cases);
    decode_partial(&mut cases);
    dns(&mut cases);
    cases
}

fn bytes(size: usize) -> f64 {
    f64::from(u32::try_from(size).expect("small"))
}

fn plain() -> Message<String> {
    record(&Message::EXAMPLE)
}

/// Encodes into a reused buffer.
fn encode() -> Vec<Case> {
    fn case<M: 'static>(name: &'static str, message: M, write: impl Fn(&M, &mut Vec<u8>) + 'static) -> Case {
        let mut out = Vec::with_capacity(256);
        write(&message, &mut out);
        Case::new("message/encode", name, bytes(out.len()), move || {
            out.clear();
            write(black_box(&message), &mut out);
            black_box(&out);
        })
    }
    let mut expected = Vec::new();
    Keyed::EXAMPLE.encode(&mut expected).unwrap();
    assert_eq!(y3::serde::to_vec(&Keyed::EXAMPLE).unwrap(), expected);
    assert_eq!(y3::to_vec(0x01, &Message::EXAMPLE).unwrap(), expected);
    vec![
        case("y3 serde", Keyed::EXAMPLE, formats::y3::write),
        case("y3 derive", Message::EXAMPLE, |m, out| y3::Encoder::new(out).put(0x01, m).unwrap()),
        case("y3 by hand", Keyed::EXAMPLE, |m, out| m.encode(out).unwrap()),
        case("serde_json", plain(), formats::serde_json::write),
        case("sonic-rs", plain(), formats::sonic_rs::write),
        case("simd-json", plain(), formats::simd_json::write),
        case("rmp-serde", plain(), formats::rmp_serde::write),
        case("prost", record(&Message::EXAMPLE), formats::prost::write::<protobuf::Message>),
        case("minicbor", plain(), formats::minicbor::write),
        case("postcard", plain(), formats::postcard::write),
        case("bincode", plain(), formats::bincode::write),
        case("bilrost", plain(), formats::bilrost::write),
        case("rkyv", plain(), archive),
    ]
}

fn encode_into_a_slice() -> [Case; 5] {
    fn case<M: 'static>(name: &'static str, message: M, write: impl Fn(&M, &mut [u8]) -> usize + 'static) -> Case {
        let mut slice = [0; 256];
        let mut write = move || write(black_box(&message), &mut slice);
        Case::new("message/encode into a slice", name, bytes(write()), write)
    }
    fn sunk<E: Debug>(slice: &mut [u8], put: impl FnOnce(&mut SliceSink<'_>) -> Result<(), E>) -> usize {
        let mut sink = SliceSink::new(slice);
        put(&mut sink).unwrap();
        sink.written().len()
    }
    [
        case("y3 serde", Keyed::EXAMPLE, |m, slice| sunk(slice, |sink| y3::serde::to_sink(sink, m))),
        case("y3 derive", Message::EXAMPLE, |m, slice| sunk(slice, |sink| y3::Encoder::new(sink).put(0x01, m))),
        case("y3 by hand", Keyed::EXAMPLE, |m, slice| sunk(slice, |sink| m.encode(sink))),
        case("postcard", plain(), |m, slice| postcard::to_slice(m, slice).unwrap().len()),
        case("bincode", plain(), |m, slice| bincode::encode_into_slice(m, slice, standard()).unwrap()),
    ]
}

/// Adds cases that decode bytes.
macro_rules! decode {
    ($cases:ident, $group:expr; $($name:literal: $bytes:expr => $expected:expr, |$from:ident| $read:expr;)*) => {$({
        let input = $bytes.clone();
        let $from = &input[..];
        assert_eq!($read, $expected, "{}", $name);
        $cases.push(Case::new($group, $name, bytes(input.len()), move || {
            let $from = black_box(&input[..]);
            black_box($read);
        }));
    })*};
}

/// Cases that decode into owned or borrowed texts. Most codecs have both; codecs with only one follow each `decode_all!`.
fn decode_messages(cases: &mut Vec<Case>) {
    use formats::{bilrost, bincode, minicbor, postcard, rmp_serde, serde_json, sonic_rs, written};
    let (owned, prost) = (plain(), record::<protobuf::Message>(&Message::EXAMPLE));
    let y3 = written(&Keyed::EXAMPLE, formats::y3::write);
    let json = written(&owned, serde_json::write);
    let msgpack = written(&owned, rmp_serde::write);
    let cbor = written(&owned, minicbor::write);
    let positions = written(&owned, postcard::write);
    let varints = written(&owned, bincode::write);
    let distances = written(&owned, bilrost::write);
    let protobuf = written(&prost, formats::prost::write);
    let rkyv = rkyv::to_bytes::<RkyvError>(&owned).unwrap();
    macro_rules! decode_all {
        ($group:literal, $text:ty, $plain:expr, $bincode:expr, $bilrost:expr) => {{
            let (keyed, plain) = (Keyed::<$text>::from(Keyed::EXAMPLE), $plain);
            // simd-json writes to its input, so each run reads a copy.
            let (mut copy, mut buffers) = (json.clone(), Buffers::new(256));
            decode! { cases, $group;
                "y3 serde": y3 => keyed, |b| formats::y3::read::<Keyed<$text>>(b).unwrap();
                "y3 by hand": y3 => keyed, |b| Keyed::<$text>::from(Keyed::decode(b).unwrap());
                "serde_json": json => plain, |b| serde_json::read::<Message<$text>>(b).unwrap();
                "sonic-rs": json => plain, |b| sonic_rs::read::<Message<$text>>(b).unwrap();
                "simd-json": json => plain, |b| {
                    copy.copy_from_slice(b);
                    from_slice_with_buffers::<Message<$text>>(&mut copy, &mut buffers).unwrap()
                };
                "rmp-serde": msgpack => plain, |b| rmp_serde::read::<Message<$text>>(b).unwrap();
                "minicbor": cbor => plain, |b| minicbor::read::<Message<$text>>(b).unwrap();
                "postcard": positions => plain, |b| postcard::read::<Message<$text>>(b).unwrap();
                "bincode": varints => plain, |b| $bincode(b).unwrap();
                "y3 derive": y3 => plain, |b| y3::decode::<Message<$text>>(b).unwrap();
                "bilrost": distances => plain, |b| $bilrost(b).unwrap();
            }
        }};
    }
    decode_all!(
        "message/decode borrowed",
        &str,
        Message::EXAMPLE,
        bincode::read::<Message<&str>>,
        bilrost::read::<Message<&str>>
    );
    let example = Message::EXAMPLE;
    decode! { cases, "message/decode borrowed";
        "loop by hand": y3 => example, |b| message::by_hand(b).unwrap();
        "rkyv checked": rkyv => (0, example.msg, example.data.name, 18), |b| {
            let archived = rkyv::access::<ArchivedMessage<String>, RkyvError>(b).unwrap();
            (archived.error.to_native(), &*archived.msg, &*archived.data.name, archived.data.age_number.to_native())
        };
    }
    let bincode =
        |b: &[u8]| ::bincode::decode_from_slice(b, standard()).map(|(message, _): (Message<String>, _)| message);
    decode_all!("message/decode owned", String, owned, bincode, <Message<String> as ::bilrost::OwnedMessage>::decode);
    let mut reused = protobuf::Message::default();
    decode! { cases, "message/decode owned";
        "prost": protobuf => prost, |b| <protobuf::Message as prost::Message>::decode(b).unwrap();
        "prost reused": protobuf => prost.data, |b| {
            // `clear` would drop the inner message. `merge` overwrites all fields that the bytes have.
            prost::Message::merge(&mut reused, b).unwrap();
            reused.data.clone()
        };
        "rkyv checked": rkyv => plain(), |b| rkyv::from_bytes::<Message<String>, RkyvError>(b).unwrap();
    }
}

/// Cases that read three fields of sixty-three. Formats whose readers must know all fields are left out.
fn decode_partial(cases: &mut Vec<Case>) {
    let model = Node::new(63, Item::cycle);
    let (y3, json) = (model.to_y3(), model.to_json());
    let three = Three { k16: -65, k32: -1, k48: 0.25 };
    let protobuf = record::<partial::protobuf::Three>(&three);
    let keyed = partial::keyed::Three { k16: three.k16, k32: three.k32, k48: three.k48 };
    decode! { cases, "3 fields of 63";
        "y3 serde": y3 => keyed, |b| formats::y3::read::<partial::keyed::Three>(b).unwrap();
        "y3 derive": y3 => three, |b| y3::decode::<Three>(b).unwrap();
        "y3 by hand": y3 => three, |b| partial::decode(b).unwrap();
        "serde_json": json => three, |b| formats::serde_json::read::<Three>(b).unwrap();
        "sonic-rs": json => three, |b| formats::sonic_rs::read::<Three>(b).unwrap();
        "rmp-serde": names(&model) => three, |b| formats::rmp_serde::read::<Three>(b).unwrap();
        "prost": numbers(&model) => protobuf, |b| <partial::protobuf::Three as prost::Message>::decode(b).unwrap();
    }
}

/// The number of entries in the cache. A branch predictor cannot learn so many.
const ENTRIES: u32 = 1024;

/// Encodes the entries and asserts the answer of each. Adds a case that reads an entry, and one that looks it up in a map first.
macro_rules! read {
    ($cases:ident, $entries:ident; $($name:literal: $write:expr, $state:pat = $init:expr, |$from:ident| $read:expr;)*) => {$({
        let encoded: Vec<Vec<u8>> = $entries.iter().map(|entry| written(entry, $write)).collect();
        {
            let $state = $init;
            for (bytes, entry) in encoded.iter().zip(&$entries) {
                let $from = bytes.as_slice();
                assert_eq!($read.alive(), entry.alive(), "{}", $name);
            }
        }
        let size = bytes(encoded.iter().map(Vec::len).sum()) / f64::from(ENTRIES);
        let keys: Vec<_> = (0..ENTRIES).map(dns::key).collect();
        let cache: HashMap<_, Vec<u8>> = keys.iter().cloned().zip(encoded.iter().cloned()).collect();
        let (mut next, $state) = (order(), $init);
        $cases.push(Case::new("dns/read an entry", $name, size, move || {
            let $from = black_box(encoded[next()].as_slice());
            black_box($read.alive());
        }));
        let (mut next, $state) = (order(), $init);
        $cases.push(Case::new("dns/look up and read", $name, size, move || {
            let $from = cache[black_box(&keys[next()])].as_slice();
            black_box($read.alive());
        }));
    })*};
}

/// Returns the indices of the entries in a random order.
fn order() -> impl FnMut() -> usize {
    let mut random = Random::new(7);
    let order: Vec<usize> = (0..1 << 16).map(|_| random.below(ENTRIES as usize)).collect();
    let mut turn = 0;
    move || {
        turn = (turn + 1) % (1 << 16);
        order[turn]
    }
}

fn dns(cases: &mut Vec<Case>) {
    use formats::{bilrost, bincode, minicbor, postcard, rmp_serde, serde_json, sonic_rs, written};
    type Owned = Entry<String>;
    let y3 = |entry: &Owned, out: &mut Vec<u8>| y3::Encoder::new(out).put(1, entry).unwrap();
    let protobuf =
        |entry: &Owned, out: &mut Vec<u8>| formats::prost::write::<dns::protobuf::Entry>(&record(entry), out);
    let entries: Vec<Owned> = (0..u64::from(ENTRIES)).map(Entry::example).collect();
    read! { cases, entries;
        "y3 from the bytes": y3, () = (), |b| dns::alive(b).unwrap().map(|ip| ip.decode::<&str>().unwrap().as_bytes());
        "y3 from the bytes, text untested": y3, () = (), |b| dns::alive(b).unwrap().map(|ip| ip.value());
        "y3 serde": y3, () = (), |b| formats::y3::read::<dns::keyed::Entry<String>>(b).unwrap();
        "y3 serde borrowed": y3, () = (), |b| formats::y3::read::<dns::keyed::Entry<&str>>(b).unwrap();
        "y3 derive": y3, () = (), |b| y3::decode::<Owned>(b).unwrap();
        "y3 derive borrowed": y3, () = (), |b| y3::decode::<Entry<&str>>(b).unwrap();
        "serde_json": serde_json::write, () = (), |b| serde_json::read::<Owned>(b).unwrap();
        "serde_json borrowed": serde_json::write, () = (), |b| serde_json::read::<Entry<&str>>(b).unwrap();
        "sonic-rs": serde_json::write, () = (), |b| sonic_rs::read::<Owned>(b).unwrap();
        "sonic-rs borrowed": serde_json::write, () = (), |b| sonic_rs::read::<Entry<&str>>(b).unwrap();
        // simd-json writes to its input, so each run reads a copy.
        "simd-json borrowed": serde_json::write, (mut copy, mut buffers) = (Vec::new(), Buffers::new(1024)), |b| {
            copy.clear();
            copy.extend_from_slice(b);
            from_slice_with_buffers::<Entry<&str>>(&mut copy, &mut buffers).unwrap()
        };
        "rmp-serde": rmp_serde::write, () = (), |b| rmp_serde::read::<Owned>(b).unwrap();
        "rmp-serde borrowed": rmp_serde::write, () = (), |b| rmp_serde::read::<Entry<&str>>(b).unwrap();
        "prost": protobuf, () = (), |b| <dns::protobuf::Entry as prost::Message>::decode(b).unwrap();
        "prost reused": protobuf, mut reused = dns::protobuf::Entry::default(), |b| {
            prost::Message::clear(&mut reused);
            prost::Message::merge(&mut reused, b).unwrap();
            &reused
        };
        "minicbor borrowed": minicbor::write, () = (), |b| minicbor::read::<Entry<&str>>(b).unwrap();
        "postcard borrowed": postcard::write, () = (), |b| postcard::read::<Entry<&str>>(b).unwrap();
        "bincode borrowed": bincode::write, () = (), |b| bincode::read::<Entry<&str>>(b).unwrap();
        "bilrost borrowed": bilrost::write, () = (), |b| bilrost::read::<Entry<&str>>(b).unwrap();
        "rkyv checked": archive, () = (), |b| rkyv::access::<ArchivedEntry<String>, RkyvError>(b).unwrap();
    }
}
