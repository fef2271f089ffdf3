//! Streams: messages that are split, joined and resumed.

use kit::by_hand::{packet, repeat};
use y3::Limits;

use super::case::{BUFFER, BUFFER_AND_JOINED, CODEC, Cases, GROWING, LARGE, Memory, SIZES, families, nothing};
use super::inputs::{BOTH, CHILD, Input, NOWHERE, ONE, message};
use crate::stream::{self, Answer};

pub fn cases(cases: &mut Cases) {
    let messages = |size| Input::repeated(&message(), size, 1);
    // Each 64 KiB have one small hit. All hits are kept.
    let sparse = |size| {
        Input::repeated(&[packet(0x81, &[0x02, 0x01, 0x07]), packet(0x03, &vec![0x61; 65_000])].concat(), size, 1)
    };
    let long = |size| Input { bytes: packet(0x01, &vec![0x61; size]), answer: Answer::items(1) };
    // The outer packet is split, so the inner packets are read from the joined buffer.
    let outer = |size| {
        let Input { bytes, answer } = Input::in_node(0x81, size);
        Input { bytes, answer: Answer::items(answer.items + 1) }
    };
    // A hit, then a child that reaches past the end of its node. Both count as items.
    let good_and_bad = |size| Input::repeated(&[0x81, 0x02, 0x02, 0x00, 0x81, 0x03, 0x02, 0x05, 0x00], size, 2);
    // Without `resume`, each chunk returns the same error again.
    let failed = |size| {
        let (rest, _) = repeat(&[0x01, 0x00], size);
        Input { bytes: [&[0x01, 0x7f][..], &rest].concat(), answer: Answer::items(size + 1) }
    };
    families! { cases;
        "messages in chunks of 1", SIZES, messages => {
            "Watcher" |bytes| stream::watcher(bytes, 1, &CHILD);
            "Watcher, no hit" {nothing} |bytes| stream::watcher(bytes, 1, &NOWHERE);
            "Collector" [Memory::fixed(256)] |bytes| stream::collector(bytes, 1, &CHILD);
            "Collector, Hit::to_bytes" [Memory::per_byte(1)] |bytes| stream::collector_bytes(bytes, 1, &CHILD, drop);
            "Reader" [BUFFER] |bytes| stream::reader(bytes, 1, &CHILD);
            "AsyncReader" [BUFFER] |bytes| stream::async_reader(bytes, 1, &CHILD, drop);
            "PacketCodec" [Memory::fixed(256)] |bytes| stream::codec(bytes, 1);
        }
        "messages in chunks of 64 KiB", SIZES, messages => {
            "Watcher" |bytes| stream::watcher(bytes, 64 << 10, &CHILD);
            "Collector" [Memory::fixed(256)] |bytes| stream::collector(bytes, 64 << 10, &CHILD);
            "AsyncReader" [BUFFER] |bytes| stream::async_reader(bytes, 64 << 10, &CHILD, drop);
        }
        "one hit in 64 KiB", &[1 << 17, 1 << 18, 1 << 19, 1 << 20], sparse => {
            "Watcher, one chunk" |bytes| stream::watcher(bytes, bytes.len(), &CHILD);
            "AsyncReader, hits kept" [Memory { per_byte: 1, ..BUFFER }] |bytes| {
                let mut kept = Vec::new();
                stream::async_reader(bytes, usize::MAX, &CHILD, |hit| kept.push(hit));
                Answer::items(kept.len())
            };
            "Reader::seeking" [BUFFER] |bytes| stream::seeking(bytes, &CHILD);
        }
        "one long value, chunks of 64", LARGE, long => {
            "Watcher" |bytes| stream::watcher(bytes, 64, &ONE);
            "Collector" [GROWING] |bytes| stream::collector(bytes, 64, &ONE);
            "Reader" [BUFFER_AND_JOINED] |bytes| stream::reader(bytes, 64, &ONE);
            "AsyncReader" [BUFFER_AND_JOINED] |bytes| stream::async_reader(bytes, 64, &ONE, drop);
            "PacketCodec" [CODEC] |bytes| stream::codec(bytes, 64);
        }
        "one long value, chunks of 1", SIZES, long => {
            "Watcher" |bytes| stream::watcher(bytes, 1, &ONE);
            "Collector" [GROWING] |bytes| stream::collector(bytes, 1, &ONE);
            "PacketCodec" [CODEC] |bytes| stream::codec(bytes, 1);
        }
        "one watched node full of watched packets, chunks of 64", SIZES, outer => {
            "Watcher" |bytes| stream::watcher(bytes, 64, &BOTH);
            "Collector" [GROWING] |bytes| stream::collector(bytes, 64, &BOTH);
            "Collector, Hit::to_bytes" [Memory::per_byte(4)] |bytes| stream::collector_bytes(bytes, 64, &BOTH, drop);
        }
        "values of 100 bytes, all split", SIZES, |size| Input::repeated(&packet(0x01, &[0x61; 100]), size, 1) => {
            "Collector, chunks of 99" [Memory::fixed(512)] |bytes| stream::collector(bytes, 99, &ONE);
            "Collector, Hit::to_bytes, chunks of 99" [Memory::per_byte(1)] |bytes| stream::collector_bytes(bytes, 99, &ONE, drop);
        }
        "every second packet has an error", SIZES, good_and_bad => {
            "Watcher, resumed, chunks of 1" |bytes| stream::resuming(bytes, 1, &CHILD);
            "Watcher, resumed, chunks of 64" |bytes| stream::resuming(bytes, 64, &CHILD);
            "Watcher, resumed, one chunk" |bytes| stream::resuming(bytes, bytes.len(), &CHILD);
            "Collector, resumed, chunks of 1" [Memory::fixed(256)] |bytes| stream::collector_resuming(bytes, 1, &CHILD);
        }
        "an error, and the sender continues", SIZES, failed => {
            "Watcher, chunks of 1" |bytes| {
                let mut watcher = y3::Watcher::new(&ONE, Limits::NONE);
                let faults = bytes.chunks(1).map(|chunk| watcher.feed(chunk).filter(Result::is_err).count());
                Answer::items(faults.sum())
            };
        }
    }
}
