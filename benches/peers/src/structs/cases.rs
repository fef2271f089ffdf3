//! Cases: each serializer at each task. The answer is asserted when the case is made.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Duration;

use bilrost::{BorrowedMessage as _, OwnedMessage as _};
use kit::data::{Item, Node, Random};
use kit::message::Message as Keyed;
use kit::turns::{Timed, looped};

use super::dns::{self, ArchivedEntry, Entry, Key};
use super::message::{self, ArchivedMessage, Message, protobuf};
use super::partial::{self, THREE};
use crate::extract::{names, numbers};

/// One serializer at one task, in a loop of its own, so that no run has the cost of a call that a user does not make.
pub struct Case {
    pub group: &'static str,
    pub name: &'static str,
    /// The number of bytes written or read; a mean where messages differ.
    pub bytes: f64,
    timed: Timed<'static>,
}

impl Case {
    fn new<T>(group: &'static str, name: &'static str, bytes: f64, run: impl FnMut() -> T + 'static) -> Case {
        Case { group, name, bytes, timed: looped(run) }
    }

    /// The time of that many runs.
    pub fn time(&mut self, iterations: u64) -> Duration {
        (self.timed)(iterations)
    }
}

type Archive = rkyv::util::AlignedVec;
type RkyvError = rkyv::rancor::Error;

const BINCODE: bincode::config::Configuration = bincode::config::standard();

/// All cases, group after group.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    encode(&mut cases);
    encode_into_a_slice(&mut cases);
    decode_messages(&mut cases);
    decode_partial(&mut cases);
    dns(&mut cases);
    cases
}

/// A number of bytes, as a float since it may be a mean.
fn bytes(size: usize) -> f64 {
    f64::from(u32::try_from(size).expect("small"))
}

/// Encodes into a reused buffer.
macro_rules! encode {
    ($cases:ident, $name:literal, $value:expr, |$out:ident, $from:ident| $write:expr) => {{
        let (mut $out, value) = (Vec::with_capacity(256), $value);
        let $from = &value;
        $write;
        let size = bytes($out.len());
        $cases.push(Case::new("message/encode", $name, size, move || {
            $out.clear();
            let $from = black_box(&value);
            $write;
            black_box(&$out);
        }));
    }};
}

fn encode(cases: &mut Vec<Case>) {
    let mut expected = Vec::new();
    Keyed::EXAMPLE.encode(&mut expected).unwrap();
    assert_eq!(y3::serde::to_vec(&Keyed::EXAMPLE).unwrap(), expected);
    assert_eq!(y3::to_vec(0x01, &Message::EXAMPLE).unwrap(), expected);

    let plain = || Message::<String>::from(Message::EXAMPLE);
    encode!(cases, "y3 serde", Keyed::EXAMPLE, |out, m| y3::serde::to_sink(&mut out, m).unwrap());
    encode!(cases, "y3 derive", Message::EXAMPLE, |out, m| y3::Encoder::new(&mut out).put(0x01, m).unwrap());
    encode!(cases, "y3 by hand", Keyed::EXAMPLE, |out, m| m.encode(&mut out).unwrap());
    encode!(cases, "serde_json", plain(), |out, m| serde_json::to_writer(&mut out, m).unwrap());
    encode!(cases, "sonic-rs", plain(), |out, m| sonic_rs::to_writer(&mut out, m).unwrap());
    encode!(cases, "simd-json", plain(), |out, m| simd_json::to_writer(&mut out, m).unwrap());
    encode!(cases, "rmp-serde", plain(), |out, m| rmp_serde::encode::write(&mut out, m).unwrap());
    encode!(cases, "prost", protobuf::Message::example(), |out, m| prost::Message::encode(m, &mut out).unwrap());
    encode!(cases, "minicbor", plain(), |out, m| minicbor::encode(m, &mut out).unwrap());
    encode!(cases, "postcard", plain(), |out, m| out = postcard::to_extend(m, std::mem::take(&mut out)).unwrap());
    encode!(cases, "bincode", plain(), |out, m| {
        bincode::encode_into_std_write(m, &mut out, BINCODE).unwrap();
    });
    encode!(cases, "bilrost", plain(), |out, m| bilrost::Message::encode(m, &mut out).unwrap());

    let (mut archive, plain) = (Archive::with_capacity(256), plain());
    let mut write = move || {
        archive.clear();
        let bytes = std::mem::take(&mut archive);
        archive = rkyv::api::high::to_bytes_in::<_, RkyvError>(black_box(&plain), bytes).unwrap();
        archive.len()
    };
    cases.push(Case::new("message/encode", "rkyv", bytes(write()), write));
}

fn encode_into_a_slice(cases: &mut Vec<Case>) {
    macro_rules! slice {
        ($name:literal, $value:expr, |$slice:ident, $from:ident| $write:expr) => {{
            let (mut $slice, value) = ([0; 256], $value);
            let mut write = move || {
                let $from = black_box(&value);
                $write
            };
            cases.push(Case::new("message/encode into a slice", $name, bytes(write()), write));
        }};
    }
    slice!("y3 serde", Keyed::EXAMPLE, |slice, m| {
        let mut sink = y3::SliceSink::new(&mut slice);
        y3::serde::to_sink(&mut sink, m).unwrap();
        sink.written().len()
    });
    slice!("y3 derive", Message::EXAMPLE, |slice, m| {
        let mut sink = y3::SliceSink::new(&mut slice);
        y3::Encoder::new(&mut sink).put(0x01, m).unwrap();
        sink.written().len()
    });
    slice!("y3 by hand", Keyed::EXAMPLE, |slice, m| {
        let mut sink = y3::SliceSink::new(&mut slice);
        m.encode(&mut sink).unwrap();
        sink.written().len()
    });
    slice!("postcard", Message::<String>::from(Message::EXAMPLE), |slice, m| postcard::to_slice(m, &mut slice)
        .unwrap()
        .len());
    slice!("bincode", Message::<String>::from(Message::EXAMPLE), |slice, m| bincode::encode_into_slice(
        m, &mut slice, BINCODE
    )
    .unwrap());
}

/// Decodes bytes; the results are asserted.
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

/// The formats that own the texts they read and those that borrow them, and what is only one of both.
fn decode_messages(cases: &mut Vec<Case>) {
    let owned = Message::<String>::from(Message::EXAMPLE);
    let y3 = y3::serde::to_vec(&Keyed::EXAMPLE).unwrap();
    let json = serde_json::to_vec(&owned).unwrap();
    let msgpack = rmp_serde::to_vec(&owned).unwrap();
    let protobuf = prost::Message::encode_to_vec(&protobuf::Message::example());
    let cbor = minicbor::to_vec(&owned).unwrap();
    let postcard = postcard::to_stdvec(&owned).unwrap();
    let bincode = bincode::encode_to_vec(&owned, BINCODE).unwrap();
    let bilrost = bilrost::Message::encode_to_vec(&owned);
    let rkyv: Archive = rkyv::to_bytes::<RkyvError>(&owned).unwrap();
    macro_rules! decode_all {
        ($group:literal, $text:ty, $bilrost:ident) => {{
            let (keyed, plain) = (Keyed::<$text>::from(Keyed::EXAMPLE), Message::<$text>::from(Message::EXAMPLE));
            // simd-json writes into its input, so the input is copied for each message.
            let (mut copy, mut buffers) = (json.clone(), simd_json::Buffers::new(256));
            decode! { cases, $group;
                "y3 serde": y3 => keyed, |b| y3::serde::from_slice::<Keyed<$text>>(b).unwrap();
                "y3 by hand": y3 => keyed, |b| Keyed::<$text>::from(Keyed::decode(b).unwrap());
                "serde_json": json => plain, |b| serde_json::from_slice::<Message<$text>>(b).unwrap();
                "sonic-rs": json => plain, |b| sonic_rs::from_slice::<Message<$text>>(b).unwrap();
                "simd-json": json => plain, |b| {
                    copy.copy_from_slice(b);
                    simd_json::serde::from_slice_with_buffers::<Message<$text>>(&mut copy, &mut buffers).unwrap()
                };
                "rmp-serde": msgpack => plain, |b| rmp_serde::from_slice::<Message<$text>>(b).unwrap();
                "minicbor": cbor => plain, |b| minicbor::decode::<Message<$text>>(b).unwrap();
                "postcard": postcard => plain, |b| postcard::from_bytes::<Message<$text>>(b).unwrap();
                "y3 derive": y3 => plain, |b| y3::decode::<Message<$text>>(b).unwrap();
                "bilrost": bilrost => plain, |b| Message::<$text>::$bilrost(b).unwrap();
            }
        }};
    }
    decode_all!("message/decode borrowed", &str, decode_borrowed);
    let example = Message::EXAMPLE;
    decode! { cases, "message/decode borrowed";
        "loop by hand": y3 => example, |b| message::by_hand(b).unwrap();
        "bincode": bincode => example, |b| bincode::borrow_decode_from_slice::<Message<&str>, _>(b, BINCODE).unwrap().0;
        "rkyv checked": rkyv => (0, example.msg, example.data.name, 18), |b| {
            let archived = rkyv::access::<ArchivedMessage<String>, RkyvError>(b).unwrap();
            (archived.error.to_native(), &*archived.msg, &*archived.data.name, archived.data.age_number.to_native())
        };
    }
    decode_all!("message/decode owned", String, decode);
    let mut reused = protobuf::Message::default();
    decode! { cases, "message/decode owned";
        "prost": protobuf => protobuf::Message::example(), |b| {
            <protobuf::Message as prost::Message>::decode(b).unwrap()
        };
        "prost reused": protobuf => protobuf::Message::example().data, |b| {
            // `clear` would drop the inner message; merging overwrites the fields that are there.
            prost::Message::merge(&mut reused, b).unwrap();
            reused.data.clone()
        };
        "bincode": bincode => owned, |b| bincode::decode_from_slice::<Message<String>, _>(b, BINCODE).unwrap().0;
        "rkyv checked": rkyv => owned, |b| rkyv::from_bytes::<Message<String>, RkyvError>(b).unwrap();
    }
}

/// Three fields of sixty-three; without the formats whose readers have to know all fields.
fn decode_partial(cases: &mut Vec<Case>) {
    let model = Node::new(63, Item::cycle);
    let (y3, json) = (model.to_y3(), model.to_json());
    decode! { cases, "3 fields of 63";
        "y3 serde": y3 => THREE, |b| y3::serde::from_slice::<partial::Keyed>(b).unwrap().fields();
        "y3 derive": y3 => THREE, |b| y3::decode::<partial::Three>(b).unwrap().fields();
        "y3 by hand": y3 => THREE, |b| partial::decode(b).unwrap();
        "serde_json": json => THREE, |b| serde_json::from_slice::<partial::Three>(b).unwrap().fields();
        "sonic-rs": json => THREE, |b| sonic_rs::from_slice::<partial::Three>(b).unwrap().fields();
        "rmp-serde": names(&model) => THREE, |b| rmp_serde::from_slice::<partial::Three>(b).unwrap().fields();
        "prost": numbers(&model) => THREE, |b| <partial::Three as prost::Message>::decode(b).unwrap().fields();
    }
}

/// The number of entries in the cache: too many for a branch predictor to learn.
const ENTRIES: u32 = 1024;

/// Encodes the entries, asserts the answer for each, and reads one alone and one from a cache.
macro_rules! read {
    ($cases:ident; $($name:literal: |$entry:ident| $encode:expr, $state:pat = $init:expr, |$from:ident| $read:expr;)*) => {$({
        let entries: Vec<Entry<String>> = (0..u64::from(ENTRIES)).map(Entry::example).collect();
        let encoded: Vec<Vec<u8>> = entries.iter().map(|$entry| $encode).collect();
        {
            let $state = $init;
            for (bytes, entry) in encoded.iter().zip(&entries) {
                let $from = bytes.as_slice();
                assert_eq!($read.alive(), entry.alive(), "{}", $name);
            }
        }
        let size = bytes(encoded.iter().map(Vec::len).sum()) / f64::from(ENTRIES);
        let keys: Vec<Key> = (0..ENTRIES).map(Key::example).collect();
        let cache: HashMap<Key, Vec<u8>> = keys.iter().cloned().zip(encoded.iter().cloned()).collect();
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

/// The entries in a random order.
fn order() -> impl FnMut() -> usize {
    let mut random = Random::new(7);
    let order: Vec<usize> = (0..1 << 16).map(|_| random.below(ENTRIES as usize)).collect();
    let mut turn = 0;
    move || {
        turn = (turn + 1) % (1 << 16);
        order[turn]
    }
}

/// An answer read from the bytes only.
struct Answer<'a>(Option<&'a [u8]>);

impl<'a> Answer<'a> {
    fn alive(&self) -> Option<&'a [u8]> {
        self.0
    }
}

fn dns(cases: &mut Vec<Case>) {
    let y3 = |entry: &Entry<String>| y3::to_vec(1, entry).unwrap();
    let json = |entry: &Entry<String>| serde_json::to_vec(entry).unwrap();
    let msgpack = |entry: &Entry<String>| rmp_serde::to_vec(entry).unwrap();
    let protobuf = |entry: &Entry<String>| {
        let entry: dns::protobuf::Entry = serde_json::from_slice(&json(entry)).unwrap();
        prost::Message::encode_to_vec(&entry)
    };
    // simd-json writes into its input, so the input is copied for each entry.
    let fresh = || (Vec::new(), simd_json::Buffers::new(1024));
    let bincode = |entry: &Entry<String>| bincode::encode_to_vec(entry, BINCODE).unwrap();
    let new = dns::protobuf::Entry::default;
    read! { cases;
        "y3 from the bytes": |e| y3(e), () = (), |b| Answer(dns::alive(b).unwrap().map(str::as_bytes));
        "y3 from the bytes, text untested": |e| y3(e), () = (), |b| Answer(dns::alive_bytes(b).unwrap());
        "y3 serde": |e| y3(e), () = (), |b| y3::serde::from_slice::<dns::keyed::Entry<String>>(b).unwrap();
        "y3 serde borrowed": |e| y3(e), () = (), |b| y3::serde::from_slice::<dns::keyed::Entry<&str>>(b).unwrap();
        "y3 derive": |e| y3(e), () = (), |b| y3::decode::<Entry<String>>(b).unwrap();
        "y3 derive borrowed": |e| y3(e), () = (), |b| y3::decode::<Entry<&str>>(b).unwrap();
        "serde_json": |e| json(e), () = (), |b| serde_json::from_slice::<Entry<String>>(b).unwrap();
        "serde_json borrowed": |e| json(e), () = (), |b| serde_json::from_slice::<Entry<&str>>(b).unwrap();
        "sonic-rs": |e| json(e), () = (), |b| sonic_rs::from_slice::<Entry<String>>(b).unwrap();
        "sonic-rs borrowed": |e| json(e), () = (), |b| sonic_rs::from_slice::<Entry<&str>>(b).unwrap();
        "simd-json borrowed": |e| json(e), (mut copy, mut buffers) = fresh(), |b| {
            copy.clear();
            copy.extend_from_slice(b);
            simd_json::serde::from_slice_with_buffers::<Entry<&str>>(&mut copy, &mut buffers).unwrap()
        };
        "rmp-serde": |e| msgpack(e), () = (), |b| rmp_serde::from_slice::<Entry<String>>(b).unwrap();
        "rmp-serde borrowed": |e| msgpack(e), () = (), |b| rmp_serde::from_slice::<Entry<&str>>(b).unwrap();
        "prost": |e| protobuf(e), () = (), |b| <dns::protobuf::Entry as prost::Message>::decode(b).unwrap();
        "prost reused": |e| protobuf(e), mut reused = new(), |b| {
            prost::Message::clear(&mut reused);
            prost::Message::merge(&mut reused, b).unwrap();
            &reused
        };
        "minicbor borrowed": |e| minicbor::to_vec(e).unwrap(), () = (), |b| minicbor::decode::<Entry<&str>>(b).unwrap();
        "postcard borrowed": |e| postcard::to_stdvec(e).unwrap(), () = (), |b| {
            postcard::from_bytes::<Entry<&str>>(b).unwrap()
        };
        "bincode borrowed": |e| bincode(e), () = (), |b| {
            bincode::borrow_decode_from_slice::<Entry<&str>, _>(b, BINCODE).unwrap().0
        };
        "bilrost borrowed": |e| bilrost::Message::encode_to_vec(e), () = (), |b| {
            Entry::<&str>::decode_borrowed(b).unwrap()
        };
        "rkyv checked": |e| rkyv::to_bytes::<RkyvError>(e).unwrap().to_vec(), () = (), |b| {
            rkyv::access::<ArchivedEntry<String>, RkyvError>(b).unwrap()
        };
    }
}
