//! SPEC §9: watching, and what is passed over.

use super::*;

#[test]
fn skip_1() {
    rows("SKIP-1");
    // Anything at all in a value that is jumped over, with a hit after it.
    every_small_input(|value| {
        for tag in [0x05, 0x85, 0xc5, 0x45] {
            let len = u8::try_from(value.len()).unwrap();
            let node = [&[0x81, len + 5, tag, len], value, &[0x02, 0x01, 0xaa]].concat();
            let found = Packet::from_slice(&node).unwrap().find(0x02).unwrap().unwrap();
            assert_eq!((found.offset(), found.value()), (4 + u64::from(len), &[0xaa][..]));
            let hits: Vec<_> = PathSet::new([y3::path!(0x01, 0x02)]).watch(&node).collect();
            assert_eq!(hits.iter().map(|hit| hit.unwrap().packet()).collect::<Vec<_>>(), [found]);
            assert_eq!(packets(&node[2..]).watch(y3::keys![0x02]).count(), 1);
        }
    });
}

#[test]
fn skip_2() {
    rows("SKIP-2");
    // Nothing is wanted, everything on the level is checked: the fault is the one that reading all siblings gives.
    every_small_input(|input| {
        let siblings = packets(input).find_map(Result::err);
        assert_eq!(packets(input).watch(y3::keys![0x3e]).find_map(Result::err), siblings);
        assert_eq!(PathSet::new([y3::path!(0x3e)]).watch(input).find_map(Result::err), siblings, "{}", hex(input));
        assert_eq!(PathSet::new([y3::path!(0x3e)]).watch(input).count(), usize::from(siblings.is_some()));
    });
}

#[test]
fn skip_3() {
    rows("SKIP-3");
    // In nodes on no path, and in primitives on one, anything may stand.
    every_small_input(|value| {
        let len = u8::try_from(value.len()).unwrap();
        for tag in [0x02, 0x82, 0xc2, 0x01, 0x41] {
            let bytes = [&[tag, len], value].concat();
            assert_eq!(PathSet::new([y3::path!(0x01, 0x00)]).watch(&bytes).count(), 0, "{}", hex(&bytes));
        }
    });
}

#[test]
fn skip_4() {
    rows("SKIP-4");
    // Every small input and every set of paths gives the hits, and the fault after them, that the rules say.
    let mut hits = 0;
    for paths in small_paths() {
        let set = path_set(&paths);
        every_small_input(|input| {
            let expected = oracle::found(input, &paths);
            hits += expected.0.len();
            assert_eq!(watched(input, &set), expected, "{} {paths:02x?}", hex(input));
        });
    }
    assert!(hits > 10_000, "only {hits} hits");
}

#[test]
fn watching_inside_a_node_or_embedded_packets_follows_the_same_rules() {
    let paths = [vec![0x01], vec![0x01, 0x01], vec![0x02, 0x00]];
    let set = path_set(&paths);
    // The same inside a node, where its end is no end of the input, and embedded, where it is one.
    let below: Vec<_> = paths.iter().map(|path| [&[0x01], &path[..]].concat()).collect();
    every_small_input(|input| {
        let node = [&[0x02, 0x00, 0x81, u8::try_from(input.len()).unwrap()], input].concat();
        let packet = packets(&node).last().unwrap().unwrap();
        let expected = oracle::found(&node, &below);
        assert_eq!(collected(set.watch_packets(packet.children())), expected, "{} {paths:02x?}", hex(input));
        let (hits, fault) = oracle::found(input, &paths);
        let hits = hits.into_iter().map(|(path, offset, value)| (path, offset + 4, value)).collect();
        let expected = (hits, fault.map(|(kind, offset)| (kind, offset + 4)));
        assert_eq!(collected(set.watch_packets(packet.embedded())), expected, "{} {paths:02x?}", hex(input));
    });
}

#[test]
fn skip_5() {
    rows("SKIP-5");
    // Every cut of three levels, with a hit at each of them before and after each other.
    let bytes = unhex("810f020101810603010281010402010302010481020203");
    let paths = [vec![0x01, 0x02], vec![0x01, 0x01, 0x03], vec![0x01, 0x01, 0x01, 0x04]];
    let set = path_set(&paths);
    let mut counts = BTreeSet::new();
    for cut in 0..=bytes.len() {
        let expected = oracle::found(&bytes[..cut], &paths);
        counts.insert(expected.0.len());
        assert_eq!(watched(&bytes[..cut], &set), expected, "the first {cut} bytes");
    }
    assert!(counts.len() > 2, "{counts:?}");
}

#[test]
fn skip_6() {
    rows("SKIP-6");
    // Deeper than a walk may go, as deep as the path leads.
    let bytes = nested(200);
    let path = Path::new(&[0x01; Path::MAX_LEN]).unwrap();
    let set = PathSet::<1>::from_slice(&[path]).unwrap();
    let hit = set.watch(&bytes).next().unwrap().unwrap();
    assert!(check(&bytes).is_err());
    // From there on, deeper still: a hit's packets can be watched in turn, to the innermost.
    let mut node = hit.packet();
    for _ in 0..(200 - Path::MAX_LEN) / Path::MAX_LEN {
        node = set.watch_packets(node.children()).next().unwrap().unwrap().packet();
    }
    let inner = PathSet::new([y3::path!(0x02)]).watch_packets(node.children()).next().unwrap().unwrap();
    assert_eq!((inner.value(), inner.offset()), (&[0xff][..], bytes.len() as u64 - 3));
}
