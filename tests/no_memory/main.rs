//! A machine that has no memory left for a packet: the reader reports an error with an offset, and the stream
//! continues.
//!
//! An allocator that refuses large requests simulates a 32-bit machine, where no buffer can exceed 2 GiB. The test
//! itself needs no such memory.
#![cfg(feature = "alloc")]

mod refusing;

use refusing::with_longest;
use y3::{Encoder, Error, ErrorKind, Limits, PathSet, path};

/// A packet at path 0x01 with a value of this many bytes.
fn long(len: u32) -> Vec<u8> {
    let [_, a, b, c] = [0, len >> 14, len >> 7, len].map(|bits| u8::try_from(bits & 0x7f).unwrap() | 0x80);
    let mut packet = vec![0x01, a, b, c & 0x7f];
    packet.resize(packet.len() + usize::try_from(len).unwrap(), 0);
    packet
}

/// On a 32-bit machine a buffer of 1 GiB cannot double.
#[test]
fn a_split_packet_without_memory_to_join_it_is_an_error_and_the_next_one_is_not() {
    const TOP: PathSet<1> = PathSet::new([path!(0x01)]);
    let short = [0x01, 0x02, 0x03, 0x04];
    let input = [&short[..], &long(100_000), &short].concat();
    for chunk in [1, 7, 1000, 99_000] {
        let mut collector = y3::Collector::new(&TOP, Limits::NONE);
        let (mut offsets, mut errors) = (Vec::new(), Vec::new());
        // The vectors of this test are short.
        with_longest(50_000, || {
            for part in input.chunks(chunk) {
                let mut hits = collector.feed(part);
                while let Some(hit) = hits.next_hit() {
                    match hit {
                        Ok(hit) => offsets.push(hit.offset()),
                        Err(error) => {
                            errors.push(error);
                            assert!(hits.resume());
                        }
                    }
                }
            }
            assert!(collector.finish().next_hit().is_none());
        });
        assert_eq!(errors, [Error::new(ErrorKind::SizeLimit, 4)], "chunks of {chunk}");
        assert_eq!(errors[0].to_string(), "no memory for 100004 bytes at byte 4");
        assert_eq!(offsets, [0, 100_008]);
        assert_eq!(collector.offset(), input.len() as u64);
        assert!(collector.capacity() < 50, "what could not be joined is freed");
    }
}

#[test]
fn a_split_header_without_memory_to_keep_it_is_an_error_and_the_next_packet_is_not() {
    const TOP: PathSet<1> = PathSet::new([path!(0x01)]);
    let mut collector = y3::Collector::new(&TOP, Limits::NONE);
    collector.feed(&[0x01]);
    let found = with_longest(0, || {
        let mut hits = collector.feed(&[0x02, 0x03, 0x04, 0x01, 0x00]);
        (hits.next_hit().map(Result::err), hits.resume(), hits.next_hit().map(|hit| hit.unwrap().offset()))
    });
    assert_eq!(found, (Some(Some(Error::new(ErrorKind::SizeLimit, 0))), true, Some(4)));
}

/// The buffer for joining is large enough, but the copy for `BytesHit` needs the same size again. Only the copy fails.
#[test]
#[cfg(feature = "bytes")]
fn a_joined_hit_without_memory_for_a_copy_is_an_error_and_the_next_one_is_not() {
    const TOP: PathSet<1> = PathSet::new([path!(0x01)]);
    let (packet, short) = (long(100_000), [0x01, 0x02, 0x03, 0x04]);
    let mut collector = y3::Collector::new(&TOP, Limits::NONE);
    for part in packet.chunks(90_000) {
        collector.feed(part);
    }
    let parts: Vec<_> = [&packet[..], &short].concat().chunks(60_000).map(bytes::Bytes::copy_from_slice).collect();
    let (mut offsets, mut errors) = (Vec::new(), Vec::new());
    with_longest(50_000, || {
        for part in &parts {
            let mut hits = collector.feed(part);
            while let Some(hit) = hits.next_hit() {
                match hit.unwrap().to_bytes(part) {
                    Ok(hit) => offsets.push(hit.offset()),
                    Err(error) => errors.push(error),
                }
            }
        }
    });
    assert_eq!(errors, [Error::new(ErrorKind::SizeLimit, 100_004)]);
    assert_eq!((offsets, collector.error()), (vec![200_008], None));
}

#[test]
fn a_vector_without_memory_for_a_packet_stays_as_it_was() {
    let mut out = vec![7; 10_000];
    let put = || Encoder::new(&mut out).put(0x01, [0u8; 5_000]);
    assert_eq!(with_longest(12_500, put), Err(Error::new(ErrorKind::BufferTooSmall, 10_000)));
    assert_eq!(out, [7; 10_000]);
}
