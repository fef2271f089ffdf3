//! Editing at the limits of sizes and with hostile input. The property `edit` compares all edits with a naive editor.

use testkit::oracle::{self, packed};
use y3::edit::{self, Edit, Piece, Rule};
use y3::{Error, ErrorKind, PVarInt, Packet, Path, PathSet, SliceSink, path};

fn written(room: usize, write: impl FnOnce(&mut SliceSink<'_>) -> Result<usize, Error>) -> Result<Vec<u8>, Error> {
    let mut buffer = vec![0; room];
    let mut sink = SliceSink::new(&mut buffer);
    write(&mut sink).map(|_| sink.written().to_vec())
}

fn remove(input: &[u8], path: Path) -> Result<Vec<u8>, Error> {
    written(input.len(), |sink| Edit::from_rules(&[Rule::remove(path)]).apply(input, sink))
}

fn keep(input: &[u8], path: Path) -> Result<Vec<u8>, Error> {
    written(input.len(), |sink| Edit::from_rules(&[Rule::keep(path)]).apply(input, sink))
}

const SECRET: Path = path!(0x01, 0x10, 0x13);
static REDACT: Edit<'static> = Edit::from_rules(&[Rule::remove(SECRET)]);

#[test]
fn an_input_without_secrets_is_one_piece() {
    let input = [0x81, 0x05, 0x90, 0x03, 0x11, 0x01, 0x07, 0x02, 0x00];
    let mut storage = [Piece::EMPTY; 4];
    let pieces = REDACT.pieces_in(&input, &mut storage).unwrap();
    assert_eq!(pieces.len(), 1);
    assert_eq!(pieces[0].borrowed().unwrap().as_ptr_range(), input.as_ptr_range());
    assert_eq!(Edit::from_rules(&[Rule::keep(SECRET)]).pieces_in(&input, &mut storage), Ok(&[][..]));
    assert_eq!(REDACT.pieces_in(&input, &mut []).unwrap_err().kind(), ErrorKind::BufferTooSmall);
}

#[test]
fn more_pieces_and_nodes_than_are_kept_are_filtered_too() {
    for nodes in [5, 8, 16, 17, 510, 511, 512, 513, 600] {
        let reading = packed(0x90, &[packed(0x11, &[7; 70]), packed(0x13, b"secret")].concat());
        let input = packed(0x81, &reading.repeat(nodes));
        let left = packed(0x90, &packed(0x11, &[7; 70]));
        assert_eq!(remove(&input, SECRET).unwrap(), packed(0x81, &left.repeat(nodes)));
        let kept = packed(0x90, &packed(0x13, b"secret"));
        assert_eq!(keep(&input, SECRET).unwrap(), packed(0x81, &kept.repeat(nodes)));
    }
}

/// This many nested nodes with tag 81 around a primitive.
fn nested(nodes: usize) -> Vec<u8> {
    oracle::nested(0x81, nodes, &[0x01, 0x00])
}

#[test]
fn deep_nesting_neither_recurses_nor_matters_off_the_path() {
    let input = nested(100_000);
    let deepest = Path::new(&[1; 8]).unwrap();
    let left = remove(&input, deepest).unwrap();
    assert_eq!(left, oracle::nested(0x81, 7, &[]));
    assert_eq!(keep(&input, deepest).unwrap(), input);
    assert_eq!(remove(&input, SECRET).unwrap(), input);
    let mut storage = [Piece::EMPTY; 8];
    assert_eq!(Edit::from_rules(&[Rule::keep(deepest)]).pieces_in(&input, &mut storage).unwrap().len(), 1);
    let limit = Err(ErrorKind::DepthLimit);
    assert_eq!(edit::first_deviation(&input).map_err(|error| error.kind()).map(|_| true), limit);
    assert_eq!(
        written(input.len(), |sink| edit::canonicalize(&input, sink)).map_err(|error| error.kind()).map(|_| true),
        limit
    );
    let mut patched = input.clone();
    assert_eq!(edit::patch(&mut patched, deepest, 7).unwrap_err().kind(), ErrorKind::NotAPrimitive);
    assert_eq!(patched, input);
    let mut buffer = vec![0; input.len() + 64];
    let mut sink = SliceSink::new(&mut buffer);
    let new = Packet::from_slice(&[0x02, 0x01, 0x01]).unwrap();
    Edit::from_rules(&[Rule::append(deepest, new)]).apply(&input, &mut sink).unwrap();
    assert_eq!(PathSet::new([Path::new(&[1, 1, 1, 1, 1, 1, 1, 1]).unwrap()]).watch(sink.written()).count(), 1);
}

#[test]
fn the_64th_node_is_written_in_canonical_form_and_the_65th_is_a_fault() {
    for nodes in [63, 64, 65] {
        // The padded packet keeps the input from being copied unchanged.
        let input = [&[0x41, 0x80, 0x00][..], &nested(nodes)].concat();
        let canonical = written(input.len(), |sink| edit::canonicalize(&input, sink));
        match nodes {
            65 => assert_eq!(canonical.unwrap_err().kind(), ErrorKind::DepthLimit),
            _ => assert_eq!(canonical.unwrap(), [&[0x01, 0x00][..], &nested(nodes)].concat()),
        }
    }
}

#[test]
fn a_huge_declared_length_is_a_fault_and_reserves_nothing() {
    let input = [0x81, 0x87, 0xff, 0xff, 0xff, 0x7f, 0x90, 0x00];
    let error = Error::new(ErrorKind::UnexpectedEnd, 0);
    assert_eq!(remove(&input, SECRET), Err(error));
    assert_eq!(keep(&input, SECRET), Err(error));
    #[cfg(feature = "alloc")]
    {
        let mut out = Vec::new();
        assert_eq!(REDACT.apply(&input, &mut out), Err(error));
        assert_eq!(out.capacity(), 0);
        let mut stream = REDACT.clone().stream(y3::Limits::DEFAULT);
        assert_eq!(stream.feed(&input, &mut out), Err(Error::new(ErrorKind::SizeLimit, 0)));
        let mut stream = REDACT.clone().stream(y3::Limits::NONE);
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

    let width = |needs, result: Result<(), Error>| {
        let error = result.unwrap_err();
        assert_eq!(error, Error::new(ErrorKind::WrongWidth, 2));
        let bytes = if needs == 1 { "1 byte".to_owned() } else { format!("{needs} bytes") };
        assert_eq!(
            error.to_string(),
            format!("new value needs {bytes}, but the old value at byte 2 has another width")
        );
    };
    let before = bytes;
    width(8, edit::patch_padded(&mut bytes, at, 0.1f64));
    width(8, edit::patch_padded(&mut bytes, at, i64::MAX));
    assert_eq!(bytes, before);
    // Padding ends at the width of the type.
    let mut wide = [0x01, 0x06, 0, 0, 0, 0, 0, 0];
    width(1, edit::patch_padded(&mut wide, at, 7i32));
    width(1, edit::patch_padded(&mut wide, at, PVarInt(7i32)));
    width(1, edit::patch_padded(&mut wide, at, 0.5f32));
    width(1, edit::patch_padded(&mut wide, at, true));
    edit::patch_padded(&mut wide, at, PVarInt(7i64)).unwrap();
    assert_eq!(wide[2..], [0x80, 0x80, 0x80, 0x80, 0x80, 0x07]);
    // A bool of no bytes is false, but no writer writes it.
    width(1, edit::patch_padded(&mut [0x01, 0x00], at, false));
}

#[test]
fn a_replaced_value_may_take_a_longer_length() {
    let input = packed(0x81, &packed(0x90, &packed(0x11, &[7; 50])));
    for len in [0, 1, 57, 58, 59, 60, 61, 62, 63, 64, 8184, 8185, 8190, 8192] {
        let value = vec![1; len];
        let expected = packed(0x81, &packed(0x90, &packed(0x11, &value)));
        let mut buffer = vec![0; expected.len()];
        let mut sink = SliceSink::new(&mut buffer);
        let new = packed(0x11, &value);
        let rules = [Rule::set(path!(1, 0x10, 0x11), Packet::from_slice(&new).unwrap())];
        assert_eq!(Edit::from_rules(&rules).apply(&input, &mut sink), Ok(expected.len()));
        assert_eq!(sink.written(), expected);
    }
}

/// The packets that the rules write.
const TRUE: &[u8] = &[0x3e, 0x01, 0x01];

fn edited(input: &[u8], rules: &[Rule<'_>]) -> Result<Vec<u8>, Error> {
    written(input.len() + 16, |sink| Edit::from_rules(rules).apply(input, sink))
}

#[test]
fn at_most_64_rules_write_packets() {
    let new = Packet::from_slice(TRUE).unwrap();
    let rules = [Rule::insert(path!(1), new); 65];
    assert_eq!(edited(&[0x01, 0x00], &rules).unwrap_err().kind(), ErrorKind::SizeLimit);
    let expected = [&TRUE.repeat(64)[..], &[0x01, 0x00]].concat();
    assert_eq!(written(256, |sink| Edit::from_rules(&rules[..64]).apply(&[0x01, 0x00], sink)).unwrap(), expected);
}

#[cfg(feature = "alloc")]
#[test]
fn a_rule_that_cannot_be_made_is_an_error_when_it_is_applied() {
    for edit in [Edit::new().rename(path!(1), 64), Edit::new().set(path!(2), 1).append(path!(1), 64, true)] {
        assert_eq!(edit.output_len(&[0x81, 0x00]).unwrap_err().kind(), ErrorKind::InvalidKey);
    }
}

#[cfg(feature = "alloc")]
#[test]
fn a_stream_is_not_resumed_past_a_chunk_that_was_not_read() {
    let redact = || Edit::new().remove(path!(0x01, 0x13)).stream(y3::Limits::DEFAULT);
    let (bad, good) = ([0x81, 0x02, 0x13, 0x7f], [0x81, 0x02, 0x13, 0x00]);
    let (mut stream, mut out) = (redact(), Vec::new());
    let fault = |offset| Err(Error::new(ErrorKind::NegativeLength, offset));
    assert_eq!(stream.feed(&[bad, good, bad].concat(), &mut out), fault(3));
    assert!(stream.resume());
    // The rest of the first chunk has another error, so the stream does not read this chunk.
    assert_eq!(stream.feed(&good, &mut out), fault(11));
    assert!(!stream.resume());
    assert_eq!((stream.feed(&[], &mut out), stream.finish()), (fault(11), fault(11)));
    assert_eq!(out, [0x81, 0x00]);

    // The first chunk has one error, so the next chunk also reads the rest of the first.
    let (mut stream, mut out) = (redact(), Vec::new());
    assert_eq!(stream.feed(&[bad, good].concat(), &mut out), fault(3));
    assert!(stream.resume());
    assert_eq!(stream.clone().finish(), Err(Error::new(ErrorKind::UnexpectedEnd, 4)), "a packet is not read yet");
    assert_eq!((stream.feed(&good, &mut out), stream.finish()), (Ok(()), Ok(())));
    assert_eq!(out, [0x81, 0x00, 0x81, 0x00]);

    // After an error in the header of a top-level packet, nothing tells where the next packet begins.
    let (mut stream, mut out) = (redact(), Vec::new());
    assert_eq!(stream.feed(&[&[0x81, 0x7f][..], &good].concat(), &mut out), fault(1));
    assert!(!stream.resume() && out.is_empty());
}

#[cfg(feature = "alloc")]
#[test]
fn a_stream_adds_nothing_between_its_packets() {
    let mut stream = Edit::new().set(path!(0x12), true).skip_absent().stream(y3::Limits::DEFAULT);
    let mut out = Vec::new();
    stream.feed(&[0x11, 0x00, 0x12, 0x00, 0x11, 0x00], &mut out).unwrap();
    assert_eq!(out, [0x11, 0x00, 0x12, 0x01, 0x01, 0x11, 0x00]);
}

#[cfg(feature = "alloc")]
#[test]
fn a_set_of_any_key_in_an_empty_node_changes_nothing_for_other_rules() {
    let edit = Edit::new().set(path!(0x01, *), true).insert(path!(0x02), 0x3e, "").insert(path!(0x03), 0x3e, "");
    let mut out = Vec::new();
    edit.skip_absent().apply(&[0x02, 0x00, 0x81, 0x00, 0x02, 0x00, 0x03, 0x00], &mut out).unwrap();
    assert_eq!(out, [0x3e, 0x00, 0x02, 0x00, 0x81, 0x00, 0x02, 0x00, 0x3e, 0x00, 0x03, 0x00]);
}

#[test]
fn a_value_range_is_where_the_value_lies() {
    let bytes = [0x81, 0x06, 0x02, 0x80, 0x01, 0xff, 0x03, 0x00];
    for packet in y3::walk(&bytes).map(Result::unwrap) {
        assert_eq!(&bytes[packet.value_range()], packet.value());
        assert_eq!(packet.value_offset(), packet.value_range().start as u64);
    }
    // Embedded packets count offsets from the start of the outer input.
    let frame = [0xbf, 0x05, 0x02, 0x03, 0x11, 0x01, 0x07];
    let inner = Packet::from_slice(&frame).unwrap().find(0x02).unwrap().unwrap().embedded().next().unwrap().unwrap();
    assert_eq!(inner.value_range(), 6..7);
}
