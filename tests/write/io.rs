//! `WriteSink` with a `std::io::Write` that takes few bytes at a time, stops or fails.

use std::io::{self, ErrorKind as Kind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use y3::{Encoder, Error, ErrorKind, WriteSink};

/// The result of a call to the writer. After the last result the writer takes all bytes.
#[derive(Debug)]
enum Answer {
    Takes(usize),
    Fails(Kind),
    Panics,
}

#[derive(Debug, Default)]
struct Scripted {
    answers: Vec<Answer>,
    taken: Vec<u8>,
    flushes: usize,
}

impl Write for Scripted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let answer = if self.answers.is_empty() { Answer::Takes(bytes.len()) } else { self.answers.remove(0) };
        match answer {
            Answer::Takes(len) => {
                self.taken.extend(&bytes[..len.min(bytes.len())]);
                Ok(len)
            }
            Answer::Fails(kind) => Err(kind.into()),
            Answer::Panics => resume_unwind(Box::new(())),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushes += 1;
        Ok(())
    }
}

const PACKET: [u8; 8] = [0x81, 0x06, 0x02, 0x04, b'f', b'o', b'u', b'r'];

/// A sink with two packets of eight bytes that are not written yet.
fn sink(answers: Vec<Answer>) -> WriteSink<Scripted> {
    let mut sink = WriteSink::new(Scripted { answers, ..Scripted::default() });
    for _ in 0..2 {
        Encoder::new(&mut sink).node(0x01, |node| node.put(0x02, "four")).unwrap();
    }
    assert_eq!((sink.unwritten(), &sink.writer().taken[..]), (&PACKET.repeat(2)[..], &[][..]));
    sink
}

#[test]
fn writes_all_that_was_encoded() {
    let mut sink = sink(vec![]);
    sink.flush().unwrap();
    assert_eq!((&sink.writer().taken, sink.writer().flushes), (&PACKET.repeat(2), 1));
    Encoder::new(&mut sink).put(0x03, true).unwrap();
    sink.flush().unwrap();
    let (writer, unwritten) = sink.into_parts();
    assert_eq!((&writer.taken[16..], writer.flushes, unwritten), (&[0x03, 0x01, 0x01][..], 2, vec![]));
}

#[test]
fn gives_a_writer_the_rest_of_a_short_write() {
    let mut sink = sink(vec![Answer::Takes(1), Answer::Fails(Kind::Interrupted), Answer::Takes(9), Answer::Takes(2)]);
    sink.flush().unwrap();
    assert_eq!((&sink.writer().taken, sink.writer().flushes), (&PACKET.repeat(2), 1));
    assert!(sink.unwritten().is_empty());
}

#[test]
fn goes_on_after_an_error_with_what_follows_the_bytes_taken() {
    for taken in 0..16 {
        for kind in [Kind::WouldBlock, Kind::BrokenPipe] {
            let mut sink = sink(vec![Answer::Takes(taken), Answer::Fails(kind)]);
            let error = sink.flush().unwrap_err();
            // A writer that took no bytes is not called again.
            assert_eq!(error.kind(), if taken == 0 { Kind::WriteZero } else { kind });
            assert_eq!(sink.writer().flushes, 0);
            assert_eq!(
                (sink.unwritten(), &sink.writer().taken[..]),
                (&PACKET.repeat(2)[taken..], &PACKET.repeat(2)[..taken])
            );
            // Packets that are encoded meanwhile are queued.
            Encoder::new(&mut sink).put(0x03, true).unwrap();
            while let Err(error) = sink.flush() {
                assert_eq!(error.kind(), kind);
            }
            assert_eq!(sink.writer().taken, [&PACKET[..], &PACKET, &[0x03, 0x01, 0x01]].concat());
        }
    }
}

#[test]
fn writes_no_byte_twice_after_a_panic_of_the_writer() {
    let mut sink = sink(vec![Answer::Takes(5), Answer::Panics]);
    assert!(catch_unwind(AssertUnwindSafe(|| sink.flush())).is_err());
    sink.flush().unwrap();
    assert_eq!(sink.writer().taken, PACKET.repeat(2));
}

#[test]
fn believes_no_writer_that_took_more_than_there_was() {
    let mut sink = sink(vec![Answer::Takes(usize::MAX)]);
    sink.flush().unwrap();
    assert_eq!((sink.unwritten(), &sink.writer().taken), (&[][..], &PACKET.repeat(2)));
}

#[test]
fn never_writes_a_packet_that_failed() {
    let mut sink = sink(vec![]);
    let done = Encoder::new(&mut sink).node(0x01, |node| {
        node.put(0x02, [7u8; 100])?;
        node.put(64, true)
    });
    assert_eq!(done, Err(Error::new(ErrorKind::InvalidKey, 16 + 2 + 103)));
    sink.flush().unwrap();
    assert_eq!(sink.writer().taken, PACKET.repeat(2));
}
