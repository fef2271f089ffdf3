//! Encode: writes the report's 63 pairs and nested nodes into a reused buffer.

use std::hint::black_box;

use kit::bench::{Cases, Throughput, main as bench, standard};
use kit::by_hand;
use kit::data::Node;
use kit::regime::Regime;
use kit::watched::{C63K32, Watched};
use y3::{Encoder, Error, Sink, SliceSink, encoded_len};

pub fn cases(cases: &mut impl Cases) {
    slice(cases);
    typed(cases);
}

/// Writes the pairs in a loop. Their types are known only at run time.
fn slice(cases: &mut impl Cases) {
    let models: &[Node] = Regime::Rotating.models(&C63K32::model()).leak();
    let mut next = Regime::Rotating.feed(&models.iter().collect::<Vec<_>>());
    let (mut vec, mut slice) = (Vec::new(), [0; 4096]);
    cases.group("encode/rotating/slice", Throughput::Elements(1));
    for model in models {
        vec.clear();
        assert_eq!((model.encode(&mut vec), &vec), (Ok(()), &model.to_y3()));
    }
    cases.case("y3 Vec", &Ok(()), || {
        vec.clear();
        next().encode(black_box(&mut vec))
    });
    cases.case("y3 SliceSink", &Ok(()), || next().encode(&mut SliceSink::new(black_box(&mut slice))));
}

/// The report's seven kinds in nine rows: the 63 pairs.
#[inline(always)]
fn pairs<S: Sink>(root: &mut Encoder<'_, S>) -> Result<(), Error> {
    (1..63).step_by(7).try_for_each(|key| {
        root.put(key, black_box("a"))?;
        root.put(key + 1, black_box(-65i32))?;
        root.put(key + 2, black_box(128u32))?;
        root.put(key + 3, black_box(-1i64))?;
        root.put(key + 4, black_box(u64::MAX))?;
        root.put(key + 5, black_box(0.25f32))?;
        root.put(key + 6, black_box(23.0f64))
    })
}

/// Four nested nodes. The text decides whether all of them are shorter than 64 bytes or none.
#[inline(always)]
fn nodes(sink: &mut impl Sink, text: &str) -> Result<(), Error> {
    Encoder::new(sink)
        .node(0x01, |one| one.node(0x01, |two| two.node(0x01, |three| three.node(0x01, |four| four.put(0x02, text)))))
}

#[inline(always)]
fn top(sink: &mut impl Sink) -> Result<(), Error> {
    let mut encoder = Encoder::new(sink);
    (0..63).try_for_each(|key| encoder.put(key, black_box(7i32)))
}

/// Writes pairs whose types are known at compile time.
fn typed(cases: &mut impl Cases) {
    let flat = C63K32::model().to_y3();
    let nested = |text: &str| by_hand::nested(usize::MAX, 4, &by_hand::packet(0x02, text.as_bytes())).0;
    let (short, long) = ("a", "a".repeat(100));
    cases.group("encode/typed", Throughput::Elements(1));
    kit::written! { cases;
        "63 pairs": &flat, |sink| Encoder::new(sink).node(0, pairs);
        "63 packets, no node": &(0..63).flat_map(|key| [key, 1, 7]).collect::<Vec<u8>>(), |sink| top(sink);
        "4 nodes below 64 bytes": &nested(short), |sink| nodes(sink, black_box(short));
        "4 nodes above 64 bytes": &nested(&long), |sink| nodes(sink, black_box(&long));
    }
    cases.case("63 pairs, encoded_len", &Ok(flat.len()), || encoded_len(|encoder| encoder.node(0, pairs)));
}

#[allow(dead_code, reason = "the package `counts` has these cases too")]
fn main() {
    bench(standard(), cases);
}
