//! Every case of the vectors that were made by running the Go implementations: read, compared with what it is said to be,
//! and written back byte for byte, in both integer dialects.

use std::collections::BTreeMap;

use y3::parser::{Parser, header, nom};
use y3::{Encoder, Error, ErrorKind, Packet};

use crate::head::Head;
use testkit::hex::hex;
use testkit::oracle::trees::{DIALECTS, Dialect, Tree, Value};
use testkit::oracle::{self, fault};
use testkit::typed::{encode, walked};
use testkit::vectors::{self, BareValue, KeyCase, NodeCase, Outcome, Seen};

/// The one packet of `bytes` is this tree, and this tree is these bytes.
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

/// The header that the encoder writes before so many bytes. They are never touched, so 2^31-1 of them cost nothing.
fn head_of_primitive(key: u8, length: usize) -> Vec<u8> {
    let mut head = Head::default();
    Encoder::new(&mut head).put(key, &vec![0u8; length][..]).unwrap();
    let size = head.len() - length;
    head.first()[..size].to_vec()
}

/// The header that the encoder writes around packets that are so many bytes together, if there can be such packets.
fn head_of_node(key: u8, length: usize) -> Option<Vec<u8>> {
    // One packet can have nearly any length; an empty one before it makes up for the others.
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

/// Length fields that Go's decoder takes and SPEC.md does not, with the rule.
const STRICTER_LENGTHS: &[(&str, &str, ErrorKind)] = &[
    ("40", "LEN-3", ErrorKind::NegativeLength),
    ("41", "LEN-3", ErrorKind::NegativeLength),
    ("7f", "LEN-3", ErrorKind::NegativeLength),
    ("7e", "LEN-3", ErrorKind::NegativeLength),
    ("ff7f", "LEN-3", ErrorKind::NegativeLength),
    ("ffffffff7f", "LEN-3", ErrorKind::NegativeLength),
    ("c000", "LEN-3", ErrorKind::NegativeLength),
    ("c005", "LEN-3", ErrorKind::NegativeLength),
    ("ff05", "LEN-3", ErrorKind::NegativeLength),
    ("f880808000", "LEN-3", ErrorKind::NegativeLength),
    ("f880808001", "LEN-3", ErrorKind::NegativeLength),
    ("f8808080808005", "LEN-3", ErrorKind::NegativeLength),
    ("c08080808080808080808005", "LEN-3", ErrorKind::NegativeLength),
    ("808080808005", "LEN-4", ErrorKind::LengthOverflow),
    ("80808080808080808005", "LEN-4", ErrorKind::LengthOverflow),
    ("8080808080808080808005", "LEN-4", ErrorKind::LengthOverflow),
    ("808080808080808080808080808080808080808005", "LEN-4", ErrorKind::LengthOverflow),
    ("81808080808080808000", "LEN-4", ErrorKind::LengthOverflow),
    ("8180808080808080808005", "LEN-4", ErrorKind::LengthOverflow),
    ("8880808000", "LEN-5", ErrorKind::LengthOverflow),
    ("8fffffff7f", "LEN-5", ErrorKind::LengthOverflow),
    ("9080808000", "LEN-5", ErrorKind::LengthOverflow),
    ("9080808005", "LEN-5", ErrorKind::LengthOverflow),
    ("bfffffff7f", "LEN-5", ErrorKind::LengthOverflow),
];

/// Fields that Go reports as cut, where SPEC.md names a fault at once.
const FAULT_BEFORE_CUT: &[(&str, &str, ErrorKind)] =
    &[("ff", "LEN-3", ErrorKind::NegativeLength), ("81ffffffff", "LEN-4", ErrorKind::LengthOverflow)];

#[test]
fn lengths_are_read_as_in_go_but_for_those_listed() {
    let cases = vectors::lengths().decode;
    let mut stricter = Vec::new();
    let mut sooner = Vec::new();
    for case in &cases {
        let bytes = [&[0x05], &case.hex.0[..]].concat();
        match (header::<ErrorKind>().parse(&bytes), case.kind.as_str()) {
            (Ok((rest, read)), "ok") => {
                let after = case.hex.0.len() - case.size;
                assert_eq!((rest.len(), read.size() - 1), (after, case.size), "{:?}", case.hex);
                assert_eq!(i64::try_from(read.value_len()), Ok(case.length), "{:?}", case.hex);
            }
            (Err(nom::Err::Incomplete(_)), "err") => {}
            (Err(nom::Err::Failure(kind)), "ok") => stricter.push((hex(&case.hex.0), kind)),
            (Err(nom::Err::Failure(kind)), "err") => sooner.push((hex(&case.hex.0), kind)),
            (read, go) => panic!("{:?}: {read:?} here, {go} in Go", case.hex),
        }
    }
    assert_same(&stricter, STRICTER_LENGTHS);
    assert_same(&sooner, FAULT_BEFORE_CUT);
    assert_eq!(cases.len(), 48);
}

/// No exception is missing from the list, and none in it is stale.
fn assert_same(found: &[(String, ErrorKind)], listed: &[(&str, &str, ErrorKind)]) {
    let mut found: Vec<_> = found.iter().map(|(hex, kind)| (hex.as_str(), kind.to_string())).collect();
    let mut listed: Vec<_> = listed.iter().map(|(hex, _, kind)| (*hex, kind.to_string())).collect();
    found.sort();
    listed.sort();
    assert_eq!(found, listed);
}

#[test]
fn headers_are_the_same_in_both_directions() {
    let cases = vectors::lengths().packet_headers;
    let mut unwritable = Vec::new();
    for case in &cases {
        for (head, tag) in [(&case.prim_header.0, case.key), (&case.node_header.0, 0x80 | case.key)] {
            // Zeros that nobody touches: 128 MiB of them take a page.
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
    // No packet is a single byte, so no node has such a body.
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

#[test]
fn reads_what_codec_marshals() {
    let cases = vectors::slices().marshal;
    let (mut packets, mut typed) = (0, 0);
    for case in &cases {
        assert_eq!(case.hex.is_some(), case.kind == "ok", "{}", case.id);
        let Some(bytes) = case.hex.as_ref().map(|hex| &hex.0) else { continue };
        packets += 1;
        assert_eq!(y3::check(bytes), Ok(()), "{}", case.id);
        let root = Packet::from_slice(bytes).unwrap();
        assert_seen(&case.id, &root, case.codec_seen.as_ref().unwrap());
        // What codec writes is canonical, so its untyped tree comes back byte for byte.
        let trees = walked(bytes).unwrap();
        assert_eq!(encode(&trees, Dialect::PVar).as_ref(), Ok(bytes), "{}", case.id);

        let Some(read_back) = &case.read_back else { continue };
        if let Some(kind) = kind_of(&case.go_type) {
            let packet = root.find(case.key).unwrap().unwrap();
            assert!(!packet.is_node());
            assert_eq!(Value::read(kind, Dialect::PVar, &packet), Ok(go_value(kind, read_back)), "{}", case.id);
            typed += 1;
        } else if let Some(kind) = case.go_type.strip_prefix("[]").and_then(kind_of) {
            let packet = root.find(case.key).unwrap().unwrap();
            assert!(packet.is_slice());
            let values = packet.children().map(|item| Value::read(kind, Dialect::PVar, &item.unwrap()));
            let expected = read_back.as_array().unwrap().iter().map(|value| Ok(go_value(kind, value)));
            assert!(values.eq(expected), "{}", case.id);
            typed += 1;
        }
    }
    assert_eq!((cases.len(), packets), (117, 77));
    assert!(typed > 40, "only {typed} values were read as their type");
}

/// Go's names of the types that a packet or an item of a list can be; `[]uint8` is bytes.
fn kind_of(go_type: &str) -> Option<&'static str> {
    Some(match go_type {
        "int32" => "i32",
        "int64" => "i64",
        "uint32" => "u32",
        "uint64" => "u64",
        "float32" => "f32",
        "float64" => "f64",
        "bool" => "bool",
        // Go's strings may hold anything.
        "string" | "[]uint8" => "bytes",
        _ => return None,
    })
}

fn go_value(kind: &str, value: &serde_json::Value) -> Value {
    Value::parse(kind, value.as_str().unwrap_or_default())
}

/// The packet is what codec saw, which keeps primitives and nodes apart.
fn assert_seen(id: &str, packet: &Packet<'_>, seen: &Seen) {
    assert_eq!((packet.key().get(), packet.value().len()), (seen.key, seen.len), "{id}");
    assert_eq!((packet.is_node(), packet.is_slice()), (seen.kind == "node", seen.slice), "{id}");
    if !packet.is_node() {
        assert_eq!(packet.value(), seen.val.as_ref().map_or(&[][..], |hex| &hex.0), "{id}");
        return;
    }
    let children: Vec<_> = packet.children().map(Result::unwrap).collect();
    let (nodes, primitives): (Vec<_>, Vec<_>) = children.into_iter().partition(Packet::is_node);
    for (packets, seen) in [(nodes, &seen.nodes), (primitives, &seen.prims)] {
        assert_eq!(packets.len(), seen.len(), "{id}");
        packets.iter().zip(seen).for_each(|(packet, seen)| assert_seen(id, packet, seen));
    }
}

#[test]
fn writes_every_key_as_go_and_refuses_those_above_63() {
    let cases = vectors::slices().keys;
    assert!(cases.iter().map(|case| case.key).eq(0..=255));
    for KeyCase { key, marshal, marshal_struct, codec_prim, codec_node, codec_slice, y3_prim, y3_node } in cases {
        let one = || Tree::leaf(0x01, Value::U32(1));
        let item = vec![Tree::leaf(0x00, Value::U32(1))];
        let (primitive, node, slice) =
            (Tree::leaf(key, Value::U32(1)), Tree::node(key, vec![one()]), Tree::slice(key, item));
        for (outcome, tree, dialect) in [
            (&codec_prim, &primitive, Dialect::PVar),
            (&codec_node, &node, Dialect::PVar),
            (&codec_slice, &slice, Dialect::PVar),
            (&y3_prim, &primitive, Dialect::NVar),
            (&y3_node, &node, Dialect::NVar),
        ] {
            encoded_as_in_go(key, outcome, tree, dialect);
        }
        // Codec's `Marshal` has rules of its own about keys, which the format does not know [KEY-1].
        let fields = vec![Tree::leaf(0x20, Value::Text("a".into())), Tree::leaf(0x21, Value::I32(1))];
        for (text, tree) in [(marshal, Tree::leaf(key, Value::I32(1))), (marshal_struct, Tree::node(key, fields))] {
            let ours = encode(&[Tree::node(0x01, vec![tree])], Dialect::PVar);
            match text.strip_prefix("ok ") {
                Some(go) => assert_eq!(ours.map(|bytes| hex(&bytes)).as_deref(), Ok(go)),
                None => assert!(text.starts_with("panic ")),
            }
        }
    }
}

/// Up to key 63 the same bytes; above it ours are an error, while codec's writer lets the key run into the slice bit.
fn encoded_as_in_go(key: u8, outcome: &Outcome, tree: &Tree, dialect: Dialect) {
    let ours = encode(std::slice::from_ref(tree), dialect);
    if key < 64 {
        assert_eq!(ours.as_ref().ok(), outcome.hex.as_ref().map(|hex| &hex.0), "key {key}");
        both_ways(&format!("key {key}"), &ours.unwrap(), tree, dialect);
        return;
    }
    assert_eq!(ours, Err(Error::new(ErrorKind::InvalidKey, 0)), "key {key}");
    let Some(bytes) = outcome.hex.as_ref().map(|hex| &hex.0) else {
        assert_eq!(outcome.kind, "panic");
        return;
    };
    let packet = Packet::from_slice(bytes).unwrap();
    assert_eq!(packet.key(), key - 64);
    // A flagged primitive is a primitive, a flagged node a slice [TAG-2].
    assert_eq!(packet.is_slice(), packet.is_node());
    assert_eq!(packet.is_node(), !matches!(tree, Tree::Leaf { .. }));
}

#[test]
fn scenarios_are_the_same_in_both_directions() {
    let cases = vectors::scenarios();
    for case in &cases {
        for dialect in DIALECTS {
            both_ways(&case.name, case.bytes(dialect), &case.tree, dialect);
            found(case.bytes(dialect), case.key, &case.want, dialect);
        }
        // The stress test's own payload: the same packets in the order of its map.
        let Tree::Node { key, inside, .. } = &case.tree else { panic!("{} is no node", case.name) };
        let has = |key: u8| move |tree: &&Tree| matches!(tree, Tree::Leaf { key: other, .. } if *other == key);
        let shuffled = case.seed_key_order.iter().map(|&key| inside.iter().find(has(key)).unwrap().clone());
        let shuffled = Tree::node(*key, shuffled.collect());
        both_ways(&case.name, &case.seed_hex.0, &shuffled, Dialect::PVar);
        found(&case.seed_hex.0, case.key, &case.want, Dialect::PVar);
        assert_eq!((inside.len(), case.seed_key_order.len()), (case.count, case.count));
    }
    assert_eq!(cases.len(), 4);
}

fn found(bytes: &[u8], key: u8, want: &Tree, dialect: Dialect) {
    let packet = Packet::from_slice(bytes).unwrap().find(key).unwrap().unwrap();
    assert_eq!(Tree::read(&packet, Some(want), dialect).as_ref(), Ok(want));
    let watched = y3::PathSet::<1>::from_slice(&[y3::Path::new(&[0x00, key]).unwrap()]).unwrap();
    let hits: Vec<_> = watched.watch(bytes).map(|hit| hit.unwrap().packet()).collect();
    assert_eq!(hits, [packet]);
}

/// Why a value that Go reads is none here, or the other way round. From the bytes alone, by the words of SPEC.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// [NVAR-3]: Go takes the low bytes.
    NVarTooWide,
    /// [PVAR-3]: Go reads on.
    PVarTooWide,
    /// [PVAR-5]: Go ignores what is after.
    BytesBehindPVar,
    /// [PVAR-4] [INT-3]: Go cuts the number.
    PVarOutOfRange,
    /// [FLT-3]: Go takes the low bytes.
    FloatTooWide,
    /// [BOOL-3]: false to Go.
    BoolNeitherZeroNorOne,
    /// [BOOL-3]: Go ignores what is after.
    BytesBehindBool,
    /// [BOOL-3]: Go reads on.
    BoolTooWide,
    /// [BOOL-2]: an error to codec.
    EmptyBool,
    /// [TXT-2]: Go does not look.
    NotUtf8,
}

const CLASSES: [Class; 10] = [
    Class::NVarTooWide,
    Class::PVarTooWide,
    Class::BytesBehindPVar,
    Class::PVarOutOfRange,
    Class::FloatTooWide,
    Class::BoolNeitherZeroNorOne,
    Class::BytesBehindBool,
    Class::BoolTooWide,
    Class::EmptyBool,
    Class::NotUtf8,
];

fn class_of(kind: &str, dialect: Dialect, bytes: &[u8]) -> Option<Class> {
    // After the first byte without a continuation bit a PVarInt is over; a value cut before it is an error in Go too.
    let pvar_len = bytes.iter().position(|byte| byte & 0x80 == 0).map(|last| last + 1);
    let width = if kind.ends_with("32") { 4 } else { 8 };
    match (kind, dialect) {
        ("bool", Dialect::PVar) if bytes.is_empty() => Some(Class::EmptyBool),
        ("bool", _) => {
            let len = pvar_len?;
            let number = oracle::pvar(&bytes[..len], 32);
            match number {
                None => Some(Class::BoolTooWide),
                Some(_) if len < bytes.len() => Some(Class::BytesBehindBool),
                Some(0 | 1) => None,
                Some(_) => Some(Class::BoolNeitherZeroNorOne),
            }
        }
        ("string", _) => std::str::from_utf8(bytes).is_err().then_some(Class::NotUtf8),
        ("f32" | "f64", _) => (bytes.len() > width).then_some(Class::FloatTooWide),
        (_, Dialect::NVar) => (bytes.len() > width).then_some(Class::NVarTooWide),
        (_, Dialect::PVar) => {
            let len = pvar_len?;
            if len < bytes.len() {
                Some(Class::BytesBehindPVar)
            } else if len > if width == 4 { 5 } else { 10 } {
                Some(Class::PVarTooWide)
            } else {
                oracle::pvar(bytes, 8 * width).is_none().then_some(Class::PVarOutOfRange)
            }
        }
    }
}

#[test]
fn bare_values_are_read_as_in_go_but_for_the_classes_listed() {
    let cases = vectors::malformed().values;
    let mut agreed = 0;
    let mut exceptions = BTreeMap::new();
    for BareValue { hex: bytes, y3, codec } in &cases {
        let packet = oracle::packed(0x05, &bytes.0);
        let packet = Packet::from_slice(&packet).unwrap();
        for (go, dialect) in [(y3, Dialect::NVar), (codec, Dialect::PVar)] {
            assert_eq!(go.len(), 8);
            for (kind, go) in go {
                let ours = Value::read(if kind == "string" { "text" } else { kind }, dialect, &packet);
                let go = go.err.is_none().then(|| match kind.as_str() {
                    // Text comes as hexadecimal; read as bytes it is compared even where it is no text.
                    "string" => Value::parse("bytes", &go.v),
                    kind => Value::parse(kind, &go.v),
                });
                let ours = ours.map(|leaf| if let Value::Text(text) = leaf { Value::Bytes(text.into()) } else { leaf });
                let what = format!("{kind} {dialect:?} {}: {ours:?} here, {go:?} in Go", hex(&bytes.0));
                match class_of(kind, dialect, &bytes.0) {
                    None => {
                        assert_eq!(ours.ok(), go, "{what}");
                        agreed += 1;
                    }
                    Some(class) => {
                        assert_eq!(
                            (ours.is_ok(), go.is_some()),
                            (class == Class::EmptyBool, class != Class::EmptyBool),
                            "{what}"
                        );
                        if let Err(error) = ours {
                            let kind =
                                if class == Class::NotUtf8 { ErrorKind::InvalidUtf8 } else { ErrorKind::InvalidValue };
                            assert_eq!(error.kind(), kind, "{what}");
                        }
                        *exceptions.entry(class).or_insert(0) += 1;
                    }
                }
            }
        }
    }
    assert!(exceptions.keys().copied().eq(CLASSES), "a class that nothing is in: {exceptions:?}");
    assert_eq!(agreed + exceptions.values().sum::<usize>(), 328 * 8 * 2);
}
