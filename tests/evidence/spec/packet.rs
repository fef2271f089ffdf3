//! SPEC §3: the front of a packet, and packets.

use super::*;

#[test]
fn tag_1() {
    rows("TAG-1");
    for byte in 0..=u8::MAX {
        let bytes = [byte, 0x00];
        assert_eq!(check(&bytes), Ok(()));
        let packet = Packet::from_slice(&bytes).unwrap();
        assert_eq!((packet.tag().get(), packet.is_node(), packet.key().get()), (byte, byte >= 0x80, byte % 64));
    }
}

#[test]
fn tag_2() {
    rows("TAG-2");
    for byte in 0x40..=0x7f {
        // Its value would be a packet if it were a node.
        let bytes = [byte, 0x02, 0x01, 0x00];
        let packet = Packet::from_slice(&bytes).unwrap();
        assert!(!packet.is_node() && !packet.is_slice() && !Tag::from(byte).is_slice());
        assert_eq!(packet.children().next().map(|child| child.map_err(fault)), Some(Err((ErrorKind::NotANode, 0))));
        assert_eq!(walk(&bytes).count(), 1);
    }
    assert!((0x80..=u8::MAX).all(|byte| Tag::from(byte).is_slice() == (byte >= 0xc0)));
}

#[test]
fn tag_3() {
    rows("TAG-3");
    for key in 0..64 {
        let trees = [Tree::bytes(key, &[]), Tree::node(key, vec![]), Tree::slice(key, vec![])];
        assert_eq!(encode(&trees, Dialect::NVar), Ok(vec![key, 0, 0x80 | key, 0, 0xc0 | key, 0]));
    }
}

#[test]
fn tag_4() {
    rows("TAG-4");
    let bytes = [0x00, 0x00, 0x84, 0x02, 0x00, 0x00];
    let node = packets(&bytes).last().unwrap().unwrap();
    for key in 64..=u8::MAX {
        let written = [Tree::bytes(0x01, &[]), Tree::node(0x02, vec![Tree::bytes(key, &[])])];
        assert_eq!(encode(&written, Dialect::NVar).map_err(fault), Err((ErrorKind::InvalidKey, 4)));
        for tree in [Tree::bytes(key, &[]), Tree::node(key, vec![]), Tree::slice(key, vec![])] {
            assert_eq!(encode(&[tree], Dialect::NVar).map_err(fault), Err((ErrorKind::InvalidKey, 0)));
        }
        assert_eq!(node.find(key).map_err(fault), Err((ErrorKind::InvalidKey, 2)));
        assert_eq!((Key::new(key), KeySet::new(&[1, key]), Path::new(&[1, key])), (None, None, None));
        assert_eq!(format!("1/{key:x}").parse::<Path>().map_err(fault), Err((ErrorKind::InvalidKey, 2)));
    }
    assert!((0..64).all(|key| node.find(key).is_ok()));
}

#[test]
fn len_1() {
    rows("LEN-1");
    for length in length_edges() {
        let field = written_length(length).unwrap();
        assert_eq!(field, length_field(length), "{length}");
        assert_eq!(read_length(&field), Length::Is { length, size: field.len() });
        // One group less cannot hold it.
        assert!(length >> (7 * (field.len() - 1)).saturating_sub(1) > 0 || field.len() == 1, "{length}");
    }
    // Bodies of nodes, whose length is known only when they are done, at each edge that memory allows.
    for body in [0, 2, 62, 63, 64, 65, 66, 8190, 8191, 8192, 8193, 1_048_575, 1_048_576] {
        let value = (2..=5)
            .map(|head| vec![0u8; body - head.min(body)])
            .find(|value| 1 + length_field(value.len() as u64).len() + value.len() == body);
        let Some(value) = value else { continue };
        let bytes = encode(&[Tree::node(0x01, vec![Tree::bytes(0x02, &value)])], Dialect::NVar).unwrap();
        assert_eq!(bytes[1..bytes.len() - body], length_field(body as u64), "{body}");
    }
}

#[test]
fn len_2() {
    rows("LEN-2");
    for length in length_edges() {
        let mut field = length_field(length);
        while field.len() <= 5 {
            let bytes = [&[0x05], &field[..]].concat();
            assert_eq!(read_header(&bytes), Ok((1 + field.len(), usize::try_from(length).unwrap())));
            field.insert(0, 0x80);
        }
    }
    let bytes = [&[0x05, 0x80, 0x80, 0x80, 0x80, 0x01], &[0xaa][..]].concat();
    assert_eq!(Packet::from_slice(&bytes).unwrap().value(), [0xaa]);
}

#[test]
fn len_3() {
    rows("LEN-3");
    for first in (0..=u8::MAX).filter(|first| first & 0x40 != 0) {
        for after in [&[][..], &[0x00], &[0x80, 0x80, 0x80, 0x80, 0x80], &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x05]] {
            for before in [&[][..], &[0x01, 0x00]] {
                let bytes = [before, &[0x84, first], after].concat();
                let expected = (ErrorKind::NegativeLength, before.len() as u64 + 1);
                assert_eq!(check(&bytes).map_err(fault), Err(expected));
            }
        }
    }
}

#[test]
fn len_4() {
    rows("LEN-4");
    for first in 0x80..=0xbf {
        for fifth in [0x80, 0x81, 0xff] {
            for sixth in [&[][..], &[0x00], &[0x80], &[0x05, 0xaa]] {
                let bytes = [&[0x05, first, 0x80, 0xff, 0x80, fifth], sixth].concat();
                let overflow = Err((ErrorKind::LengthOverflow, 1));
                assert_eq!(check(&bytes).map_err(fault), overflow);
            }
        }
        assert!(read_header(&[0x05, first, 0x80, 0xff, 0x80]).unwrap_err().is_incomplete());
    }
}

#[test]
fn len_5() {
    rows("LEN-5");
    for first in 0x80..=0xbf {
        let bytes = [0x05, first, 0x80, 0x80, 0x80, 0x01];
        let expected = if first > 0x87 {
            Err(nom::Err::Failure(ErrorKind::LengthOverflow))
        } else {
            Ok((6, usize::from(first & 0x7f) << 28 | 1))
        };
        assert_eq!(read_header(&bytes), expected, "{first:02x}");
    }
}

#[test]
fn len_6() {
    rows("LEN-6");
    // A node can grow beyond the limit too, of packets that are within it.
    let half = vec![0u8; 0x4000_0000];
    for (second, fits) in [(0x3fff_fff3, true), (0x3fff_fff4, false)] {
        let mut head = Head::default();
        let node = |node: &mut Encoder<'_, Head>| {
            node.put(0x02, &half[..])?;
            node.put(0x03, &half[..second])
        };
        Encoder::new(&mut head).put(0x01, "").unwrap();
        let done = Encoder::new(&mut head).node(0x01, node);
        if fits {
            assert_eq!((done, &head.first()[..8]), (Ok(()), &[0x01, 0, 0x81, 0x87, 0xff, 0xff, 0xff, 0x7f][..]));
            assert_eq!(head.len(), 2 + 6 + 0x7fff_ffff);
        } else {
            assert_eq!((done.map_err(fault), head.len()), (Err((ErrorKind::SizeLimit, 2)), 2));
        }
    }
}

#[test]
fn len_7() {
    rows("LEN-7");
    // Whatever the size of the field, the value begins after it and has as many bytes as it says.
    for padding in 0..5 {
        let head = [&[0x05][..], &[0x80; 4][..padding], &[0x03]].concat();
        let bytes = [&head[..], &[0xaa, 0xbb, 0xcc, 0x06, 0x00]].concat();
        let read: Vec<_> = packets(&bytes).map(Result::unwrap).collect();
        assert_eq!((read[0].value(), read[1].offset()), (&[0xaa, 0xbb, 0xcc][..], head.len() as u64 + 3));
    }
}

#[test]
fn pkt_1() {
    rows("PKT-1");
    // A child that is one byte too long for its parent, though the input has that byte, at every depth.
    let mut bytes = vec![0x01, 0x02, 0xaa];
    for depth in 1..10 {
        bytes.splice(0..0, [0x81, u8::try_from(bytes.len()).unwrap()]);
        let short = [&bytes[..], &[0xbb, 0xcc]].concat();
        assert_eq!(check(&short).map_err(fault), Err((ErrorKind::Overrun, 2 * depth)));
    }
}

#[test]
fn pkt_2() {
    rows("PKT-2");
    let bytes = unhex("81080201ff8303040143");
    for cut in 1..bytes.len() {
        for before in [&[][..], &[0x01, 0x01, 0x05]] {
            let input = [before, &bytes[..cut]].concat();
            assert_eq!(check(&input).map_err(fault), Err((ErrorKind::UnexpectedEnd, before.len() as u64)));
        }
    }
}

#[test]
fn pkt_3() {
    rows("PKT-3");
    let one = unhex("81080201ff8303040143");
    for count in [0, 1, 2, 1000] {
        let bytes = one.repeat(count);
        assert_eq!((packets(&bytes).count(), check(&bytes)), (count, Ok(())));
        assert!(packets(&bytes).all(|packet| packet.unwrap().as_bytes() == one));
    }
}

#[test]
fn pkt_4() {
    rows("PKT-4");
    every_small_input(|bytes| {
        let mut read = packets(bytes);
        let expected = match read.next() {
            None => Err((ErrorKind::UnexpectedEnd, 0)),
            Some(Err(error)) => Err(fault(error)),
            Some(Ok(packet)) if packet.as_bytes().len() == bytes.len() => Ok(packet),
            Some(Ok(packet)) => Err((ErrorKind::TrailingBytes, packet.as_bytes().len() as u64)),
        };
        assert_eq!(Packet::from_slice(bytes).map_err(fault), expected);
    });
}

#[test]
fn pkt_5() {
    rows("PKT-5");
    // Whatever stands in the packet, bytes after it are reported.
    every_small_input(|value| {
        let bytes = [&[0x84, u8::try_from(value.len()).unwrap()], value, &[0x00]].concat();
        let expected = Err((ErrorKind::TrailingBytes, bytes.len() as u64 - 1));
        assert_eq!(Packet::from_slice(&bytes).map_err(fault), expected, "{}", hex(&bytes));
    });
}
