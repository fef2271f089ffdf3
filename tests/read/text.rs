//! Text must be UTF-8 as Unicode defines it. Every input gives the same answer and the same error offset, whichever
//! check the features select.

use proptest::collection::vec;
use proptest::prelude::*;
use y3::{Encoder, ErrorKind, Packet, SliceSink};

/// The length of the valid beginning, by Unicode's table of well-formed sequences (3-7).
fn valid(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let [first, rest @ ..] = &bytes[at..] {
        let (second, others) = match first {
            0x00..=0x7f => (None, 0),
            0xc2..=0xdf => (Some(0x80..=0xbf), 0),
            0xe0 => (Some(0xa0..=0xbf), 1),
            0xe1..=0xec | 0xee..=0xef => (Some(0x80..=0xbf), 1),
            0xed => (Some(0x80..=0x9f), 1),
            0xf0 => (Some(0x90..=0xbf), 2),
            0xf1..=0xf3 => (Some(0x80..=0xbf), 2),
            0xf4 => (Some(0x80..=0x8f), 2),
            _ => return at,
        };
        let mut after = rest.iter();
        let is_second = |range: std::ops::RangeInclusive<u8>| after.next().is_some_and(|byte| range.contains(byte));
        if !second.is_none_or(is_second) || !(0..others).all(|_| after.next().is_some_and(|byte| byte >> 6 == 0b10)) {
            return at;
        }
        at = bytes.len() - after.len();
    }
    at
}

fn assert_checked(bytes: &[u8]) {
    let mut buffer = [0; 1024];
    let mut sink = SliceSink::new(&mut buffer);
    Encoder::new(&mut sink).put(0x01, bytes).unwrap();
    let packet = Packet::from_slice(sink.written()).unwrap();
    let value = packet.value_offset();
    match (packet.decode::<&str>(), valid(bytes)) {
        (Ok(text), all) => assert!(all == bytes.len() && std::ptr::eq(text.as_bytes(), packet.value()), "{bytes:02x?}"),
        (Err(error), valid) => {
            assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidUtf8, value + valid as u64), "{bytes:02x?}");
            assert!(valid < bytes.len(), "{bytes:02x?}");
        }
    }
}

/// The first and last bytes of each class of the table.
const EDGES: [u8; 26] = [
    0x00, 0x61, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
    0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf8, 0xff,
];

#[test]
fn every_text_of_up_to_three_bytes_is_judged_as_unicode_does() {
    assert_checked(&[]);
    for number in 0..1u32 << 24 {
        let [a, b, c, _] = number.to_le_bytes();
        if c == 0 && b == 0 {
            assert_checked(&[a]);
        }
        if c == 0 {
            assert_checked(&[a, b]);
        }
        // All third bytes for the first two bytes that matter; only the edges for the others.
        if a >= 0xc0 || EDGES.contains(&a) && EDGES.contains(&c) {
            assert_checked(&[a, b, c]);
        }
    }
}

#[test]
fn long_texts_are_judged_alike_with_an_error_anywhere() {
    // Lengths near those at which a check changes between bytes, words and vectors.
    for len in [31, 32, 33, 63, 64, 65, 67, 96, 130] {
        let mut text = vec![b'a'; len];
        for place in (0..4).chain(28..36).chain(58..70).chain(len - 4..len).filter(|place| place + 4 <= len) {
            for first in EDGES {
                for second in EDGES {
                    for rest in [[0x80, 0x61], [0xbf, 0xbf]] {
                        text[place..place + 2].copy_from_slice(&[first, second]);
                        text[place + 2..place + 4].copy_from_slice(&rest);
                        assert_checked(&text);
                    }
                }
            }
            text[place..place + 4].fill(b'a');
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_judged_alike(bytes in vec(prop::sample::select(&EDGES[..]), 0..200)) {
        assert_checked(&bytes);
    }
}
