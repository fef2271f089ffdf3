//! The shoot-out: y3 beside the serializers people use today, at the message and the DNS cache of SOURCES.md, document 3.
//!
//! In: the same values for all. Out: criterion's measurements, and a table made from them with allocations and sizes.
//! Every serializer's answer is asserted before it is timed.

mod support;

use std::collections::HashMap;
use std::hint::black_box;

use bilrost::{BorrowedMessage as _, Message as _};
use peers::Random;
use peers::dns::{self, ArchivedEntry, Entry, EntryRef, Key};
use peers::message::{self, ArchivedMessage, Message, MessageRef, keyed};
use peers::partial::{self, THREE};
use prost::Message as _;
use support::Bench;

type Archive = rkyv::util::AlignedVec;
type RkyvError = rkyv::rancor::Error;

const BINCODE: bincode::config::Configuration = bincode::config::standard();

fn main() {
    let mut bench = Bench::new();
    encode(&mut bench);
    decode_borrowed(&mut bench);
    decode_owned(&mut bench);
    decode_partial(&mut bench);
    dns(&mut bench);
    bench.finish();
}

/// A size that may be an average.
fn bytes(size: usize) -> f64 {
    f64::from(u32::try_from(size).expect("small"))
}

/// Encodes into a buffer that is used again and again.
macro_rules! encode {
    ($bench:ident, $name:literal, $value:expr, |$out:ident, $from:ident| $write:expr) => {{
        let mut $out = Vec::with_capacity(256);
        let $from = $value;
        $write;
        let size = bytes($out.len());
        $bench.case("message/encode", $name, size, || {
            $out.clear();
            let $from = black_box($from);
            $write;
            black_box(&$out);
        });
    }};
}

fn encode(bench: &mut Bench) {
    let plain = &Message::new();
    let mut expected = Vec::new();
    keyed::MessageRef::NEW.encode(&mut expected).unwrap();
    assert_eq!(y3::serde::to_vec(&keyed::MessageRef::NEW).unwrap(), expected);

    encode!(bench, "y3 serde", &keyed::MessageRef::NEW, |out, m| y3::serde::to_sink(&mut out, m).unwrap());
    encode!(bench, "y3 by hand", &keyed::MessageRef::NEW, |out, m| m.encode(&mut out).unwrap());
    encode!(bench, "serde_json", plain, |out, m| serde_json::to_writer(&mut out, m).unwrap());
    encode!(bench, "sonic-rs", plain, |out, m| sonic_rs::to_writer(&mut out, m).unwrap());
    encode!(bench, "simd-json", plain, |out, m| simd_json::to_writer(&mut out, m).unwrap());
    encode!(bench, "rmp-serde", plain, |out, m| rmp_serde::encode::write(&mut out, m).unwrap());
    encode!(bench, "prost", &message::protobuf::Message::example(), |out, m| m.encode(&mut out).unwrap());
    encode!(bench, "minicbor", plain, |out, m| minicbor::encode(m, &mut out).unwrap());
    encode!(bench, "postcard", plain, |out, m| out = postcard::to_extend(m, std::mem::take(&mut out)).unwrap());
    encode!(bench, "bincode", plain, |out, m| {
        bincode::encode_into_std_write(m, &mut out, BINCODE).unwrap();
    });
    encode!(bench, "bilrost", plain, |out, m| m.encode(&mut out).unwrap());

    let mut archive = Archive::with_capacity(256);
    let mut write = |message: &Message| {
        archive.clear();
        archive = rkyv::api::high::to_bytes_in::<_, RkyvError>(message, std::mem::take(&mut archive)).unwrap();
        archive.len()
    };
    let size = write(plain);
    bench.case("message/encode", "rkyv", bytes(size), || write(black_box(plain)));

    let mut slice = [0; 256];
    bench.case("message/encode into a slice", "y3 serde", bytes(expected.len()), || {
        y3::serde::to_slice(&mut slice, black_box(&keyed::MessageRef::NEW)).unwrap().len()
    });
    bench.case("message/encode into a slice", "y3 by hand", bytes(expected.len()), || {
        let mut sink = y3::SliceSink::new(&mut slice);
        black_box(&keyed::MessageRef::NEW).encode(&mut sink).unwrap();
        sink.written().len()
    });
    let size = postcard::to_slice(plain, &mut slice).unwrap().len();
    bench.case("message/encode into a slice", "postcard", bytes(size), || {
        postcard::to_slice(black_box(plain), &mut slice).unwrap().len()
    });
    let size = bincode::encode_into_slice(plain, &mut slice, BINCODE).unwrap();
    bench.case("message/encode into a slice", "bincode", bytes(size), || {
        bincode::encode_into_slice(black_box(plain), &mut slice, BINCODE).unwrap()
    });
}

/// Decodes bytes, after it has asserted what comes out.
macro_rules! decode {
    ($bench:ident, $group:literal, $name:literal, $bytes:expr, $expected:expr, |$from:ident| $read:expr) => {{
        let input: &[u8] = &$bytes;
        let (size, $from) = (bytes(input.len()), input);
        assert_eq!($read, $expected, "{}", $name);
        $bench.case($group, $name, size, || {
            let $from = black_box(input);
            black_box($read);
        });
    }};
}

/// The message's bytes in each format.
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
        let plain = Message::new();
        Self {
            y3: y3::serde::to_vec(&keyed::MessageRef::NEW).unwrap(),
            json: serde_json::to_vec(&plain).unwrap(),
            msgpack: rmp_serde::to_vec(&plain).unwrap(),
            protobuf: message::protobuf::Message::example().encode_to_vec(),
            cbor: minicbor::to_vec(&plain).unwrap(),
            postcard: postcard::to_stdvec(&plain).unwrap(),
            bincode: bincode::encode_to_vec(&plain, BINCODE).unwrap(),
            bilrost: plain.encode_to_vec(),
            rkyv: rkyv::to_bytes::<RkyvError>(&plain).unwrap(),
        }
    }
}

fn decode_borrowed(bench: &mut Bench) {
    let Encoded { y3, json, msgpack, cbor, postcard, bincode, bilrost, rkyv, .. } = Encoded::new();
    let (keyed, plain) = (keyed::MessageRef::NEW, MessageRef::NEW);

    decode!(bench, "message/decode borrowed", "y3 serde", y3, keyed, |b| {
        y3::serde::from_slice::<keyed::MessageRef>(b).unwrap()
    });
    decode!(bench, "message/decode borrowed", "y3 by hand", y3, keyed, |b| keyed::MessageRef::decode(b).unwrap());
    decode!(bench, "message/decode borrowed", "serde_json", json, plain, |b| {
        serde_json::from_slice::<MessageRef>(b).unwrap()
    });
    decode!(bench, "message/decode borrowed", "sonic-rs", json, plain, |b| {
        sonic_rs::from_slice::<MessageRef>(b).unwrap()
    });
    // It writes into its input, which so has to be copied for each message.
    let (mut copy, mut buffers) = (json.clone(), simd_json::Buffers::new(256));
    decode!(bench, "message/decode borrowed", "simd-json", json, plain, |b| {
        copy.copy_from_slice(b);
        simd_json::serde::from_slice_with_buffers::<MessageRef>(&mut copy, &mut buffers).unwrap()
    });
    decode!(bench, "message/decode borrowed", "rmp-serde", msgpack, plain, |b| {
        rmp_serde::from_slice::<MessageRef>(b).unwrap()
    });
    decode!(bench, "message/decode borrowed", "minicbor", cbor, plain, |b| {
        minicbor::decode::<MessageRef>(b).unwrap()
    });
    decode!(bench, "message/decode borrowed", "postcard", postcard, plain, |b| {
        postcard::from_bytes::<MessageRef>(b).unwrap()
    });
    decode!(bench, "message/decode borrowed", "bincode", bincode, plain, |b| {
        bincode::borrow_decode_from_slice::<MessageRef, _>(b, BINCODE).unwrap().0
    });
    decode!(bench, "message/decode borrowed", "bilrost", bilrost, plain, |b| {
        MessageRef::decode_borrowed(b).unwrap()
    });
    let archived = rkyv::access::<ArchivedMessage, RkyvError>(&rkyv).unwrap();
    assert_eq!((&*archived.msg, &*archived.data.name), (message::MSG, message::NAME));
    bench.case("message/decode borrowed", "rkyv checked", bytes(rkyv.len()), || {
        let archived = rkyv::access::<ArchivedMessage, RkyvError>(black_box(&rkyv)).unwrap();
        black_box((
            archived.error.to_native(),
            &*archived.msg,
            &*archived.data.name,
            archived.data.age_number.to_native(),
        ));
    });
}

fn decode_owned(bench: &mut Bench) {
    let Encoded { y3, json, msgpack, protobuf, cbor, postcard, bincode, bilrost, rkyv } = Encoded::new();
    let (keyed, plain) = (keyed::Message::example(), Message::new());

    decode!(bench, "message/decode owned", "y3 serde", y3, keyed, |b| {
        y3::serde::from_slice::<keyed::Message>(b).unwrap()
    });
    decode!(bench, "message/decode owned", "y3 by hand", y3, keyed, |b| keyed::Message::decode(b).unwrap());
    decode!(bench, "message/decode owned", "serde_json", json, plain, |b| serde_json::from_slice::<Message>(b)
        .unwrap());
    decode!(bench, "message/decode owned", "sonic-rs", json, plain, |b| sonic_rs::from_slice::<Message>(b).unwrap());
    let (mut copy, mut buffers) = (json.clone(), simd_json::Buffers::new(256));
    decode!(bench, "message/decode owned", "simd-json", json, plain, |b| {
        copy.copy_from_slice(b);
        simd_json::serde::from_slice_with_buffers::<Message>(&mut copy, &mut buffers).unwrap()
    });
    decode!(bench, "message/decode owned", "rmp-serde", msgpack, plain, |b| {
        rmp_serde::from_slice::<Message>(b).unwrap()
    });
    decode!(bench, "message/decode owned", "prost", protobuf, message::protobuf::Message::example(), |b| {
        <message::protobuf::Message as prost::Message>::decode(b).unwrap()
    });
    let mut reused = message::protobuf::Message::default();
    decode!(bench, "message/decode owned", "prost reused", protobuf, message::protobuf::Message::example().data, |b| {
        // `clear` would drop the inner message; merging writes over all fields that are there.
        reused.merge(b).unwrap();
        &reused.data
    }
    .clone());
    decode!(bench, "message/decode owned", "minicbor", cbor, plain, |b| minicbor::decode::<Message>(b).unwrap());
    decode!(bench, "message/decode owned", "postcard", postcard, plain, |b| {
        postcard::from_bytes::<Message>(b).unwrap()
    });
    decode!(bench, "message/decode owned", "bincode", bincode, plain, |b| {
        bincode::decode_from_slice::<Message, _>(b, BINCODE).unwrap().0
    });
    decode!(bench, "message/decode owned", "bilrost", bilrost, plain, |b| {
        <Message as bilrost::OwnedMessage>::decode(b).unwrap()
    });
    bench.case("message/decode owned", "rkyv checked", bytes(rkyv.len()), || {
        black_box(rkyv::from_bytes::<Message, RkyvError>(black_box(&rkyv)).unwrap());
    });
    assert_eq!(rkyv::from_bytes::<Message, RkyvError>(&rkyv).unwrap(), plain);
}

/// Three fields of sixty-three; the formats whose readers have to know all fields are left out.
fn decode_partial(bench: &mut Bench) {
    let y3 = partial::keyed::encode().unwrap();
    let json = serde_json::to_vec(&partial::named()).unwrap();
    let msgpack = rmp_serde::to_vec(&partial::named()).unwrap();
    let protobuf = partial::protobuf_bytes();

    decode!(bench, "3 fields of 63", "y3 serde", y3, THREE, |b| {
        y3::serde::from_slice::<partial::keyed::Three>(b).unwrap().fields()
    });
    decode!(bench, "3 fields of 63", "y3 by hand", y3, THREE, |b| partial::keyed::decode(b).unwrap());
    decode!(bench, "3 fields of 63", "serde_json", json, THREE, |b| {
        serde_json::from_slice::<partial::Three>(b).unwrap().fields()
    });
    decode!(bench, "3 fields of 63", "sonic-rs", json, THREE, |b| {
        sonic_rs::from_slice::<partial::Three>(b).unwrap().fields()
    });
    decode!(bench, "3 fields of 63", "rmp-serde", msgpack, THREE, |b| {
        rmp_serde::from_slice::<partial::Three>(b).unwrap().fields()
    });
    decode!(bench, "3 fields of 63", "prost", protobuf, THREE, |b| {
        <partial::protobuf::Three as prost::Message>::decode(b).unwrap().fields()
    });
}

/// How many entries the cache holds: more than a branch predictor learns by heart.
const ENTRIES: u32 = 1024;

/// Encodes the entries, asserts what is read from each, and times reading one alone and reading it out of a cache.
macro_rules! read {
    ($bench:ident, $entries:ident, $name:literal, |$entry:ident| $encode:expr, |$from:ident, $answer:ident| $read:expr) => {{
        let encoded: Vec<Vec<u8>> = $entries.iter().map(|$entry| $encode).collect();
        for (bytes, entry) in encoded.iter().zip(&$entries) {
            let $from = bytes.as_slice();
            let $answer = |ip: Option<&[u8]>| assert_eq!(ip, entry.alive(), "{}", $name);
            $read
        }
        let $answer = |ip: Option<&[u8]>| {
            black_box(ip);
        };
        let size = bytes(encoded.iter().map(Vec::len).sum()) / f64::from(ENTRIES);
        let mut next = order();
        $bench.case("dns/read an entry", $name, size, || {
            let $from = black_box(encoded[next()].as_slice());
            $read
        });
        let keys: Vec<Key> = (0..ENTRIES).map(Key::example).collect();
        let cache: HashMap<Key, Vec<u8>> = keys.iter().cloned().zip(encoded).collect();
        $bench.case("dns/look up and read", $name, size, || {
            let $from = cache[black_box(&keys[next()])].as_slice();
            $read
        });
    }};
}

/// The entries in an order that nobody guesses.
fn order() -> impl FnMut() -> usize {
    let mut random = Random(7);
    let order: Vec<usize> = (0..1 << 16).map(|_| random.below(ENTRIES)).collect();
    let mut turn = 0;
    move || {
        turn = (turn + 1) % (1 << 16);
        order[turn]
    }
}

fn dns(bench: &mut Bench) {
    let entries: Vec<Entry> = (0..u64::from(ENTRIES)).map(Entry::example).collect();

    read!(
        bench,
        entries,
        "y3 from the bytes",
        |entry| y3::serde::to_vec(&dns::keyed::Entry::from(entry)).unwrap(),
        |b, answer| answer(dns::keyed::alive(b).unwrap().map(str::as_bytes))
    );
    read!(
        bench,
        entries,
        "y3 from the bytes, text untested",
        |entry| y3::serde::to_vec(&dns::keyed::Entry::from(entry)).unwrap(),
        |b, answer| answer(dns::keyed::alive_bytes(b).unwrap())
    );
    read!(
        bench,
        entries,
        "y3 serde",
        |entry| y3::serde::to_vec(&dns::keyed::Entry::from(entry)).unwrap(),
        |b, answer| answer(y3::serde::from_slice::<dns::keyed::Entry>(b).unwrap().alive())
    );
    read!(
        bench,
        entries,
        "y3 serde borrowed",
        |entry| y3::serde::to_vec(&dns::keyed::Entry::from(entry)).unwrap(),
        |b, answer| answer(y3::serde::from_slice::<dns::keyed::EntryRef>(b).unwrap().alive())
    );
    read!(bench, entries, "serde_json", |entry| serde_json::to_vec(entry).unwrap(), |b, answer| answer(
        serde_json::from_slice::<Entry>(b).unwrap().alive()
    ));
    read!(bench, entries, "serde_json borrowed", |entry| serde_json::to_vec(entry).unwrap(), |b, answer| answer(
        serde_json::from_slice::<EntryRef>(b).unwrap().alive()
    ));
    read!(bench, entries, "sonic-rs", |entry| serde_json::to_vec(entry).unwrap(), |b, answer| answer(
        sonic_rs::from_slice::<Entry>(b).unwrap().alive()
    ));
    read!(bench, entries, "sonic-rs borrowed", |entry| serde_json::to_vec(entry).unwrap(), |b, answer| answer(
        sonic_rs::from_slice::<EntryRef>(b).unwrap().alive()
    ));
    // It writes into its input, which so has to be copied for each entry.
    let (mut copy, mut buffers) = (Vec::new(), simd_json::Buffers::new(1024));
    read!(bench, entries, "simd-json borrowed", |entry| serde_json::to_vec(entry).unwrap(), |b, answer| {
        copy.clear();
        copy.extend_from_slice(b);
        answer(simd_json::serde::from_slice_with_buffers::<EntryRef>(&mut copy, &mut buffers).unwrap().alive());
    });
    read!(bench, entries, "rmp-serde", |entry| rmp_serde::to_vec(entry).unwrap(), |b, answer| answer(
        rmp_serde::from_slice::<Entry>(b).unwrap().alive()
    ));
    read!(bench, entries, "rmp-serde borrowed", |entry| rmp_serde::to_vec(entry).unwrap(), |b, answer| answer(
        rmp_serde::from_slice::<EntryRef>(b).unwrap().alive()
    ));
    read!(bench, entries, "prost", |entry| dns::protobuf::Entry::from(entry).encode_to_vec(), |b, answer| answer(
        <dns::protobuf::Entry as prost::Message>::decode(b).unwrap().alive()
    ));
    let mut reused = dns::protobuf::Entry::default();
    read!(bench, entries, "prost reused", |entry| dns::protobuf::Entry::from(entry).encode_to_vec(), |b, answer| {
        prost::Message::clear(&mut reused);
        reused.merge(b).unwrap();
        answer(reused.alive());
    });
    read!(bench, entries, "minicbor borrowed", |entry| minicbor::to_vec(entry).unwrap(), |b, answer| answer(
        minicbor::decode::<EntryRef>(b).unwrap().alive()
    ));
    read!(bench, entries, "postcard borrowed", |entry| postcard::to_stdvec(entry).unwrap(), |b, answer| answer(
        postcard::from_bytes::<EntryRef>(b).unwrap().alive()
    ));
    read!(bench, entries, "bincode borrowed", |entry| bincode::encode_to_vec(entry, BINCODE).unwrap(), |b, answer| {
        answer(bincode::borrow_decode_from_slice::<EntryRef, _>(b, BINCODE).unwrap().0.alive());
    });
    read!(bench, entries, "bilrost borrowed", |entry| entry.encode_to_vec(), |b, answer| answer(
        EntryRef::decode_borrowed(b).unwrap().alive()
    ));
    read!(bench, entries, "rkyv checked", |entry| rkyv::to_bytes::<RkyvError>(entry).unwrap().to_vec(), |b, answer| {
        answer(rkyv::access::<ArchivedEntry, RkyvError>(b).unwrap().alive());
    });
}
