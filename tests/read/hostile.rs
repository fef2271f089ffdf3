//! Hostile input: cut, damaged, overlong, nested without end. Each is an error at a byte of the input, in few steps.
//!
//! In: bytes that a sender chose. Out: no panic, no recursion, nothing after an error, never more steps than bytes.

use std::thread;

use y3::{
    Encoder, Error, ErrorKind, Key, KeySet, PVarInt, Packet, Path, PathSet, Patterns, SliceSink, check, keys, packets,
    path, walk,
};

const WATCHED: PathSet<4> = PathSet::new([path!(0x01, 0x02), path!(0x01, 0x10, 0x11), path!(0x01), path!(0x3f, 0x02)]);

/// Packets of each kind: numbers, text, empty ones, nodes, slices, embedded packets, padded and two-byte lengths.
fn specimens() -> Vec<Vec<u8>> {
    let text = [&[0x81, 0x80, 0x45, 0x01, 0x80, 0x40][..], &[0x61; 64], &[0x02, 0x00][..]].concat();
    vec![
        vec![0x01, 0x01, 0x05],
        vec![0x81, 0x08, 0x02, 0x01, 0xff, 0x83, 0x03, 0x04, 0x01, 0x43],
        vec![0x81, 0x0b, 0x90, 0x06, 0x11, 0x04, 0x42, 0x2a, 0x28, 0xf6, 0x02, 0x01, 0x07, 0x01, 0x00],
        vec![0xc4, 0x0d, 0x00, 0x01, 0x05, 0x80, 0x03, 0x01, 0x01, 0x08, 0xc0, 0x03, 0x00, 0x01, 0x09],
        vec![0x84, 0x80, 0x80, 0x80, 0x03, 0x01, 0x01, 0x05, 0x41, 0x00, 0x80, 0x00],
        vec![0xbf, 0x0a, 0x01, 0x01, 0x33, 0x02, 0x05, 0x81, 0x03, 0x11, 0x01, 0x07],
        text,
    ]
}

/// Reads an iterator to its end: at most `limit` items, then perhaps one error at a byte of the input, then only `None`.
fn drain<T>(mut items: impl Iterator<Item = Result<T, Error>>, bytes: usize) -> (usize, Option<Error>) {
    // A packet takes two bytes, so there are at most half as many steps as bytes.
    let limit = bytes / 2 + 1;
    for steps in 0..=limit {
        match items.next() {
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                assert!(error.offset() < bytes as u64, "{error} of {bytes}");
                assert!((0..4).all(|_| items.next().is_none()), "something comes after {error}");
                return (steps, Some(error));
            }
            None => {
                assert!((0..4).all(|_| items.next().is_none()), "something comes after the end");
                return (steps, None);
            }
        }
    }
    panic!("more than {limit} steps for {bytes} bytes");
}

/// The packets with key 0x02 at any depth.
fn anywhere(input: &[u8]) -> impl Iterator<Item = Result<Packet<'_>, Error>> {
    let hits: Vec<_> = Patterns(["**/02".parse().unwrap()]).watch(input).collect();
    hits.into_iter().map(|hit| Ok(hit?.packet()))
}

/// Reads an input with every reader.
fn read_all(input: &[u8]) {
    let bytes = input.len();
    let (top, fault) = drain(packets(input), bytes);
    let (all, deep_fault) = drain(walk(input), bytes);
    assert!(top <= all || deep_fault.is_some());
    assert_eq!(check(input).err(), deep_fault);
    drain(walk(input).with_max_depth(0), bytes);
    drain(walk(input).with_max_depth(1), bytes);
    let everywhere = drain(Patterns(["**".parse().unwrap()]).watch(input), bytes);
    assert!(fault.is_some() || everywhere == (all, deep_fault));
    drain(anywhere(input), bytes);
    assert_eq!(drain(packets(input).watch(KeySet::ALL), bytes), (top, fault));
    assert_eq!(drain(packets(input).watch(KeySet::EMPTY), bytes), (0, fault));
    drain(WATCHED.watch(input), bytes);
    assert_eq!(drain(PathSet::<0>::new([]).watch(input), bytes), (0, fault));
    match Packet::from_slice(input) {
        Ok(packet) => assert_eq!(packet.as_bytes(), input),
        Err(error) => assert!(error.offset() < bytes.max(1) as u64, "{error}"),
    }
    for packet in walk(input).map_while(Result::ok) {
        let end = packet.offset() + packet.as_bytes().len() as u64;
        for error in [
            drain(packet.children(), bytes).1,
            drain(packet.embedded(), bytes).1,
            packet.check().err(),
            packet.find(0x02).err(),
            packet.get::<&[u8]>(0x02).err(),
            packet.decode::<&str>().err(),
        ] {
            let inside = |error: Error| (packet.offset()..end).contains(&error.offset());
            assert!(error.is_none_or(inside), "{error:?} in {packet:x?}");
        }
        for error in [
            packet.decode::<i8>().err(),
            packet.decode::<i16>().err(),
            packet.decode::<u8>().err(),
            packet.decode::<u16>().err(),
            packet.decode::<usize>().err(),
            packet.decode::<[u8; 3]>().err(),
            packet.decode::<i32>().err(),
            packet.decode::<u32>().err(),
            packet.decode::<i64>().err(),
            packet.decode::<u64>().err(),
            packet.decode::<PVarInt<i32>>().err(),
            packet.decode::<PVarInt<u32>>().err(),
            packet.decode::<PVarInt<i64>>().err(),
            packet.decode::<PVarInt<u64>>().err(),
            packet.decode::<f32>().err(),
            packet.decode::<f64>().err(),
            packet.decode::<bool>().err(),
        ] {
            let value = end - packet.value().len() as u64;
            let refused = if packet.is_node() {
                Some(Error::new(ErrorKind::NotAPrimitive, packet.offset()))
            } else {
                error.map(|_| Error::new(ErrorKind::InvalidValue, value))
            };
            assert_eq!(error, refused);
        }
        assert_eq!(packet.decode::<&[u8]>().ok(), (!packet.is_node()).then_some(packet.value()));
    }
}

#[test]
fn a_cut_inside_a_packet_is_an_error_at_that_packet() {
    for whole in specimens() {
        assert_eq!(check(&whole), Ok(()));
        for cut in 0..=whole.len() {
            read_all(&whole[..cut]);
            let fault = check(&whole[..cut]).err().map(|error| (error.kind(), error.offset()));
            let ends = packets(&whole).map(Result::unwrap).map(|p| p.offset() + p.as_bytes().len() as u64);
            let begun = ends.filter(|&end| end <= cut as u64).last().unwrap_or(0);
            // A cut between packets is no fault; any other is one at the packet that it cuts.
            let expected = (begun != cut as u64).then_some((ErrorKind::UnexpectedEnd, begun));
            assert_eq!(fault, expected, "{whole:02x?} cut at {cut}");
        }
    }
}

#[test]
fn no_changed_byte_makes_a_reader_panic_or_leave_the_input() {
    for mut input in specimens() {
        for place in 0..input.len() {
            let good = input[place];
            // Inside the long text all bytes are alike. Miri, a thousand times slower, gets a few of them everywhere.
            let step = if cfg!(miri) {
                64
            } else if place < 24 {
                1
            } else {
                16
            };
            for byte in (0..=u8::MAX).filter(|byte| byte % step == 1 % step) {
                input[place] = byte;
                read_all(&input);
            }
            input[place] = good;
        }
    }
}

#[test]
fn no_missing_or_doubled_byte_makes_a_reader_panic_or_leave_the_input() {
    for whole in specimens() {
        for place in 0..whole.len() {
            read_all(&[&whole[..place], &whole[place + 1..]].concat());
            read_all(&[&whole[..place], &whole[place..=place], &whole[place..]].concat());
        }
    }
}

#[test]
fn lengths_at_every_edge_are_read_or_refused() {
    use ErrorKind::{LengthOverflow, NegativeLength, Overrun, UnexpectedEnd};

    let cases: &[(&[u8], ErrorKind, u64)] = &[
        // 2^31-1 and a little less, on top and in a node.
        (&[0x01, 0x87, 0xff, 0xff, 0xff, 0x7f], UnexpectedEnd, 0),
        (&[0x01, 0x87, 0xff, 0xff, 0xff, 0x7e, 0x00], UnexpectedEnd, 0),
        (&[0x81, 0x87, 0xff, 0xff, 0xff, 0x7f], UnexpectedEnd, 0),
        (&[0x81, 0x07, 0x01, 0x87, 0xff, 0xff, 0xff, 0x7f, 0x00], Overrun, 2),
        (&[0x01, 0x00, 0x81, 0x08, 0x02, 0x00, 0x81, 0x87, 0xff, 0xff, 0xff, 0x7f], Overrun, 6),
        // 2^31, 2^32+1, 2^35-1: past the highest, and wrapped where 32 bits are kept.
        (&[0x01, 0x88, 0x80, 0x80, 0x80, 0x00], LengthOverflow, 1),
        (&[0x01, 0x90, 0x80, 0x80, 0x80, 0x01, 0xff], LengthOverflow, 1),
        (&[0x01, 0xbf, 0xff, 0xff, 0xff, 0x7f], LengthOverflow, 1),
        (&[0x81, 0x06, 0x01, 0x90, 0x80, 0x80, 0x80, 0x01], LengthOverflow, 3),
        // -1, the lowest number, and a negative field of many bytes.
        (&[0x01, 0x7f], NegativeLength, 1),
        (&[0x01, 0x40], NegativeLength, 1),
        (&[0x01, 0xc0], NegativeLength, 1),
        (&[0x01, 0xf8, 0x80, 0x80, 0x80, 0x00], NegativeLength, 1),
        (&[0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], NegativeLength, 1),
        (&[0x81, 0x02, 0x01, 0x7f], NegativeLength, 3),
        // Six bytes and more, whatever they say.
        (&[0x01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0xff], LengthOverflow, 1),
        (&[0x01, 0x80, 0x80, 0x80, 0x80, 0x80], LengthOverflow, 1),
        (&[0x01, 0x87, 0xff, 0xff, 0xff, 0xff], LengthOverflow, 1),
        (&[0x01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], LengthOverflow, 1),
        // Cut fields: missing bytes come before a verdict on those that would follow.
        (&[0x01], UnexpectedEnd, 0),
        (&[0x01, 0x88, 0x80, 0x80, 0x80], UnexpectedEnd, 0),
        (&[0x81, 0x05, 0x01, 0x88, 0x80, 0x80, 0x80, 0x00], Overrun, 2),
        (&[0x81, 0x01, 0x01, 0x00], Overrun, 2),
    ];
    for &(input, kind, offset) in cases {
        assert_eq!(check(input), Err(Error::new(kind, offset)), "{input:02x?}");
        read_all(input);
    }
    // Padding of up to five bytes is no fault.
    for input in
        [&[0x01, 0x80, 0x80, 0x80, 0x80, 0x01, 0xff][..], &[0x01, 0x80, 0x00], &[0x81, 0x80, 0x80, 0x02, 0x01, 0x00]]
    {
        assert_eq!(check(input), Ok(()), "{input:02x?}");
        assert_eq!(packets(input).count(), 1);
        read_all(input);
    }
}

#[test]
fn keys_out_of_range_are_refused_not_masked() {
    let node = [0x01, 0x00, 0x81, 0x04, 0x00, 0x00, 0x01, 0x00];
    let node = packets(&node).nth(1).unwrap().unwrap();
    let mut buffer = [0; 16];
    let mut sink = SliceSink::new(&mut buffer);
    for key in 64..=255 {
        assert_eq!(node.find(key), Err(Error::new(ErrorKind::InvalidKey, 2)));
        assert_eq!(node.get::<&[u8]>(key), Err(Error::new(ErrorKind::InvalidKey, 2)));
        assert_eq!((Key::new(key), KeySet::new(&[1, key]), Path::new(&[1, key])), (None, None, None));
        assert_eq!(format!("1/{key:x}").parse::<Path>(), Err(Error::new(ErrorKind::InvalidKey, 2)));
        assert_eq!(Encoder::new(&mut sink).put(key, 1), Err(Error::new(ErrorKind::InvalidKey, 0)));
        assert_eq!(Encoder::new(&mut sink).node(key, |_| Ok(())), Err(Error::new(ErrorKind::InvalidKey, 0)));
        assert_eq!(Encoder::new(&mut sink).slice(key, |_| Ok(())), Err(Error::new(ErrorKind::InvalidKey, 0)));
    }
    assert!(sink.written().is_empty());
    assert_eq!(node.find(63), Ok(None));
    assert!(Key::new(63).is_some() && KeySet::new(&[63]).is_some() && Path::new(&[63]).is_some());
    assert_eq!((Path::new(&[]), Path::new(&[1; 9])), (None, None));
    assert_eq!(Path::new(&[1; 8]).map(Path::len), Some(8));
}

/// `depth` nested nodes with key 1 around some bytes. Made from the inside out, also without recursion.
fn nest(depth: usize, inside: &[u8]) -> Vec<u8> {
    let mut backwards: Vec<u8> = inside.iter().rev().copied().collect();
    for _ in 0..depth {
        let mut left = backwards.len();
        let mut more = 0;
        loop {
            backwards.push(more | u8::try_from(left & 0x7f).unwrap());
            // The last group has one bit less, for the sign.
            if left < 0x40 {
                break;
            }
            left >>= 7;
            more = 0x80;
        }
        backwards.push(0x81);
    }
    backwards.reverse();
    backwards
}

/// The packet inside `depth` nodes, found along the first child of each.
fn innermost(input: &[u8], depth: usize) -> Packet<'_> {
    let first = packets(input).next().unwrap().unwrap();
    (0..depth).fold(first, |packet, _| packet.children().next().unwrap().unwrap())
}

#[test]
fn accepts_64_nested_nodes_and_refuses_65() {
    let deepest = nest(64, &[0x02, 0x01, 0x07]);
    assert_eq!(check(&deepest), Ok(()));
    assert_eq!(walk(&deepest).count(), 65);
    assert_eq!(anywhere(&deepest).map(|hit| hit.unwrap().value()).collect::<Vec<_>>(), [[7]]);

    let too_deep = nest(65, &[0x02, 0x01, 0x07]);
    let limit = Error::new(ErrorKind::DepthLimit, innermost(&too_deep, 64).offset());
    assert_eq!(check(&too_deep), Err(limit));
    assert_eq!(drain(walk(&too_deep), too_deep.len()), (64, Some(limit)));
    assert_eq!(drain(anywhere(&too_deep), too_deep.len()), (0, Some(limit)));
    // A higher limit than 64 is taken as 64; a lower one counts.
    assert_eq!(drain(walk(&too_deep).with_max_depth(65), too_deep.len()), (64, Some(limit)));
    let limit = Error::new(ErrorKind::DepthLimit, innermost(&deepest, 63).offset());
    assert_eq!(drain(walk(&deepest).with_max_depth(63), deepest.len()), (63, Some(limit)));
    let limit = Error::new(ErrorKind::DepthLimit, innermost(&too_deep, 64).offset());

    // An empty node is a node; a fault of its own length comes before the limit.
    assert_eq!(check(&nest(65, &[])).unwrap_err().kind(), ErrorKind::DepthLimit);
    assert_eq!(check(&nest(64, &[0x81, 0x7f])).unwrap_err().kind(), ErrorKind::NegativeLength);
    assert_eq!(check(&nest(64, &[0x81, 0x01])).unwrap_err().kind(), ErrorKind::Overrun);
    // The limit is one of depth, not of nodes: it holds after the deepest node too.
    let twice = [deepest.clone(), deepest.clone(), too_deep].concat();
    let error = check(&twice).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::DepthLimit, 2 * deepest.len() as u64 + limit.offset()));
    // A packet's own depth does not count when it is checked alone.
    let inner = packets(&twice).next().unwrap().unwrap().children().next().unwrap().unwrap();
    assert_eq!(inner.check(), Ok(()));
}

/// A tenth under Miri, which is a thousand times slower.
const DEEP: usize = if cfg!(miri) { 10_000 } else { 100_000 };

/// Runs on a stack that one call for each level would overflow.
fn on_a_small_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        thread::Builder::new().stack_size(64 * 1024).spawn_scoped(scope, run).unwrap().join().unwrap()
    })
}

#[test]
fn a_walk_refuses_nesting_of_100_000_levels() {
    // Well formed, and broken at the very inside: the limit is met first.
    for inside in [&[0x02, 0x01, 0x07][..], &[0x02, 0x7f], &[0x02, 0x05, 0x07], &[]] {
        let input = nest(DEEP, inside);
        let (checked, walked, searched) = on_a_small_stack(|| {
            let bytes = input.len();
            (check(&input), drain(walk(&input), bytes), drain(anywhere(&input), bytes))
        });
        let limit = checked.unwrap_err();
        assert_eq!(limit.kind(), ErrorKind::DepthLimit);
        assert_eq!(limit.offset(), innermost(&input, 64).offset());
        assert_eq!((walked, searched), ((64, Some(limit)), (0, Some(limit))));
    }
}

#[test]
fn nesting_of_100_000_levels_costs_a_watch_nothing() {
    let input = nest(DEEP, &[0x02, 0x01, 0x07]);
    let input = [&input[..], &[0x01, 0x01, 0x08]].concat();
    let along = PathSet::new([path!(0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01), path!(0x01)]);
    let beside = PathSet::new([path!(0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x02)]);
    on_a_small_stack(|| {
        assert_eq!(drain(along.watch(&input), input.len()), (3, None));
        assert_eq!(drain(beside.watch(&input), input.len()), (0, None));
        assert_eq!(drain(packets(&input).watch(keys![0x01]), input.len()), (2, None));
        assert_eq!(drain(packets(&input), input.len()), (2, None));
    });
    // Watching on inside of each hit reaches any depth.
    let (levels, value) = on_a_small_stack(|| {
        let eight = PathSet::new([path!(0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01)]);
        let mut level = packets(&input);
        let mut levels = 0;
        while let Some(hit) = eight.watch_packets(level.clone()).next() {
            level = hit.unwrap().packet().children();
            levels += 8;
        }
        (levels, level.next().unwrap().unwrap().value()[0])
    });
    assert_eq!((levels, value), (DEEP, 7));
}

#[test]
fn find_goes_down_100_000_levels_one_step_each() {
    let input = nest(DEEP, &[0x02, 0x01, 0x07]);
    let (steps, value) = on_a_small_stack(|| {
        let mut packet = Packet::from_slice(&input).unwrap();
        let mut steps = 0;
        while let Some(inner) = packet.find(0x01).unwrap() {
            packet = inner;
            steps += 1;
        }
        (steps, packet.find(0x02).unwrap().unwrap().decode::<i32>())
    });
    assert_eq!((steps, value), (DEEP - 1, Ok(7)));
}

#[test]
fn broken_nesting_is_an_error_at_the_broken_packet() {
    let along = PathSet::new([path!(0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01)]);
    let mut cut = nest(DEEP, &[0x02, 0x00]);
    cut.pop();
    let cases = [
        // Each node announces all there can be: the second overruns the first, which the input cuts short.
        (
            [0x81, 0x87, 0xff, 0xff, 0xff, 0x7f].repeat(DEEP),
            Error::new(ErrorKind::UnexpectedEnd, 0),
            Some(Error::new(ErrorKind::Overrun, 6)),
        ),
        // Tags alone: the second is the first length byte of the first, and so on to the fifth.
        (vec![0x81; DEEP], Error::new(ErrorKind::LengthOverflow, 1), Some(Error::new(ErrorKind::LengthOverflow, 1))),
        (vec![0xc1; DEEP], Error::new(ErrorKind::NegativeLength, 1), Some(Error::new(ErrorKind::NegativeLength, 1))),
        // The innermost packet overruns all nodes at once; then all of it but the last byte.
        (nest(DEEP, &[0x02, 0x01]), Error::new(ErrorKind::DepthLimit, 64 * 4), None),
        (cut, Error::new(ErrorKind::UnexpectedEnd, 0), Some(Error::new(ErrorKind::UnexpectedEnd, 0))),
    ];
    for (input, checked, watched) in cases {
        on_a_small_stack(|| {
            assert_eq!(check(&input), Err(checked));
            assert_eq!(drain(walk(&input), input.len()).1, Some(checked));
            // At any depth all nodes are entered, also those that the input cuts short.
            let too_deep = Error::new(ErrorKind::DepthLimit, 64 * 4);
            let cut_short = Error::new(ErrorKind::UnexpectedEnd, 0);
            let fault = watched.filter(|fault| *fault != cut_short).unwrap_or(too_deep);
            assert_eq!(drain(anywhere(&input), input.len()).1, Some(fault));
            // A watch sees the whole eighth node and nothing of the fault inside.
            assert_eq!(drain(along.watch(&input), input.len()), (usize::from(watched.is_none()), watched));
        });
    }
}

/// Wide instead of deep: each packet is one step, and none is read twice.
#[test]
fn many_packets_take_a_step_each() {
    let wide = [0x81, 0x02, 0x02, 0x00].repeat(DEEP);
    assert_eq!(drain(packets(&wide), wide.len()), (DEEP, None));
    assert_eq!(drain(walk(&wide), wide.len()), (2 * DEEP, None));
    assert_eq!(drain(WATCHED.watch(&wide), wide.len()), (2 * DEEP, None));
    assert_eq!(drain(anywhere(&wide), wide.len()), (DEEP, None));
    let empty = [0x00].repeat(2 * DEEP);
    assert_eq!(drain(packets(&empty), empty.len()), (DEEP, None));
    assert_eq!(drain(packets(&empty).watch(KeySet::EMPTY), empty.len()), (0, None));
}

#[test]
fn nothing_is_left_after_an_error() {
    let input = [0x01, 0x00, 0x02, 0x7f, 0x03, 0x00];
    let mut packets = packets(&input);
    packets.next();
    assert_eq!((packets.offset(), packets.remainder()), (2, &input[2..]));
    let checkpoint = packets.clone();
    assert_eq!(packets.next(), Some(Err(Error::new(ErrorKind::NegativeLength, 3))));
    assert_eq!((packets.next(), packets.offset(), packets.remainder()), (None, 6, &[][..]));
    assert_eq!(packets.size_hint(), (0, Some(0)));
    // A clone made before the error meets it again.
    assert_eq!(checkpoint.last(), Some(Err(Error::new(ErrorKind::NegativeLength, 3))));
}

/// A size hint counts bytes that are there, never a length from the wire.
#[test]
fn size_hints_trust_no_length() {
    for input in specimens() {
        for cut in 0..=input.len() {
            let (lower, upper) = packets(&input[..cut]).size_hint();
            let steps = packets(&input[..cut]).take(cut + 1).count();
            assert!(
                lower <= steps && steps <= upper.unwrap() && upper.unwrap() <= cut.div_ceil(2),
                "{input:02x?} {cut}"
            );
        }
    }
    let huge = [0x01, 0x87, 0xff, 0xff, 0xff, 0x7f];
    assert!(packets(&huge).size_hint().1.unwrap() <= 3);
}

#[test]
fn the_smallest_packet_is_two_bytes() {
    // Less under Miri, which is a thousand times slower.
    let len = if cfg!(miri) { 1 << 10 } else { 1 << 20 };
    let input = vec![0; len];
    assert_eq!(packets(&input).map_while(Result::ok).count(), len / 2);
    assert_eq!(packets(&[0]).map_while(Result::ok).count(), 0);
    assert_eq!(check(&input), Ok(()));
}
