//! Panics between two hits and panics of a source: the stream continues at the right byte.

use std::panic::{AssertUnwindSafe, catch_unwind};

use y3::{Collector, Limits, Path, PathSet, Reader, Watcher, path};

/// Two nodes with two hits each, and between them a value that looks like hits.
const STREAM: [u8; 26] = [
    0x81, 0x06, 0x11, 0x01, 0x07, 0x11, 0x01, 0x08, 0x02, 0x08, 0x81, 0x06, 0x11, 0x01, 0x66, 0x11, 0x01, 0x67, 0x81,
    0x06, 0x11, 0x01, 0x09, 0x11, 0x01, 0x0a,
];
const HIT: Path = path!(0x01, 0x11);

/// Catches the panic of a call, as a server does that continues after it.
fn caught<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}

/// Wherever the stream is cut, the rest of the chunk is consumed and later chunks are read from the right byte.
#[test]
fn a_panic_between_two_hits_leaves_no_chunk_half_taken() {
    const WATCHED: PathSet<1> = PathSet::new([HIT]);
    for size in 1..=STREAM.len() {
        let mut collector = Collector::new(&WATCHED, Limits::DEFAULT);
        let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
        for (chunk, start) in STREAM.chunks(size).zip((0..).step_by(size)) {
            caught(|| {
                let mut hits = collector.feed(chunk);
                hits.next_hit();
                panic!("half way");
            });
            if start % 2 == 0 {
                // The panic consumed the whole chunk, so this chunk is empty.
                caught(|| {
                    collector.feed(&[]).next_hit();
                    panic!("half way");
                });
            }
            caught(|| {
                let mut events = watcher.feed(chunk);
                events.next();
                panic!("half way");
            });
            let fed = (start + chunk.len()) as u64;
            assert_eq!((collector.offset(), watcher.offset()), (fed, fed), "chunks of {size}");
        }
        assert_eq!((collector.finish().next_hit(), watcher.finish()), (None, Ok(())));
    }
}

/// A source that panics at every second call loses nothing.
#[test]
fn a_panic_of_the_source_loses_no_hit() {
    const WATCHED: PathSet<1> = PathSet::new([HIT]);
    struct Source(&'static [u8], usize);
    impl std::io::Read for Source {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1 += 1;
            assert!(self.1 % 2 == 0, "every second call panics");
            self.0.read(&mut buffer[..3])
        }
    }
    static BYTES: [u8; STREAM.len()] = STREAM;
    let mut reader = Reader::new(Source(&BYTES, 0), &WATCHED, Limits::DEFAULT);
    let mut seen = Vec::new();
    loop {
        match caught(|| reader.next_hit().map(|hit| hit.unwrap().decode::<i32>().unwrap())) {
            None => {}
            Some(Some(number)) => seen.push(number),
            Some(None) => break,
        }
    }
    assert_eq!(seen, [7, 8, 9, 10]);
}
