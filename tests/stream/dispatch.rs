//! Calls made as a stream brings values: order, errors and panics of those who are called.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use y3::{Collector, Dispatcher, Error, ErrorKind, Handler, Limits, Path, PathSet, Reader, Watcher, path};

/// Two nodes with two hits each, between them a value that looks like hits and is not.
const STREAM: [u8; 26] = [
    0x81, 0x06, 0x11, 0x01, 0x07, 0x11, 0x01, 0x08, 0x02, 0x08, 0x81, 0x06, 0x11, 0x01, 0x66, 0x11, 0x01, 0x67, 0x81,
    0x06, 0x11, 0x01, 0x09, 0x11, 0x01, 0x0a,
];
const HIT: Path = path!(0x01, 0x11);

/// Calls that panic are caught, as a server does that outlives them.
fn caught<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}

/// Wherever the stream is cut, whichever call panics: what comes in later chunks is right, and nothing else comes.
#[test]
fn a_panic_of_a_handler_leaves_no_chunk_half_taken() {
    let numbers = [7, 8, 9, 10];
    for size in 1..=STREAM.len() {
        for bad in numbers {
            let mut seen = Vec::new();
            let handler = Handler::new::<i32>(HIT, |number| {
                seen.push(number);
                assert_ne!(number, bad);
            });
            let mut dispatcher = Dispatcher::new([handler], Limits::DEFAULT);
            // Behind the panic the calls for its chunk are lost, and only these.
            let mut expected = Vec::new();
            for (chunk, start) in STREAM.chunks(size).zip((0..).step_by(size)) {
                let ends = [(4, 7), (7, 8), (22, 9), (25, 10)];
                let here =
                    ends.iter().filter(|(end, _)| (start..start + size).contains(end)).map(|(_, number)| *number);
                let until = here.clone().position(|number| number == bad).unwrap_or(numbers.len());
                expected.extend(here.take(until + 1));
                let _ = caught(|| dispatcher.feed(chunk)).inspect(|done| assert_eq!(*done, Ok(())));
            }
            assert_eq!(dispatcher.finish(), Ok(()));
            drop(dispatcher);
            assert_eq!(seen, expected, "chunks of {size}, {bad} panics");
        }
    }
}

/// The same for those who ask themselves and panic between two answers.
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
            #[cfg(feature = "bytes")]
            if start % 2 == 0 {
                // Nothing is left of the chunk: this one is empty.
                caught(|| {
                    collector.feed_bytes(bytes::Bytes::new()).next();
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

/// A source that panics at every other call has lost nothing.
#[test]
fn a_panic_of_the_source_loses_no_hit() {
    const WATCHED: PathSet<1> = PathSet::new([HIT]);
    struct Source(&'static [u8], usize);
    impl std::io::Read for Source {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1 += 1;
            assert!(self.1 % 2 == 0, "every other call");
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

#[test]
fn an_error_of_one_handler_does_not_silence_the_others_of_its_path() {
    let (mut before, mut behind, mut other) = (0, 0, 0);
    let wrong = |hit: &y3::Hit<'_>| Err(Error::new(ErrorKind::InvalidValue, hit.offset()));
    let mut dispatcher = Dispatcher::new(
        [
            Handler::new::<i32>(HIT, |_| before += 1),
            Handler::hits(HIT, wrong),
            Handler::new::<i32>(path!(0x02), |_| other += 1),
            Handler::new::<i32>(HIT, |_| behind += 1),
        ],
        Limits::DEFAULT,
    );
    // The first error of a chunk, be it of a handler or of the stream.
    assert_eq!(dispatcher.feed(&STREAM[..8]), Err(Error::new(ErrorKind::InvalidValue, 2)));
    assert_eq!(dispatcher.feed(&[0x02, 0x01, 0x05]), Ok(()));
    assert_eq!(dispatcher.feed(&STREAM[18..]), Err(Error::new(ErrorKind::InvalidValue, 13)));
    drop(dispatcher);
    assert_eq!((before, behind, other), (4, 4, 1));
}

/// Handlers of one path, given between others, in any order of paths: each is called in the order they were given.
#[test]
fn handlers_are_called_in_the_order_given_and_only_for_their_path() {
    let called = Mutex::new(Vec::new());
    let paths = [
        path!(0x02),
        HIT,
        path!(0x01),
        path!(0x02),
        HIT,
        path!(0x3f),
        path!(0x01),
        HIT,
        path!(0x00),
        path!(0x02),
        path!(0x01, 0x12),
        HIT,
    ];
    let mut number = 0;
    let handlers = paths.map(|path| {
        let (this, called) = (number, &called);
        number += 1;
        Handler::hits(path, move |hit| {
            called.lock().unwrap().push((this, hit.path_index()));
            Ok(())
        })
    });
    let mut dispatcher = Dispatcher::new(handlers, Limits::DEFAULT);
    for chunk in [0x81, 0x03, 0x11, 0x01, 0x07, 0x02, 0x00].chunks(2) {
        dispatcher.feed(chunk).unwrap();
    }
    drop(dispatcher);
    let expected = [(2, 2), (6, 2), (1, 1), (4, 1), (7, 1), (11, 1), (0, 0), (3, 0), (9, 0)];
    assert_eq!(called.into_inner().unwrap(), expected);
}

/// Errors of values, of closures and of payloads go to `on_error`, all of them, also those of one chunk; the stream's error is returned.
#[test]
fn errors_that_do_not_end_the_stream_go_to_on_error() {
    // A value of five bytes is no `f32`; a payload that ends inside a length; a node that ends inside a header.
    let stream: &[u8] =
        &[0x01, 0x05, 0, 0, 0, 0, 0, 0x02, 0x01, 0x11, 0x02, 0x01, 0x11, 0x01, 0x01, 0x40, 0x83, 0x01, 0x11];
    let expected = [(ErrorKind::InvalidValue, 2), (ErrorKind::UnexpectedEnd, 9), (ErrorKind::UnexpectedEnd, 12)];
    for size in 1..=stream.len() {
        let (mut values, mut crossed, mut nested, mut errors) = (0, 0, 0, Vec::new());
        let handlers = [
            Handler::new::<f32>(path!(0x01), |_| values += 1),
            Handler::new::<i32>(path!(0x02 => 0x11), |_| crossed += 1),
            Handler::new::<i32>(path!(0x03, 0x11), |_| nested += 1),
        ];
        let mut dispatcher = Dispatcher::new(handlers, Limits::DEFAULT).on_error(|error| errors.push(error));
        let mut ended = Ok(());
        for chunk in stream.chunks(size) {
            ended = ended.and(dispatcher.feed(chunk));
        }
        ended = ended.and(dispatcher.finish());
        assert_eq!(dispatcher.error(), ended.err(), "chunks of {size}");
        drop(dispatcher);
        let errors: Vec<_> = errors.iter().map(|error: &Error| (error.kind(), error.offset())).collect();
        assert_eq!((values, crossed, nested, &*errors), (1, 0, 0, &expected[..]), "chunks of {size}");
        assert!(ended.is_err(), "the last node is faulty");
    }
}

/// A source is read to its end, whatever single values it holds.
#[test]
fn a_faulty_value_does_not_stop_read_with_on_error() {
    let stream = [0x01, 0x05, 0, 0, 0, 0, 0, 0x01, 0x01, 0x40].repeat(10_000);
    let (mut values, mut errors) = (0, 0);
    let mut dispatcher =
        Dispatcher::new([Handler::new::<f32>(path!(0x01), |_| values += 1)], Limits::DEFAULT).on_error(|_| errors += 1);
    dispatcher.read(&*stream).unwrap();
    drop(dispatcher);
    assert_eq!((values, errors), (10_000, 10_000));
}
