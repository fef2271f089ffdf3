//! Reading: packets side by side, nested packets, many watched paths, and false lengths.

use std::hint::black_box;

use bytes::Bytes;
use y3::parser::Parser;
use y3::{ErrorKind, Limits, Packet, Paths, Pattern, Patterns, check, keys, packets, walk};

use super::case::{BUFFER, BUFFER_AND_JOINED, CODEC, Cases, GROWING, LARGE, Memory, SIZES, no_items, nothing, same};
use super::inputs::{CHILD, DEEP, DEPTH, Input, LEVELS, NOWHERE, ONE, many_paths, patterns};
use super::structs::serde_fault;
use crate::by_hand::{field, nested, packet, repeat};
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

/// Packets with key 0x01 at any depth.
fn anywhere() -> Patterns<[Pattern; 1]> {
    Patterns(["**/01".parse().expect("a pattern")])
}

fn checked(bytes: &[u8]) -> Answer {
    Answer::default().ending(check(bytes))
}

fn siblings(cases: &mut Cases) {
    let families: [(&'static str, &'static [u8]); 3] = [
        ("empty packets", &[0x01, 0x00]),
        ("empty nodes", &[0x81, 0x00]),
        ("padded lengths", &[0x01, 0x80, 0x80, 0x80, 0x80, 0x00]),
    ];
    for (name, part) in families {
        cases
            .family(name, SIZES, |size| Input::repeated(part, size, 1))
            .by("packets", |bytes| Answer::of(packets(bytes)))
            .by("nom", nom)
            .by("walk", |bytes| Answer::of(walk(bytes)))
            .with("check", Memory::NONE, no_items, checked)
            .by("Patterns::watch", |bytes| Answer::of(anywhere().watch(bytes)))
            .by("Packets::watch", |bytes| Answer::of(packets(bytes).watch(keys![0x01])))
            .with("Packets::watch, no hit", Memory::NONE, nothing, |bytes| {
                Answer::of(packets(bytes).watch(keys![0x02]))
            })
            .by("PathSet::watch", |bytes| Answer::of(ONE.watch(bytes)))
            .with("PathSet::watch, no hit", Memory::NONE, nothing, |bytes| Answer::of(NOWHERE.watch(bytes)))
            .by("Watcher, chunks of 1", |bytes| stream::watcher(bytes, 1, &ONE))
            .by("Watcher, chunks of 64", |bytes| stream::watcher(bytes, 64, &ONE))
            .with("Collector, one chunk", Memory::NONE, same, |bytes| stream::collector(bytes, bytes.len(), &ONE))
            .with("Collector, Hit::to_bytes, one chunk", Memory::per_byte(1), same, |bytes| {
                stream::collector_bytes(&Bytes::copy_from_slice(bytes), bytes.len(), &ONE)
            })
            .with("Reader", BUFFER, same, |bytes| stream::reader(bytes, usize::MAX, &ONE))
            .with("AsyncReader", BUFFER, same, |bytes| stream::async_reader(bytes, usize::MAX, &ONE, drop))
            .with("PacketCodec, chunks of 1", Memory::fixed(64), same, |bytes| stream::codec(bytes, 1))
            .with("PacketCodec, one chunk", Memory::per_byte(1), same, |bytes| stream::codec(bytes, bytes.len()));
    }
    let found = |bytes: &[u8], key| {
        let found = Packet::from_slice(bytes).and_then(|node| node.find(key));
        Answer::items(usize::from(found.is_ok_and(|packet| packet.is_some())))
    };
    cases
        .family("duplicate keys", SIZES, |size| Input::in_node(0x81, size))
        .with("find", Memory::NONE, |_| Answer::items(1), move |bytes| found(bytes, 0x02))
        .with("find, another", Memory::NONE, nothing, move |bytes| found(bytes, 0x03))
        .by("PathSet::watch", |bytes| Answer::of(CHILD.watch(bytes)))
        .by("Watcher, chunks of 1", |bytes| stream::watcher(bytes, 1, &CHILD))
        .with(
            "serde, a field",
            Memory::fixed(256),
            |_| Answer::items(1),
            |bytes| {
                let error = y3::serde::from_slice::<Chain>(bytes).expect_err("a duplicate field");
                Answer::items(usize::from(error.kind() == y3::ErrorKind::RepeatedField))
            },
        )
        .with(
            "serde, a map",
            Memory::fixed(256),
            |_| Answer::items(1),
            |bytes| {
                let error = y3::serde::from_slice::<Map>(bytes).expect_err("a duplicate key");
                Answer::items(usize::from(error.kind() == y3::ErrorKind::RepeatedKey))
            },
        );
}

fn nesting(cases: &mut Cases) {
    // Nested headers down to the last byte: walks stop at their limit.
    let hostile = |size| {
        let (bytes, depth) = nested(size, usize::MAX, &[]);
        // The first node that is too deep begins after the headers of the nodes around it.
        let offset = bytes.len() - nested(bytes.len(), depth - DEPTH, &[]).0.len();
        Input { bytes, answer: Answer::fault(DEPTH, ErrorKind::DepthLimit, offset as u64) }
    };
    // Nearly all lengths have three bytes: the readers handle those of two bytes and of three in different places.
    cases
        .family("endlessly nested nodes", &[1 << 14, 1 << 16, 1 << 18], hostile)
        .by("walk", |bytes| Answer::of(walk(bytes)))
        .with("check", Memory::NONE, no_items, checked)
        .by("Patterns::watch", |bytes| Answer::of(anywhere().watch(bytes)))
        .with("PathSet::watch, no hit", Memory::NONE, nothing, |bytes| Answer::of(NOWHERE.watch(bytes)))
        .with("PathSet::watch, each level", Memory::NONE, |_| Answer::items(8), |bytes| Answer::of(LEVELS.watch(bytes)))
        .with(
            "find, down to the innermost",
            Memory::NONE,
            |_| Answer::items(1),
            |bytes| {
                let mut node = Packet::from_slice(bytes).expect("a node");
                while let Ok(Some(inner)) = node.find(0x01) {
                    node = inner;
                }
                Answer::items(usize::from(node.value().is_empty()))
            },
        )
        .with("Watcher, chunks of 1", Memory::NONE, |_| Answer::items(8), |bytes| stream::watcher(bytes, 1, &LEVELS))
        .with("PacketCodec, chunks of 64", CODEC, no_items, |bytes| stream::codec(bytes, 64))
        .with("serde, a recursive type", Memory::fixed(256), no_items, serde_fault::<Chain>)
        .with("serde, slices in slices", Memory::fixed(2 << 10), no_items, serde_fault::<Slices>);

    // Nodes nested as deep as allowed, repeated: every level is read.
    let forest = |size| Input::repeated(&nested(usize::MAX, DEPTH, &[]).0, size, DEPTH);
    let trees = |answer: Answer| Answer::items(answer.items / DEPTH);
    cases
        .family("64 nested nodes, repeated", SIZES, forest)
        .by("walk", |bytes| Answer::of(walk(bytes)))
        .with("check", Memory::NONE, nothing, checked)
        .by("Patterns::watch", |bytes| Answer::of(anywhere().watch(bytes)))
        .with(
            "PathSet::watch, each level",
            Memory::NONE,
            |answer| Answer::items(answer.items / 8),
            |bytes| Answer::of(LEVELS.watch(bytes)),
        )
        .with("PacketCodec, chunks of 64", Memory::fixed(512), trees, |bytes| stream::codec(bytes, 64))
        .with("serde, a recursive type", Memory::fixed(2 << 10), same, |bytes| {
            let chains = packets(bytes).map(|packet| y3::serde::from_packet::<Chain>(packet.expect("a packet")));
            Answer::items(chains.map(|chain| chain.map_or(0, |chain| chain.nodes())).sum())
        })
        .with("serde, slices in slices", Memory::fixed(2 << 10), same, |bytes| {
            let slices = packets(bytes).map(|packet| y3::serde::from_packet::<Slices>(packet.expect("a packet")));
            Answer::items(slices.map(|slices| slices.map_or(0, |slices| slices.count())).sum())
        });
}

fn paths(cases: &mut Cases) {
    // A value in eight nodes, with a path that ends at each level.
    let make = |size| {
        let inside = vec![0x61; size];
        Input { bytes: nested(usize::MAX, 7, &packet(0x01, &inside)).0, answer: Answer::items(8) }
    };
    cases
        .family("paths with common prefixes, one long value", LARGE, make)
        .by("PathSet::watch", |bytes| Answer::of(LEVELS.watch(bytes)))
        .by("Watcher, chunks of 64", |bytes| stream::watcher(bytes, 64, &LEVELS))
        .with("Collector, chunks of 64", GROWING, same, |bytes| stream::collector(bytes, 64, &LEVELS))
        .with("Collector, Hit::to_bytes, chunks of 64, hits kept", Memory::per_byte(11), same, |bytes| {
            let mut collector = y3::Collector::new(&LEVELS, Limits::NONE);
            let mut kept = Vec::new();
            let bytes = Bytes::copy_from_slice(bytes);
            for start in (0..bytes.len()).step_by(64) {
                let chunk = bytes.slice(start..bytes.len().min(start + 64));
                let mut hits = collector.feed(&chunk);
                while let Some(Ok(hit)) = hits.next_hit() {
                    kept.extend(hit.to_bytes(&chunk));
                }
            }
            Answer::items(kept.len())
        });

    let make = |size| Input::repeated(&nested(usize::MAX, 8, &[]).0, size, 8);
    cases
        .family("paths with common prefixes, empty nodes", SIZES, make)
        .by("PathSet::watch", |bytes| Answer::of(LEVELS.watch(bytes)))
        .by("Watcher, chunks of 1", |bytes| stream::watcher(bytes, 1, &LEVELS))
        .with("Collector, chunks of 1", Memory::fixed(256), same, |bytes| stream::collector(bytes, 1, &LEVELS));

    // Every lookup searches for each choice of keys and wildcards: 2 to 256 times.
    let set = patterns();
    let make = |size| Input::repeated(&nested(usize::MAX, 7, &[0x01, 0x01, 0x07]).0, size, 1);
    cases
        .family("4,096 patterns, small packets", &[1 << 9, 1 << 11, 1 << 13], make)
        .by("Paths::watch", |bytes| Answer::of(set.watch(bytes)))
        .by("Watcher, chunks of 64", |bytes| stream::watcher(bytes, 64, &set));

    // Here the number of paths grows and the input stays the same: 4 nodes of 64 values each, repeated.
    let node: Vec<u8> = (0..64).flat_map(|key| [key, 0x01, 0x07]).collect();
    let input = [0x81, 0x82, 0x83, 0x84].map(|tag| packet(tag, &node)).concat().repeat(16);
    macro_rules! sets {
        ($($paths:literal)*) => {$(
            // Owned, so that one loop serves all sizes: the loops of constant sets are compiled for each size, and differ.
            let set: Paths = many_paths::<$paths>().iter().collect();
            let names = ("1, 4, 16, 64 and 256 paths, the input always the same", "Paths::watch");
            let rules = Memory::NONE;
            cases.case(names, rules, $paths, &Answer::items(16 * $paths), || Answer::of(set.watch(black_box(&input))));
        )*};
    }
    sets!(1 4 16 64 256);
}

fn lengths(cases: &mut Cases) {
    // A declared length of two gigabytes with few bytes sent.
    let huge = |size| {
        let bytes = [&[0x01, 0x87, 0xff, 0xff, 0xff, 0x7f][..], &vec![0x61; size]].concat();
        Input { bytes, answer: Answer::fault(0, ErrorKind::UnexpectedEnd, 0) }
    };
    cases
        .family("2 GiB declared", LARGE, huge)
        .by("packets", |bytes| Answer::of(packets(bytes)))
        .with("check", Memory::NONE, same, checked)
        .by("PathSet::watch", |bytes| Answer::of(ONE.watch(bytes)))
        .by("PathSet::watch, no hit", |bytes| Answer::of(NOWHERE.watch(bytes)))
        .by("Watcher, chunks of 64", |bytes| stream::watcher(bytes, 64, &ONE))
        .with("Collector, chunks of 64", GROWING, same, |bytes| stream::collector(bytes, 64, &ONE))
        .with("Collector, no hit, chunks of 64", Memory::NONE, same, |bytes| stream::collector(bytes, 64, &NOWHERE))
        .with("PacketCodec, chunks of 64", CODEC, same, |bytes| stream::codec(bytes, 64))
        .with("Reader, chunks of 64", BUFFER_AND_JOINED, same, |bytes| stream::reader(bytes, 64, &ONE))
        .with("AsyncReader, chunks of 64", BUFFER_AND_JOINED, same, |bytes| {
            stream::async_reader(bytes, 64, &ONE, drop)
        });

    // Valid packets, followed by eight nested nodes that all reach past the end of the input.
    let cut = |size| {
        let (mut bytes, items) = repeat(&packet(0x81, &[0x02, 0x01, 0x07]), size);
        let start = bytes.len() as u64;
        (0..8).for_each(|level| bytes.extend([&[0x81], &*field(0x7fff_ffff - 6 * level)].concat()));
        Input { bytes, answer: Answer::fault(items, ErrorKind::UnexpectedEnd, start) }
    };
    cases
        .family("nodes cut short after good ones", SIZES, cut)
        .by("PathSet::watch", |bytes| Answer::of(DEEP.watch(bytes)))
        .by("Watcher, chunks of 1", |bytes| stream::watcher(bytes, 1, &DEEP))
        .with("check", Memory::NONE, no_items, checked);

    // One node that reaches past the end of the input, around valid packets.
    let torn = |size| {
        let (inside, items) = repeat(&[0x02, 0x01, 0x07], size);
        let bytes = [&[0x81, 0x87, 0xff, 0xff, 0xff, 0x00][..], &inside].concat();
        Input { bytes, answer: Answer::fault(items, ErrorKind::UnexpectedEnd, 0) }
    };
    cases
        .family("a node cut short around good packets", SIZES, torn)
        .by("PathSet::watch", |bytes| Answer::of(CHILD.watch(bytes)))
        .by("Watcher, chunks of 1", |bytes| stream::watcher(bytes, 1, &CHILD))
        .by("Watcher, chunks of 64", |bytes| stream::watcher(bytes, 64, &CHILD));
}
