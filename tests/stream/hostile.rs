//! Senders that cannot be trusted: what they can make a reader wait for, store, or report.

use y3::{Error, ErrorKind, Event, Limits, PathSet, Watcher, path};

use testkit::chunks::{self, Joined, set, watched};

const WATCHED: PathSet<1> = PathSet::new([path!(0x01)]);
/// A watched value of 2^31-1 bytes is announced, and an unwatched one.
const PROMISES: [[u8; 6]; 2] = [[0x01, 0x87, 0xff, 0xff, 0xff, 0x7f], [0x02, 0x87, 0xff, 0xff, 0xff, 0x7f]];

/// The first fault of a stream in one piece, and that no way of cutting changes it.
fn fault(input: &[u8], paths: &[Vec<u8>], limits: Limits) -> Option<Error> {
    let set = set(paths);
    let read = watched(input, &set, limits, &[input.len()]);
    for first in 0..input.len() {
        assert_eq!(watched(input, &set, limits, &[first, input.len()]), read, "cut at {first}");
        #[cfg(feature = "alloc")]
        assert_eq!(chunks::collected(input, &set, limits, &[first, input.len()]), read, "collected, cut at {first}");
    }
    assert_eq!(watched(input, &set, limits, &[1]), read);
    #[cfg(feature = "alloc")]
    assert_eq!(chunks::collected(input, &set, limits, &[1]), read);
    read.1
}

#[test]
fn two_gigabytes_promised_and_nothing_sent_is_refused_at_the_header() {
    for promise in PROMISES {
        let error = fault(&promise, &[vec![0x01]], Limits::DEFAULT).unwrap();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::SizeLimit, 0));
        let error = fault(&promise, &[vec![0x01]], Limits::NONE).unwrap();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::UnexpectedEnd, 0));
    }
}

/// Without limits the reader waits; what it keeps is what has come.
#[test]
#[cfg(feature = "alloc")]
fn two_gigabytes_promised_are_not_reserved() {
    let mut collector = y3::Collector::new(&WATCHED, Limits::NONE);
    collector.feed(&PROMISES[0]);
    collector.feed(&[0; 1000]);
    assert!(collector.capacity() < 4096, "{}", collector.capacity());
    assert_eq!(collector.finish().next_hit().unwrap().unwrap_err().kind(), ErrorKind::UnexpectedEnd);
}

#[test]
fn a_length_field_that_never_ends_is_a_fault_at_its_fifth_byte() {
    let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
    assert!(watcher.feed(&[0x02]).next().is_none());
    for count in 1..=4 {
        assert!(watcher.feed(&[0x80]).next().is_none(), "after {count} bytes it may still end");
        assert_eq!(watcher.error(), None);
    }
    let error = Error::new(ErrorKind::LengthOverflow, 1);
    assert_eq!(watcher.feed(&[0x80]).next(), Some(Err(error)));
    for _ in 0..1000 {
        assert_eq!(watcher.feed(&[0x80]).next(), Some(Err(error)), "it stays failed, and says where");
    }
    assert_eq!((watcher.finish(), watcher.error(), watcher.offset()), (Err(error), Some(error), 1006));
}

/// One byte a second: whatever the clock says, a byte at a time is a clean wait, and a hit is out with its last byte.
#[test]
fn a_slow_sender_is_waited_for() {
    let input = [0x81, 0x80, 0x09, 0x10, 0x03, 0xaa, 0xbb, 0xcc, 0x11, 0x02, 0x3e, 0x80];
    let paths = PathSet::<1>::new([path!(0x01, 0x11)]);
    let mut watcher = Watcher::new(&paths, Limits::DEFAULT);
    let mut seen = Vec::new();
    for (second, byte) in input.iter().enumerate() {
        for event in watcher.feed(std::slice::from_ref(byte)) {
            seen.push((second, matches!(event, Ok(Event::End { path_index: 0 }))));
        }
        assert!(watcher.finish().is_ok() == (second == input.len() - 1));
    }
    // Begun with the header, data twice, ended with the last byte.
    assert_eq!(seen, [(9, false), (10, false), (11, false), (11, true)]);
}

#[test]
fn limits_hold_whatever_the_cuts() {
    let node = [0x81, 0x09, 0x11, 0x03, 1, 2, 3, 0x12, 0x02, 4, 5];
    let fault =
        |limits| fault(&node, &[vec![0x01, 0x11], vec![0x01]], limits).map(|error| (error.kind(), error.offset()));
    assert_eq!(fault(Limits::DEFAULT.with_max_packet_len(11)), None);
    assert_eq!(fault(Limits::DEFAULT.with_max_packet_len(10)), Some((ErrorKind::SizeLimit, 0)));
    assert_eq!(fault(Limits::DEFAULT.with_max_value_len(9)), None);
    assert_eq!(fault(Limits::DEFAULT.with_max_value_len(8)), Some((ErrorKind::SizeLimit, 0)));
    assert_eq!(Limits::DEFAULT.with_max_packet_len(0).max_packet_len(), 6, "the longest header");
    assert_eq!(Limits::NONE.with_max_depth(1000).max_depth(), y3::MAX_DEPTH);

    // Inside a hit that is whole it comes after that hit.
    let inner = [0x81, 0x04, 0x11, 0x02, 1, 2];
    let set = set(&[vec![0x01, 0x11]]);
    let read = watched(&inner, &set, Limits::DEFAULT.with_max_value_len(1), &[1]);
    assert_eq!(read, (vec![], Some(Error::new(ErrorKind::SizeLimit, 2))));
}

/// Packets before one that is too long are out, however many chunks or however few.
#[test]
fn packets_before_one_beyond_the_limit_come_out() {
    let mut input = [0x01, 0x01, 0x05].repeat(100);
    input.extend([0x02, 0x80, 0x40]);
    input.extend([0; 64]);
    input.extend([0x01, 0x01, 0x06]);
    let set = set(&[vec![0x01]]);
    for sizes in [&[input.len()][..], &[1], &[2], &[299], &[301], &[64]] {
        let (hits, error) = watched(&input, &set, Limits::DEFAULT.with_max_packet_len(66), sizes);
        assert_eq!((hits.len(), error), (100, Some(Error::new(ErrorKind::SizeLimit, 300))));
        let (hits, error) = watched(&input, &set, Limits::DEFAULT.with_max_packet_len(67), sizes);
        assert_eq!((hits.len(), error), (101, None));
    }
}

/// A fault inside a top-level packet whose end is known can be passed over; others cannot.
#[test]
fn a_fault_is_passed_over_where_the_next_packet_is_known() {
    let good = [0x81, 0x03, 0x11, 0x01, 0x07];
    let paths = PathSet::<1>::new([path!(0x01, 0x11)]);
    let cases: [(&[u8], bool); 5] = [
        (&[0x81, 0x03, 0x11, 0x7f, 0x00], true),
        (&[0x81, 0x03, 0x11, 0x02, 0x00], true),
        (&[0x81, 0x02, 0x11, 0x80], true),
        (&[0x01, 0x7f], false),
        (&[0x01, 0x80, 0x80, 0x80, 0x80, 0x80], false),
    ];
    for (bad, can) in cases {
        let input = [&good[..], bad, &good].concat();
        for size in 1..=input.len() {
            let mut watcher = Watcher::new(&paths, Limits::DEFAULT);
            let (mut hits, mut faults, mut resumed) = (0, 0, true);
            for chunk in input.chunks(size) {
                let mut events = watcher.feed(chunk);
                while let Some(event) = events.next() {
                    match event {
                        Ok(Event::Hit(_) | Event::End { .. }) => hits += 1,
                        Ok(_) => {}
                        Err(_) => {
                            faults += 1;
                            resumed &= events.resume();
                        }
                    }
                }
            }
            assert_eq!(resumed, can, "{bad:x?} in chunks of {size}");
            assert_eq!(watcher.finish().is_ok(), can);
            assert!(if can { (hits, faults) == (2, 1) } else { hits == 1 && faults >= 1 });
            assert_eq!(watcher.offset(), input.len() as u64);
        }
    }
}

/// Dropped half way, a chunk is taken all the same.
#[test]
fn events_not_asked_for_do_not_lose_the_place() {
    let input = [0x01, 0x01, 0x05, 0x01, 0x01, 0x06, 0x01, 0x02, 0x07];
    let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
    assert!(watcher.feed(&input).next().is_some());
    assert_eq!(watcher.offset(), 9);
    let events: Vec<_> = watcher.feed(&[0x08]).collect();
    assert_eq!(events, [Ok(Event::Data { path_index: 0, bytes: &[0x08] }), Ok(Event::End { path_index: 0 })]);
}

/// An outer packet and an inner one, both split: the outer's bytes come first in each chunk, and the hits are the same.
#[test]
fn events_of_nested_packets_come_outer_first_in_each_chunk() {
    let paths = PathSet::<2>::new([path!(0x01), path!(0x01, 0x11)]);
    let mut watcher = Watcher::new(&paths, Limits::DEFAULT);
    let mut told = Vec::new();
    for chunk in [&[0x81, 0x05, 0x11, 0x03][..], &[0xaa], &[0xbb, 0xcc, 0x02, 0x00]] {
        told.extend(watcher.feed(chunk).map(|event| match event.unwrap() {
            Event::Start { path_index, offset, .. } => format!("start {path_index} at {offset}"),
            Event::Data { path_index, bytes } => format!("{path_index}: {bytes:x?}"),
            Event::End { path_index } => format!("end {path_index}"),
            Event::Hit(hit) => format!("hit {}", hit.path_index()),
            other => panic!("{other:?}"),
        }));
    }
    let expected = [
        "start 0 at 0",
        "0: [11, 3]",
        "start 1 at 2",
        "0: [aa]",
        "1: [aa]",
        "0: [bb, cc]",
        "end 0",
        "1: [bb, cc]",
        "end 1",
    ];
    assert_eq!(told, expected);
}

/// A fault inside a watched node waits until that node is out: it is a hit, wherever the chunks end.
#[test]
fn a_fault_inside_a_watched_node_comes_after_it() {
    let input = [0x81, 0x04, 0x11, 0x7f, 0xaa, 0xbb, 0x01, 0x00];
    let set = set(&[vec![0x01], vec![0x01, 0x11]]);
    let expected = chunks::whole(&input, &set);
    assert_eq!((expected.0.len(), expected.1), (1, Some(Error::new(ErrorKind::NegativeLength, 3))));
    for first in 0..input.len() {
        chunks::same(&input, &set, &[first, input.len()]);
    }
    // Cut short, the node is no hit and the fault is what ends the stream.
    let mut watcher = Watcher::new(&set, Limits::DEFAULT);
    let mut joined = Joined::new();
    joined.feed(&mut watcher, &input[..5]);
    assert_eq!(joined.finish(&watcher), (vec![], Some(Error::new(ErrorKind::NegativeLength, 3))));
}

/// Nodes one in another, until they are 200 KB, cost a watcher nothing below its paths.
#[test]
fn depth_costs_nothing() {
    let mut input = vec![0x11, 0x01, 0x07];
    // Less under Miri, which is a thousand times slower.
    let enough = if cfg!(miri) { 2_000 } else { 200_000 };
    while input.len() <= enough {
        let length = input.len() as u64;
        let mut outer = vec![0x81];
        outer.extend(field(length));
        // Prepending is quadratic; lengths are all that matters here.
        input.splice(0..0, outer);
    }
    let paths = PathSet::<1>::new([path!(0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x11)]);
    for size in [1, 4096] {
        let mut watcher = Watcher::new(&paths, Limits::DEFAULT);
        assert_eq!(input.chunks(size).map(|chunk| watcher.feed(chunk).count()).sum::<usize>(), 0);
        assert_eq!(watcher.finish(), Ok(()));
    }
}

/// The shortest length field.
fn field(length: u64) -> Vec<u8> {
    let size = (1..=5).find(|size| length < 1 << (7 * size - 1)).unwrap();
    (0..size)
        .rev()
        .map(|place| u8::try_from(length >> (7 * place) & 0x7f).unwrap() | if place > 0 { 0x80 } else { 0 })
        .collect()
}

/// A source that can seek is read at headers and hits only, and its end is found out.
#[test]
#[cfg(feature = "std")]
fn a_large_file_is_read_at_headers_and_hits() {
    use std::io::{Cursor, Read, Seek, SeekFrom};

    struct Counted<R> {
        inner: R,
        read: usize,
        seeks: usize,
    }
    impl<R: Read> Read for Counted<R> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let read = self.inner.read(buffer)?;
            self.read += read;
            Ok(read)
        }
    }
    impl<R: Seek> Seek for Counted<R> {
        fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
            self.seeks += 1;
            self.inner.seek(to)
        }
    }

    let mut file = Vec::new();
    for number in 0..20u8 {
        file.push(0x81);
        file.extend(field(4 + 1_000_000 + 3));
        file.push(0x10);
        file.extend(field(1_000_000));
        file.extend_from_slice(&vec![number; 1_000_000]);
        file.extend([0x11, 0x01, number]);
    }
    assert_eq!(y3::check(&file), Ok(()));
    let paths = PathSet::<1>::new([path!(0x01, 0x11)]);
    let source = Counted { inner: Cursor::new(&file), read: 0, seeks: 0 };
    let mut reader = y3::Reader::seeking(source, &paths, Limits::DEFAULT);
    for number in 0..20 {
        assert_eq!(reader.next_hit().unwrap().unwrap().value(), [number]);
    }
    assert!(reader.next_hit().is_none());
    let source = reader.get_ref();
    assert!(source.read < 20 * 10_000 && source.seeks == 20, "{} bytes read, {} seeks", source.read, source.seeks);
    assert_eq!(reader.offset(), file.len() as u64);

    // Cut inside a value that is passed over.
    let cut = &file[..file.len() - 500_000];
    let mut reader = y3::Reader::seeking(Cursor::new(cut), &paths, Limits::DEFAULT);
    let mut hits = 0;
    let error = loop {
        match reader.next_hit().unwrap() {
            Ok(_) => hits += 1,
            Err(error) => break error,
        }
    };
    let last = y3::packets(&file).last().unwrap().unwrap().offset();
    assert!(matches!(error, y3::ReadError::Packet(error) if error == Error::new(ErrorKind::UnexpectedEnd, last)));
    assert!(hits == 19 && reader.next_hit().is_none());
}

#[test]
#[cfg(feature = "std")]
fn an_io_error_keeps_its_cause() {
    use std::error::Error;

    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("cable cut"))
        }
    }
    let mut reader = y3::Reader::new(Broken, &WATCHED, Limits::DEFAULT);
    let error = reader.next_hit().unwrap().unwrap_err();
    assert_eq!(error.source().unwrap().to_string(), "cable cut");
    assert!(matches!(reader.next_hit(), Some(Err(y3::ReadError::Io(_)))), "it can be asked again");
}
