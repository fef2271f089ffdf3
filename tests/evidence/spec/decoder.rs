//! SPEC §8: what a decoder owes, and its limits.

use super::*;

#[test]
fn dec_1() {
    rows("DEC-1");
    // After packets that are fine a fault is where it is without them, so much further on.
    let before = unhex("81080201ff83030401430105aabbccddee");
    every_small_input(|input| {
        let moved = oracle::check(input, MAX_DEPTH).map_err(|(kind, offset)| (kind, offset + before.len() as u64));
        let bytes = [&before[..], input].concat();
        assert_eq!(check(&bytes).map_err(fault), moved, "{}", hex(input));
    });
}

#[test]
fn dec_2() {
    rows("DEC-2");
    // Every small input gives what the words of the rule give, so the first check that fails is the one reported.
    let mut kinds = BTreeSet::new();
    every_small_input(|input| {
        let expected = oracle::check(input, MAX_DEPTH);
        assert_eq!(check(input).map_err(fault), expected, "{}", hex(input));
        kinds.extend(expected.err().map(|(kind, _)| format!("{kind:?}")));
    });
    assert!(kinds.iter().eq(["LengthOverflow", "NegativeLength", "Overrun", "UnexpectedEnd"]), "{kinds:?}");
}

#[test]
fn dec_3() {
    rows("DEC-3");
    // What stands after a fault changes nothing, and nothing comes after it.
    every_small_input(|input| {
        let mut siblings = packets(input);
        let Some(error) = siblings.by_ref().find_map(Result::err) else { return };
        assert!((0..3).all(|_| siblings.next().is_none()));
        assert_eq!(siblings.remainder(), [0; 0]);
        if matches!(error.kind(), ErrorKind::NegativeLength | ErrorKind::LengthOverflow) {
            let bytes = [input, &[0x01, 0x00]].concat();
            let given: Vec<_> = packets(&bytes).map(|packet| packet.map_err(fault)).collect();
            assert!(given.into_iter().eq(packets(input).map(|packet| packet.map_err(fault))));
        }
    });
}

#[test]
fn dec_4() {
    rows("DEC-4");
    // Six bytes that announce 2 GiB: what a reader says of the packets to come depends on the bytes that are there.
    let bytes = unhex("8187ffffff7f");
    assert_eq!(packets(&bytes).size_hint(), (1, Some(3)));
    let read: Vec<_> = packets(&bytes).collect();
    assert!(read.capacity() <= 4);
    // Readers are a few words, whatever they read.
    assert!(size_of::<y3::iter::Packets<'_>>() <= 64 && size_of::<Walk<'_>>() <= 1024);
    // The parser names the number and reserves nothing.
    let missing = packet::<y3::ErrorKind>().parse(&bytes).unwrap_err();
    assert_eq!(missing, nom::Err::Incomplete(nom::Needed::new(0x7fff_ffff)));
}

#[test]
fn dec_5() {
    rows("DEC-5");
    let many = if cfg!(miri) { 2_000 } else { 100_000 };
    let bytes = nested(many);
    let wide = [0x01, 0x00].repeat(many);
    // A stack that would not hold a call for each node, nor for each packet.
    let small_stack = std::thread::Builder::new().stack_size(128 * 1024);
    let done = small_stack.spawn(move || {
        assert_eq!(check(&bytes).map_err(|error| error.kind()), Err(ErrorKind::DepthLimit));
        assert_eq!(walk(&bytes).count(), MAX_DEPTH + 1);
        // Each packet is passed once, so what comes out is no more than the headers that fit in.
        assert_eq!(walk(&wide).count(), wide.len() / 2);
        assert_eq!(PathSet::new([y3::path!(0x02)]).watch(&bytes).count(), 0);
        assert_eq!(PathSet::new([y3::path!(1, 1, 1, 1, 1, 1, 1, 1)]).watch(&bytes).count(), 1);
        assert_eq!(y3::Patterns(["**/02".parse().unwrap()]).watch(&bytes).count(), 1);
        assert_eq!(packets(&wide).watch(y3::keys![0x02]).count(), 0);
    });
    done.unwrap().join().unwrap();
}

#[test]
fn dec_6() {
    rows("DEC-6");
    for (depth, offset) in [(63, None), (64, None), (65, Some(64)), (66, Some(64)), (200, Some(64))] {
        let bytes = nested(depth);
        // The tag of the node at that depth: of each node outside of it, tag and length.
        let headers = |count: usize| -> u64 {
            let lens = (depth - count..depth).map(|inside| nested(inside).len());
            lens.map(|len| 1 + length_field(len as u64).len() as u64).sum()
        };
        let expected = offset.map_or(Ok(()), |count| Err((ErrorKind::DepthLimit, headers(count))));
        assert_eq!(check(&bytes).map_err(fault), expected, "{depth}");
        assert_eq!(oracle::check(&bytes, 64), expected, "{depth}");
    }
    // Another limit, set by the caller.
    let bytes = nested(3);
    let limited = |result: Option<Error>| result.map(fault);
    assert_eq!(limited(walk(&bytes).with_max_depth(3).find_map(Result::err)), None);
    assert_eq!(limited(walk(&bytes).with_max_depth(2).find_map(Result::err)), Some((ErrorKind::DepthLimit, 4)));
    assert_eq!(limited(walk(&bytes).with_max_depth(0).find_map(Result::err)), Some((ErrorKind::DepthLimit, 0)));
    // The node's own checks come first; nodes side by side do not add up.
    assert_eq!(
        limited(walk(&[0x81, 0x40]).with_max_depth(0).find_map(Result::err)),
        Some((ErrorKind::NegativeLength, 1))
    );
    assert_eq!(
        limited(walk(&[0x81, 0x01]).with_max_depth(0).find_map(Result::err)),
        Some((ErrorKind::UnexpectedEnd, 0))
    );
    assert_eq!(check(&nested(64).repeat(3)), Ok(()));
    assert_eq!(MAX_DEPTH, 64);
}

#[test]
fn dec_7() {
    rows("DEC-7");
    // Two faults: the packet that begins first has its reported first, whichever they are.
    let bytes = unhex("84068302017f0509");
    assert_eq!(check(&bytes).map_err(fault), Err((ErrorKind::NegativeLength, 5)));
    // Without the inner one, the outer one shows.
    let bytes = unhex("8406830201000509");
    assert_eq!(check(&bytes).map_err(fault), Err((ErrorKind::Overrun, 6)));
    // A walk gives a node, what is inside it, then what follows it.
    let bytes = unhex("81060202030004008400");
    let mut walk = walk(&bytes);
    let mut seen = Vec::new();
    while let Some(packet) = walk.next() {
        seen.push((walk.depth(), packet.unwrap().offset()));
    }
    assert_eq!(seen, [(0, 0), (1, 2), (1, 6), (0, 8)]);
}

#[test]
fn dec_8() {
    rows("DEC-8");
    // Before every value, and inside of it, things that are no structure: all accepted.
    for value in [&[0xff; 4][..], &[0x81, 0x7f], &[0x40], &[0xc0, 0x80], &[]] {
        for tag in 0x00..=0x7f {
            let len = u8::try_from(value.len()).unwrap();
            let primitive = [&[tag, 0x80, 0x80, len], value].concat();
            let slice = [&[0xc5, 0x80, u8::try_from(primitive.len()).unwrap()], &primitive[..]].concat();
            assert_eq!((check(&primitive), check(&slice)), (Ok(()), Ok(())));
            let packet = Packet::from_slice(&slice).unwrap();
            assert_eq!((packet.check(), packet.children().check()), (Ok(()), Ok(())));
        }
    }
}

#[test]
fn dec_10() {
    rows("DEC-10");
    // Of whatever is read, only the kinds of the table; a packet's typed values included.
    let mut kinds = BTreeSet::new();
    every_small_input(|input| {
        for packet in walk(input) {
            let values = packet.map_or_else(
                |error| vec![error],
                |packet| {
                    let inside = packet.children().find_map(Result::err).into_iter();
                    let types =
                        ["i32", "u64", "f32", "bool", "text"].map(|kind| Value::read(kind, Dialect::PVar, &packet));
                    inside.chain(types.into_iter().filter_map(Result::err)).collect()
                },
            );
            kinds.extend(values.iter().map(|error| format!("{:?}", error.kind())));
        }
    });
    let of_the_input: BTreeSet<_> = [
        "UnexpectedEnd",
        "Overrun",
        "NegativeLength",
        "LengthOverflow",
        "NotANode",
        "NotAPrimitive",
        "InvalidValue",
        "InvalidUtf8",
    ]
    .map(str::to_owned)
    .into();
    assert_eq!(kinds, of_the_input);
}

#[test]
fn dec_11() {
    rows("DEC-11");
    // Whatever packet is looked into, a key above 63 is refused before its bytes are read.
    every_small_input(|value| {
        for tag in [0x01, 0x41, 0x81, 0xc1] {
            let bytes = [&[tag, u8::try_from(value.len()).unwrap()], value].concat();
            let found = Packet::from_slice(&bytes).unwrap().find(64);
            assert_eq!(found.map_err(fault), Err((ErrorKind::InvalidKey, 0)), "{}", hex(&bytes));
        }
    });
}
