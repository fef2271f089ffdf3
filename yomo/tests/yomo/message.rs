//! Numbered messages of 16 bytes to 64 KiB, which `go/message.go` makes too. A message is a root node with the number
//! (key `10`) and a body (key `11`). The body's length, one of 17, and its bytes are computed from the number.

use y3::{Encoder, PathSet, path};

const NUMBER: PathSet<1> = PathSet::new([path!(0x01, 0x10)]);

pub fn message(number: u32) -> Vec<u8> {
    with_body(number, &bytes(number, 9 + (65_516 >> (number % 17))))
}

/// Makes a message with a short body.
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

/// Computes bytes from a number.
pub fn bytes(number: u32, len: u32) -> Vec<u8> {
    (0..len).map(|at| (at ^ number).wrapping_mul(0x9e37_79b9).to_le_bytes()[3]).collect()
}

/// Watches the number of a message.
pub fn number(payload: &[u8]) -> Option<u32> {
    NUMBER.watch(payload).next()?.ok()?.decode().ok()
}

/// Returns the number of a message if the message is unchanged.
pub fn unchanged(payload: &[u8]) -> Option<u32> {
    number(payload).filter(|&number| payload == short(number) || payload == message(number))
}
