//! Facts: what a message of each way takes but for its time, and whether hostile input is safe. The benches assert the answers.
//!
//! In: a file's name. Out: that file, JSON: by the id of the bench, the `bytes` of a message, the mean over the regime with the most
//! messages; `allocations` and bytes `allocated` of an operation, means over the first regime; and the `danger`, if there is one.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::Error;
use std::{env, fs};

use allocation_counter::measure;
use kit::data::Node;
use peers::extract::mode::Inputs;
use peers::extract::scenario::{Regime, Scenario};
use peers::extract::{readers, writers};
use peers::structs::cases;
use serde_json::{Value, json};

/// The number of runs of a case of the shoot-out: every entry of its cache several times.
const RUNS: usize = 4096;

#[derive(Default)]
struct Facts(BTreeMap<String, Value>);

fn main() -> Result<(), Error> {
    let path =
        env::args_os().nth(1).ok_or_else(|| Error::other("facts FILE: writes what it finds to FILE, as JSON"))?;
    let mut facts = Facts::default();
    for scenario in Scenario::ALL {
        let models = models(scenario);
        for mut reader in readers(scenario.shape) {
            let inputs: Vec<Inputs> = models.iter().map(|(regime, models)| reader.inputs(*regime, models)).collect();
            let messages: Vec<&[u8]> = inputs[0].slices().collect();
            let cost = cost(messages.len(), |message| reader.read(black_box(messages[message])));
            facts.add(
                |regime| format!("extract/{regime}/{}/{}", scenario.name, reader.name()),
                reader.danger,
                cost,
                &inputs,
            );
        }
    }
    let models = models(Scenario::C63K32);
    for writer in writers() {
        let prepared = models.iter().map(|(regime, models)| (writer.prepare)(*regime, models));
        let (inputs, mut timed): (Vec<_>, Vec<_>) = prepared.unzip();
        let cost = cost(models[0].1.len(), |_| timed[0](1));
        facts.add(|regime| format!("encode/{regime}/C63/{}", writer.name), None, cost, &inputs);
    }
    for mut case in cases() {
        let (allocations, _) = cost(RUNS, |_| (case.timed)(1));
        let fact = json!({ "bytes": case.bytes, "allocations": allocations });
        facts.0.insert(format!("{}/{}", case.group, case.name), fact);
    }
    fs::write(path, format!("{:#}\n", json!(facts.0)))
}

/// The messages of each regime, before they are encoded.
fn models(scenario: Scenario) -> Vec<(Regime, Vec<Node>)> {
    scenario.regimes.iter().map(|regime| (*regime, scenario.models(*regime))).collect()
}

impl Facts {
    /// Adds the facts of a way, which has the same in all regimes.
    fn add(
        &mut self,
        id: impl Fn(&str) -> String,
        danger: Option<&str>,
        (allocations, allocated): (f64, f64),
        inputs: &[Inputs],
    ) {
        let lengths = |inputs: &Inputs| inputs.slices().map(|message| message.len() as u64).collect::<Vec<u64>>();
        let most = inputs.iter().map(lengths).max_by_key(Vec::len).expect("every scenario has a regime");
        let bytes = float(most.iter().sum()) / float(most.len() as u64);
        let fact = json!({ "bytes": bytes, "allocations": allocations, "allocated": allocated, "danger": danger });
        self.0.extend(inputs.iter().map(|inputs| (id(inputs.regime.name()), fact.clone())));
    }
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
