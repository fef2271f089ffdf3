//! SPEC §6: nodes, slices, duplicate keys, order.

use super::*;

#[test]
fn node_1() {
    rows("NODE-1");
    // Nothing around its packets: a node's value read as an input gives the same packets.
    let bytes = unhex("81080201ff8303040143");
    let node = Packet::from_slice(&bytes).unwrap();
    let inside: Vec<_> = node.children().map(|child| child.unwrap().as_bytes()).collect();
    assert_eq!(inside.concat(), node.value());
    assert!(packets(node.value()).map(|packet| packet.unwrap().as_bytes()).eq(inside));
    for tag in 0x80..=u8::MAX {
        let bytes = [tag, 0x00];
        let mut children = Packet::from_slice(&bytes).unwrap().children();
        assert_eq!((children.next(), children.next()), (None, None));
    }
}

#[test]
fn node_2() {
    rows("NODE-2");
    // Every order of a primitive, a node, a slice and a duplicate.
    let four = [&[0x02, 0x00][..], &[0x82, 0x00], &[0xc2, 0x00], &[0x02, 0x01, 0xff]];
    for a in 0..4 {
        for b in (0..4).filter(|b| *b != a) {
            for c in (0..4).filter(|c| ![a, b].contains(c)) {
                let order = [four[a], four[b], four[c], four[6 - a - b - c]];
                let body = order.concat();
                let bytes = [&[0x81, u8::try_from(body.len()).unwrap()], &body[..]].concat();
                let node = Packet::from_slice(&bytes).unwrap();
                assert!(node.children().map(|child| child.unwrap().as_bytes()).eq(order));
            }
        }
    }
}

#[test]
fn node_3() {
    rows("NODE-3");
    for tag in [0x02, 0x42, 0x82, 0xc2] {
        let bytes = [0x81, 0x08, 0x03, 0x00, tag, 0x00, 0x02, 0x00, 0x82, 0x00];
        let found = Packet::from_slice(&bytes).unwrap().find(0x02).unwrap().unwrap();
        assert_eq!((found.tag().get(), found.offset()), (tag, 4));
    }
}

#[test]
fn node_4() {
    rows("NODE-4");
    for tag in 0x00..=0x7f {
        let bytes = [0x00, 0x00, tag, 0x02, 0x01, 0x00];
        let primitive = packets(&bytes).last().unwrap().unwrap();
        let not_a_node = (ErrorKind::NotANode, 2);
        assert_eq!(primitive.children().map(|child| child.map_err(fault)).collect::<Vec<_>>(), [Err(not_a_node)]);
        assert_eq!(primitive.find(0x01).map_err(fault), Err(not_a_node));
        assert_eq!(primitive.children().check().map_err(fault), Err(not_a_node));
    }
}

#[test]
fn node_5() {
    rows("NODE-5");
    // A fault inside goes unnoticed, and packets inside are no hits, until a caller opens it.
    let bytes = [0x01, 0x04, 0x02, 0x00, 0x03, 0x7f];
    assert_eq!(check(&bytes), Ok(()));
    assert_eq!(walk(&bytes).count(), 1);
    assert_eq!(y3::Patterns(["**/02".parse().unwrap()]).watch(&bytes).count(), 0);
    assert_eq!(PathSet::new([y3::path!(0x01, 0x02)]).watch(&bytes).count(), 0);
    let mut payload = packets(&bytes).next().unwrap().unwrap().embedded();
    assert_eq!(payload.next().unwrap().unwrap().key(), 0x02);
    assert_eq!(payload.next().unwrap().map_err(fault), Err((ErrorKind::NegativeLength, 5)));
}

#[test]
fn node_6() {
    rows("NODE-6");
    // Any input embedded gives what it gives alone, with the offsets moved.
    every_small_input(|input| {
        let bytes = [&[0x01, 0x00, 0x02, u8::try_from(input.len()).unwrap()], input].concat();
        let carrier = packets(&bytes).last().unwrap().unwrap();
        let moved = oracle::check(input, MAX_DEPTH).map_err(|(kind, offset)| (kind, offset + 4));
        assert_eq!(carrier.embedded().check().map_err(fault), moved, "{}", hex(input));
    });
}

#[test]
fn slice_1() {
    rows("SLICE-1");
    // Whatever keys the items were read with.
    let items = shape("10[05=aa,06{05=01},07[05=02]]");
    assert_eq!(encode(&items, Dialect::NVar), Ok(unhex("d00d0001aa8003050101c003000102")));
}

#[test]
fn slice_2() {
    rows("SLICE-2");
    for tag in 0..=u8::MAX {
        let bytes = [0xd0, 0x04, tag, 0x00, 0x00, 0x00];
        let slice = Packet::from_slice(&bytes).unwrap();
        assert_eq!((check(&bytes), slice.is_slice()), (Ok(()), true));
        let first = slice.children().next().unwrap().unwrap();
        assert_eq!((first.tag().get(), first.key().get()), (tag, tag & 0x3f));
    }
}

#[test]
fn slice_3() {
    rows("SLICE-3");
    // Packets as items, of every kind and with any key.
    #[cfg(feature = "serde")]
    for tag in [0x00, 0x05, 0x3f, 0x85, 0xc5] {
        let bytes = [tag, 0x02, 0x07, 0x00];
        let written = y3::serde::to_vec(&[Packet::from_slice(&bytes).unwrap()]).unwrap();
        assert_eq!(written, [0xc1, 0x04, tag & 0xc0, 0x02, 0x07, 0x00], "{tag:02x}");
    }
}

#[test]
fn key_1() {
    rows("KEY-1");
    for outer in 0..=u8::MAX {
        for inner in [0x00, 0x01, 0x0f, 0x10, 0x3f, 0x81, 0xc0] {
            let bytes = [outer, 0x02, inner, 0x00];
            assert_eq!(check(&bytes), Ok(()));
            let path = Path::new(&[outer & 0x3f, inner & 0x3f]).unwrap();
            let hits = PathSet::<1>::from_slice(&[path]).unwrap().watch(&bytes).count();
            assert_eq!(hits, usize::from(outer >= 0x80));
        }
    }
}

#[test]
fn key_2() {
    rows("KEY-2");
    // The conventions have names.
    assert_eq!((Tag::node(Key::ROOT).get(), Key::ITEM.get(), Key::MAX.get()), (0x81, 0x00, 0x3f));
    assert_eq!((Key::RESERVED, Key::USER), (0x01..=0x0f, 0x10..=0x3f));
    let message =
        Tree::node(Key::ROOT.get(), vec![Tree::bytes(*Key::USER.start(), &[]), Tree::bytes(*Key::USER.end(), &[])]);
    assert_eq!(encode(&[message], Dialect::NVar), Ok(unhex("810410003f00")));
}

#[test]
fn node_7() {
    rows("NODE-7");
    // Of no node a value, of whatever type and whatever it holds.
    every_small_input(|inside| {
        let len = u8::try_from(inside.len()).unwrap();
        for tag in [0x81, 0xc1] {
            let bytes = [&[0x02, 0x00, tag, len], inside].concat();
            let node = packets(&bytes).nth(1).unwrap().unwrap();
            for kind in ["i32", "u64", "f32", "f64", "bool", "text", "bytes"] {
                for dialect in DIALECTS {
                    let read = Value::read(kind, dialect, &node).map_err(fault);
                    assert_eq!(read, Err((ErrorKind::NotAPrimitive, 2)), "{kind} {}", hex(&bytes));
                }
            }
        }
    });
}
