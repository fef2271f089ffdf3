//! Numbered messages of 16 bytes to 64 KiB, which `go/message.go` makes too: a root node with the number (key `10`) and
//! a body (key `11`) of random bytes that follow from the number.

use y3::{Encoder, PathSet, path};

const NUMBER: PathSet<1> = PathSet::new([path!(0x01, 0x10)]);

pub fn message(number: u32) -> Vec<u8> {
    with_body(number, &body(number))
}

/// A message with a short body.
pub fn short(number: u32) -> Vec<u8> {
    with_body(number, b"short")
}

fn with_body(number: u32, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let written = Encoder::new(&mut out).node(0x01, |root| {
        root.put(0x10, number)?;
        root.put(0x11, body)
    });
    written.unwrap();
    out
}

fn body(number: u32) -> Vec<u8> {
    const LEAST: u64 = 9;
    const MOST: u64 = 65_525;
    let mut random = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    let len = match number {
        0 => LEAST,
        1 => MOST,
        _ => {
            let mask = (1 << (4 + next(&mut random) % 13)) - 1;
            (LEAST + (next(&mut random) & mask)).min(MOST)
        }
    };
    (0..len).map(|_| next(&mut random).to_le_bytes()[4]).collect()
}

fn next(random: &mut u64) -> u64 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random
}

/// The number of a message, read by watching it.
pub fn number(payload: &[u8]) -> Option<u32> {
    NUMBER.watch(payload).next()?.ok()?.decode().ok()
}

/// The number of a message if it is unchanged.
pub fn unchanged(payload: &[u8]) -> Option<u32> {
    number(payload).filter(|&number| payload == short(number) || payload == message(number))
}
