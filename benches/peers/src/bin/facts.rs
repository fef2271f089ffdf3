//! Facts: the properties of every codec that are the same in every run: answers, bytes, allocations, and whether hostile
//! input is safe.
//!
//! In: a file's name. Out: that file, JSON: `readers`, one for each scenario and mode, and `writers`. If an `answer`
//! differs from `expected`, it is that of the first message, of any regime, that was read wrong; `null` is an error.

use std::env;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Error, Write};

use allocation_counter::measure;
use kit::data::Node;
use peers::extract::mode::{Inputs, Reader, Way, Writer};
use peers::extract::scenario::{Regime, Scenario};
use peers::extract::shape::Shape;
use peers::extract::{reader_of, readers, writers};
use peers::structs::{Case, cases};
use serde::Serialize;

#[derive(Serialize)]
struct Facts {
    readers: Vec<Fact>,
    writers: Vec<Fact>,
    structs: Vec<StructFact>,
}

#[derive(Serialize)]
struct Fact {
    /// The scenario of a reader; writers write C63.
    scenario: Option<&'static str>,
    codec: &'static str,
    mode: &'static str,
    way: &'static str,
    /// Whether hostile input is safe, or the danger. Writers read no input.
    safe: bool,
    danger: Option<&'static str>,
    /// The bytes of a message: the mean over the regime with the most messages.
    bytes: f64,
    #[serde(flatten)]
    cost: Cost,
    #[serde(flatten)]
    verdict: Verdict,
}

/// A case of the shoot-out, whose answer is right.
#[derive(Serialize)]
struct StructFact {
    group: &'static str,
    name: &'static str,
    bytes: f64,
    #[serde(flatten)]
    cost: Cost,
}

/// The allocations of an operation, the mean over the first regime: calls and bytes.
#[derive(Serialize)]
struct Cost {
    allocations: f64,
    allocated: f64,
}

#[derive(Serialize)]
struct Verdict {
    answer: Option<u64>,
    expected: u64,
}

/// The number of runs of a case of the shoot-out: every entry of its cache several times.
const RUNS: usize = 4096;

/// A regime's messages, before they are encoded.
struct Models {
    regime: Regime,
    models: Vec<Node>,
}

fn main() -> Result<(), Error> {
    let path =
        env::args_os().nth(1).ok_or_else(|| Error::other("facts FILE: writes what it finds to FILE, as JSON"))?;
    let facts = Facts {
        readers: Scenario::ALL.into_iter().flat_map(of_readers).collect(),
        writers: of_writers(),
        structs: cases().into_iter().map(of_struct).collect(),
    };
    let mut file = BufWriter::new(File::create(path)?);
    serde_json::to_writer_pretty(&mut file, &facts)?;
    writeln!(file)?;
    file.flush()
}

fn of_readers(scenario: Scenario) -> Vec<Fact> {
    let models = models(scenario);
    let facts = |mut reader: Reader| {
        let inputs = |Models { regime, models }: &Models| reader.inputs(*regime, models);
        let inputs: Vec<Inputs> = models.iter().map(inputs).collect();
        let messages: Vec<&[u8]> = inputs[0].slices().collect();
        let cost = cost(messages.len(), |message| {
            black_box(reader.read(black_box(messages[message])));
        });
        Fact {
            scenario: Some(scenario.name),
            codec: reader.codec,
            mode: reader.mode,
            way: name(reader.way),
            safe: reader.danger.is_none(),
            danger: reader.danger,
            bytes: mean_bytes(&inputs),
            cost,
            verdict: verdict(&mut reader, scenario.shape, &models, &inputs),
        }
    };
    readers(scenario.shape).into_iter().map(facts).collect()
}

/// The facts of the writers. The codec's first reader reads their output.
fn of_writers() -> Vec<Fact> {
    let models = models(Scenario::C63K32);
    let facts = |writer: Writer| {
        let mut first = writer.timed(models[0].regime, &models[0].models);
        let cost = cost(models[0].models.len(), |_| {
            first(1);
        });
        let inputs = |Models { regime, models }: &Models| writer.inputs(*regime, models);
        let inputs: Vec<Inputs> = models.iter().map(inputs).collect();
        let mut reader = reader_of(writer.codec);
        Fact {
            scenario: None,
            codec: writer.codec,
            mode: writer.mode,
            way: name(writer.way),
            safe: true,
            danger: None,
            bytes: mean_bytes(&inputs),
            cost,
            verdict: verdict(&mut reader, Shape::C63, &models, &inputs),
        }
    };
    writers().into_iter().map(facts).collect()
}

fn of_struct(mut case: Case) -> StructFact {
    let cost = cost(RUNS, |_| {
        case.time(1);
    });
    StructFact { group: case.group, name: case.name, bytes: case.bytes, cost }
}

fn models(scenario: Scenario) -> Vec<Models> {
    scenario.regimes.iter().map(|regime| Models { regime: *regime, models: scenario.models(*regime) }).collect()
}

fn name(way: Way) -> &'static str {
    match way {
        Way::Recommended => "recommended",
        Way::Expert => "expert",
    }
}

/// The cost of some operations in turn. All of them run once before, so that buffers have grown and tables exist.
fn cost(operations: usize, mut run: impl FnMut(usize)) -> Cost {
    const LEAST: usize = 256;
    let rounds = LEAST.div_ceil(operations);
    let mut all = || (0..rounds).for_each(|_| (0..operations).for_each(&mut run));
    all();
    let asked = measure(all);
    let mean = |sum: u64| float(sum) / float((rounds * operations) as u64);
    Cost { allocations: mean(asked.count_total), allocated: mean(asked.bytes_total) }
}

fn mean_bytes(inputs: &[Inputs]) -> f64 {
    let lengths = |inputs: &Inputs| inputs.slices().map(|message| message.len() as u64).collect::<Vec<u64>>();
    let most = inputs.iter().map(lengths).max_by_key(Vec::len).expect("every scenario has a regime");
    float(most.iter().sum()) / float(most.len() as u64)
}

fn verdict(reader: &mut Reader, shape: Shape, models: &[Models], inputs: &[Inputs]) -> Verdict {
    let answers: Vec<Option<u64>> = inputs.iter().flat_map(|inputs| reader.read_all(inputs)).collect();
    let expected = models.iter().flat_map(|models| &models.models).map(|model| shape.answer(model));
    let mut verdicts = answers.into_iter().zip(expected).map(|(answer, expected)| Verdict { answer, expected });
    let first = verdicts.next().expect("every regime has a message");
    let wrong = |verdict: &Verdict| verdict.answer != Some(verdict.expected);
    if wrong(&first) { first } else { verdicts.find(wrong).unwrap_or(first) }
}

#[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}
