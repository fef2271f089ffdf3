//! Senders that cannot be trusted: what they can make a reader wait for, store, or report.

use y3::{Error, ErrorKind, Event, Limits, PathSet, Watcher, path};

use testkit::chunks::{set, watched};

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
        assert_eq!(
            testkit::chunks::collected(input, &set, limits, &[first, input.len()]),
            read,
            "collected, cut at {first}"
        );
    }
    assert_eq!(watched(input, &set, limits, &[1]), read);
    #[cfg(feature = "alloc")]
    assert_eq!(testkit::chunks::collected(input, &set, limits, &[1]), read);
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

/// A source that can seek is read at headers and hits only, and its end is found out.
#[test]
#[cfg(feature = "std")]
fn a_large_file_is_read_at_headers_and_hits() {
    use std::io::{Cursor, Read, Seek, SeekFrom};
    use testkit::oracle::length_field;

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
        file.extend(length_field(4 + 1_000_000 + 3));
        file.push(0x10);
        file.extend(length_field(1_000_000));
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
    assert!(source.read <= 41 * (4 << 10) && source.seeks == 20, "{} bytes read, {} seeks", source.read, source.seeks);
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
