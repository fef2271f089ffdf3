//! Readers of streams: parts of values, faults inside them, limits, going on after a fault, seeking.

use super::*;

/// Runs a row of A.8.
pub(super) fn run(reader: &str, limits: &str, bytes: &[u8], events: &str) {
    let goes_on = limits.ends_with("goes on");
    let limits = limits_of(limits.trim_end_matches("goes on"));
    let expected = events_of(events);
    let faults = || expected.iter().map(|event| event.clone().unwrap_err()).collect::<Vec<_>>();
    if let Some(paths) = reader.strip_prefix("watch ") {
        let set = path_set(&paths_of(paths));
        for cut in 0..=bytes.len() {
            let (first, second) = bytes.split_at(cut);
            assert_eq!(reported([first, second].into_iter(), &set, limits, goes_on), expected, "cut at {cut}");
        }
        assert_eq!(reported(bytes.chunks(1), &set, limits, goes_on), expected);
    } else if let Some(key) = reader.strip_prefix("search ") {
        let pattern = y3::Patterns([format!("**/{key}").parse().unwrap()]);
        let found = |hit: y3::Hit<'_>| (0, hit.offset(), hit.value().to_vec());
        // A search gives nothing out of a packet that is cut short: it watches whole packets.
        let in_one = |bytes: &[u8]| {
            let mut reported = Vec::new();
            for packet in packets(bytes) {
                match packet {
                    Ok(packet) => {
                        reported.extend(pattern.watch_packets(packet).map(|hit| hit.map(found).map_err(fault)));
                    }
                    Err(error) => reported.push(Err(fault(error))),
                }
                if reported.last().is_some_and(Result::is_err) {
                    break;
                }
            }
            reported
        };
        if limits == Limits::NONE {
            return assert_eq!(in_one(bytes), expected);
        }
        // Searched is what a reader of packets with these limits gives.
        let (packets, faults) =
            watch_stream(bytes.chunks(1), &PathSet::<8>::from_slice(&[Path::ANY]).unwrap(), limits, false);
        let whole: usize = packets.iter().map(|(_, _, value)| oracle::packed(0, value).len()).sum();
        assert_eq!([in_one(&bytes[..whole]), faults.into_iter().map(Err).collect()].concat(), expected);
    } else {
        assert_eq!(reader, "check");
        if limits == Limits::NONE {
            assert_eq!(check(bytes).map_err(fault), faults().first().map_or(Ok(()), |fault| Err(*fault)));
        }
        #[cfg(feature = "codec")]
        {
            for cut in 0..=bytes.len() {
                let (first, second) = bytes.split_at(cut);
                assert_eq!(check_stream([first, second].into_iter(), limits), faults(), "cut at {cut}");
            }
            assert_eq!(check_stream(bytes.chunks(1), limits), faults());
        }
    }
}

fn limits_of(text: &str) -> Limits {
    let words: Vec<_> = text.split_whitespace().filter(|word| *word != "none").collect();
    words.chunks(2).fold(Limits::NONE, |limits, words| {
        let number = words[1].parse().unwrap();
        match words[0] {
            "packet" => limits.with_max_packet_len(number),
            "value" => limits.with_max_value_len(number),
            "depth" => limits.with_max_depth(number),
            other => panic!("no limit {other}"),
        }
    })
}

/// What a reader of a stream reports, each hit where it begins [STRM-10].
pub(super) fn reported<'b>(
    pieces: impl Iterator<Item = &'b [u8]>,
    paths: &PathSet<8>,
    limits: Limits,
    goes_on: bool,
) -> Vec<Reported> {
    let mut watcher = Watcher::new(paths, limits);
    // Hits that begin and are not yet whole have a place already; `open` has the places.
    let (mut events, mut open): (Vec<Option<Reported>>, Vec<(usize, oracle::Found)>) = Default::default();
    let mut ended = false;
    'stream: for piece in pieces {
        let mut feed = watcher.feed(piece);
        while let Some(event) = feed.next() {
            match event {
                Ok(Event::Hit(hit)) => events.push(Some(Ok((hit.path_index(), hit.offset(), hit.value().to_vec())))),
                Ok(Event::Start { path_index, offset, .. }) => {
                    open.push((events.len(), (path_index, offset, Vec::new())));
                    events.push(None);
                }
                // Which one of those that are open, the number of its path says.
                Ok(Event::Data { path_index, bytes }) => {
                    let (_, hit) = open.iter_mut().rfind(|(_, hit)| hit.0 == path_index).unwrap();
                    hit.2.extend_from_slice(bytes);
                }
                Ok(Event::End { path_index }) => {
                    let which = open.iter().rposition(|(_, hit)| hit.0 == path_index).unwrap();
                    let (place, hit) = open.remove(which);
                    events[place] = Some(Ok(hit));
                }
                Ok(other) => panic!("{other:?}"),
                Err(error) => {
                    events.push(Some(Err(fault(error))));
                    if feed.error().is_some() && !(goes_on && feed.resume()) {
                        ended = true;
                        break 'stream;
                    }
                }
            }
        }
    }
    if !ended {
        events.extend(watcher.finish().err().map(|error| Some(Err(fault(error)))));
    }
    events.into_iter().flatten().collect()
}

/// The hits of a stream, and its faults.
fn watch_stream<'b>(
    pieces: impl Iterator<Item = &'b [u8]>,
    paths: &PathSet<8>,
    limits: Limits,
    goes_on: bool,
) -> (Vec<oracle::Found>, Vec<oracle::Fault>) {
    let (mut hits, mut faults) = (Vec::new(), Vec::new());
    for event in reported(pieces, paths, limits, goes_on) {
        match event {
            Ok(hit) => hits.push(hit),
            Err(fault) => faults.push(fault),
        }
    }
    (hits, faults)
}

/// The faults that a structural check of a stream finds, up to the first.
#[cfg(feature = "codec")]
fn check_stream<'b>(pieces: impl Iterator<Item = &'b [u8]>, limits: Limits) -> Vec<oracle::Fault> {
    use tokio_util::codec::Decoder;

    let fault_of = |error| match error {
        y3::ReadError::Packet(error) => fault(error),
        other => panic!("{other}"),
    };
    let mut codec = y3::PacketCodec::new(limits).checked();
    let mut buffer = bytes::BytesMut::new();
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            match codec.decode(&mut buffer) {
                Ok(Some(Ok(_))) => {}
                Ok(Some(Err(error))) => return vec![fault(error)],
                Ok(None) => break,
                Err(error) => return vec![fault_of(error)],
            }
        }
    }
    codec.decode_eof(&mut buffer).err().map(fault_of).into_iter().collect()
}

#[test]
fn dec_9() {
    rows("DEC-9");
    // The limits hold exactly: one byte more is refused, in the header that says so.
    let set = path_set(&[vec![0x01]]);
    for len in [7, 63, 64, 100, 8191, 8192] {
        let bytes = [&[0x01], &length_field(len)[..], &vec![0; usize::try_from(len).unwrap()]].concat();
        let value = usize::try_from(len).unwrap();
        for (limits, fits) in [
            (Limits::NONE.with_max_packet_len(bytes.len()), true),
            (Limits::NONE.with_max_packet_len(bytes.len() - 1), false),
            (Limits::NONE.with_max_value_len(value), true),
            (Limits::NONE.with_max_value_len(value - 1), false),
        ] {
            let (hits, faults) = watch_stream(bytes.chunks(5), &set, limits, false);
            assert_eq!((hits.len(), faults.is_empty()), (usize::from(fits), fits), "{len}");
            let header = bytes.len() - value;
            let (_, faults) = watch_stream(bytes[..header].chunks(1), &set, limits, false);
            let expected = if fits { ErrorKind::UnexpectedEnd } else { ErrorKind::SizeLimit };
            assert_eq!(faults, [(expected, 0)], "{len}");
        }
    }
}

#[test]
fn strm_4() {
    rows("STRM-4");
    // Until the last byte is there, parts come and no end.
    let set = path_set(&[vec![0x01]]);
    let bytes = [0x01, 0x03, 0xaa, 0xbb, 0xcc];
    let mut watcher = Watcher::new(&set, Limits::NONE);
    let mut value = Vec::new();
    for (place, byte) in bytes.iter().enumerate() {
        let mut ended = false;
        for event in watcher.feed(std::slice::from_ref(byte)) {
            match event.unwrap() {
                Event::Data { bytes, .. } => value.extend_from_slice(bytes),
                Event::End { .. } => ended = true,
                _ => {}
            }
        }
        assert_eq!(ended, place == bytes.len() - 1);
    }
    assert_eq!(value, [0xaa, 0xbb, 0xcc]);
}

#[test]
fn strm_5() {
    rows("STRM-5");
    // In every piece the outer part comes first and holds the bytes of the inner one.
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
    // The fault is in the bytes from the fourth on; it is reported with the last byte of the packet around it.
    let set = path_set(&[vec![0x01], vec![0x01, 0x11]]);
    let bytes = unhex("8108107f202020202020");
    let mut watcher = Watcher::new(&set, Limits::NONE);
    for (place, byte) in bytes.iter().enumerate() {
        let fault = watcher.feed(std::slice::from_ref(byte)).find_map(Result::err).map(fault);
        let expected = (place == bytes.len() - 1).then_some((ErrorKind::NegativeLength, 3));
        assert_eq!(fault, expected, "byte {place}");
    }
    // And if that never comes, at the end of the input.
    for cut in 4..bytes.len() {
        let (_, faults) = watch_stream(bytes[..cut].chunks(1), &set, Limits::NONE, false);
        assert_eq!(faults, [(ErrorKind::NegativeLength, 3)], "the first {cut} bytes");
    }
}

#[test]
fn strm_7() {
    rows("STRM-7");
    // Every small input: the same fault, byte by byte, as for the whole.
    #[cfg(feature = "codec")]
    small_inputs(&TELLING, 4, |input| {
        let expected: Vec<_> = check(input).err().map(fault).into_iter().collect();
        assert_eq!(check_stream(input.chunks(1), Limits::NONE), expected, "{}", hex(input));
    });
}

#[test]
fn strm_8() {
    rows("STRM-8");
    // Any value in a node that a path leads through, and a good packet after it, in every way to cut them in two.
    let set = path_set(&[vec![0x01, 0x3e]]);
    small_inputs(&TELLING, 4, |value| {
        let len = u8::try_from(value.len()).unwrap();
        let bytes = [&[0x81, len], value, &[0x81, 0x02, 0x3e, 0x00]].concat();
        let hit = (0, u64::from(len) + 4, Vec::new());
        for cut in 0..=bytes.len() {
            let (first, second) = bytes.split_at(cut);
            let (hits, faults) = watch_stream([first, second].into_iter(), &set, Limits::NONE, true);
            assert_eq!((hits.last(), faults.len() <= 1), (Some(&hit), true), "{} cut at {cut}", hex(&bytes));
        }
    });
    // After a fault in an outermost header there is no way on.
    for header in [&[0x81, 0x40][..], &[0x01, 0x88, 0x80, 0x80, 0x80, 0x00], &[0x81, 0x80, 0x80, 0x80, 0x80, 0x80]] {
        let mut watcher = Watcher::new(&set, Limits::NONE);
        let mut events = watcher.feed(header);
        assert!(events.next().unwrap().is_err());
        assert!(!events.resume(), "{}", hex(header));
    }
}

#[test]
fn strm_10() {
    rows("STRM-10");
    // Any bytes in embedded packets, with hits before, around and after them: byte by byte the order is that of the slice.
    let paths =
        [y3::path!(0x01), y3::path!(0x01, 0x02), y3::path!(0x01, 0x02 => 0x01), y3::path!(0x01, 0x02 => 0x01, 0x00)];
    let set = PathSet::<8>::from_slice(&paths).unwrap();
    small_inputs(&TELLING, 4, |embedded| {
        let len = u8::try_from(embedded.len()).unwrap();
        let bytes = [&[0x81, len + 4, 0x02, len], embedded, &[0x02, 0x00, 0x81, 0x00]].concat();
        let hit = |hit: y3::Hit<'_>| (hit.path_index(), hit.offset(), hit.value().to_vec());
        for bytes in [&bytes[..], &bytes[..bytes.len() - 3]] {
            let expected: Vec<_> = set.watch(bytes).map(|found| found.map(hit).map_err(fault)).collect();
            assert_eq!(reported(bytes.chunks(1), &set, Limits::NONE, false), expected, "{}", hex(bytes));
        }
    });
}

#[cfg(feature = "alloc")]
#[test]
fn strm_11() {
    rows("STRM-11");
    // What is reported of these bytes is what all inputs that begin with them have in common.
    let paths = [y3::path!(0x01), y3::path!(0x01, 0x02), y3::path!(0x02 => 0x01)];
    let set = PathSet::<8>::from_slice(&paths).unwrap();
    let reported = |hit: Result<y3::Hit<'_>, Error>| {
        hit.map(|hit| (hit.path_index(), hit.offset(), hit.value().to_vec())).map_err(fault)
    };
    let (few, long) = ([0x00, 0x01, 0x02, 0x03, 0x40, 0x81], [0; 140]);
    small_inputs(&few, 5, |bytes| {
        // Longer than what follows.
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
            // The end of the input is no fault of the bytes before.
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

#[test]
fn strm_9() {
    rows("STRM-9");
    // A file that ends inside what is skipped, at every byte near its end: seeking finds what reading finds.
    #[cfg(feature = "std")]
    {
        let set = path_set(&[vec![0x02]]);
        let mut file = [&[0x01], &length_field(10_000)[..], &[0; 10_000]].concat();
        file.extend([0x02, 0x01, 0x07]);
        for len in (file.len() - 20..=file.len()).chain([3, 4, 5, 100, 5_000]) {
            let source = std::io::Cursor::new(&file[..len]);
            let mut reader = y3::Reader::seeking(source, &set, Limits::NONE);
            let (mut hits, mut end) = (0, None);
            while let Some(hit) = reader.next_hit() {
                match hit {
                    Ok(_) => hits += 1,
                    Err(y3::ReadError::Packet(error)) => end = Some(fault(error)),
                    Err(error) => panic!("{error}"),
                }
            }
            let (expected, fault) = watched(&file[..len], &set);
            assert_eq!((hits, end), (expected.len(), fault), "{len} bytes");
        }
    }
}

/// A reader of top-level packets from pieces: it keeps what the parser could not use yet, and asks again with more.
fn in_pieces<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Vec<u8>>, Option<oracle::Fault>) {
    let (mut read, mut held, mut place) = (Vec::new(), Vec::new(), 0);
    for piece in pieces {
        held.extend_from_slice(piece);
        loop {
            let parsed = packet::<y3::ErrorKind>().parse(&held).map(|(_, packet)| packet.as_bytes().to_vec());
            match parsed {
                Ok(packet) => {
                    held.drain(..packet.len());
                    place += packet.len() as u64;
                    read.push(packet);
                }
                // No fault while more may come [STRM-2].
                Err(nom::Err::Incomplete(_)) => break,
                Err(nom::Err::Error(kind) | nom::Err::Failure(kind)) => {
                    return (read, Some((kind, place + 1)));
                }
            }
        }
    }
    (read, (!held.is_empty()).then_some((ErrorKind::UnexpectedEnd, place)))
}

fn in_one(input: &[u8]) -> (Vec<Vec<u8>>, Option<oracle::Fault>) {
    let read = packets(input).map_while(Result::ok).map(|packet| packet.as_bytes().to_vec()).collect();
    (read, packets(input).find_map(Result::err).map(fault))
}

#[test]
fn strm_1() {
    rows("STRM-1");
    // Every way to cut every input of the table in three, and byte by byte.
    for row in ROWS.iter().filter(|row| row.table == "A.6") {
        let input = unhex(&row.cells[0]);
        let expected = in_one(&input);
        assert_eq!(in_pieces(input.chunks(1)), expected, "{}", row.id);
        if input.len() > 40 {
            continue;
        }
        for second in 0..=input.len() {
            for first in 0..=second {
                let pieces = [&input[..first], &input[first..second], &input[second..]];
                assert_eq!(in_pieces(pieces.into_iter()), expected, "{}, {first}, {second}", row.id);
            }
        }
    }
    every_small_input(|input| assert_eq!(in_pieces(input.chunks(1)), in_one(input), "{}", hex(input)));
}

#[test]
fn strm_2() {
    rows("STRM-2");
    // The streaming parsers give no fault for want of bytes, the readers of whole inputs do, and between packets nobody.
    every_small_input(|input| {
        let Some(Err(error)) = packets(input).next() else { return };
        let stop = packet::<y3::ErrorKind>().parse(input).unwrap_err();
        assert_eq!(stop.is_incomplete(), error.kind() == ErrorKind::UnexpectedEnd, "{}", hex(input));
    });
    assert!(packet::<y3::ErrorKind>().parse(&[]).unwrap_err().is_incomplete());
    assert_eq!((packets(&[]).next(), check(&[])), (None, Ok(())));
    // In nom's complete mode no more can come.
    let ended = packet::<y3::ErrorKind>().parse_complete(&[0x01, 0x01]);
    assert_eq!(ended, Err(nom::Err::Error(ErrorKind::UnexpectedEnd)));
}

#[test]
fn strm_3() {
    rows("STRM-3");
    // To pass over packets, whatever their size, a header held is all a reader needs, and six bytes hold every header.
    every_small_input(|input| {
        let whole = packets(input).map_while(Result::ok).map(|packet| packet.offset());
        let (mut seen, mut held, mut left) = (Vec::new(), Vec::new(), 0);
        for (place, byte) in input.iter().enumerate() {
            if left > 0 {
                left -= 1;
                continue;
            }
            held.push(*byte);
            match read_header(&held) {
                Ok((size, value_len)) => {
                    seen.push((place + 1 - size, place + 1 + value_len));
                    left = value_len;
                    held.clear();
                }
                Err(nom::Err::Incomplete(_)) => assert!(held.len() < 6),
                Err(_) => break,
            }
        }
        let ended = seen.iter().filter(|(_, end)| *end <= input.len()).map(|(start, _)| *start as u64);
        assert!(whole.eq(ended), "{}", hex(input));
    });
}
