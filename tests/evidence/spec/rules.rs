//! A test for each rule. Some tests compare the crate with the naive reader and writer: on every small input and every
//! small set of paths (DEC-2, SKIP-4), every small value (INT-1) and every number (NVAR-1). The tests of other rules
//! assert only what these comparisons and the rows do not show.

use std::collections::BTreeSet;

use testkit::chunks;
use testkit::hex::{hex, unhex};
use testkit::oracle::same::{self, Watched};
use testkit::oracle::trees::{DIALECTS, Dialect, Tree, Value};
use testkit::oracle::{self, Length, TOP, fault, length_field, read_length};
use testkit::typed::encode;
use y3::Header;
use y3::iter::Walk;
use y3::parser::{Parser, header, nom, packet};
use y3::{
    Encoder, Error, ErrorKind, Event, Key, KeySet, Limits, MAX_DEPTH, Packet, Path, PathSet, Tag, Watcher, check,
    packets, path, walk,
};

use super::inputs::{
    every_small_input, float_bits, integers, length_edges, nested, small_inputs, small_paths, telling_inputs, values,
};
use super::{dialects_of, leaf_of, path_set, rows, written_length};
use crate::head::Head;
use crate::rows::ROWS;

macro_rules! by_rows {
    ($($test:ident: $rule:literal),*) => {
        $(
            #[test]
            fn $test() {
                rows($rule);
            }
        )*

        /// The tests that only run the rows of their rule.
        pub const BY_ROWS: &[(&str, &str)] = &[$((stringify!($test), $rule)),*];
    };
}

by_rows! {
    tag_1: "TAG-1", tag_2: "TAG-2", tag_3: "TAG-3", len_2: "LEN-2", len_3: "LEN-3", len_4: "LEN-4", len_7: "LEN-7",
    pkt_1: "PKT-1", pkt_2: "PKT-2", pkt_3: "PKT-3", pkt_4: "PKT-4", pkt_5: "PKT-5",
    int_2: "INT-2", int_3: "INT-3", int_4: "INT-4", int_5: "INT-5", nvar_2: "NVAR-2", nvar_3: "NVAR-3",
    pvar_1: "PVAR-1", pvar_2: "PVAR-2", pvar_3: "PVAR-3", pvar_4: "PVAR-4", pvar_5: "PVAR-5",
    flt_2: "FLT-2", flt_3: "FLT-3", flt_4: "FLT-4", bool_1: "BOOL-1", bool_2: "BOOL-2", bool_3: "BOOL-3",
    txt_1: "TXT-1", txt_2: "TXT-2", txt_3: "TXT-3", txt_4: "TXT-4", bin_1: "BIN-1",
    node_1: "NODE-1", node_2: "NODE-2", node_3: "NODE-3", node_4: "NODE-4", node_5: "NODE-5", node_6: "NODE-6", node_7: "NODE-7",
    slice_1: "SLICE-1", slice_2: "SLICE-2", slice_3: "SLICE-3", key_1: "KEY-1", can_1: "CAN-1", can_2: "CAN-2", can_4: "CAN-4",
    dec_1: "DEC-1", dec_3: "DEC-3", dec_7: "DEC-7", dec_8: "DEC-8", dec_10: "DEC-10", dec_11: "DEC-11",
    path_1: "PATH-1", path_2: "PATH-2", path_3: "PATH-3", path_4: "PATH-4", path_5: "PATH-5", path_6: "PATH-6", path_7: "PATH-7",
    skip_1: "SKIP-1", skip_2: "SKIP-2", skip_3: "SKIP-3", skip_5: "SKIP-5", skip_7: "SKIP-7", skip_8: "SKIP-8", skip_9: "SKIP-9",
    skip_10: "SKIP-10", skip_11: "SKIP-11", strm_1: "STRM-1", strm_2: "STRM-2", strm_3: "STRM-3", strm_4: "STRM-4",
    strm_7: "STRM-7", strm_8: "STRM-8", strm_10: "STRM-10"
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
        let bytes = [&[0x81], &field[..]].concat();
        let Some(new) = Header::new(Tag::from(0x81), usize::try_from(length).unwrap()) else { panic!("{length}") };
        assert_eq!(new.encode(&mut [0xff; Header::MAX_SIZE]), bytes);
        assert_eq!(header::<ErrorKind>().parse(&bytes), Ok((&[][..], new)));
    }
    assert_eq!(Header::new(Tag::from(0x81), 0x8000_0000), None);
}

#[test]
fn len_5() {
    rows("LEN-5");
    // All first bytes, followed by length fields of every size, in a top-level packet.
    for first in 0..=u8::MAX {
        small_inputs(&[0x00, 0x05, 0x80, 0xff], 5, |others| {
            let bytes = [&[0x05, first], others].concat();
            let read =
                header::<ErrorKind>().parse(&bytes).map(|(_, header)| (header.value_len() as u64, header.size() - 1));
            match read_length(&bytes[1..]) {
                Length::Is { length, size } => {
                    assert_eq!(read, Ok((length, size)), "{}", hex(&bytes));
                    // A parsed header keeps its bytes.
                    let (_, header) = header::<ErrorKind>().parse(&bytes).unwrap();
                    assert_eq!(header.encode(&mut [0; Header::MAX_SIZE]), &bytes[..=size]);
                }
                Length::Fault(kind) => {
                    assert_eq!(read, Err(nom::Err::Failure(kind)), "{}", hex(&bytes));
                    assert_eq!(check(&bytes).map_err(fault), Err((kind, 1)), "{}", hex(&bytes));
                }
                Length::Cut => unreachable!("six bytes hold every field"),
            }
        });
    }
}

#[test]
fn len_6() {
    rows("LEN-6");
    // A node of packets within the limit can also exceed the limit.
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
fn int_1() {
    rows("INT-1");
    // Reads the same bytes as every type: the result depends on nothing else.
    values(|value| {
        let bytes = oracle::packed(0x05, value);
        same::same_typed(&Packet::from_slice(&bytes).unwrap(), &oracle::one(&bytes).unwrap());
    });
}

/// Asserts that the value is written as the naive writer writes it, and is read back.
fn written(value: &Value) {
    for dialect in DIALECTS {
        let tree = Tree::leaf(0x05, value.in_dialect(dialect));
        let bytes = encode(&[tree], dialect).unwrap();
        assert_eq!(bytes, oracle::packed(0x05, &value.in_dialect(dialect).encode()), "{value:?} {dialect:?}");
        let packet = Packet::from_slice(&bytes).unwrap();
        assert_eq!(Value::read(value.kind(), dialect, &packet).as_ref(), Ok(value), "{dialect:?}");
    }
}

#[test]
fn nvar_1() {
    rows("NVAR-1");
    integers().for_each(|value| written(&value));
}

#[test]
fn flt_1() {
    rows("FLT-1");
    for bits in float_bits() {
        written(&Value::F64(bits));
        written(&Value::F32(u32::try_from(bits >> 32).unwrap()));
    }
}

#[test]
fn key_2() {
    rows("KEY-2");
    // The conventional keys have names.
    assert_eq!((Tag::node(Key::ROOT).get(), Key::ITEM.get(), Key::MAX.get()), (0x81, 0x00, 0x3f));
    assert_eq!((Key::RESERVED, Key::USER), (0x01..=0x0f, 0x10..=0x3f));
}

#[test]
fn can_3() {
    rows("CAN-3");
    // Each rule that allows a form that is not canonical has at least one row.
    for rule in ["LEN-2", "TAG-2", "NVAR-2", "PVAR-2", "FLT-2", "BOOL-2", "SLICE-2"] {
        assert!(ROWS.iter().any(|row| row.shows(rule) && row.shows("CAN-3")), "{rule}");
    }
    // The writer writes other bytes for these values.
    for row in ROWS.iter().filter(|row| row.table == "A.4" && row.shows("CAN-3")) {
        let [kind, dialect, value, expected] = &row.cells[..] else { panic!("{}", row.id) };
        for &dialect in dialects_of(dialect) {
            assert_ne!(leaf_of(kind, expected).in_dialect(dialect).encode(), unhex(value), "{}", row.id);
        }
    }
}

#[test]
fn dec_2() {
    rows("DEC-2");
    // Every small input gives what the rule says, so the first check that fails is the one reported.
    let mut kinds = BTreeSet::new();
    every_small_input(|input| {
        let expected = oracle::check(input, MAX_DEPTH);
        assert_eq!(check(input).map_err(fault), expected, "{}", hex(input));
        kinds.extend(expected.err().map(|(kind, _)| format!("{kind:?}")));
    });
    assert!(kinds.iter().eq(["LengthOverflow", "NegativeLength", "Overrun", "UnexpectedEnd"]), "{kinds:?}");
    // Every reader, at top level, in nodes, slices and primitives, with packets before and after.
    let watched = Watched { paths: vec![vec![1], vec![1, 1], vec![0, 2]], keys: vec![1, 2] };
    telling_inputs(3, |input| same::same_packets(input, &packets(input), TOP, &watched));
    for tag in 0..=u8::MAX {
        telling_inputs(if [0x01, 0x41, 0x81, 0xc1].contains(&tag) { 2 } else { 1 }, |value| {
            let packet = oracle::packed(tag, value);
            same::same(&[&[0x00, 0x00], &packet[..], &packet].concat(), &watched);
        });
    }
}

#[test]
fn dec_4() {
    rows("DEC-4");
    // Six bytes that announce 2 GiB. What a reader reports depends only on the bytes that exist.
    let bytes = unhex("8187ffffff7f");
    assert_eq!(packets(&bytes).size_hint(), (1, Some(3)));
    let read: Vec<_> = packets(&bytes).collect();
    assert!(read.capacity() <= 4);
    // Readers have a small fixed size, whatever they read.
    assert!(size_of::<y3::iter::Packets<'_>>() <= 64 && size_of::<Walk<'_>>() <= 1024);
    // The parser reports the missing bytes and reserves nothing.
    let missing = packet::<ErrorKind>().parse(&bytes).unwrap_err();
    assert_eq!(missing, nom::Err::Incomplete(nom::Needed::new(0x7fff_ffff)));
}

#[test]
fn dec_5() {
    rows("DEC-5");
    let many = if cfg!(miri) { 2_000 } else { 100_000 };
    let (deep, wide) = (nested(many), [0x01, 0x00].repeat(many));
    // The stack is too small for a call per node or per packet.
    let small_stack = std::thread::Builder::new().stack_size(64 * 1024);
    let done = small_stack.spawn(move || {
        assert_eq!(check(&deep).map_err(|error| error.kind()), Err(ErrorKind::DepthLimit));
        assert_eq!(walk(&deep).count(), MAX_DEPTH + 1);
        // Each packet is visited once, so there are no more packets than headers that fit in the input.
        assert_eq!(walk(&wide).count(), wide.len() / 2);
        assert_eq!(PathSet::new([path!(0x02)]).watch(&deep).count(), 0);
        let eighth = PathSet::new([path!(1, 1, 1, 1, 1, 1, 1, 1)]);
        assert_eq!(eighth.watch(&deep).count(), 1);
        assert_eq!(y3::Patterns(["**/02".parse().unwrap()]).watch(&deep).count(), 1);
        assert_eq!(packets(&wide).watch(y3::keys![0x02]).count(), 0);
        // A watch that is repeated inside each hit reaches any depth.
        let (mut level, mut levels) = (packets(&deep), 0);
        while let Some(hit) = eighth.watch_packets(level.clone()).next() {
            (level, levels) = (hit.unwrap().children(), levels + 8);
        }
        // Broken inputs: nodes that announce the longest length; tags that are length bytes too; a missing end.
        let claims = [0x81, 0x87, 0xff, 0xff, 0xff, 0x7f].repeat(many);
        for (bytes, kind, offset) in [
            (&claims[..], ErrorKind::UnexpectedEnd, 0),
            (&vec![0x81; many], ErrorKind::LengthOverflow, 1),
            (&vec![0xc1; many], ErrorKind::NegativeLength, 1),
            (&deep[..deep.len() - 1], ErrorKind::UnexpectedEnd, 0),
        ] {
            assert_eq!(check(bytes).map_err(fault), Err((kind, offset)));
        }
        let overrun = Error::new(ErrorKind::Overrun, 6);
        assert_eq!(eighth.watch(&claims).map(|hit| hit.map(drop)).collect::<Vec<_>>(), [Err(overrun)]);
        let (mut packet, mut steps) = (Packet::from_slice(&deep).unwrap(), 0);
        while let Some(inner) = packet.find(0x01).unwrap() {
            (packet, steps) = (inner, steps + 1);
        }
        assert_eq!((levels, level.next().unwrap().unwrap().value(), steps), (many, &[0xff][..], many - 1));
    });
    done.unwrap().join().unwrap();
}

#[test]
fn dec_6() {
    rows("DEC-6");
    for (depth, offset) in [(63, None), (64, None), (65, Some(64)), (66, Some(64)), (200, Some(64))] {
        let bytes = nested(depth);
        // The offset of the node's tag at this depth: the tags and lengths of the nodes around it.
        let headers = |count: usize| -> u64 {
            let lens = (depth - count..depth).map(|inside| nested(inside).len());
            lens.map(|len| 1 + length_field(len as u64).len() as u64).sum()
        };
        let expected = offset.map_or(Ok(()), |count| Err((ErrorKind::DepthLimit, headers(count))));
        assert_eq!(check(&bytes).map_err(fault), expected, "{depth}");
        assert_eq!(oracle::check(&bytes, 64), expected, "{depth}");
    }
    // The caller can set another limit; a limit above 64 acts as 64.
    let limited = |bytes: &[u8], nodes| walk(bytes).with_max_depth(nodes).find_map(Result::err).map(fault);
    let at = |offset| Some((ErrorKind::DepthLimit, offset));
    assert_eq!([3, 2, 0].map(|nodes| limited(&nested(3), nodes)), [None, at(4), at(0)]);
    assert_eq!(limited(&nested(65), usize::MAX), limited(&nested(65), 64));
    // Errors of the node itself come first; sibling nodes do not count towards the depth.
    assert_eq!(limited(&[0x81, 0x40], 0), Some((ErrorKind::NegativeLength, 1)));
    assert_eq!(limited(&[0x81, 0x01], 0), Some((ErrorKind::UnexpectedEnd, 0)));
    assert_eq!(check(&nested(64).repeat(3)), Ok(()));
    assert_eq!(MAX_DEPTH, 64);
}

#[test]
fn skip_4() {
    rows("SKIP-4");
    // Every small input and every set of paths gives the hits and errors that the rules require.
    let mut hits = 0;
    for paths in small_paths() {
        let set = path_set(&paths);
        every_small_input(|input| {
            let expected = same::expected_items(input, TOP, &paths);
            hits += expected.iter().filter(|item| item.is_ok()).count();
            assert_eq!(same::items(input, set.watch(input)), expected, "{} {paths:02x?}", hex(input));
        });
        // In a node that announces 2^31-1 bytes, only the end of the input can cut a packet.
        telling_inputs(3, |value| {
            for head in [&[][..], &[0x81, 0x87, 0xff, 0xff, 0xff, 0x7f], &[0x01, 0x87, 0xff, 0xff, 0xff, 0x7f]] {
                let input = [head, value].concat();
                assert_eq!(same::items(&input, set.watch(&input)), same::expected_items(&input, TOP, &paths));
                chunks::same(&input, &set, &[1]);
            }
        });
    }
    assert!(hits > 10_000, "only {hits} hits");
}

#[test]
fn skip_6() {
    rows("SKIP-6");
    // Deeper than a walk enters, but as deep as the path leads.
    let bytes = nested(200);
    let path = Path::new(&[0x01; Path::MAX_LEN]).unwrap();
    let hit = PathSet::<1>::from_slice(&[path]).unwrap().watch(&bytes).next().unwrap().unwrap();
    assert!(check(&bytes).is_err() && hit.is_node());
}

#[test]
fn dec_9() {
    rows("DEC-9");
    // The limits are exact: one byte more is refused at the header that announces it.
    let set = path_set(&[vec![0x01]]);
    for len in [7, 63, 64, 100, 8191, 8192] {
        let value = vec![0; len];
        let bytes = oracle::packed(0x01, &value);
        for (limits, fits) in [
            (Limits::NONE.with_max_packet_len(bytes.len()), true),
            (Limits::NONE.with_max_packet_len(bytes.len() - 1), false),
            (Limits::NONE.with_max_value_len(len), true),
            (Limits::NONE.with_max_value_len(len - 1), false),
        ] {
            let limit = Some(Error::new(ErrorKind::SizeLimit, 0));
            let hit = (vec![(0, 0, bytes.clone())], None);
            let whole = if fits { hit } else { (vec![], limit) };
            assert_eq!(chunks::watched(&bytes, &set, limits, &[5]), whole, "{len}");
            let end = if fits { Some(Error::new(ErrorKind::UnexpectedEnd, 0)) } else { limit };
            assert_eq!(chunks::watched(&bytes[..bytes.len() - len], &set, limits, &[1]), (vec![], end), "{len}");
        }
    }
}

#[test]
fn strm_5() {
    rows("STRM-5");
    // In every chunk the data of the outer packet come first and include the bytes of the inner packet.
    let set = path_set(&[vec![0x01], vec![0x01, 0x11]]);
    let bytes = unhex("81081106a0a1a2a3a4a5");
    for size in 1..bytes.len() {
        let mut watcher = Watcher::new(&set, Limits::NONE);
        for piece in bytes.chunks(size) {
            let parts = watcher.feed(piece).filter_map(|event| match event.unwrap() {
                Event::Data { path_index, bytes } => Some((path_index, bytes)),
                _ => None,
            });
            let parts: Vec<_> = parts.collect();
            match parts[..] {
                [] | [(0, _)] => {}
                [(0, outer), (1, inner)] => assert!(outer.ends_with(inner), "pieces of {size}"),
                _ => panic!("{parts:02x?} in pieces of {size}"),
            }
        }
    }
}

#[test]
fn strm_6() {
    rows("STRM-6");
    // The error is in the bytes from the fourth on; it is reported with the last byte of the packet around it.
    let set = path_set(&[vec![0x01], vec![0x01, 0x11]]);
    let bytes = unhex("8108107f202020202020");
    let mut watcher = Watcher::new(&set, Limits::NONE);
    for (place, byte) in bytes.iter().enumerate() {
        let fault = watcher.feed(std::slice::from_ref(byte)).find_map(Result::err).map(fault);
        let expected = (place == bytes.len() - 1).then_some((ErrorKind::NegativeLength, 3));
        assert_eq!(fault, expected, "byte {place}");
    }
}

#[cfg(feature = "std")]
#[test]
fn strm_9() {
    rows("STRM-9");
    // A file that ends inside a skipped value, cut at every byte near its end: seeking gives what reading gives.
    let set = path_set(&[vec![0x02]]);
    let file = [oracle::packed(0x01, &[0; 10_000]), vec![0x02, 0x01, 0x07]].concat();
    for len in (file.len() - 20..=file.len()).chain([3, 4, 5, 100, 5_000]) {
        let reader = y3::Reader::seeking(std::io::Cursor::new(&file[..len]), &set, Limits::NONE);
        assert_eq!(chunks::read(reader), chunks::whole(&file[..len], &set), "{len} bytes");
    }
}

#[cfg(feature = "alloc")]
#[test]
fn strm_11() {
    rows("STRM-11");
    // A watch may report of these bytes only what it reports of all inputs that begin with them.
    let set = PathSet::<8>::from_slice(&[path!(0x01), path!(0x01, 0x02), path!(0x02 => 0x01)]).unwrap();
    let reported = |hit: Result<y3::Hit<'_>, Error>| {
        hit.map(|hit| (hit.path_index(), hit.offset(), hit.value().to_vec())).map_err(fault)
    };
    let (few, long) = ([0x00, 0x01, 0x02, 0x03, 0x40, 0x81], [0; 140]);
    small_inputs(&few, 5, |bytes| {
        // The node is longer than the bytes after it.
        if bytes.windows(2).any(|pair| pair == [0x81, 0x81]) {
            return;
        }
        let mut reader = y3::Collector::new(&set, Limits::NONE);
        let mut given = Vec::new();
        for piece in bytes.chunks(1) {
            let mut hits = reader.feed(piece);
            while let Some(hit) = hits.next_hit() {
                given.push(reported(hit));
            }
            if hits.error().is_some() {
                break;
            }
        }
        let common = few.chunks(1).chain([&[][..], &long]).map(|more| {
            let bytes = [bytes, more].concat();
            // The end of the input is no error of the bytes before it.
            let end = packets(&bytes).last().and_then(Result::err).map(|error| Err(fault(error)));
            let end = end.filter(|end| matches!(end, Err((ErrorKind::UnexpectedEnd, _))));
            let mut events: Vec<_> = set.watch(&bytes).map(reported).collect();
            drop(events.pop_if(|event| end.as_ref() == Some(event)));
            events
        });
        let common = common
            .reduce(|one, other| one.into_iter().zip(other).take_while(|(a, b)| a == b).map(|(a, _)| a).collect());
        assert_eq!(Some(given), common, "{}", hex(bytes));
    });
}
