//! Canonical: input that `check` accepts can be rewritten. Canonical input does not change. Other input becomes
//! canonical bytes with the same meaning, which a second rewrite does not change.
//!
//! The bytes are packets. The input is accepted if they are valid and canonical.

use arbitrary::Unstructured;
use y3::{Encoder, MAX_DEPTH, encoded_len};

use crate::input::packets;
use crate::oracle::edited::first_deviation;
use crate::oracle::written::rewrite;
use crate::oracle::{self, Seen, TOP};

pub fn property(bytes: &[u8]) -> bool {
    let Ok(input) = packets(&mut Unstructured::new(bytes)) else { return false };
    if y3::check(&input).is_err() {
        return false;
    }
    let written = written(&input);
    assert_eq!(y3::check(&written), Ok(()));
    assert_eq!(self::written(&written), written, "canonical bytes change");
    assert_eq!(meaning(&written), meaning(&input));
    let is_canonical = first_deviation(&input) == Ok(None);
    assert_eq!(written == input, is_canonical, "{written:02x?} for {input:02x?}");
    assert!(written.len() <= input.len(), "canonical bytes are the shortest");
    is_canonical
}

fn written(input: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    rewrite(&mut Encoder::new(&mut out), y3::packets(input)).unwrap();
    assert_eq!(encoded_len(|encoder| rewrite(encoder, y3::packets(input))), Ok(out.len()));
    out
}

/// All packets with their meaning by SPEC §6: the kind, the path of keys, and the value of a primitive.
fn meaning(input: &[u8]) -> Vec<(bool, bool, Vec<u8>, Vec<u8>)> {
    let mut slices: Vec<Seen> = Vec::new();
    let mut packets = Vec::new();
    for seen in walked(input) {
        slices.retain(|slice| seen.offset < slice.value.end);
        // The keys of items have no meaning.
        let mut path = seen.path.clone();
        for slice in &slices {
            path[slice.path.len()] = 0;
        }
        let value = if seen.is_node() { &[] } else { &input[seen.value.clone()] };
        packets.push((seen.is_node(), seen.tag >= 0xc0, path, value.to_vec()));
        if seen.tag >= 0xc0 {
            slices.push(seen);
        }
    }
    packets
}

fn walked(input: &[u8]) -> Vec<Seen> {
    let (seen, then) = oracle::walk(input, TOP, MAX_DEPTH, &|_| true);
    assert_eq!(then, None, "the naive reader takes what check takes");
    seen
}
