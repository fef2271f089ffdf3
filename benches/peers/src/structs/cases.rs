//! Cases: each serializer at each task. The answer is asserted when the case is made.

use std::collections::HashMap;
use std::hint::black_box;

use bilrost::BorrowedMessage as _;
use kit::data::{Item, Node, Random};
use kit::message::{Message as KeyedRef, Owned as Keyed};

use super::case::Case;
use super::dns::{self, ArchivedEntry, Entry, EntryRef, Key};
use super::message::{ArchivedMessage, Message, MessageRef, derived, protobuf};
use super::partial::{self, THREE};
use crate::extract::{names, numbers};

type Archive = rkyv::util::AlignedVec;
type RkyvError = rkyv::rancor::Error;

const BINCODE: bincode::config::Configuration = bincode::config::standard();

/// All cases, group after group.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    encode(&mut cases);
    encode_into_a_slice(&mut cases);
    decode_borrowed(&mut cases);
    decode_owned(&mut cases);
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
    KeyedRef::EXAMPLE.encode(&mut expected).unwrap();
    assert_eq!(y3::serde::to_vec(&KeyedRef::EXAMPLE).unwrap(), expected);
    assert_eq!(y3::to_vec(0x01, &derived::Message::EXAMPLE).unwrap(), expected);

    let plain = Message::example;
    encode!(cases, "y3 serde", KeyedRef::EXAMPLE, |out, m| y3::serde::to_sink(&mut out, m).unwrap());
    encode!(cases, "y3 derive", derived::Message::EXAMPLE, |out, m| y3::Encoder::new(&mut out).put(0x01, m).unwrap());
    encode!(cases, "y3 by hand", KeyedRef::EXAMPLE, |out, m| m.encode(&mut out).unwrap());
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
    slice!("y3 serde", KeyedRef::EXAMPLE, |slice, m| {
        let mut sink = y3::SliceSink::new(&mut slice);
        y3::serde::to_sink(&mut sink, m).unwrap();
        sink.written().len()
    });
    slice!("y3 derive", derived::Message::EXAMPLE, |slice, m| {
        let mut sink = y3::SliceSink::new(&mut slice);
        y3::Encoder::new(&mut sink).put(0x01, m).unwrap();
        sink.written().len()
    });
    slice!("y3 by hand", KeyedRef::EXAMPLE, |slice, m| {
        let mut sink = y3::SliceSink::new(&mut slice);
        m.encode(&mut sink).unwrap();
        sink.written().len()
    });
    slice!("postcard", Message::example(), |slice, m| postcard::to_slice(m, &mut slice).unwrap().len());
    slice!("bincode", Message::example(), |slice, m| bincode::encode_into_slice(m, &mut slice, BINCODE).unwrap());
}

/// Decodes bytes; the result is asserted.
macro_rules! decode {
    ($cases:ident, $group:literal, $name:literal, $bytes:expr, $expected:expr, |$from:ident| $read:expr) => {{
        let input = $bytes.clone();
        let $from = &input[..];
        assert_eq!($read, $expected, "{}", $name);
        $cases.push(Case::new($group, $name, bytes(input.len()), move || {
            let $from = black_box(&input[..]);
            black_box($read);
        }));
    }};
}

/// The bytes of the message in each format.
struct Encoded {
    y3: Vec<u8>,
    json: Vec<u8>,
    msgpack: Vec<u8>,
    protobuf: Vec<u8>,
    cbor: Vec<u8>,
    postcard: Vec<u8>,
    bincode: Vec<u8>,
    bilrost: Vec<u8>,
    rkyv: Archive,
}

impl Encoded {
    fn new() -> Self {
        let plain = Message::example();
        Self {
            y3: y3::serde::to_vec(&KeyedRef::EXAMPLE).unwrap(),
            json: serde_json::to_vec(&plain).unwrap(),
            msgpack: rmp_serde::to_vec(&plain).unwrap(),
            protobuf: prost::Message::encode_to_vec(&protobuf::Message::example()),
            cbor: minicbor::to_vec(&plain).unwrap(),
            postcard: postcard::to_stdvec(&plain).unwrap(),
            bincode: bincode::encode_to_vec(&plain, BINCODE).unwrap(),
            bilrost: bilrost::Message::encode_to_vec(&plain),
            rkyv: rkyv::to_bytes::<RkyvError>(&plain).unwrap(),
        }
    }
}

/// The formats that own the values they read and those that borrow them, with a message type for each.
macro_rules! decode_all {
    ($cases:ident, $group:literal, $encoded:ident, $keyed:ty, $keyed_example:expr, $plain:ty, $plain_example:expr) => {{
        let Encoded { y3, json, msgpack, cbor, postcard, .. } = &$encoded;
        let (keyed, plain): ($keyed, $plain) = ($keyed_example, $plain_example);
        decode!($cases, $group, "y3 serde", y3, keyed, |b| y3::serde::from_slice::<$keyed>(b).unwrap());
        decode!($cases, $group, "y3 by hand", y3, keyed, |b| <$keyed>::from(KeyedRef::decode(b).unwrap()));
        decode!($cases, $group, "serde_json", json, plain, |b| serde_json::from_slice::<$plain>(b).unwrap());
        decode!($cases, $group, "sonic-rs", json, plain, |b| sonic_rs::from_slice::<$plain>(b).unwrap());
        // simd-json writes into its input, so the input is copied for each message.
        let (mut copy, mut buffers) = (json.clone(), simd_json::Buffers::new(256));
        decode!($cases, $group, "simd-json", json, plain, |b| {
            copy.copy_from_slice(b);
            simd_json::serde::from_slice_with_buffers::<$plain>(&mut copy, &mut buffers).unwrap()
        });
        decode!($cases, $group, "rmp-serde", msgpack, plain, |b| rmp_serde::from_slice::<$plain>(b).unwrap());
        decode!($cases, $group, "minicbor", cbor, plain, |b| minicbor::decode::<$plain>(b).unwrap());
        decode!($cases, $group, "postcard", postcard, plain, |b| postcard::from_bytes::<$plain>(b).unwrap());
    }};
}

fn decode_borrowed(cases: &mut Vec<Case>) {
    let encoded = Encoded::new();
    decode_all!(
        cases,
        "message/decode borrowed",
        encoded,
        KeyedRef<'_>,
        KeyedRef::EXAMPLE,
        MessageRef<'_>,
        MessageRef::EXAMPLE
    );
    let Encoded { y3, bincode, bilrost, rkyv, .. } = encoded;
    decode!(cases, "message/decode borrowed", "y3 derive", y3, derived::Message::EXAMPLE, |b| {
        y3::decode::<derived::Message<'_>>(b).unwrap()
    });
    let plain = MessageRef::EXAMPLE;
    decode!(cases, "message/decode borrowed", "bincode", bincode, plain, |b| {
        bincode::borrow_decode_from_slice::<MessageRef, _>(b, BINCODE).unwrap().0
    });
    decode!(cases, "message/decode borrowed", "bilrost", bilrost, plain, |b| MessageRef::decode_borrowed(b).unwrap());
    decode!(cases, "message/decode borrowed", "rkyv checked", rkyv, (0, plain.msg, plain.data.name, 18), |b| {
        let archived = rkyv::access::<ArchivedMessage, RkyvError>(b).unwrap();
        (archived.error.to_native(), &*archived.msg, &*archived.data.name, archived.data.age_number.to_native())
    });
}

fn decode_owned(cases: &mut Vec<Case>) {
    let encoded = Encoded::new();
    decode_all!(
        cases,
        "message/decode owned",
        encoded,
        Keyed,
        Keyed::from(KeyedRef::EXAMPLE),
        Message,
        Message::example()
    );
    let Encoded { y3, protobuf, bincode, bilrost, rkyv, .. } = encoded;
    decode!(cases, "message/decode owned", "y3 derive", y3, derived::Owned::example(), |b| {
        y3::decode::<derived::Owned>(b).unwrap()
    });
    let plain = Message::example();
    decode!(cases, "message/decode owned", "prost", protobuf, protobuf::Message::example(), |b| {
        <protobuf::Message as prost::Message>::decode(b).unwrap()
    });
    let mut reused = protobuf::Message::default();
    decode!(cases, "message/decode owned", "prost reused", protobuf, protobuf::Message::example().data, |b| {
        // `clear` would drop the inner message; merging overwrites the fields that are there.
        prost::Message::merge(&mut reused, b).unwrap();
        reused.data.clone()
    });
    decode!(cases, "message/decode owned", "bincode", bincode, plain, |b| {
        bincode::decode_from_slice::<Message, _>(b, BINCODE).unwrap().0
    });
    decode!(cases, "message/decode owned", "bilrost", bilrost, plain, |b| {
        <Message as bilrost::OwnedMessage>::decode(b).unwrap()
    });
    decode!(cases, "message/decode owned", "rkyv checked", rkyv, plain, |b| {
        rkyv::from_bytes::<Message, RkyvError>(b).unwrap()
    });
}

/// Three fields of sixty-three; without the formats whose readers have to know all fields.
fn decode_partial(cases: &mut Vec<Case>) {
    let model = Node::new(63, Item::cycle);
    let (y3, json) = (model.to_y3(), model.to_json());
    decode!(cases, "3 fields of 63", "y3 serde", y3, THREE, |b| {
        y3::serde::from_slice::<partial::Keyed>(b).unwrap().fields()
    });
    decode!(cases, "3 fields of 63", "y3 derive", y3, THREE, |b| y3::decode::<partial::Derived>(b).unwrap().fields());
    decode!(cases, "3 fields of 63", "y3 by hand", y3, THREE, |b| partial::decode(b).unwrap());
    decode!(cases, "3 fields of 63", "serde_json", json, THREE, |b| {
        serde_json::from_slice::<partial::Three>(b).unwrap().fields()
    });
    decode!(cases, "3 fields of 63", "sonic-rs", json, THREE, |b| {
        sonic_rs::from_slice::<partial::Three>(b).unwrap().fields()
    });
    decode!(cases, "3 fields of 63", "rmp-serde", names(&model), THREE, |b| {
        rmp_serde::from_slice::<partial::Three>(b).unwrap().fields()
    });
    decode!(cases, "3 fields of 63", "prost", numbers(&model), THREE, |b| {
        <partial::Protobuf as prost::Message>::decode(b).unwrap().fields()
    });
}

/// The number of entries in the cache: too many for a branch predictor to learn.
const ENTRIES: u32 = 1024;

/// Encodes the entries, asserts the answer for each, and reads one alone and one from a cache.
macro_rules! read {
    ($cases:ident, $name:literal, |$entry:ident| $encode:expr, |$from:ident| $read:expr) => {
        read!($cases, $name, |$entry| $encode, (), (), |$from| $read)
    };
    (
        $cases:ident, $name:literal, |$entry:ident| $encode:expr,
        $state:pat, $init:expr, |$from:ident| $read:expr
    ) => {{
        let entries: Vec<Entry> = (0..u64::from(ENTRIES)).map(Entry::example).collect();
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
    }};
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

fn y3_entry(entry: &Entry) -> Vec<u8> {
    y3::serde::to_vec(&dns::keyed::Entry::from(entry)).unwrap()
}

fn json_entry(entry: &Entry) -> Vec<u8> {
    serde_json::to_vec(entry).unwrap()
}

fn protobuf_entry(entry: &Entry) -> Vec<u8> {
    prost::Message::encode_to_vec(&dns::protobuf::Entry::from(entry))
}

fn dns(cases: &mut Vec<Case>) {
    read!(cases, "y3 from the bytes", |entry| y3_entry(entry), |b| {
        Answer(dns::keyed::alive(b).unwrap().map(str::as_bytes))
    });
    read!(cases, "y3 from the bytes, text untested", |entry| y3_entry(entry), |b| {
        Answer(dns::keyed::alive_bytes(b).unwrap())
    });
    read!(cases, "y3 serde", |entry| y3_entry(entry), |b| y3::serde::from_slice::<dns::keyed::Entry>(b).unwrap());
    read!(cases, "y3 serde borrowed", |entry| y3_entry(entry), |b| {
        y3::serde::from_slice::<dns::keyed::EntryRef>(b).unwrap()
    });
    read!(cases, "y3 derive", |entry| y3_entry(entry), |b| y3::decode::<dns::derived::Entry>(b).unwrap());
    read!(cases, "y3 derive borrowed", |entry| y3_entry(entry), |b| y3::decode::<dns::derived::EntryRef<'_>>(b)
        .unwrap());
    read!(cases, "serde_json", |entry| json_entry(entry), |b| serde_json::from_slice::<Entry>(b).unwrap());
    read!(cases, "serde_json borrowed", |entry| json_entry(entry), |b| serde_json::from_slice::<EntryRef>(b).unwrap());
    read!(cases, "sonic-rs", |entry| json_entry(entry), |b| sonic_rs::from_slice::<Entry>(b).unwrap());
    read!(cases, "sonic-rs borrowed", |entry| json_entry(entry), |b| sonic_rs::from_slice::<EntryRef>(b).unwrap());
    // simd-json writes into its input, so the input is copied for each entry.
    read!(
        cases,
        "simd-json borrowed",
        |entry| json_entry(entry),
        (mut copy, mut buffers),
        (Vec::new(), simd_json::Buffers::new(1024)),
        |b| {
            copy.clear();
            copy.extend_from_slice(b);
            simd_json::serde::from_slice_with_buffers::<EntryRef>(&mut copy, &mut buffers).unwrap()
        }
    );
    read!(cases, "rmp-serde", |entry| rmp_serde::to_vec(entry).unwrap(), |b| {
        rmp_serde::from_slice::<Entry>(b).unwrap()
    });
    read!(cases, "rmp-serde borrowed", |entry| rmp_serde::to_vec(entry).unwrap(), |b| {
        rmp_serde::from_slice::<EntryRef>(b).unwrap()
    });
    read!(cases, "prost", |entry| protobuf_entry(entry), |b| {
        <dns::protobuf::Entry as prost::Message>::decode(b).unwrap()
    });
    read!(cases, "prost reused", |entry| protobuf_entry(entry), mut reused, dns::protobuf::Entry::default(), |b| {
        prost::Message::clear(&mut reused);
        prost::Message::merge(&mut reused, b).unwrap();
        &reused
    });
    read!(cases, "minicbor borrowed", |entry| minicbor::to_vec(entry).unwrap(), |b| {
        minicbor::decode::<EntryRef>(b).unwrap()
    });
    read!(cases, "postcard borrowed", |entry| postcard::to_stdvec(entry).unwrap(), |b| {
        postcard::from_bytes::<EntryRef>(b).unwrap()
    });
    read!(cases, "bincode borrowed", |entry| bincode::encode_to_vec(entry, BINCODE).unwrap(), |b| {
        bincode::borrow_decode_from_slice::<EntryRef, _>(b, BINCODE).unwrap().0
    });
    read!(cases, "bilrost borrowed", |entry| bilrost::Message::encode_to_vec(entry), |b| {
        EntryRef::decode_borrowed(b).unwrap()
    });
    read!(cases, "rkyv checked", |entry| rkyv::to_bytes::<RkyvError>(entry).unwrap().to_vec(), |b| {
        rkyv::access::<ArchivedEntry, RkyvError>(b).unwrap()
    });
}
