//! Writing: the encoder and serde write packets into each sink.

use std::hint::black_box;

use serde::Serialize;
use serde::de::DeserializeOwned;
use y3::{Encoder, Error, Sink, encoded_len};

use super::case::{Cases, GROWING, LARGE, Memory, SIZES, Sizes};
use super::inputs::{DEPTH, Output};
use crate::types::{Chain, Map};

pub fn cases(cases: &mut Cases) {
    let node = Output::Node(vec![Output::body()]);
    let chain = Output::nested(DEPTH - 1, &[Output::body()], node.clone());
    written(cases, "encode numbers, no node", SIZES, |size| vec![Output::Numbers(size / 3)]);
    written(cases, "encode nodes of 64 bytes, side by side", SIZES, |size| vec![node.clone(); size / 67]);
    written(cases, "encode 64 nested nodes of 64 bytes and more, repeated", LARGE, |size| {
        vec![chain.clone(); size / (DEPTH * 68)]
    });
    written(cases, "encode 64 nodes around one value", LARGE, |size| {
        vec![Output::nested(DEPTH, &[], Output::Bytes(vec![0x61; size]))]
    });
    written(cases, "encode empty items of a slice", SIZES, |size| vec![Output::Items(size / 2)]);

    saved(cases, "serde, 64 structs around one text", LARGE, |size| Chain::new(DEPTH, &"a".repeat(size)));
    saved(cases, "serde, 60 nested structs, repeated", SIZES, |size| {
        (0..size / 220).map(|_| Chain::new(60, "a")).collect::<Vec<_>>()
    });
    saved(cases, "serde, empty texts", SIZES, |size| vec![String::new(); size / 2]);
    saved(cases, "serde, maps with one key", SIZES, |size| vec![Map::from([(5, 7)]); size / 5]);
}

/// Adds the encoder with each sink and with `encoded_len`.
fn written(cases: &mut Cases, family: &'static str, sizes: Sizes, make: impl Fn(usize) -> Vec<Output>) {
    fn write<S: Sink>(outputs: &[Output], encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
        outputs.iter().try_for_each(|output| output.write(encoder))
    }
    let bytes = |outputs: &[Output]| outputs.iter().flat_map(Output::bytes).collect::<Vec<u8>>();
    for &size in sizes {
        // The sizes are not near powers of two, where one byte more may double a vector.
        let (all, less) = (make(size), make(size / 4 * 3));
        let (want, wanted) = (bytes(&all), bytes(&less));
        cases.slice((family, "SliceSink"), want.len(), &want, |sink| {
            Encoder::new(sink).packets(|encoder| write(&all, encoder))
        });
        cases.vec((family, "Vec"), wanted.len(), wanted, |vec| {
            Encoder::new(vec).packets(|encoder| write(&less, encoder))
        });
        cases.case((family, "encoded_len"), Memory::NONE, want.len(), &Ok(want.len()), || {
            encoded_len(|encoder| write(&all, encoder))
        });
    }
}

/// Adds serde with each sink. Each output is read again.
fn saved<T: Serialize + DeserializeOwned>(
    cases: &mut Cases,
    family: &'static str,
    sizes: Sizes,
    make: impl Fn(usize) -> T,
) {
    for value in sizes.iter().map(|size| make(*size)) {
        let want = y3::serde::to_vec(&value).expect("a packet");
        let read = y3::serde::from_slice::<T>(&want).and_then(|value| y3::serde::to_vec(&value));
        assert!(read.as_ref() == Ok(&want), "{family}, {}", want.len());
        cases.slice((family, "to_slice"), want.len(), &want, |sink| y3::serde::to_sink(sink, black_box(&value)));
        cases.case((family, "to_vec"), GROWING, want.len(), &Ok(want), || y3::serde::to_vec(black_box(&value)));
    }
}
