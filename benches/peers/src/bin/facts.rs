//! Facts: the properties of every codec that are the same in every run: answers, bytes, allocations, and whether hostile
//! input is safe.
//!
//! In: a file's name. Out: that file, JSON: `readers`, one for each scenario and mode, `writers` of C63, and `structs`. The bytes of a
//! message are the mean over the regime with the most messages; `allocations` and bytes `allocated` of an operation are means over the
//! first regime. If an `answer` differs from `expected`, it is that of the first message, of any regime, that was read wrong; `null` is
//! an error.

use std::env;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Error, Write};

use allocation_counter::measure;
use kit::data::Node;
use peers::extract::mode::{Inputs, Reader, Way};
use peers::extract::scenario::{Regime, Scenario};
use peers::extract::shape::Shape;
use peers::extract::{reader_of, readers, writers};
use peers::structs::cases;
use serde_json::{Value, json};

/// The number of runs of a case of the shoot-out: every entry of its cache several times.
const RUNS: usize = 4096;

fn main() -> Result<(), Error> {
    let path =
        env::args_os().nth(1).ok_or_else(|| Error::other("facts FILE: writes what it finds to FILE, as JSON"))?;
    let structs = cases().into_iter().map(|mut case| {
        let (allocations, allocated) = cost(RUNS, |_| case.time(1));
        json!({
            "group": case.group, "name": case.name, "bytes": case.bytes, "allocations": allocations, "allocated": allocated,
        })
    });
    let facts = json!({
        "structs": structs.collect::<Vec<Value>>(),
        "readers": Scenario::ALL.into_iter().flat_map(of_readers).collect::<Vec<Value>>(),
        "writers": of_writers(),
    });
    let mut file = BufWriter::new(File::create(path)?);
    serde_json::to_writer_pretty(&mut file, &facts)?;
    writeln!(file)?;
    file.flush()
}

/// A regime's messages, before they are encoded.
type Models = (Regime, Vec<Node>);

fn models(scenario: Scenario) -> Vec<Models> {
    scenario.regimes.iter().map(|regime| (*regime, scenario.models(*regime))).collect()
}

fn of_readers(scenario: Scenario) -> Vec<Value> {
    let models = models(scenario);
    let facts = |mut reader: Reader| {
        let inputs: Vec<Inputs> = models.iter().map(|(regime, models)| reader.inputs(*regime, models)).collect();
        let messages: Vec<&[u8]> = inputs[0].slices().collect();
        let cost = cost(messages.len(), |message| reader.read(black_box(messages[message])));
        let names = (Some(scenario.name), reader.codec, reader.mode, reader.way);
        fact(names, reader.danger, cost, (&mut reader, scenario.shape), &models, &inputs)
    };
    readers(scenario.shape).into_iter().map(facts).collect()
}

/// The facts of the writers, which read no input. The codec's first reader reads their output.
fn of_writers() -> Vec<Value> {
    let models = models(Scenario::C63K32);
    let facts = |writer: peers::extract::mode::Writer| {
        let inputs: Vec<Inputs> = models.iter().map(|(regime, models)| writer.inputs(*regime, models)).collect();
        let (regime, first) = &models[0];
        let mut timed = writer.timed(*regime, first);
        let cost = cost(first.len(), |_| timed(1));
        let names = (None, writer.codec, writer.mode, writer.way);
        fact(names, None, cost, (&mut reader_of(writer.codec), Shape::C63), &models, &inputs)
    };
    writers().into_iter().map(facts).collect()
}

type Names = (Option<&'static str>, &'static str, &'static str, Way);

fn fact(
    (scenario, codec, mode, way): Names,
    danger: Option<&str>,
    (allocations, allocated): (f64, f64),
    (reader, shape): (&mut Reader, Shape),
    models: &[Models],
    inputs: &[Inputs],
) -> Value {
    let lengths = |inputs: &Inputs| inputs.slices().map(|message| message.len() as u64).collect::<Vec<u64>>();
    let most = inputs.iter().map(lengths).max_by_key(Vec::len).expect("every scenario has a regime");
    let expected = models.iter().flat_map(|(_, models)| models).map(|model| shape.answer(model));
    let answers = inputs.iter().flat_map(|inputs| reader.read_all(inputs)).zip(expected).collect::<Vec<_>>();
    let wrong = answers.iter().find(|(answer, expected)| *answer != Some(*expected));
    let (answer, expected) = wrong.or(answers.first()).expect("every regime has a message");
    json!({
        "scenario": scenario,
        "codec": codec,
        "mode": mode,
        "way": if way == Way::Recommended { "recommended" } else { "expert" },
        "safe": danger.is_none(),
        "danger": danger,
        "bytes": float(most.iter().sum()) / float(most.len() as u64),
        "allocations": allocations,
        "allocated": allocated,
        "answer": answer,
        "expected": expected,
    })
}

/// The allocations of some operations in turn, calls and bytes for each. All of them run once before, so that buffers have grown and
/// tables exist.
fn cost<T>(operations: usize, mut run: impl FnMut(usize) -> T) -> (f64, f64) {
    const LEAST: usize = 256;
    let rounds = LEAST.div_ceil(operations);
    let mut all = || (0..rounds * operations).for_each(|operation| drop(black_box(run(operation % operations))));
    all();
    let asked = measure(all);
    let mean = |sum: u64| float(sum) / float((rounds * operations) as u64);
    (mean(asked.count_total), mean(asked.bytes_total))
}

#[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}
