//! No allocation: filters into a slice, pieces in an array, patch, splice, canonical form and the index of a node.
//!
//! In: each call on good and on broken input. Out: a count of zero; and where a sink grows, no more than that.

use std::hint::black_box;

use crate::counting::allocations;
use y3::edit::{self, Filter, Piece};
use y3::{Encoder, PathSet, SliceSink, path, walk};

const WATCHED: PathSet<3> = PathSet::new([path!(0x01, 0x10, 0x11), path!(0x01, 0x13), path!(0x02)]);

/// Two hundred nodes, so that the table of lengths is not enough, and broken ones.
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
fn records_and_edits_across_payloads_allocate_nothing() {
    const NOISE: PathSet<2> = PathSet::new([path!(0x3f, 0x02 => 0x01, 0x11), path!(0x3f, *)]);
    let frame = [0xbf, 0x0a, 0x02, 0x08, 0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61];
    let patterns = y3::Patterns(["**/02".parse().unwrap()]);
    for input in [&frame[..], &frame[..9], &[0xbf, 0x03, 0x02, 0x01, 0x11]] {
        let mut buffer = [0; 16];
        let mut done = 0;
        let count = allocations(|| {
            done += NOISE.records(input).count() + NOISE.records_at(path!(0x3f), input).count();
            done += NOISE.records(input).flatten().map(|record| record.hits().count()).sum::<usize>();
            done += patterns.search(input).count();
            for filter in [Filter::project(&NOISE), Filter::remove(&NOISE)] {
                done += usize::from(filter.write(input, &mut SliceSink::new(&mut buffer)).is_ok());
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
            for filter in [Filter::project(&WATCHED), Filter::remove(&WATCHED)] {
                done += usize::from(filter.output_len(&input).is_ok());
                done += usize::from(filter.write(&input, &mut SliceSink::new(&mut buffer)).is_ok());
                let mut storage = [Piece::EMPTY; 1024];
                done += usize::from(filter.pieces(&input, &mut storage).is_ok());
                done += usize::from(filter.pieces(&input, &mut storage[..1]).is_ok());
            }
            let mut sink = SliceSink::new(&mut buffer);
            done += usize::from(edit::canonicalize(&input, &mut sink).is_ok());
            done += usize::from(edit::is_canonical(&input).is_ok());
            for at in [path!(0x01, 0x13), path!(0x01, 0x10, 0x11), path!(0x01)] {
                done += usize::from(edit::patch(&mut patched, at, 5i32).is_ok());
                done += usize::from(edit::patch_padded(&mut patched, at, 5i32).is_ok());
                done += usize::from(edit::replace(&input, at, (0x14, "b"), &mut SliceSink::new(&mut buffer)).is_ok());
                done += usize::from(edit::insert(&input, at, (0x14, 1i64), &mut SliceSink::new(&mut buffer)).is_ok());
                done += usize::from(edit::append(&input, at, (0x14, 0.5f32), &mut SliceSink::new(&mut buffer)).is_ok());
            }
            for packet in walk(&input).map_while(Result::ok) {
                done += (0..=64).filter(|&key| matches!(packet.find(key), Ok(Some(_)))).count();
                let _ = black_box(Encoder::new(&mut SliceSink::new(&mut buffer)).packet(packet));
            }
        });
        assert_eq!(count, 0, "{input:02x?}");
    }
    assert!(done > 100, "most calls did something: {done}");
}

#[test]
fn a_stream_allocates_for_split_packets_alone() {
    let input = inputs().pop().unwrap();
    let mut out = Vec::with_capacity(3 * input.len());
    let mut stream = edit::FilterStream::new(Filter::remove(&WATCHED), y3::Limits::DEFAULT);
    assert_eq!(allocations(|| stream.feed(&input, &mut out).unwrap()), 0, "a whole packet is filtered where it lies");
    let (front, back) = input.split_at(input.len() / 2);
    assert_eq!(allocations(|| stream.feed(front, &mut out).unwrap()), 1, "the front of a split one is kept");
    allocations(|| stream.feed(back, &mut out).unwrap());
    let again = allocations(|| {
        stream.feed(front, &mut out).unwrap();
        stream.feed(back, &mut out).unwrap();
    });
    assert_eq!(again, 0, "the memory is used again");
}
