//! Edit: parts of a packet kept, removed and overwritten, beside decoding it and encoding it again. The package `peers` has other
//! codecs beside them.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kit::bench::standard;
use kit::data::{Item, Node};
use kit::regime::Regime;
use y3::edit::{self, Edit, Piece, Rule};
use y3::{Encoder, KeySet, Packet, check, keys, path};

/// Three of the 63 pairs of the report's packet.
static KEEP: Edit<'static> =
    Edit::from_rules(&[Rule::keep(path!(0, 8)), Rule::keep(path!(0, 32)), Rule::keep(path!(0, 60))]);
static REMOVE: Edit<'static> =
    Edit::from_rules(&[Rule::remove(path!(0, 8)), Rule::remove(path!(0, 32)), Rule::remove(path!(0, 60))]);
const THREE_KEYS: KeySet = keys![8, 32, 60];

fn packets(regime: Regime) -> Vec<Vec<u8>> {
    regime.models(&Node::new(63, Item::cycle)).iter().map(Node::to_y3).collect()
}

/// With y3 and by hand: each packet parsed, and those that stay encoded again.
fn y3_again(input: &[u8], keeps: bool, out: &mut Vec<u8>) {
    out.clear();
    let root = Packet::from_slice(input).unwrap();
    let mut encoder = Encoder::new(out);
    encoder
        .node(root.key().get(), |node| {
            root.children().try_for_each(|child| {
                let child = child?;
                if THREE_KEYS.contains(child.key()) == keeps {
                    node.put(child.key().get(), child.value())
                } else {
                    Ok(())
                }
            })
        })
        .unwrap();
}

fn filter(criterion: &mut Criterion, regime: Regime) {
    let packets = packets(regime);
    let packets: Vec<&[u8]> = packets.iter().map(Vec::as_slice).collect();
    for (name, edit, keeps) in [("keep-3-of-63", &KEEP, true), ("remove-3-of-63", &REMOVE, false)] {
        let (mut out, mut again) = (Vec::new(), Vec::new());
        for packet in &packets {
            out.clear();
            edit.apply(packet, &mut out).unwrap();
            y3_again(packet, keeps, &mut again);
            assert_eq!(out, again);
            assert_eq!(Packet::from_slice(&out).unwrap().children().count(), if keeps { 3 } else { 60 });
        }
        let mut group = criterion.benchmark_group(format!("edit/{}/{name}", regime.name()));
        group.throughput(Throughput::Elements(1));
        let mut next = regime.feed(&packets);
        group.bench_function("y3", |bencher| {
            bencher.iter(|| {
                out.clear();
                edit.apply(next(), &mut out).unwrap()
            });
        });
        group.bench_function("y3 pieces", |bencher| {
            bencher.iter(|| {
                let mut storage = [Piece::EMPTY; 16];
                edit.pieces_in(next(), &mut storage).unwrap().len()
            });
        });
        group.bench_function("y3 decode and encode", |bencher| {
            bencher.iter(|| y3_again(next(), keeps, &mut again));
        });
        group.finish();
    }
}

/// One number of the 63 pairs, overwritten.
fn patch(criterion: &mut Criterion, regime: Regime) {
    const AT: y3::Path = path!(0, 32);
    let (mut packets, mut out) = (packets(regime), Vec::new());
    for packet in &mut packets {
        edit::patch(packet, AT, 7i64).unwrap();
        assert_eq!(Packet::from_slice(packet).unwrap().find(32).unwrap().unwrap().value(), [7]);
    }
    let mut next = regime.feed(&(0..packets.len()).collect::<Vec<usize>>());
    let mut group = criterion.benchmark_group(format!("edit/{}/patch", regime.name()));
    group.throughput(Throughput::Elements(1));
    group.bench_function("y3", |bencher| {
        bencher.iter(|| edit::patch(&mut packets[next()], AT, black_box(7i64)).unwrap());
    });
    group.bench_function("y3 set", |bencher| {
        bencher.iter(|| {
            out.clear();
            Edit::new().set(AT, black_box(300i64)).apply(&packets[next()], &mut out).unwrap()
        });
    });
    group.finish();
}

/// 64 KiB: 460 readings of four fields in one root, a text in each to be removed; and 63 texts of 1 KiB, three to be removed.
fn redact(criterion: &mut Criterion) {
    static TEXTS: Edit<'static> = Edit::from_rules(&[Rule::remove(path!(0x01, 0x10, 0x13))]);
    let mut readings = Vec::new();
    Encoder::new(&mut readings)
        .node(0x01, |root| {
            (0..460).try_for_each(|number: u32| {
                root.node(0x10, |node| {
                    node.put(0x11, 45.12f32)?;
                    node.put(0x12, number)?;
                    node.put(0x13, "a person's name, which has to go")?;
                    node.put(0x14, [7u8; 90])
                })
            })
        })
        .unwrap();
    let texts = Node::new(63, |_| Item::Text("x".repeat(1024))).to_y3();
    let mut storage = vec![Piece::EMPTY; 2048];
    let mut out = Vec::new();
    macro_rules! redact {
        ($name:literal, $input:expr, $edit:expr) => {{
            let (input, edit) = ($input, $edit);
            assert!((60_000..70_000).contains(&input.len()), "{} bytes", input.len());
            let len = edit.apply(input, &mut out).unwrap();
            let pieces = edit.pieces_in(input, &mut storage).unwrap();
            assert_eq!(pieces.iter().map(|piece| piece.as_bytes().len()).sum::<usize>(), len);
            let mut group = criterion.benchmark_group(format!("edit/redact-64k/{}", $name));
            group.throughput(Throughput::Bytes(input.len() as u64));
            group.bench_function("walk", |bencher| bencher.iter(|| check(black_box(input)).unwrap()));
            group.bench_function("y3 pieces", |bencher| {
                bencher.iter(|| edit.pieces_in(black_box(input), black_box(&mut storage)).unwrap().len());
            });
            group.bench_function("y3", |bencher| {
                bencher.iter(|| {
                    out.clear();
                    edit.apply(black_box(input), &mut out).unwrap()
                });
            });
            group.finish();
        }};
    }
    redact!("460-readings", &readings, &TEXTS);
    redact!("63-texts", &texts, &REMOVE);
}

fn edits(criterion: &mut Criterion) {
    for regime in Regime::BOTH {
        filter(criterion, regime);
        patch(criterion, regime);
    }
    redact(criterion);
}

criterion_group!(name = groups; config = standard(); targets = edits);
criterion_main!(groups);
