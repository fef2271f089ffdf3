//! Encode: the 63 pairs of the report into a reused buffer.
//!
//! Two styles for both codecs: a struct of 63 typed fields, written field by field, and a loop over a slice of keys and
//! values whose types are known only at run time.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kit::bench::standard;
use kit::data::{Node, Pair};
use kit::regime::Regime;
use kit::watched::{C63K32, Watched, assert_is_the_reports};
use serde::Serialize;
use serde_json::Value;
use y3::{Encoder, Error, Sink, SliceSink};

/// The data that both codecs write.
trait Document: Serialize + Sync {
    fn to_y3(&self, sink: &mut impl Sink) -> Result<(), Error>;
}

/// The size of the buffer of a `SliceSink`: larger than any packet here.
const ROOM: usize = 4096;

/// Seven fields per line, one of each kind, from the first key of the line on.
macro_rules! record {
    ($($first:literal $text:ident $i32:ident $u32:ident $i64:ident $u64:ident $f32:ident $f64:ident;)*) => {
        #[derive(serde::Serialize)]
        struct Record<'a> {
            $($text: &'a str, $i32: i32, $u32: u32, $i64: i64, $u64: u64, $f32: f32, $f64: f64,)*
        }

        impl Record<'_> {
            /// The report's values.
            fn new() -> Self {
                Record {
                    $($text: "a", $i32: -65, $u32: 128, $i64: -1, $u64: u64::MAX, $f32: 0.25, $f64: 23.0,)*
                }
            }
        }

        impl Document for Record<'_> {
            #[inline(always)]
            fn to_y3(&self, sink: &mut impl Sink) -> Result<(), Error> {
                Encoder::new(sink).node(0, |root| {
                    $(
                        root.put($first, self.$text)?;
                        root.put($first + 1, self.$i32)?;
                        root.put($first + 2, self.$u32)?;
                        root.put($first + 3, self.$i64)?;
                        root.put($first + 4, self.$u64)?;
                        root.put($first + 5, self.$f32)?;
                        root.put($first + 6, self.$f64)?;
                    )*
                    Ok(())
                })
            }
        }
    };
}

record! {
    1 k1 k2 k3 k4 k5 k6 k7;
    8 k8 k9 k10 k11 k12 k13 k14;
    15 k15 k16 k17 k18 k19 k20 k21;
    22 k22 k23 k24 k25 k26 k27 k28;
    29 k29 k30 k31 k32 k33 k34 k35;
    36 k36 k37 k38 k39 k40 k41 k42;
    43 k43 k44 k45 k46 k47 k48 k49;
    50 k50 k51 k52 k53 k54 k55 k56;
    57 k57 k58 k59 k60 k61 k62 k63;
}

impl Document for Node {
    fn to_y3(&self, sink: &mut impl Sink) -> Result<(), Error> {
        self.encode(sink)
    }
}

/// Times both codecs over the documents of a regime; `wanted` is the expected output.
fn style<D: Document>(criterion: &mut Criterion, name: &str, regime: Regime, documents: &[D], wanted: &[Pair]) {
    documents.iter().zip(wanted).for_each(|(document, pair)| assert_writes(document, pair));
    let documents: Vec<&D> = documents.iter().collect();

    let mut group = criterion.benchmark_group(format!("encode/{}/{name}", regime.name()));
    group.throughput(Throughput::Elements(1));
    // A macro, since what a function is given would not be inlined.
    macro_rules! time {
        ($($name:literal: $out:expr, |$document:ident, $buffer:ident| $write:expr;)*) => {$(
            group.bench_function($name, |bencher| {
                let (mut next, mut $buffer) = (regime.feed(&documents), $out);
                bencher.iter(|| {
                    let $document = next();
                    $write
                });
            });
        )*};
    }
    time! {
        "y3 Vec": Vec::new(), |document, out| {
            out.clear();
            document.to_y3(&mut out).expect("keys are below 64");
            black_box(&mut out).len()
        };
        "y3 SliceSink": [0; ROOM], |document, out| {
            let mut sink = SliceSink::new(&mut out);
            document.to_y3(&mut sink).expect("there is room");
            black_box(sink.into_written()).len()
        };
        "serde_json to_writer": Vec::new(), |document, out| {
            out.clear();
            serde_json::to_writer(&mut out, document).expect("a vector takes all");
            black_box(&mut out).len()
        };
    }
    group.finish();
}

/// Panics unless both codecs write the model.
fn assert_writes(document: &impl Document, pair: &Pair) {
    let (mut vec, mut slice) = (Vec::new(), [0; ROOM]);
    let mut sink = SliceSink::new(&mut slice);
    document.to_y3(&mut vec).expect("keys are below 64");
    document.to_y3(&mut sink).expect("there is room");
    assert_eq!((&vec[..], sink.written()), (&pair.y3[..], &pair.y3[..]));

    // Go writes 23 and serde_json 23.0, so numbers are compared, not texts.
    let (ours, theirs) = (serde_json::to_value(document), serde_json::from_slice::<Value>(&pair.json));
    let (ours, theirs) = (ours.expect("JSON"), theirs.expect("JSON"));
    let entries = |value: &Value| value.as_object().map(serde_json::Map::len);
    assert_eq!(entries(&ours), entries(&theirs));
    for (key, value) in theirs.as_object().expect("an object") {
        let same = ours[key] == *value || ours[key].is_f64() && ours[key].as_f64() == value.as_f64();
        assert!(same, "{key}: {} is not {value}", ours[key]);
    }
}

fn report(criterion: &mut Criterion) {
    assert_is_the_reports::<C63K32>();
    let model = C63K32::model();
    style(criterion, "struct", Regime::OneBuffer, &[Record::new()], &[model.to_pair()]);
    for regime in Regime::BOTH {
        let models = regime.models(&model);
        let wanted: Vec<Pair> = models.iter().map(Node::to_pair).collect();
        style(criterion, "slice", regime, &models, &wanted);
    }
}

criterion_group!(name = encode; config = standard(); targets = report);
criterion_main!(encode);
