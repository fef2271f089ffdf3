//! Stream: runs the watcher with several sizes of chunks and values, and compares it with decoders of frames and of
//! JSON lines.

use std::hint::black_box;
use std::io::Write as _;

use bytes::BytesMut;
use kit::Sum;
use kit::bench::{Cases, Throughput, criterion, main as bench};
use kit::data::Random;
use kit::message::of_stream;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio_util::codec::{Decoder, LengthDelimitedCodec};
use y3::{Encoder, Event, Limits, Packet, PathSet, Watcher, path};

const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
/// The chunk size in the comparison of value sizes and hit rates.
const CHUNK: usize = 16 << 10;
/// The minimum size of a stream, larger than the caches of a core.
const TOTAL: usize = 4 << 20;
/// Hits per hundred messages.
const RATES: [usize; 2] = [1, 100];

/// Writes one message: a number, a value with the watched key or the next key, and a text.
struct Message {
    number: u32,
    is_hit: bool,
    value: Vec<u8>,
}

/// Messages with values of `size` bytes, and the expected result. `rate` in a hundred messages are hits, at random
/// positions.
fn messages(size: usize, rate: usize) -> (Vec<Message>, Sum) {
    let count = TOTAL.div_ceil(size + 24).max(100);
    let mut random = Random::new(1);
    let message = |number: usize| Message {
        number: u32::try_from(number).unwrap(),
        is_hit: random.below(100) < rate,
        value: vec![b'a' + random.byte() % 26; size],
    };
    let messages: Vec<Message> = (0..count).map(message).collect();
    let hits = messages.iter().filter(|message| message.is_hit).map(|message| &*message.value).collect();
    (messages, hits)
}

/// Writes one message.
type Write = fn(&Message, &mut Vec<u8>);

/// The adjacent messages.
fn stream(messages: &[Message], write: Write) -> Vec<u8> {
    let mut out = Vec::new();
    for message in messages {
        write(message, &mut out);
    }
    out
}

fn packet(Message { number, is_hit, value }: &Message, out: &mut Vec<u8>) {
    of_stream(out, *number, *is_hit, value).unwrap();
}

/// Writes a frame: the length of the packet in four bytes, then the packet.
fn framed(message: &Message, out: &mut Vec<u8>) {
    let mut frame = Vec::new();
    packet(message, &mut frame);
    out.extend(u32::try_from(frame.len()).unwrap().to_be_bytes());
    out.extend(frame);
}

fn json(Message { number, is_hit, value }: &Message, out: &mut Vec<u8>) {
    let (key, value) = (if *is_hit { 11 } else { 12 }, std::str::from_utf8(value).unwrap());
    writeln!(out, "{{\"10\":{number},\"{key}\":\"{value}\",\"13\":\"10.0.3.7\"}}").unwrap();
}

/// A reader of frames: waits for a frame, decodes it completely, and reads one field.
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

/// A JSON line. Only the watched field is read, as borrowed text.
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
    for part in bytes.chunks(chunk).flat_map(|chunk| chunk.split_inclusive(|&byte| byte == b'\n')) {
        let is_end = part.ends_with(b"\n");
        if line.is_empty() && is_end {
            look(part);
            continue;
        }
        line.extend_from_slice(part);
        if is_end {
            look(&line);
            line.clear();
        }
    }
    sum
}

/// Reads a stream in chunks of a size.
type Read = fn(&[u8], usize) -> Sum;

/// Compares the watcher with chunks of each size and the watcher of a slice, on small messages.
fn chunk_sizes(cases: &mut impl Cases) {
    for rate in RATES {
        let (messages, hits) = messages(4, rate);
        let bytes = stream(&messages, packet);
        let name = format!("stream/chunks/4 B, {rate}% hits, {} packets", messages.len());
        cases.group(name, Throughput::Bytes(bytes.len() as u64));
        cases.case("slice", &hits, || Sum::of_hits(WATCHED.watch(black_box(&bytes))));
        for chunk in [16, 64, 1 << 10, 16 << 10, 1 << 20] {
            cases.case(format!("y3/{chunk}"), &hits, || Sum::of_chunks(&WATCHED, black_box(&bytes), chunk));
        }
    }
}

/// Compares the watcher and other readers of streams at each value size and hit rate.
fn value_sizes(cases: &mut impl Cases) {
    const READERS: [(&str, Write, Read); 3] = [
        ("y3", packet, |bytes, chunk| Sum::of_chunks(&WATCHED, bytes, chunk)),
        ("frames, decoded whole", framed, frames),
        ("json lines, lazy", json, lines),
    ];
    for size in [4, 64, 1 << 10, 64 << 10, 1 << 20] {
        for rate in RATES {
            let (messages, hits) = messages(size, rate);
            for (name, write, read) in READERS {
                let bytes = stream(&messages, write);
                let group = format!("stream/values/{size} B, {rate}% hits, {} packets", messages.len());
                cases.group(group, Throughput::Bytes(bytes.len() as u64));
                cases.case(name, &hits, || read(black_box(&bytes), CHUNK));
            }
        }
    }
}

/// A stream of 1 GiB. Each packet has 64 KiB of unwatched bytes and eight watched bytes. For comparison, another case
/// reads the same bytes once.
fn endless(cases: &mut impl Cases) {
    let (mut block, long) = (Vec::new(), vec![0u8; 64 << 10]);
    for number in 0..16u64 {
        Encoder::new(&mut block)
            .node(0x01, |node| {
                node.put(0x10, &long[..])?;
                node.put(0x11, number.to_be_bytes())
            })
            .unwrap();
    }
    let turns = (1usize << 30).div_ceil(block.len());
    cases.group("stream/1 GiB, 64 KiB unwatched", Throughput::Bytes((turns * block.len()) as u64));
    for chunk in [CHUNK, 64 << 10] {
        cases.case(format!("y3/{chunk}"), &(turns * 16), || {
            let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
            let mut hits = 0;
            for chunk in (0..turns).flat_map(|_| black_box(&block[..]).chunks(chunk)) {
                let events = watcher.feed(chunk);
                hits += events.filter(|event| matches!(event, Ok(Event::Hit(_) | Event::End { .. }))).count();
            }
            watcher.finish().unwrap();
            hits
        });
    }
    let sum = |block: &[u8]| {
        let words = block.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
        words.fold(0, u64::wrapping_add)
    };
    let want = sum(&block).wrapping_mul(turns as u64);
    cases.case("the bytes read once", &want, || (0..turns).map(|_| sum(black_box(&block))).fold(0, u64::wrapping_add));
}

fn main() {
    bench(criterion(100, 400, 20), |cases| {
        chunk_sizes(cases);
        value_sizes(cases);
        endless(cases);
    });
}
