//! Reading: adjacent packets, nested packets, many watched paths, and wrong lengths.

use std::hint::black_box;

use kit::by_hand::{field, nested, packet, repeat};
use y3::parser::Parser;
use y3::{ErrorKind, Packet, Pattern, Patterns, check, keys, packets, walk};

use super::case::{
    BUFFER, BUFFER_AND_JOINED, CODEC, Cases, GROWING, LARGE, Memory, SIZES, families, no_items, nothing, one,
};
use super::inputs::{CHILD, DEEP, DEPTH, Input, LEVELS, NOWHERE, ONE, many_paths, patterns};
use super::structs::{serde_fault, serde_kind};
use crate::stream::{self, Answer};
use crate::types::{Chain, Map, Slices};

pub fn cases(cases: &mut Cases) {
    siblings(cases);
    nesting(cases);
    paths(cases);
    lengths(cases);
}

fn nom(bytes: &[u8]) -> Answer {
    let (mut rest, mut items) = (bytes, 0);
    while let Ok((after, _)) = y3::parser::packet::<ErrorKind>().parse(rest) {
        (rest, items) = (after, items + 1);
    }
    Answer::items(items)
}

/// The number of packets with the key 0x01 at any depth.
fn anywhere() -> Patterns<[Pattern; 1]> {
    Patterns(["**/01".parse().expect("a pattern")])
}

fn checked(bytes: &[u8]) -> Answer {
    Answer::counted(|_| Ok(check(bytes)?))
}

fn siblings(cases: &mut Cases) {
    let parts: [(&'static str, &'static [u8]); 3] = [
        ("empty packets", &[0x01, 0x00]),
        ("empty nodes", &[0x81, 0x00]),
        ("padded lengths", &[0x01, 0x80, 0x80, 0x80, 0x80, 0x00]),
    ];
    for (name, part) in parts {
        families! { cases;
            name, SIZES, |size| Input::repeated(part, size, 1) => {
                "packets" |bytes| Answer::of(packets(bytes));
                "nom" |bytes| nom(bytes);
                "walk" |bytes| Answer::of(walk(bytes));
                "check" {no_items} |bytes| checked(bytes);
                "Patterns::watch" |bytes| Answer::of(anywhere().watch(bytes));
                "Packets::watch" |bytes| Answer::of(packets(bytes).watch(keys![0x01]));
                "Packets::watch, no hit" {nothing} |bytes| Answer::of(packets(bytes).watch(keys![0x02]));
                "PathSet::watch" |bytes| Answer::of(ONE.watch(bytes));
                "PathSet::watch, no hit" {nothing} |bytes| Answer::of(NOWHERE.watch(bytes));
                "Watcher, chunks of 1" |bytes| stream::watcher(bytes, 1, &ONE);
                "Watcher, chunks of 64" |bytes| stream::watcher(bytes, 64, &ONE);
                "Collector, one chunk" |bytes| stream::collector(bytes, bytes.len(), &ONE);
                "Collector, Hit::to_bytes, one chunk" [Memory::per_byte(1)] |bytes| stream::collector_bytes(bytes, bytes.len(), &ONE, drop);
                "Reader" [BUFFER] |bytes| stream::reader(bytes, usize::MAX, &ONE);
                "AsyncReader" [BUFFER] |bytes| stream::async_reader(bytes, usize::MAX, &ONE, drop);
                "PacketCodec, chunks of 1" [Memory::fixed(64)] |bytes| stream::codec(bytes, 1);
                "PacketCodec, one chunk" [Memory::per_byte(1)] |bytes| stream::codec(bytes, bytes.len());
            }
        }
    }
    let found = |bytes: &[u8], key| {
        let found = Packet::from_slice(bytes).and_then(|node| node.find(key));
        Answer::items(usize::from(found.is_ok_and(|packet| packet.is_some())))
    };
    families! { cases;
        "duplicate keys", SIZES, |size| Input::in_node(0x81, size) => {
            "find" {one} |bytes| found(bytes, 0x02);
            "find, another" {nothing} |bytes| found(bytes, 0x03);
            "PathSet::watch" |bytes| Answer::of(CHILD.watch(bytes));
            "Watcher, chunks of 1" |bytes| stream::watcher(bytes, 1, &CHILD);
            "serde, a field" [Memory::fixed(256)] {one} |bytes| serde_kind::<Chain>(bytes, ErrorKind::RepeatedField);
            "serde, a map" [Memory::fixed(256)] {one} |bytes| serde_kind::<Map>(bytes, ErrorKind::RepeatedKey);
        }
    }
}

fn nesting(cases: &mut Cases) {
    // The input consists of nested headers only. Walks stop at their depth limit.
    let hostile = |size| {
        let (bytes, depth) = nested(size, usize::MAX, &[]);
        // The first node above the depth limit begins after the headers of the outer nodes.
        let offset = bytes.len() - nested(bytes.len(), depth - DEPTH, &[]).0.len();
        Input { bytes, answer: Answer::fault(DEPTH, ErrorKind::DepthLimit, offset as u64) }
    };
    let innermost = |bytes: &[u8]| {
        let mut node = Packet::from_slice(bytes).expect("a node");
        while let Ok(Some(inner)) = node.find(0x01) {
            node = inner;
        }
        Answer::items(usize::from(node.value().is_empty()))
    };
    let eight = |_| Answer::items(8);
    // Nodes nested up to the depth limit, repeated. Every level is read.
    let forest = |size| Input::repeated(&nested(usize::MAX, DEPTH, &[]).0, size, DEPTH);
    let trees = |answer: Answer| Answer::items(answer.items / DEPTH);
    families! { cases;
        // Nearly all lengths have three bytes. Readers handle lengths of two and three bytes in different code.
        "endlessly nested nodes", &[1 << 14, 1 << 16, 1 << 18], hostile => {
            "walk" |bytes| Answer::of(walk(bytes));
            "check" {no_items} |bytes| checked(bytes);
            "Patterns::watch" |bytes| Answer::of(anywhere().watch(bytes));
            "PathSet::watch, no hit" {nothing} |bytes| Answer::of(NOWHERE.watch(bytes));
            "PathSet::watch, each level" {eight} |bytes| Answer::of(LEVELS.watch(bytes));
            "find, down to the innermost" {one} |bytes| innermost(bytes);
            "Watcher, chunks of 1" {eight} |bytes| stream::watcher(bytes, 1, &LEVELS);
            "PacketCodec, chunks of 64" [CODEC] {no_items} |bytes| stream::codec(bytes, 64);
            "serde, a recursive type" [Memory::fixed(256)] {no_items} |bytes| serde_fault::<Chain>(bytes);
            "serde, slices in slices" [Memory::fixed(2 << 10)] {no_items} |bytes| serde_fault::<Slices>(bytes);
        }
        "64 nested nodes, repeated", SIZES, forest => {
            "walk" |bytes| Answer::of(walk(bytes));
            "check" {nothing} |bytes| checked(bytes);
            "Patterns::watch" |bytes| Answer::of(anywhere().watch(bytes));
            "PathSet::watch, each level" {|answer| Answer::items(answer.items / 8)} |bytes| Answer::of(LEVELS.watch(bytes));
            "PacketCodec, chunks of 64" [Memory::fixed(512)] {trees} |bytes| stream::codec(bytes, 64);
            "serde, a recursive type" [Memory::fixed(2 << 10)] |bytes| {
                let chains = packets(bytes).map(|packet| y3::serde::from_packet::<Chain>(packet.expect("a packet")));
                Answer::items(chains.map(|chain| chain.map_or(0, |chain| chain.nodes())).sum())
            };
            "serde, slices in slices" [Memory::fixed(2 << 10)] |bytes| {
                let slices = packets(bytes).map(|packet| y3::serde::from_packet::<Slices>(packet.expect("a packet")));
                Answer::items(slices.map(|slices| slices.map_or(0, |slices| slices.count())).sum())
            };
        }
    }
}

fn paths(cases: &mut Cases) {
    // A value in eight nested nodes. A path ends at each level.
    let long = |size| {
        let inside = vec![0x61; size];
        Input { bytes: nested(usize::MAX, 7, &packet(0x01, &inside)).0, answer: Answer::items(8) }
    };
    let hits_kept = |bytes: &[u8]| {
        let mut kept = Vec::new();
        stream::collector_bytes(bytes, 64, &LEVELS, |hit| kept.push(hit));
        Answer::items(kept.len())
    };
    let empty = |size| Input::repeated(&nested(usize::MAX, 8, &[]).0, size, 8);
    // Every lookup tries each combination of keys and wildcards: 2 to 256 lookups.
    let set = patterns();
    let small = |size| Input::repeated(&nested(usize::MAX, 7, &[0x01, 0x01, 0x07]).0, size, 1);
    families! { cases;
        "paths with common prefixes, one long value", LARGE, long => {
            "PathSet::watch" |bytes| Answer::of(LEVELS.watch(bytes));
            "Watcher, chunks of 64" |bytes| stream::watcher(bytes, 64, &LEVELS);
            "Collector, chunks of 64" [GROWING] |bytes| stream::collector(bytes, 64, &LEVELS);
            "Collector, Hit::to_bytes, chunks of 64, hits kept" [Memory::per_byte(11)] |bytes| hits_kept(bytes);
        }
        "paths with common prefixes, empty nodes", SIZES, empty => {
            "PathSet::watch" |bytes| Answer::of(LEVELS.watch(bytes));
            "Watcher, chunks of 1" |bytes| stream::watcher(bytes, 1, &LEVELS);
            "Collector, chunks of 1" [Memory::fixed(256)] |bytes| stream::collector(bytes, 1, &LEVELS);
        }
        "4,096 patterns, small packets", &[1 << 9, 1 << 11, 1 << 13], small => {
            "Paths::watch" |bytes| Answer::of(set.watch(bytes));
            "Watcher, chunks of 64" |bytes| stream::watcher(bytes, 64, &set);
        }
    }

    // Here the number of paths grows, and the input stays the same: 4 nodes of 64 values each, repeated.
    let node: Vec<u8> = (0..64).flat_map(|key| [key, 0x01, 0x07]).collect();
    let input = [0x81, 0x82, 0x83, 0x84].map(|tag| packet(tag, &node)).concat().repeat(16);
    let names = ("1, 4, 16, 64 and 256 paths, the input always the same", "Paths::watch");
    for count in [1, 4, 16, 64, 256] {
        let set = many_paths(count);
        cases.case(names, Memory::NONE, count, &Answer::items(16 * count), || Answer::of(set.watch(black_box(&input))));
    }
}

fn lengths(cases: &mut Cases) {
    // The header declares two gigabytes, but only a few bytes are sent.
    let huge = |size| {
        let bytes = [&[0x01, 0x87, 0xff, 0xff, 0xff, 0x7f][..], &vec![0x61; size]].concat();
        Input { bytes, answer: Answer::fault(0, ErrorKind::UnexpectedEnd, 0) }
    };
    // Valid packets are followed by eight nested nodes. All of these reach past the end of the input.
    let cut = |size| {
        let (mut bytes, items) = repeat(&packet(0x81, &[0x02, 0x01, 0x07]), size);
        let start = bytes.len() as u64;
        (0..8).for_each(|level| bytes.extend([&[0x81], &*field(0x7fff_ffff - 6 * level)].concat()));
        Input { bytes, answer: Answer::fault(items, ErrorKind::UnexpectedEnd, start) }
    };
    // One node contains valid packets and reaches past the end of the input.
    let torn = |size| {
        let (inside, items) = repeat(&[0x02, 0x01, 0x07], size);
        let bytes = [&[0x81, 0x87, 0xff, 0xff, 0xff, 0x00][..], &inside].concat();
        Input { bytes, answer: Answer::fault(items, ErrorKind::UnexpectedEnd, 0) }
    };
    families! { cases;
        "2 GiB declared", LARGE, huge => {
            "packets" |bytes| Answer::of(packets(bytes));
            "check" |bytes| checked(bytes);
            "PathSet::watch" |bytes| Answer::of(ONE.watch(bytes));
            "PathSet::watch, no hit" |bytes| Answer::of(NOWHERE.watch(bytes));
            "Watcher, chunks of 64" |bytes| stream::watcher(bytes, 64, &ONE);
            "Collector, chunks of 64" [GROWING] |bytes| stream::collector(bytes, 64, &ONE);
            "Collector, no hit, chunks of 64" |bytes| stream::collector(bytes, 64, &NOWHERE);
            "PacketCodec, chunks of 64" [CODEC] |bytes| stream::codec(bytes, 64);
            "Reader, chunks of 64" [BUFFER_AND_JOINED] |bytes| stream::reader(bytes, 64, &ONE);
            "AsyncReader, chunks of 64" [BUFFER_AND_JOINED] |bytes| stream::async_reader(bytes, 64, &ONE, drop);
        }
        "nodes cut short after good ones", SIZES, cut => {
            "PathSet::watch" |bytes| Answer::of(DEEP.watch(bytes));
            "Watcher, chunks of 1" |bytes| stream::watcher(bytes, 1, &DEEP);
            "check" {no_items} |bytes| checked(bytes);
        }
        "a node cut short around good packets", SIZES, torn => {
            "PathSet::watch" |bytes| Answer::of(CHILD.watch(bytes));
            "Watcher, chunks of 1" |bytes| stream::watcher(bytes, 1, &CHILD);
            "Watcher, chunks of 64" |bytes| stream::watcher(bytes, 64, &CHILD);
        }
    }
}
