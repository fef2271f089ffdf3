//! Streams: messages that are cut, joined and resumed.

use bytes::Bytes;
use y3::Limits;

use super::case::{BUFFER, BUFFER_AND_JOINED, CODEC, Cases, GROWING, LARGE, Memory, SIZES, nothing, same};
use super::inputs::{BOTH, CHILD, Input, NOWHERE, ONE, message};
use crate::by_hand::{packet, repeat};
use crate::stream::{self, Answer};

pub fn cases(cases: &mut Cases) {
    chunks(cases);
    joins(cases);
    resume(cases);
}

fn chunks(cases: &mut Cases) {
    let make = |size| Input::repeated(&message(), size, 1);
    cases
        .family("messages in chunks of 1", SIZES, make)
        .by("Watcher", |bytes| stream::watcher(bytes, 1, &CHILD))
        .with("Watcher, no hit", Memory::NONE, nothing, |bytes| stream::watcher(bytes, 1, &NOWHERE))
        .with("Collector", Memory::fixed(256), same, |bytes| stream::collector(bytes, 1, &CHILD))
        .with("Collector, Hit::to_bytes", Memory::per_byte(1), same, |bytes| {
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

    // One small hit per 64 KiB; all hits are kept.
    let sparse = |size| {
        Input::repeated(&[packet(0x81, &[0x02, 0x01, 0x07]), packet(0x03, &vec![0x61; 65_000])].concat(), size, 1)
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
    // The outer packet is split, so the inner ones are read from the buffer in which it was joined.
    let outer = |size| {
        let Input { bytes, answer } = Input::in_node(0x81, size);
        Input { bytes, answer: Answer::items(answer.items + 1) }
    };
    cases
        .family("one watched node full of watched packets, chunks of 64", SIZES, outer)
        .by("Watcher", |bytes| stream::watcher(bytes, 64, &BOTH))
        .with("Collector", GROWING, same, |bytes| stream::collector(bytes, 64, &BOTH))
        .with("Collector, Hit::to_bytes", Memory::per_byte(4), same, |bytes| {
            stream::collector_bytes(&Bytes::copy_from_slice(bytes), 64, &BOTH)
        });
    let values = |size| Input::repeated(&packet(0x01, &[0x61; 100]), size, 1);
    cases
        .family("values of 100 bytes, all split", SIZES, values)
        .with("Collector, chunks of 99", Memory::fixed(512), same, |bytes| stream::collector(bytes, 99, &ONE))
        .with("Collector, Hit::to_bytes, chunks of 99", Memory::per_byte(1), same, |bytes| {
            stream::collector_bytes(&Bytes::copy_from_slice(bytes), 99, &ONE)
        });
}

fn resume(cases: &mut Cases) {
    // A hit, then a child that reaches past the end of its node: both are items.
    let make = |size| Input::repeated(&[0x81, 0x02, 0x02, 0x00, 0x81, 0x03, 0x02, 0x05, 0x00], size, 2);
    cases
        .family("every second packet has an error", SIZES, make)
        .by("Watcher, resumed, chunks of 1", |bytes| stream::resuming(bytes, 1, &CHILD))
        .by("Watcher, resumed, chunks of 64", |bytes| stream::resuming(bytes, 64, &CHILD))
        .by("Watcher, resumed, one chunk", |bytes| stream::resuming(bytes, bytes.len(), &CHILD))
        .with("Collector, resumed, chunks of 1", Memory::fixed(256), same, |bytes| {
            stream::collector_resuming(bytes, 1, &CHILD)
        });
    // Without `resume`, every chunk returns the same error again.
    let failed = |size| {
        let (rest, _) = repeat(&[0x01, 0x00], size);
        Input { bytes: [&[0x01, 0x7f][..], &rest].concat(), answer: Answer::items(size + 1) }
    };
    cases.family("an error, and the sender continues", SIZES, failed).by("Watcher, chunks of 1", |bytes| {
        let mut watcher = y3::Watcher::new(&ONE, Limits::NONE);
        let faults = bytes.chunks(1).map(|chunk| watcher.feed(chunk).filter(Result::is_err).count());
        Answer::items(faults.sum())
    });
}
