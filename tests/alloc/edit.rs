//! Edits into a slice, pieces in an array, patches and the canonical form allocate nothing, on valid and on broken
//! input. Where a sink grows, only the sink allocates.

use std::hint::black_box;

use crate::counting::allocations;
use y3::edit::{self, Edit, Piece, Rule};
use y3::{Encoder, Packet, PathSet, SliceSink, path, walk};

static KEEP: Edit<'static> =
    Edit::from_rules(&[Rule::keep(path!(0x01, 0x10, 0x11)), Rule::keep(path!(0x01, 0x13)), Rule::keep(path!(0x02))]);
static REMOVE: Edit<'static> = Edit::from_rules(&[
    Rule::remove(path!(0x01, 0x10, 0x11)),
    Rule::remove(path!(0x01, 0x13)),
    Rule::remove(path!(0x02)),
]);

/// Two hundred nodes, which give more pieces than one call keeps, and broken inputs.
fn inputs() -> Vec<Vec<u8>> {
    let mut long = Vec::new();
    Encoder::new(&mut long)
        .node(0x01, |root| {
            for _ in 0..200 {
                root.node(0x10, |node| {
                    node.put(0x11, "a secret")?;
                    node.put(0x12, [7u8; 70])
                })?;
            }
            root.put(0x13, 1)
        })
        .unwrap();
    vec![
        vec![],
        vec![0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61],
        vec![0x81, 0x80, 0x06, 0x51, 0x01, 0x07, 0x13, 0x01, 0x61],
        vec![0xc1, 0x03, 0x10, 0x01, 0x07],
        vec![0x81, 0x02, 0x11, 0x7f],
        vec![0x81, 0x87, 0xff, 0xff, 0xff, 0x7f, 0x11],
        long[..long.len() - 1].to_vec(),
        long,
    ]
}

#[test]
fn slots_and_edits_of_embedded_packets_allocate_nothing() {
    const NOISE: PathSet<2> = PathSet::new([path!(0x3f, 0x02 => 0x01, 0x11), path!(0x3f, *)]);
    let frame = [0xbf, 0x0a, 0x02, 0x08, 0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61];
    let patterns = y3::Patterns(["**/02".parse().unwrap()]);
    for input in [&frame[..], &frame[..9], &[0xbf, 0x03, 0x02, 0x01, 0x11]] {
        let mut buffer = [0; 16];
        let mut done = 0;
        let count = allocations(|| {
            let mut slots = [None; 2];
            for packet in y3::packets(input).flatten() {
                done += usize::from(NOISE.fill(packet, &mut slots).is_ok()) + NOISE.watch_packets(packet).count();
            }
            done += patterns.watch(input).count();
            for rule in [Rule::keep, Rule::remove] {
                let rules = [rule(path!(0x3f, 0x02 => 0x11)), rule(path!(0x3f, *))];
                done += usize::from(Edit::from_rules(&rules).apply(input, &mut SliceSink::new(&mut buffer)).is_ok());
            }
        });
        assert_eq!(count, 0);
        assert!(done > 0);
    }
}

#[test]
fn editing_without_a_growing_sink_allocates_nothing() {
    let mut done = 0;
    for input in inputs() {
        let mut buffer = vec![0; input.len() + 64];
        let mut patched = input.clone();
        let count = allocations(|| {
            let mut storage = [Piece::EMPTY; 256];
            for edit in [&KEEP, &REMOVE] {
                done += usize::from(edit.output_len(&input).is_ok());
                done += usize::from(edit.apply(&input, &mut SliceSink::new(&mut buffer)).is_ok());
                done += usize::from(edit.pieces_in(&input, &mut storage).is_ok());
                done += usize::from(edit.pieces_in(&input, &mut storage[..1]).is_ok());
            }
            let mut sink = SliceSink::new(&mut buffer);
            done += usize::from(edit::canonicalize(&input, &mut sink).is_ok());
            done += usize::from(edit::first_deviation(&input).is_ok());
            for at in [path!(0x01, 0x13), path!(0x01, 0x10, 0x11), path!(0x01)] {
                done += usize::from(edit::patch(&mut patched, at, 5i32).is_ok());
                done += usize::from(edit::patch_padded(&mut patched, at, 5i32).is_ok());
                for rule in [Rule::set, Rule::replace, Rule::insert, Rule::append] {
                    let rules = [rule(at, Packet::from_slice(&[0x14, 0x01, 0x62]).unwrap())];
                    done +=
                        usize::from(Edit::from_rules(&rules).apply(&input, &mut SliceSink::new(&mut buffer)).is_ok());
                }
            }
            for packet in walk(&input).map_while(Result::ok) {
                let _ = black_box(Encoder::new(&mut SliceSink::new(&mut buffer)).put(0x02, packet));
            }
        });
        assert_eq!(count, 0, "{input:02x?}");
    }
    assert!(done > 60, "only {done} calls succeeded");
}

#[test]
fn a_stream_allocates_for_split_packets_alone() {
    let input = inputs().pop().unwrap();
    let mut out = Vec::with_capacity(3 * input.len());
    let mut stream = REMOVE.clone().stream(y3::Limits::DEFAULT);
    assert_eq!(allocations(|| stream.feed(&input, &mut out).unwrap()), 0, "a whole packet is edited where it lies");
    let (front, back) = input.split_at(input.len() / 2);
    assert_eq!(allocations(|| stream.feed(front, &mut out).unwrap()), 1, "the front of a split one is kept");
    allocations(|| stream.feed(back, &mut out).unwrap());
    let again = allocations(|| {
        stream.feed(front, &mut out).unwrap();
        stream.feed(back, &mut out).unwrap();
    });
    assert_eq!(again, 0, "the memory is used again");
}
