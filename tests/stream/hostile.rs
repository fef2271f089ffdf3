//! Untrusted senders: what they can make a reader wait for, store or report.

use y3::{Error, ErrorKind, Limits, PathSet, Watcher, path};

const WATCHED: PathSet<1> = PathSet::new([path!(0x01)]);

#[test]
fn a_length_field_that_never_ends_is_a_fault_at_its_fifth_byte() {
    let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
    assert!(watcher.feed(&[0x02]).next().is_none());
    for count in 1..=4 {
        assert!(watcher.feed(&[0x80]).next().is_none(), "the length can still end after {count} bytes");
        assert_eq!(watcher.error(), None);
    }
    let error = Error::new(ErrorKind::LengthOverflow, 1);
    assert_eq!(watcher.feed(&[0x80]).next(), Some(Err(error)));
    for _ in 0..1000 {
        assert_eq!(watcher.feed(&[0x80]).next(), Some(Err(error)), "the watcher repeats its error");
    }
    assert_eq!((watcher.finish(), watcher.error(), watcher.offset()), (Err(error), Some(error), 1006));
}

/// A reader that can seek reads only headers and hits, and notices the end of the file.
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

    // Cut inside a value that is skipped.
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
