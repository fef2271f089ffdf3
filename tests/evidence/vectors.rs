//! Reads every vector that the Go implementations made, compares it with its description, and writes it back byte for
//! byte, in both integer dialects.

use y3::parser::{Parser, header, nom};
use y3::{Encoder, Error, ErrorKind, MAX_DEPTH, Packet};

use crate::head::Head;
use testkit::hex::hex;
use testkit::oracle::trees::{DIALECTS, Dialect, Tree, Value};
use testkit::oracle::{self, fault};
use testkit::typed::{encode, untyped};
use testkit::vectors::{self, BareValue, KeyCase, MalformedPacket, NodeCase};

/// Asserts that `bytes` are read as this tree and that the tree is written as these bytes.
fn both_ways(id: &str, bytes: &[u8], tree: &Tree, dialect: Dialect) {
    assert_eq!(y3::check(bytes), Ok(()), "{id}");
    let packet = Packet::from_slice(bytes).unwrap();
    assert_eq!(Tree::read(&packet, Some(tree), dialect).as_ref(), Ok(tree), "{id}, {dialect:?}");
    assert_eq!(
        encode(std::slice::from_ref(tree), dialect).map(|bytes| hex(&bytes)),
        Ok(hex(bytes)),
        "{id}, {dialect:?}"
    );
}

#[test]
fn primitives_are_the_same_in_both_directions() {
    let cases = vectors::primitives();
    let mut broken = 0;
    for case in &cases {
        for dialect in DIALECTS {
            let bytes = case.bytes(dialect);
            both_ways(&case.id, bytes, &case.tree(), dialect);
            if case.is_broken_text() {
                let packet = Packet::from_slice(bytes).unwrap();
                assert_eq!(packet.decode::<&str>().unwrap_err().kind(), ErrorKind::InvalidUtf8, "{}", case.id);
                broken += 1;
            }
        }
    }
    assert_eq!((cases.len(), broken), (1381, 2 * 10));
}

#[test]
fn lengths_are_written_as_in_go() {
    let cases = vectors::lengths().encode;
    for case in &cases {
        assert_eq!(case.hex.0.len(), case.size);
        assert_eq!(oracle::length_field(case.length), case.hex.0, "{}", case.length);
        let bytes = [&[0x05], &case.hex.0[..]].concat();
        let (rest, read) = header::<ErrorKind>().parse(&bytes).unwrap();
        assert_eq!((rest, read.size() - 1, read.value_len() as u64), (&[][..], case.size, case.length));
        let Ok(length) = usize::try_from(case.length) else { continue };
        assert_eq!(head_of_primitive(0x05, length), bytes, "{length}");
    }
    assert_eq!(cases.len(), 248);
}

/// The header that the encoder writes before a value of this length. The value is never accessed: it needs no memory.
fn head_of_primitive(key: u8, length: usize) -> Vec<u8> {
    let mut head = Head::default();
    Encoder::new(&mut head).put(key, &vec![0u8; length][..]).unwrap();
    let size = head.len() - length;
    head.first()[..size].to_vec()
}

/// The header that the encoder writes around packets of this total length; `None` if packets cannot have this length.
fn head_of_node(key: u8, length: usize) -> Option<Vec<u8>> {
    // One packet can have nearly any length; an empty packet in front makes the other lengths possible.
    let spare = [0, 2].into_iter().find_map(|others: usize| {
        let rest = length.checked_sub(others)?;
        let value = (2..=6).filter_map(|header| rest.checked_sub(header));
        let value = value.into_iter().find(|&value| 1 + oracle::length_field(value as u64).len() + value == rest)?;
        Some((others, value))
    });
    if length > 0 && spare.is_none() {
        return None;
    }
    let mut head = Head::default();
    let body = |node: &mut Encoder<'_, Head>| {
        let Some((others, value)) = spare else { return Ok(()) };
        if others > 0 {
            node.put(0x00, "")?;
        }
        node.put(0x01, &vec![0u8; value][..])
    };
    Encoder::new(&mut head).node(key, body).unwrap();
    let size = head.len() - length;
    Some(head.first()[..size].to_vec())
}

#[test]
fn a_length_that_go_reads_too_is_the_same() {
    let (mut same, mut only_go) = (0, 0);
    for case in vectors::lengths().decode {
        let bytes = [&[0x05], &case.hex.0[..]].concat();
        let read = header::<ErrorKind>().parse(&bytes).map(|(_, read)| (read.size() - 1, read.value_len()));
        match (read, case.kind.as_str()) {
            (Ok(read), "ok") => {
                assert_eq!(read, (case.size, usize::try_from(case.length).unwrap()), "{:?}", case.hex);
                same += 1;
            }
            (Err(error), _) if error.is_incomplete() == (case.kind == "err") => {
                only_go += usize::from(case.kind == "ok");
            }
            // Go calls a length field incomplete even if it already has an error.
            (Err(nom::Err::Failure(_)), "err") => {}
            (read, go) => panic!("{:?}: {read:?} here, {go} in Go", case.hex),
        }
    }
    // Negative lengths, fields of more than five bytes or 31 bits [LEN-3] [LEN-4] [LEN-5].
    assert_eq!((same, only_go), (19, 24));
}

#[test]
fn headers_are_the_same_in_both_directions() {
    let cases = vectors::lengths().packet_headers;
    let mut unwritable = Vec::new();
    for case in &cases {
        for (head, tag) in [(&case.prim_header.0, case.key), (&case.node_header.0, 0x80 | case.key)] {
            // Zeros that are never accessed: 128 MiB of them occupy one page.
            let mut bytes = vec![0; head.len() + case.length];
            bytes[..head.len()].copy_from_slice(head);
            let packet = Packet::from_slice(&bytes).unwrap();
            assert_eq!((packet.tag().get(), packet.value().len()), (tag, case.length));
            let error = Packet::from_slice(&bytes[..bytes.len() - 1]).unwrap_err();
            assert_eq!(fault(error), (ErrorKind::UnexpectedEnd, 0));
        }
        assert_eq!(head_of_primitive(case.key, case.length), case.prim_header.0);
        match head_of_node(case.key, case.length) {
            Some(head) => assert_eq!(head, case.node_header.0),
            None => unwritable.push(case.length),
        }
    }
    // No packet is a single byte, so no node has a body of one byte.
    assert_eq!((cases.len(), unwritable), (24, vec![1]));
}

#[test]
fn nodes_are_the_same_in_both_directions() {
    let cases = vectors::nodes();
    nodes_both_ways(&cases);
    assert_eq!(cases.len(), 184);
}

#[test]
fn slices_of_nodes_are_the_same_in_both_directions() {
    let cases = vectors::slices().node_slices;
    nodes_both_ways(&cases);
    assert!(cases.iter().all(|case| matches!(case.tree, Tree::Node { is_slice: true, .. })));
    assert_eq!(cases.len(), 60);
}

fn nodes_both_ways(cases: &[NodeCase]) {
    for case in cases {
        for dialect in DIALECTS {
            let bytes = case.bytes(dialect);
            both_ways(&case.id, bytes, &case.tree, dialect);
            let mut walk = y3::walk(bytes);
            let (mut depth, mut slice) = (0, false);
            while let Some(packet) = walk.next() {
                slice |= packet.unwrap().is_slice();
                depth = depth.max(walk.depth() + 1);
            }
            assert_eq!((depth, slice), (case.depth, case.has_slice), "{}", case.id);
        }
    }
}

/// The packets are also read as Rust types and written back, with serde and the derive.
#[test]
fn what_codec_marshals_is_canonical() {
    let cases = vectors::slices().marshal;
    let packets: Vec<_> = cases.iter().filter_map(|case| Some((&case.id, &case.hex.as_ref()?.0))).collect();
    for (id, bytes) in &packets {
        assert_eq!(y3::check(bytes), Ok(()), "{id}");
        assert_eq!(encode(&untyped(bytes).unwrap(), Dialect::PVar).as_ref(), Ok(*bytes), "{id}");
    }
    assert_eq!((cases.len(), packets.len()), (117, 77));
}

#[test]
fn writes_every_key_as_go_and_refuses_those_above_63() {
    let cases = vectors::slices().keys;
    assert!(cases.iter().map(|case| case.key).eq(0..=255));
    for KeyCase { key, codec_prim, codec_node, codec_slice, y3_prim, y3_node } in cases {
        let primitive = Tree::leaf(key, Value::U32(1));
        let node = Tree::node(key, vec![Tree::leaf(0x01, Value::U32(1))]);
        let slice = Tree::slice(key, vec![Tree::leaf(0x00, Value::U32(1))]);
        for (go, tree, dialect) in [
            (codec_prim, &primitive, Dialect::PVar),
            (codec_node, &node, Dialect::PVar),
            (codec_slice, &slice, Dialect::PVar),
            (y3_prim, &primitive, Dialect::NVar),
            (y3_node, &node, Dialect::NVar),
        ] {
            // Above 63 the key overflows into the slice bit in codec's writer.
            if key < 64 {
                both_ways(&format!("key {key}"), &go.hex.unwrap().0, tree, dialect);
            } else {
                let ours = encode(std::slice::from_ref(tree), dialect);
                assert_eq!(ours, Err(Error::new(ErrorKind::InvalidKey, 0)), "key {key}");
            }
        }
    }
}

#[test]
fn scenarios_are_the_same_in_both_directions() {
    let cases = vectors::scenarios();
    for case in &cases {
        for dialect in DIALECTS {
            let bytes = case.bytes(dialect);
            both_ways(&case.name, bytes, &case.tree, dialect);
            let packet = Packet::from_slice(bytes).unwrap().find(case.key).unwrap().unwrap();
            assert_eq!(Tree::read(&packet, Some(&case.want), dialect).as_ref(), Ok(&case.want));
        }
    }
    assert_eq!(cases.len(), 4);
}

#[test]
fn a_bare_value_that_go_reads_too_is_the_same() {
    let (mut same, mut only_go, mut only_here) = (0, 0, 0);
    for BareValue { hex: bytes, y3, codec } in &vectors::malformed().values {
        let packet = oracle::packed(0x05, &bytes.0);
        let packet = Packet::from_slice(&packet).unwrap();
        for (go, dialect) in [(y3, Dialect::NVar), (codec, Dialect::PVar)] {
            for (kind, go) in go {
                // Text is in hexadecimal.
                let kind_of_go = if kind == "string" { "bytes" } else { kind };
                let go = go.err.is_none().then(|| Value::parse(kind_of_go, &go.v));
                let ours = Value::read(if kind == "string" { "text" } else { kind }, dialect, &packet).ok();
                let ours =
                    ours.map(|value| if let Value::Text(text) = value { Value::Bytes(text.into()) } else { value });
                match (ours, go) {
                    (Some(_), None) => only_here += 1,
                    (None, Some(_)) => only_go += 1,
                    (ours, go) => {
                        assert_eq!(ours, go, "{kind} {dialect:?} {}", hex(&bytes.0));
                        same += 1;
                    }
                }
            }
        }
    }
    // Go's modules truncate numbers, read past the value, ignore trailing bytes and accept any bytes as text: see
    // docs/spec/implementations.md. Only the codec module refuses the empty bool.
    assert_eq!((same, only_go, only_here), (4153, 1094, 1));
}

/// Packets that Go accepts and SPEC.md rejects.
const STRICTER: [(&str, ErrorKind); 7] = [
    ("mal-0029", ErrorKind::LengthOverflow),
    ("mal-0030", ErrorKind::LengthOverflow),
    ("mal-0031", ErrorKind::LengthOverflow),
    ("mal-0033", ErrorKind::LengthOverflow),
    ("mal-0105", ErrorKind::DepthLimit),
    ("mal-0106", ErrorKind::DepthLimit),
    ("mal-0107", ErrorKind::DepthLimit),
];

#[test]
fn malformed_packets_are_rejected_where_the_naive_reader_rejects_them() {
    let (mut stricter, mut faulty) = (Vec::new(), 0);
    for MalformedPacket { id, hex: bytes, fault } in &vectors::malformed().packets {
        let first = y3::packets(&bytes.0).next();
        let found = first.and_then(|packet| packet.and_then(|packet| packet.check()).err()).map(oracle::fault);
        match (fault.as_str(), found) {
            ("", Some((kind, _))) => stricter.push((id.clone(), kind)),
            ("", None) => {}
            ("nothing there", None) => assert!(bytes.0.is_empty()),
            (_, None) => panic!("{id} is accepted: {fault}"),
            (_, found) => {
                // Bytes after the first packet do not change its error.
                assert_eq!(found, oracle::check(&bytes.0, MAX_DEPTH).err(), "{id}: {fault}");
                faulty += 1;
            }
        }
    }
    assert!(stricter.iter().map(|(id, kind)| (&**id, *kind)).eq(STRICTER), "{stricter:?}");
    assert_eq!(faulty, 296);
}
