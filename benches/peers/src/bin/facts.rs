//! Facts: what a message of each way takes but for its time, and whether hostile input is safe. Each answer is asserted.
//!
//! In: a file's name. Out: that file, JSON: by the id of the bench, the `bytes` of a message, the mean over the regime with the most
//! messages; `allocations` and bytes `allocated` of an operation, means over the first regime; and the `danger`, if there is one.

use std::collections::BTreeMap;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Error, Write};
use std::{env, iter};

use allocation_counter::measure;
use kit::data::Node;
use peers::extract::mode::{Inputs, Reader};
use peers::extract::scenario::{Regime, Scenario};
use peers::extract::shape::Shape;
use peers::extract::{reader_of, readers, writers};
use peers::structs::cases;
use serde_json::{Value, json};

/// The number of runs of a case of the shoot-out: every entry of its cache several times.
const RUNS: usize = 4096;

type Facts = BTreeMap<String, Value>;

fn main() -> Result<(), Error> {
    let path =
        env::args_os().nth(1).ok_or_else(|| Error::other("facts FILE: writes what it finds to FILE, as JSON"))?;
    let mut facts = Facts::new();
    Scenario::ALL.into_iter().for_each(|scenario| of_readers(scenario, &mut facts));
    of_writers(&mut facts);
    for mut case in cases() {
        let (allocations, _) = cost(RUNS, |_| case.time(1));
        facts.insert(
            format!("{}/{}", case.group, case.name),
            json!({ "bytes": case.bytes, "allocations": allocations }),
        );
    }
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

fn of_readers(scenario: Scenario, facts: &mut Facts) {
    let models = models(scenario);
    for mut reader in readers(scenario.shape) {
        let inputs: Vec<Inputs> = models.iter().map(|(regime, models)| reader.inputs(*regime, models)).collect();
        let messages: Vec<&[u8]> = inputs[0].slices().collect();
        let cost = cost(messages.len(), |message| reader.read(black_box(messages[message])));
        let ids = |regime: &str| format!("extract/{regime}/{}/{}", scenario.name, reader.name());
        let fact = fact(reader.danger, cost, &inputs);
        facts.extend(models.iter().map(|(regime, _)| ids(regime.name())).zip(iter::repeat(fact)));
        assert_answers(&mut reader, scenario.shape, &models, &inputs);
    }
}

/// The facts of the writers, which read no input. The codec's first reader reads their output.
fn of_writers(facts: &mut Facts) {
    let models = models(Scenario::C63K32);
    for writer in writers() {
        let inputs: Vec<Inputs> = models.iter().map(|(regime, models)| writer.inputs(*regime, models)).collect();
        let (regime, first) = &models[0];
        let mut timed = writer.timed(*regime, first);
        let fact = fact(None, cost(first.len(), |_| timed(1)), &inputs);
        let ids = |regime: &str| format!("encode/{regime}/C63/{} {}", writer.codec, writer.mode);
        facts.extend(models.iter().map(|(regime, _)| ids(regime.name())).zip(iter::repeat(fact)));
        assert_answers(&mut reader_of(writer.codec), Shape::C63, &models, &inputs);
    }
}

fn assert_answers(reader: &mut Reader, shape: Shape, models: &[Models], inputs: &[Inputs]) {
    for ((_, models), inputs) in models.iter().zip(inputs) {
        let expected = models.iter().map(|model| Some(shape.answer(model)));
        assert!(reader.read_all(inputs).into_iter().eq(expected), "{} answers wrong", reader.name());
    }
}

fn fact(danger: Option<&str>, (allocations, allocated): (f64, f64), inputs: &[Inputs]) -> Value {
    let lengths = |inputs: &Inputs| inputs.slices().map(|message| message.len() as u64).collect::<Vec<u64>>();
    let most = inputs.iter().map(lengths).max_by_key(Vec::len).expect("every scenario has a regime");
    let bytes = float(most.iter().sum()) / float(most.len() as u64);
    json!({ "bytes": bytes, "allocations": allocations, "allocated": allocated, "danger": danger })
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
