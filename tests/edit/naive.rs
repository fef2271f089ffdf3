//! Editing: every call beside the naive editor, and what a hostile sender can do to it.
//!
//! In: trees, broken bytes, and watched paths. Out: what decoding, filtering and encoding again would give.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::collection::vec;
use proptest::prelude::*;
use testkit::oracle::edited::{packet, same};
use testkit::oracle::trees::{self, Tree, config, damage};
use y3::edit::{self, Content, EditError, Filter, Piece};
use y3::{Encoder, Error, ErrorKind, PVarInt, Packet, Path, PathSet, Sink, SliceSink, path};

/// Paths that trees of few keys have.
fn paths() -> impl Strategy<Value = Vec<Vec<u8>>> {
    vec(vec(trees::key(), 1..4), 1..=6)
}

/// What stays of a tree, or nothing: decoded, filtered, to be encoded. `None` where a path cannot be followed.
fn filter(trees: &[Tree], paths: &[Vec<u8>], keeps: bool, parents: &[u8]) -> Option<Vec<Tree>> {
    let mut kept = Vec::new();
    for tree in trees {
        let (Tree::Leaf { key, .. } | Tree::Node { key, .. }) = tree;
        let path = [parents, &[*key]].concat();
        let is_watched = paths.contains(&path);
        let goes_on = paths.iter().any(|other| other.len() > path.len() && other.starts_with(&path));
        match tree {
            _ if is_watched || !goes_on => kept.extend((is_watched == keeps).then(|| tree.clone())),
            Tree::Leaf { .. } if keeps => {}
            Tree::Leaf { .. } => return None,
            Tree::Node { key, is_slice, inside, .. } => {
                let inside = filter(inside, paths, keeps, &path)?;
                if !keeps || !inside.is_empty() {
                    kept.push(Tree::Node { key: *key, is_slice: *is_slice, inside, form: trees::Form::default() });
                }
            }
        }
    }
    Some(kept)
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn filtering_bytes_is_filtering_trees(trees in trees::trees(32), paths in paths()) {
        let input = trees::encode(&trees);
        let set = testkit::oracle::same::path_set(&paths);
        for (filter_bytes, keeps) in [(Filter::project(&set), true), (Filter::remove(&set), false)] {
            let mut storage = vec![Piece::EMPTY; 256];
            let out = filter_bytes.pieces(&input, &mut storage).map(|pieces| pieces.iter().map(Piece::as_bytes).collect::<Vec<_>>().concat());
            let expected = filter(&trees, &paths, keeps, &[]).map(|kept| trees::encode(&kept));
            let out = out.map_err(|error| error.kind());
            prop_assert_eq!(out, expected.ok_or(ErrorKind::NotANode));
        }
    }

    #[test]
    fn every_edit_across_payloads_is_the_naive_one(
        payloads in trees::payloads(),
        damage in damage(),
        number in any::<i32>(),
    ) {
        let trees::Payloads { mut input, paths } = payloads;
        same(&input, &paths, i64::from(number));
        for damage in damage {
            damage.apply(&mut input);
        }
        same(&input, &paths, i64::from(number));
    }

    #[test]
    fn every_edit_is_the_naive_one(
        trees in trees::trees(24),
        damage in damage(),
        paths in paths(),
        number in any::<i32>(),
        shift in 0..32u32,
    ) {
        let mut input = trees::encode(&trees);
        same(&input, &paths, i64::from(number >> shift));
        for damage in damage {
            damage.apply(&mut input);
        }
        same(&input, &paths, i64::from(number >> shift));
    }

    #[test]
    fn a_patched_value_is_read_again(value in trees::value(), other in trees::value(), padding in 0..3usize) {
        let form = trees::Form { padding, flag: false };
        let leaf = |value: &trees::Value| Tree::Leaf { key: 2, value: value.clone(), form };
        let node = |value| Tree::Node { key: 1, is_slice: false, inside: vec![leaf(value), leaf(value)], form };
        let mut bytes = trees::encode(&[node(&value)]);
        let before = bytes.clone();
        let encoded = other.encode();
        let start = Packet::from_slice(&bytes).unwrap().find(2).unwrap().unwrap().value_range().start;
        match edit::patch(&mut bytes, path!(1, 2), &encoded[..]) {
            Ok(()) => {
                prop_assert_eq!(&bytes[start..start + encoded.len()], &encoded[..]);
                bytes[start..start + encoded.len()].copy_from_slice(&value.encode());
            }
            Err(error) => {
                let width = EditError::Width { offset: start as u64, has: value.encode().len(), needs: encoded.len() };
                prop_assert_eq!(error, width);
            }
        }
        prop_assert_eq!(bytes, before, "no other byte has changed");
    }

    #[test]
    fn a_stream_cut_anywhere_is_filtered_as_the_slice(
        trees in trees::trees(24),
        damage in damage(),
        paths in paths(),
        sizes in vec(1..9usize, 1..4),
        keeps in any::<bool>(),
    ) {
        let mut input = trees::encode(&trees);
        for damage in damage {
            damage.apply(&mut input);
        }
        stream_equals_slice(&input, &paths, &sizes, keeps);
    }
}

/// Packet by packet, up to the first fault.
#[cfg(feature = "alloc")]
fn stream_equals_slice(input: &[u8], paths: &[Vec<u8>], sizes: &[usize], keeps: bool) {
    let set = testkit::oracle::same::path_set(paths);
    let filter = if keeps { Filter::project(&set) } else { Filter::remove(&set) };
    let (mut expected, mut then) = (Vec::new(), Ok(()));
    let mut packets = y3::packets(input);
    while then.is_ok() {
        let start = packets.offset();
        match packets.next() {
            None => break,
            Some(Err(error)) => then = Err(error),
            Some(Ok(packet)) => {
                let written = filter.write(packet.as_bytes(), &mut expected).map(drop);
                then = written.map_err(|error| Error::new(error.kind(), error.offset() + start));
            }
        }
    }
    let mut stream = edit::FilterStream::new(filter, y3::Limits::NONE);
    let (mut out, mut rest, mut turn, mut done) = (Vec::new(), input, 0, Ok(()));
    while !rest.is_empty() && done.is_ok() {
        let (chunk, after) = rest.split_at(sizes[turn % sizes.len()].min(rest.len()));
        done = stream.feed(chunk, &mut out);
        (rest, turn) = (after, turn + 1);
    }
    assert_eq!(done.and_then(|()| stream.finish()), then);
    assert_eq!(out, expected);
    if then.is_err() {
        assert_eq!(stream.feed(&[0x01, 0x00], &mut out), stream.finish(), "an error stays");
    }
}

#[cfg(not(feature = "alloc"))]
fn stream_equals_slice(_: &[u8], _: &[Vec<u8>], _: &[usize], _: bool) {}

fn written(room: usize, write: impl FnOnce(&mut SliceSink<'_>) -> Result<usize, Error>) -> Result<Vec<u8>, Error> {
    let mut buffer = vec![0; room];
    let mut sink = SliceSink::new(&mut buffer);
    write(&mut sink).map(|_| sink.written().to_vec())
}

fn remove<const N: usize>(input: &[u8], paths: &PathSet<N>) -> Result<Vec<u8>, Error> {
    written(input.len(), |sink| edit::remove(input, paths, sink))
}

fn project<const N: usize>(input: &[u8], paths: &PathSet<N>) -> Result<Vec<u8>, Error> {
    written(input.len(), |sink| edit::project(input, paths, sink))
}

const SECRET: PathSet<1> = PathSet::new([path!(0x01, 0x10, 0x13)]);

#[test]
fn remove_fails_closed() {
    for (input, kind, offset) in [
        // A primitive where the path needs a node, flagged or not, outermost or not.
        (&[0x01, 0x00][..], ErrorKind::NotANode, 0),
        (&[0x41, 0x00], ErrorKind::NotANode, 0),
        (&[0x81, 0x03, 0x10, 0x01, 0x13], ErrorKind::NotANode, 2),
        // The second of two.
        (&[0x81, 0x07, 0x90, 0x03, 0x13, 0x01, 0x61, 0x10, 0x00], ErrorKind::NotANode, 7),
        // A fault behind what has been removed, at each level on the way.
        (&[0x81, 0x05, 0x90, 0x03, 0x13, 0x00, 0x11], ErrorKind::Overrun, 6),
        (&[0x81, 0x05, 0x90, 0x02, 0x13, 0x00, 0x11], ErrorKind::Overrun, 6),
        (&[0x81, 0x04, 0x90, 0x02, 0x13, 0x00, 0x11], ErrorKind::UnexpectedEnd, 6),
        (&[0x81, 0x04, 0x90, 0x02, 0x13, 0x00, 0x11, 0x7f], ErrorKind::NegativeLength, 7),
        // The input cut inside of a node on the way.
        (&[0x81, 0x06, 0x90, 0x02, 0x13, 0x00], ErrorKind::UnexpectedEnd, 0),
        // A header of a sibling that is jumped over.
        (&[0x81, 0x0a, 0x90, 0x08, 0x11, 0x88, 0x80, 0x80, 0x80, 0x00, 0x13, 0x00], ErrorKind::LengthOverflow, 5),
    ] {
        assert_eq!(remove(input, &SECRET), Err(Error::new(kind, offset)), "{input:02x?}");
        let mut storage = [Piece::EMPTY; 16];
        assert_eq!(Filter::remove(&SECRET).pieces(input, &mut storage), Err(Error::new(kind, offset)));
    }
}

const IN_PAYLOADS: PathSet<1> = PathSet::new([path!(0x3f, 0x02 => 0x01, 0x13)]);

#[test]
fn remove_fails_closed_in_payloads() {
    for (input, kind, offset) in [
        // A node where the path crosses a primitive.
        (&[0xbf, 0x02, 0x82, 0x00][..], ErrorKind::NotAPrimitive, 2),
        // A payload that is no packets, and one that is cut short: in its own bytes and in the node inside it.
        (&[0xbf, 0x05, 0x02, 0x03, 0x61, 0x62, 0x63], ErrorKind::NegativeLength, 5),
        (&[0xbf, 0x05, 0x02, 0x03, 0x01, 0x07, 0x00], ErrorKind::UnexpectedEnd, 4),
        (&[0xbf, 0x06, 0x02, 0x04, 0x81, 0x02, 0x13, 0x07], ErrorKind::Overrun, 6),
        // A primitive in a payload where the path needs a node.
        (&[0xbf, 0x04, 0x02, 0x02, 0x01, 0x00], ErrorKind::NotANode, 4),
        // A fault in the second of two payloads.
        (&[0xbf, 0x0b, 0x02, 0x04, 0x81, 0x02, 0x13, 0x00, 0x02, 0x03, 0x81, 0x01, 0x13], ErrorKind::Overrun, 12),
    ] {
        assert_eq!(remove(input, &IN_PAYLOADS), Err(Error::new(kind, offset)), "{input:02x?}");
        let mut storage = [Piece::EMPTY; 16];
        assert_eq!(Filter::remove(&IN_PAYLOADS).pieces(input, &mut storage), Err(Error::new(kind, offset)));
    }
}

#[test]
fn a_value_in_a_payload_is_patched_and_its_carriers_get_new_lengths() {
    let mut frame = [0xbf, 0x0a, 0x02, 0x08, 0x81, 0x06, 0x13, 0x01, 0x61, 0x11, 0x01, 0x07];
    assert_eq!(remove(&frame, &IN_PAYLOADS).unwrap(), [0xbf, 0x07, 0x02, 0x05, 0x81, 0x03, 0x11, 0x01, 0x07]);
    assert_eq!(project(&frame, &IN_PAYLOADS).unwrap(), [0xbf, 0x07, 0x02, 0x05, 0x81, 0x03, 0x13, 0x01, 0x61]);
    let noise = path!(0x3f, 0x02 => 0x01, 0x11);
    edit::patch(&mut frame, noise, 8i32).unwrap();
    assert_eq!(frame[9..], [0x11, 0x01, 0x08]);
    let mut buffer = [0; 32];
    let mut sink = SliceSink::new(&mut buffer);
    edit::replace(&frame, noise, (0x11, 300i32), &mut sink).unwrap();
    assert_eq!(sink.written(), [0xbf, 0x0b, 0x02, 0x09, 0x81, 0x07, 0x13, 0x01, 0x61, 0x11, 0x02, 0x01, 0x2c]);
}

#[test]
fn project_jumps_over_a_primitive_where_a_path_goes_on() {
    assert_eq!(
        project(&[0x01, 0x00, 0x81, 0x04, 0x90, 0x02, 0x13, 0x00], &SECRET).unwrap(),
        [0x81, 0x04, 0x90, 0x02, 0x13, 0x00]
    );
}

#[test]
fn what_stays_is_not_looked_into() {
    // `11` holds a fault; it is jumped over by both, and copied by remove.
    let input = [0x81, 0x08, 0x90, 0x06, 0x91, 0x02, 0x01, 0x7f, 0x13, 0x00];
    assert_eq!(remove(&input, &SECRET).unwrap(), [0x81, 0x06, 0x90, 0x04, 0x91, 0x02, 0x01, 0x7f]);
    assert_eq!(project(&input, &SECRET).unwrap(), [0x81, 0x04, 0x90, 0x02, 0x13, 0x00]);
}

#[test]
fn an_input_without_secrets_is_one_piece() {
    let input = [0x81, 0x05, 0x90, 0x03, 0x11, 0x01, 0x07, 0x02, 0x00];
    let mut storage = [Piece::EMPTY; 4];
    let pieces = Filter::remove(&SECRET).pieces(&input, &mut storage).unwrap();
    assert_eq!(pieces.len(), 1);
    assert_eq!(pieces[0].borrowed().unwrap().as_ptr_range(), input.as_ptr_range());
    assert_eq!(Filter::project(&SECRET).pieces(&input, &mut storage), Ok(&[][..]));
    assert_eq!(Filter::remove(&SECRET).pieces(&input, &mut []).unwrap_err().kind(), ErrorKind::BufferTooSmall);
}

#[test]
fn more_pieces_and_nodes_than_are_kept_are_filtered_too() {
    for nodes in [5, 8, 16, 17, 510, 511, 512, 513, 600] {
        let reading = packet(0x90, &[packet(0x11, &[7; 70]), packet(0x13, b"secret")].concat());
        let input = packet(0x81, &reading.repeat(nodes));
        let left = packet(0x90, &packet(0x11, &[7; 70]));
        assert_eq!(remove(&input, &SECRET).unwrap(), packet(0x81, &left.repeat(nodes)));
        let kept = packet(0x90, &packet(0x13, b"secret"));
        assert_eq!(project(&input, &SECRET).unwrap(), packet(0x81, &kept.repeat(nodes)));
    }
}

/// Nodes one in another, so many, of tag 81, around a primitive.
fn nested(nodes: usize) -> Vec<u8> {
    let mut headers = Vec::new();
    let mut len = 2;
    for _ in 0..nodes {
        let header =
            packet(0x81, &[]).into_iter().take(1).chain(testkit::oracle::encode_pvar(len as i128)).collect::<Vec<u8>>();
        len += header.len();
        headers.push(header);
    }
    headers.reverse();
    let mut bytes = headers.concat();
    bytes.extend([0x01, 0x00]);
    bytes
}

#[test]
fn deep_nesting_neither_recurses_nor_matters_off_the_path() {
    let input = nested(100_000);
    let deepest = PathSet::new([Path::new(&[1; 8]).unwrap()]);
    let left = remove(&input, &deepest).unwrap();
    assert_eq!(left, nested_empty(7));
    assert_eq!(project(&input, &deepest).unwrap(), input);
    assert_eq!(remove(&input, &SECRET).unwrap(), input);
    let mut storage = [Piece::EMPTY; 8];
    assert_eq!(Filter::project(&deepest).pieces(&input, &mut storage).unwrap().len(), 1);
    let limit = Err(ErrorKind::DepthLimit);
    assert_eq!(edit::is_canonical(&input).map_err(|error| error.kind()), limit);
    assert_eq!(edit::first_deviation(&input).map_err(|error| error.kind()).map(|_| true), limit);
    assert_eq!(
        written(input.len(), |sink| edit::canonicalize(&input, sink)).map_err(|error| error.kind()).map(|_| true),
        limit
    );
    let mut patched = input.clone();
    assert!(matches!(edit::patch(&mut patched, Path::new(&[1; 8]).unwrap(), 7), Err(EditError::NotAPrimitive { .. })));
    assert_eq!(patched, input);
    let mut buffer = vec![0; input.len() + 64];
    let mut sink = SliceSink::new(&mut buffer);
    edit::append(&input, Path::new(&[1; 8]).unwrap(), (0x02, true), &mut sink).unwrap();
    assert_eq!(PathSet::new([Path::new(&[1, 1, 1, 1, 1, 1, 1, 1]).unwrap()]).watch(sink.written()).count(), 1);
    assert!(y3::packets(&input).next().unwrap().unwrap().find(0x01).unwrap().is_some());
}

fn nested_empty(nodes: usize) -> Vec<u8> {
    (0..nodes).fold(Vec::new(), |inside, _| packet(0x81, &inside))
}

#[test]
fn the_64th_node_is_written_in_canonical_form_and_the_65th_is_a_fault() {
    for nodes in [63, 64, 65] {
        // Padded, so that it is not copied as it is.
        let input = [&[0x41, 0x80, 0x00][..], &nested(nodes)].concat();
        let canonical = written(input.len(), |sink| edit::canonicalize(&input, sink));
        match nodes {
            65 => assert_eq!(canonical.unwrap_err().kind(), ErrorKind::DepthLimit),
            _ => assert_eq!(canonical.unwrap(), [&[0x01, 0x00][..], &nested(nodes)].concat()),
        }
    }
}

#[test]
fn many_small_packets_are_filtered_one_by_one() {
    // Watched and others in turn: as many pieces as there are others.
    let input = packet(0x81, &[0x13, 0x00, 0x14, 0x00].repeat(100_000));
    let secret = PathSet::new([path!(0x01, 0x13)]);
    assert_eq!(remove(&input, &secret).unwrap(), packet(0x81, &[0x14, 0x00].repeat(100_000)));
    assert_eq!(project(&input, &secret).unwrap(), packet(0x81, &[0x13, 0x00].repeat(100_000)));
    let mut storage = vec![Piece::EMPTY; 100_001];
    assert_eq!(Filter::remove(&secret).pieces(&input, &mut storage).unwrap().len(), 100_001);
    assert!(Filter::remove(&secret).pieces(&input, &mut storage[..100_000]).is_err());
    let nodes = [0x81, 0x02, 0x14, 0x00].repeat(100_000);
    assert_eq!(remove(&nodes, &secret).unwrap(), nodes);
    assert!(project(&nodes, &secret).unwrap().is_empty());
}

#[test]
fn a_huge_declared_length_is_a_fault_and_reserves_nothing() {
    let input = [0x81, 0x87, 0xff, 0xff, 0xff, 0x7f, 0x90, 0x00];
    let error = Error::new(ErrorKind::UnexpectedEnd, 0);
    assert_eq!(remove(&input, &SECRET), Err(error));
    assert_eq!(project(&input, &SECRET), Err(error));
    #[cfg(feature = "alloc")]
    {
        let mut out = Vec::new();
        assert_eq!(Filter::remove(&SECRET).write(&input, &mut out), Err(error));
        assert_eq!(out.capacity(), 0);
        let mut stream = edit::FilterStream::new(Filter::remove(&SECRET), y3::Limits::DEFAULT);
        assert_eq!(stream.feed(&input, &mut out), Err(Error::new(ErrorKind::SizeLimit, 0)));
        let mut stream = edit::FilterStream::new(Filter::remove(&SECRET), y3::Limits::NONE);
        assert_eq!((stream.feed(&input, &mut out), stream.finish()), (Ok(()), Err(error)));
    }
}

fn read<'a, T: y3::Decode<'a>>(bytes: &'a [u8]) -> T {
    Packet::from_slice(bytes).unwrap().decode().unwrap()
}

#[test]
fn a_value_is_padded_where_its_type_allows_it() {
    let mut bytes = [0x01, 0x04, 0x00, 0x01, 0x86, 0xa0];
    let at = path!(0x01);
    edit::patch_padded(&mut bytes, at, -3i32).unwrap();
    assert_eq!((read::<i32>(&bytes), read::<i64>(&bytes)), (-3, -3));
    edit::patch_padded(&mut bytes, at, u32::MAX).unwrap();
    assert_eq!(read::<u32>(&bytes), u32::MAX);
    edit::patch_padded(&mut bytes, at, 5u64).unwrap();
    assert_eq!(read::<u64>(&bytes), 5);
    edit::patch_padded(&mut bytes, at, PVarInt(-65i64)).unwrap();
    assert_eq!(bytes[2..], [0xff, 0xff, 0xff, 0x3f]);
    assert_eq!(read::<PVarInt<i64>>(&bytes), PVarInt(-65));
    edit::patch_padded(&mut bytes, at, PVarInt(64i32)).unwrap();
    assert_eq!(bytes[2..], [0x80, 0x80, 0x80, 0x40]);
    edit::patch_padded(&mut bytes, at, 23.0f64).unwrap();
    assert_eq!(read::<f64>(&bytes).to_bits(), 23f64.to_bits());
    edit::patch_padded(&mut bytes, at, -0.0f32).unwrap();
    assert_eq!(read::<f32>(&bytes).to_bits(), 0x8000_0000);
    edit::patch_padded(&mut bytes, at, true).unwrap();
    assert!(read::<bool>(&bytes));
    edit::patch_padded(&mut bytes, at, false).unwrap();
    assert!(!read::<bool>(&bytes));

    let width = |has, needs| Err(EditError::Width { offset: 2, has, needs });
    let before = bytes;
    assert_eq!(edit::patch_padded(&mut bytes, at, 0.1f64), width(4, 8));
    assert_eq!(edit::patch_padded(&mut bytes, at, i64::MAX), width(4, 8));
    assert_eq!(bytes, before);
    // Padding has an end: the type's own width.
    let mut wide = [0x01, 0x06, 0, 0, 0, 0, 0, 0];
    assert_eq!(edit::patch_padded(&mut wide, at, 7i32), width(6, 1));
    assert_eq!(edit::patch_padded(&mut wide, at, PVarInt(7i32)), width(6, 1));
    assert_eq!(edit::patch_padded(&mut wide, at, 0.5f32), width(6, 1));
    assert_eq!(edit::patch_padded(&mut wide, at, true), width(6, 1));
    edit::patch_padded(&mut wide, at, PVarInt(7i64)).unwrap();
    assert_eq!(wide[2..], [0x80, 0x80, 0x80, 0x80, 0x80, 0x07]);
    // A bool of no bytes is false, but no writer writes it.
    assert_eq!(edit::patch_padded(&mut [0x01, 0x00], at, false), width(0, 1));
}

#[test]
fn a_replaced_value_may_take_a_longer_length() {
    let input = packet(0x81, &packet(0x90, &packet(0x11, &[7; 50])));
    for len in [0, 1, 57, 58, 59, 60, 61, 62, 63, 64, 8184, 8185, 8190, 8192] {
        let value = vec![1; len];
        let expected = packet(0x81, &packet(0x90, &packet(0x11, &value)));
        let mut buffer = vec![0; expected.len()];
        let mut sink = SliceSink::new(&mut buffer);
        assert_eq!(edit::replace(&input, path!(1, 0x10, 0x11), (0x11, &value[..]), &mut sink), Ok(expected.len()));
        assert_eq!(sink.written(), expected);
    }
}

/// Counted it is one packet; written it panics behind the first byte.
struct Panics(Cell<bool>);

impl Content for Panics {
    fn write<S: Sink>(&self, encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
        encoder.node(0x02, |node| {
            assert!(!self.0.replace(true), "as asked");
            node.put(0x03, 7)
        })
    }
}

#[test]
fn a_panic_in_what_is_written_leaves_the_sink_as_it_was() {
    let mut buffer = [0; 64];
    let mut sink = SliceSink::new(&mut buffer);
    Encoder::new(&mut sink).put(0x01, true).unwrap();
    let content = Panics(Cell::new(false));
    let done = catch_unwind(AssertUnwindSafe(|| {
        edit::replace(&[0x81, 0x04, 0x12, 0x00, 0x13, 0x00], path!(0x01, 0x12), &content, &mut sink)
    }));
    assert!(done.is_err());
    assert_eq!(sink.written(), [0x01, 0x01, 0x01]);
}

#[test]
fn a_packet_is_written_again_with_a_minimal_header() {
    let read = [0x41, 0x80, 0x01, 0x07, 0xc2, 0x80, 0x03, 0x05, 0x01, 0x08];
    let packets: Vec<_> = y3::packets(&read).map(Result::unwrap).collect();
    let mut buffer = [0; 64];
    let mut sink = SliceSink::new(&mut buffer);
    Encoder::new(&mut sink)
        .node(0x01, |node| {
            node.packet(packets[0])?;
            node.packet_as(0x03, packets[1])?;
            node.slice(0x04, |items| items.packet(packets[1]))?;
            assert_eq!(node.packet_as(0x40, packets[0]).unwrap_err().kind(), ErrorKind::InvalidKey);
            Ok::<(), Error>(())
        })
        .unwrap();
    assert_eq!(
        sink.written(),
        [0x81, 0x0f, 0x01, 0x01, 0x07, 0xc3, 0x03, 0x05, 0x01, 0x08, 0xc4, 0x05, 0xc0, 0x03, 0x05, 0x01, 0x08]
    );
    let mut small = [0; 4];
    let mut sink = SliceSink::new(&mut small);
    assert_eq!(Encoder::new(&mut sink).packet(packets[1]).unwrap_err().kind(), ErrorKind::BufferTooSmall);
    assert!(sink.written().is_empty());
}

#[test]
fn a_value_range_is_where_the_value_lies() {
    let bytes = [0x81, 0x06, 0x02, 0x80, 0x01, 0xff, 0x03, 0x00];
    for packet in y3::walk(&bytes).map(Result::unwrap) {
        assert_eq!(&bytes[packet.value_range()], packet.value());
        assert_eq!(packet.value_offset(), packet.value_range().start as u64);
    }
    // Payloads count from the outer input.
    let frame = [0xbf, 0x05, 0x02, 0x03, 0x11, 0x01, 0x07];
    let inner = Packet::from_slice(&frame).unwrap().find(0x02).unwrap().unwrap().embedded().next().unwrap().unwrap();
    assert_eq!(inner.value_range(), 6..7);
}
