//! Stream: the watcher by chunk size and by value size, compared with frames that are decoded whole and with lines of JSON.

use std::hint::black_box;

use bytes::BytesMut;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kit::Sum;
use kit::bench::{criterion, time};
use kit::data::Random;
use kit::message::of_stream;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio_util::codec::{Decoder, LengthDelimitedCodec};
use y3::{Encoder, Event, Limits, Packet, PathSet, Watcher, path};

const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
/// The chunk size for the comparison of value sizes and hit rates.
const CHUNK: usize = 16 << 10;
/// The least data that a bench reads: a stream is larger than the caches next to the core.
const TOTAL: usize = 4 << 20;
/// Hits in a hundred messages.
const RATES: [usize; 2] = [1, 100];

/// One message: a number, a value under the watched key or the next one, a text.
struct Message {
    number: u32,
    is_hit: bool,
    value: Vec<u8>,
}

/// Messages with values of that many bytes, of which `rate` in a hundred are hits, at random positions.
fn messages(size: usize, rate: usize) -> Vec<Message> {
    let count = TOTAL.div_ceil(size + 24).max(100);
    let mut random = Random::new(1);
    let mut message = |number: usize| Message {
        number: u32::try_from(number).unwrap(),
        is_hit: random.below(100) < rate,
        value: vec![b'a' + random.byte() % 26; size],
    };
    (0..count.min(64 * TOTAL / size.max(1))).map(&mut message).collect()
}

fn expected(messages: &[Message]) -> Sum {
    let mut sum = Sum::default();
    messages.iter().filter(|message| message.is_hit).for_each(|message| sum.add(&message.value));
    sum
}

/// The messages as packets back to back.
fn packets(messages: &[Message]) -> Vec<u8> {
    let mut out = Vec::new();
    for message in messages {
        encode(&mut out, message);
    }
    out
}

fn encode(out: &mut Vec<u8>, Message { number, is_hit, value }: &Message) {
    of_stream(out, *number, *is_hit, value).unwrap();
}

/// A reader of a stream in chunks of a size.
type Read = fn(&[u8], usize) -> Sum;

/// A program that knows only frames: it waits for a frame, decodes all of it, and reads one field.
#[derive(Default)]
#[allow(dead_code, reason = "decoded all the same")]
struct Decoded {
    number: Option<u32>,
    watched: Option<Vec<u8>>,
    other: Option<Vec<u8>>,
    from: Option<String>,
}

fn frames(bytes: &[u8], chunk: usize) -> Sum {
    let mut codec = LengthDelimitedCodec::builder().max_frame_length(64 << 20).new_codec();
    let (mut buffer, mut sum) = (BytesMut::new(), Sum::default());
    for chunk in bytes.chunks(chunk) {
        buffer.extend_from_slice(chunk);
        while let Some(frame) = codec.decode(&mut buffer).unwrap() {
            let mut decoded = Decoded::default();
            for field in Packet::from_slice(&frame).unwrap().children() {
                let field = field.unwrap();
                match field.key().get() {
                    0x10 => decoded.number = Some(field.decode().unwrap()),
                    0x11 => decoded.watched = Some(field.value().to_vec()),
                    0x12 => decoded.other = Some(field.value().to_vec()),
                    _ => decoded.from = Some(field.decode::<&str>().unwrap().to_owned()),
                }
            }
            if let Some(value) = &black_box(decoded).watched {
                sum.add(value);
            }
        }
    }
    sum
}

/// Each packet after its length in four bytes.
fn framed(messages: &[Message]) -> Vec<u8> {
    let (mut out, mut packet) = (Vec::new(), Vec::new());
    for message in messages {
        packet.clear();
        encode(&mut packet, message);
        out.extend(u32::try_from(packet.len()).unwrap().to_be_bytes());
        out.extend_from_slice(&packet);
    }
    out
}

/// A line of which only the watched field is read, borrowed as text.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "11")]
    watched: Option<&'a RawValue>,
}

fn lines(bytes: &[u8], chunk: usize) -> Sum {
    let (mut line, mut sum) = (Vec::new(), Sum::default());
    let mut look = |line: &[u8]| {
        let line: Line<'_> = serde_json::from_slice(line).unwrap();
        if let Some(value) = line.watched {
            sum.add(value.get().trim_matches('"').as_bytes());
        }
    };
    for chunk in bytes.chunks(chunk) {
        let mut parts = chunk.split_inclusive(|&byte| byte == b'\n');
        for part in &mut parts {
            if line.is_empty() && part.ends_with(b"\n") {
                look(part);
                continue;
            }
            line.extend_from_slice(part);
            if line.ends_with(b"\n") {
                look(&line);
                line.clear();
            }
        }
    }
    sum
}

fn json(messages: &[Message]) -> Vec<u8> {
    let mut out = Vec::new();
    for message in messages {
        let (key, value) = (if message.is_hit { 11 } else { 12 }, std::str::from_utf8(&message.value).unwrap());
        out.extend(format!("{{\"10\":{},\"{key}\":\"{value}\",\"13\":\"10.0.3.7\"}}\n", message.number).into_bytes());
    }
    out
}

/// Times the watcher with chunks of every size, and the slice watcher, on small messages.
fn chunk_sizes(criterion: &mut Criterion) {
    for rate in RATES {
        let messages = messages(4, rate);
        let (bytes, expected) = (packets(&messages), expected(&messages));
        let name = format!("stream/chunks/4 B, {rate}% hits, {} packets", messages.len());
        let mut group = criterion.benchmark_group(name);
        time(&mut group, "slice", &bytes, expected, |bytes| Sum::of_hits(WATCHED.watch(bytes)));
        for chunk in [16, 64, 1 << 10, 16 << 10, 1 << 20] {
            time(&mut group, &format!("y3/{chunk}"), &bytes, expected, |bytes| Sum::of_chunks(&WATCHED, bytes, chunk));
        }
    }
}

/// Times values of every size at every hit rate, for the watcher and other readers of streams.
fn value_sizes(criterion: &mut Criterion) {
    for size in [4, 64, 1 << 10, 64 << 10, 1 << 20] {
        for rate in RATES {
            let messages = messages(size, rate);
            let expected = expected(&messages);
            let mut group =
                criterion.benchmark_group(format!("stream/values/{size} B, {rate}% hits, {} packets", messages.len()));
            let readers: [(&str, Vec<u8>, Read); 3] = [
                ("y3", packets(&messages), |bytes, chunk| Sum::of_chunks(&WATCHED, bytes, chunk)),
                ("frames, decoded whole", framed(&messages), frames),
                ("json lines, lazy", json(&messages), lines),
            ];
            for (name, bytes, read) in readers {
                time(&mut group, name, &bytes, expected, |bytes| read(bytes, CHUNK));
            }
        }
    }
}

/// Reads a stream of 1 GiB, in which each packet has 64 KiB that are not watched and eight bytes that are; and for
/// comparison reads the same bytes once.
fn endless(criterion: &mut Criterion) {
    let (mut block, long) = (Vec::new(), vec![0; 64 << 10]);
    for number in 0..16u64 {
        Encoder::new(&mut block)
            .node(0x01, |node| {
                node.put(0x10, &long[..])?;
                node.put(0x11, number.to_be_bytes())
            })
            .unwrap();
    }
    let turns = (1usize << 30).div_ceil(block.len());
    let mut group = criterion.benchmark_group("stream/1 GiB, 64 KiB unwatched");
    group.throughput(Throughput::Bytes((turns * block.len()) as u64)).sample_size(10);
    for chunk in [CHUNK, 64 << 10] {
        let watch = || {
            let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
            let mut hits = 0;
            for _ in 0..turns {
                for chunk in black_box(&block[..]).chunks(chunk) {
                    hits += watcher
                        .feed(chunk)
                        .filter(|event| matches!(event, Ok(Event::Hit(_) | Event::End { .. })))
                        .count();
                }
            }
            watcher.finish().unwrap();
            hits
        };
        assert_eq!(watch(), turns * 16);
        group.bench_function(BenchmarkId::new("y3", chunk), |bencher| bencher.iter(watch));
    }
    group.bench_function("the bytes read once", |bencher| {
        bencher.iter(|| {
            let words = |block: &[u8]| {
                block.chunks_exact(8).fold(0, |sum, word| sum ^ u64::from_le_bytes(word.try_into().unwrap()))
            };
            (0..turns).fold(0, |sum, _| sum ^ words(black_box(&block)))
        });
    });
}

criterion_group!(name = benches; config = criterion(100, 400, 20); targets = chunk_sizes, value_sizes, endless);
criterion_main!(benches);
