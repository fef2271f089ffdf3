//! Edit: keeps, removes and overwrites parts of a packet, and redacts 64 KiB. The package `peers` compares edits with
//! other codecs.

use std::hint::black_box;

use kit::bench::{Cases, Throughput, main as bench, standard};
use kit::by_hand::packet;
use kit::data::{Item, Node};
use kit::regime::Regime;
use kit::watched::C63K32;
use kit::{hand, readers};
use y3::edit::{self, Edit, Piece, Rule};
use y3::{Encoder, Limits, check, path};

/// Three of the 63 pairs of the report's packet.
static KEEP: Edit<'static> =
    Edit::from_rules(&[Rule::keep(path!(0, 8)), Rule::keep(path!(0, 32)), Rule::keep(path!(0, 60))]);
static REMOVE: Edit<'static> =
    Edit::from_rules(&[Rule::remove(path!(0, 8)), Rule::remove(path!(0, 32)), Rule::remove(path!(0, 60))]);

pub fn cases(cases: &mut impl Cases) {
    filter(cases, "keep-3-of-63", &KEEP, true);
    filter(cases, "remove-3-of-63", &REMOVE, false);
    patch(cases);
    redact(cases);
}

/// The expected packets with only three pairs, and without these three, written by hand.
fn filtered(message: &[u8], keeps: bool) -> Vec<u8> {
    let packets = hand::packets(message).flat_map(|(root, pairs)| {
        let pairs = hand::packets(pairs).filter(|(key, _)| [8, 32, 60].contains(key) == keeps);
        packet(root, &pairs.flat_map(|(key, value)| packet(key, value)).collect::<Vec<u8>>())
    });
    packets.collect()
}

fn filter(cases: &mut impl Cases, name: &str, edit: &'static Edit<'static>, keeps: bool) {
    let messages = readers::messages::<C63K32>(Regime::Rotating);
    let mut out = Vec::new();
    for message in &messages {
        out.clear();
        edit.apply(message, &mut out).unwrap();
        assert_eq!(out, filtered(message, keeps));
    }
    let mut next = Regime::Rotating.feed(&messages);
    cases.group(format!("edit/rotating/{name}"), Throughput::Elements(1));
    cases.case("y3", &true, || {
        out.clear();
        edit.apply(next(), &mut out).is_ok()
    });
    cases.case("y3 pieces", &true, || edit.pieces_in(next(), black_box(&mut [Piece::EMPTY; 16])).is_ok());

    let stream = messages.concat();
    let want = filtered(&stream, keeps);
    cases.group(format!("edit/stream/{name}"), Throughput::Elements(messages.len() as u64));
    for chunk in [100, 1024] {
        cases.case(format!("y3, chunks of {chunk}"), &Ok(want.len()), || {
            out.clear();
            let mut stream_edit = edit.clone().stream(Limits::DEFAULT);
            black_box(&stream).chunks(chunk).try_for_each(|chunk| stream_edit.feed(chunk, &mut out))?;
            stream_edit.finish().map(|()| out.len())
        });
        assert!(out == want, "{name}, chunks of {chunk}");
    }
}

/// Overwrites one number of the 63 pairs.
fn patch(cases: &mut impl Cases) {
    const AT: y3::Path = path!(0, 32);
    let mut messages =
        readers::messages::<C63K32>(Regime::Rotating).into_iter().map(<[u8]>::to_vec).collect::<Vec<_>>();
    for message in &mut messages {
        edit::patch(message, AT, 7i64).unwrap();
        assert_eq!(hand::find(message, &[0, 32]).unwrap(), Some(&[7][..]));
    }
    let mut next = Regime::Rotating.feed(&(0..messages.len()).collect::<Vec<usize>>());
    cases.group("edit/rotating/patch", Throughput::Elements(1));
    cases.case("y3", &Ok(()), || edit::patch(&mut messages[next()], AT, black_box(7i64)));
    let mut out = Vec::new();
    cases.case("y3 set", &true, || {
        out.clear();
        Edit::new().set(AT, black_box(300i64)).apply(&messages[next()], &mut out).is_ok()
    });
}

/// Two packets of 64 KiB. One has 460 readings of four fields, and each reading loses a text. The other has 63 texts of
/// 1 KiB and loses three.
fn redact(cases: &mut impl Cases) {
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
    for (name, input, edit) in [("460-readings", &readings, &TEXTS), ("63-texts", &texts, &REMOVE)] {
        assert!((60_000..70_000).contains(&input.len()), "{} bytes", input.len());
        let len = edit.apply(input, &mut out).unwrap();
        let pieces = edit.pieces_in(input, &mut storage).unwrap();
        assert_eq!(pieces.iter().map(|piece| piece.as_bytes().len()).sum::<usize>(), len);
        let count = pieces.len();
        cases.group(format!("edit/redact-64k/{name}"), Throughput::Bytes(input.len() as u64));
        cases.case("walk", &Ok(()), || check(black_box(input)));
        cases.case("y3 pieces", &Ok(count), || {
            edit.pieces_in(black_box(input), black_box(&mut storage)).map(<[Piece<'_>]>::len)
        });
        cases.case("y3", &Ok(len), || {
            out.clear();
            edit.apply(black_box(input), &mut out)
        });
    }
}

#[allow(dead_code, reason = "the package `counts` has these cases too")]
fn main() {
    bench(standard(), cases);
}
