//! Writing: packets into each sink, by the encoder and by serde.

use std::hint::black_box;

use serde::Serialize;
use serde::de::DeserializeOwned;
use y3::{Encoder, SliceSink, encoded_len};

use super::case::{Cases, GROWING, LARGE, Memory, SIZES, Sizes};
use super::inputs::{DEPTH, Output};
use crate::types::{Chain, Map};

pub fn cases(cases: &mut Cases) {
    written(cases, "encode numbers, no node", SIZES, |size| Output::Numbers(size / 3));
    written(cases, "encode nodes of 64 bytes, side by side", SIZES, |size| Output::Nodes(size / 67));
    written(cases, "encode 64 nested nodes of 64 bytes and more, repeated", LARGE, |size| {
        Output::Chains(size / (DEPTH * 68))
    });
    written(cases, "encode 64 nodes around one value", LARGE, |size| Output::Around(vec![0x61; size]));
    written(cases, "encode empty items of a slice", SIZES, |size| Output::Items(size / 2));

    saved(cases, "serde, 64 structs around one text", LARGE, |size| Chain::new(DEPTH, &"a".repeat(size)));
    saved(cases, "serde, 60 nested structs, repeated", SIZES, |size| {
        (0..size / 220).map(|_| Chain::new(60, "a")).collect::<Vec<_>>()
    });
    saved(cases, "serde, empty texts", SIZES, |size| vec![String::new(); size / 2]);
    saved(cases, "serde, maps with one key", SIZES, |size| vec![Map::from([(5, 7)]); size / 5]);
}

/// Adds the encoder with each sink, and `encoded_len`.
fn written(cases: &mut Cases, family: &'static str, sizes: Sizes, make: impl Fn(usize) -> Output) {
    for &size in sizes {
        let (output, want) = (make(size), make(size).bytes());
        let mut slice = vec![0; want.len()];
        cases.case((family, "SliceSink"), Memory::NONE, want.len(), &Ok(want.len()), || {
            let mut sink = SliceSink::new(&mut slice);
            Encoder::new(&mut sink).packets(|encoder| output.write(encoder)).map(|()| sink.written().len())
        });
        assert!(slice == want, "{family}, {size}");
    }
    // Between powers of two, near which one byte more or less doubles a vector.
    for size in sizes.iter().map(|size| size / 4 * 3) {
        let (output, want) = (make(size), make(size).bytes());
        cases.case((family, "Vec"), GROWING, want.len(), &Ok(want), || {
            let mut vec = Vec::new();
            Encoder::new(&mut vec).packets(|encoder| output.write(encoder)).map(|()| vec)
        });
    }
    for &size in sizes {
        let (output, len) = (make(size), make(size).bytes().len());
        cases.case((family, "encoded_len"), Memory::NONE, len, &Ok(len), || {
            encoded_len(|encoder| output.write(encoder))
        });
    }
}

/// Adds serde with each sink; the output is read again.
fn saved<T: Serialize + DeserializeOwned>(
    cases: &mut Cases,
    family: &'static str,
    sizes: Sizes,
    make: impl Fn(usize) -> T,
) {
    let bytes_of = |value: &T| y3::serde::to_vec(value).expect("a packet");
    for &size in sizes {
        let value = make(size);
        let want = bytes_of(&value);
        let mut slice = vec![0; want.len()];
        cases.case((family, "to_slice"), Memory::NONE, want.len(), &Ok(want.len()), || {
            let mut sink = y3::SliceSink::new(&mut slice);
            y3::serde::to_sink(&mut sink, black_box(&value)).map(|()| sink.written().len())
        });
        let read = y3::serde::from_slice::<T>(&slice).map(|value| bytes_of(&value));
        assert!(slice == want && read == Ok(want), "{family}, {size}");
    }
    for &size in sizes {
        let value = make(size);
        let want = bytes_of(&value);
        cases.case((family, "to_vec"), GROWING, want.len(), &Ok(want), || y3::serde::to_vec(black_box(&value)));
    }
}
