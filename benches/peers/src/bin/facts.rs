//! Writes the message size, the allocations and the danger of each way to a file as JSON, by the id of its bench.
//!
//! `bytes` is the mean size of a message in the regime with the most messages. `allocations` and `allocated` (bytes) are means of an
//! operation in the first regime. `danger` is the harm that hostile input can do, or null.

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

/// The number of runs of a case with whole structs: each entry of the DNS cache is read several times.
const RUNS: usize = 4096;

fn main() -> Result<(), Error> {
    let path = env::args_os().nth(1).ok_or_else(|| Error::other("facts FILE: writes the facts to FILE, as JSON"))?;
    let mut facts = BTreeMap::new();
    for scenario in Scenario::ALL {
        let models = models(scenario);
        for mut reader in readers(scenario.shape) {
            let inputs: Vec<Inputs> = models.iter().map(|(regime, models)| reader.inputs(*regime, models)).collect();
            let messages: Vec<&[u8]> = inputs[0].slices().collect();
            let cost = cost(messages.len(), |message| reader.read(black_box(messages[message])));
            let id = |regime: &str| format!("extract/{regime}/{}/{}", scenario.name, reader.name);
            facts.extend(of_way(id, reader.danger, cost, &inputs));
        }
    }
    let models = models(Scenario::C63K32);
    for writer in writers() {
        let prepared = models.iter().map(|(regime, models)| (writer.prepare)(*regime, models));
        let (inputs, mut timed): (Vec<_>, Vec<_>) = prepared.unzip();
        let cost = cost(models[0].1.len(), |_| timed[0](1));
        facts.extend(of_way(|regime| format!("encode/{regime}/C63/{}", writer.name), None, cost, &inputs));
    }
    for mut case in cases() {
        let (allocations, _) = cost(RUNS, |_| (case.timed)(1));
        let fact = json!({ "bytes": case.bytes, "allocations": allocations });
        facts.insert(format!("{}/{}", case.group, case.name), fact);
    }
    fs::write(path, format!("{:#}\n", json!(facts)))
}

/// The models of each regime's messages.
fn models(scenario: Scenario) -> Vec<(Regime, Vec<Node>)> {
    scenario.regimes.iter().map(|regime| (*regime, (scenario.models)(*regime))).collect()
}

/// Returns the facts of a way for each of its regimes.
fn of_way(
    id: impl Fn(&str) -> String,
    danger: Option<&str>,
    (allocations, allocated): (f64, f64),
    inputs: &[Inputs],
) -> impl Iterator<Item = (String, Value)> {
    let lengths = |inputs: &Inputs| inputs.slices().map(|message| message.len() as u64).collect::<Vec<u64>>();
    let most = inputs.iter().map(lengths).max_by_key(Vec::len).expect("every scenario has a regime");
    let bytes = float(most.iter().sum()) / float(most.len() as u64);
    let fact = json!({ "bytes": bytes, "allocations": allocations, "allocated": allocated, "danger": danger });
    inputs.iter().map(move |inputs| (id(inputs.regime.name()), fact.clone()))
}

/// Returns the mean number of allocations and of allocated bytes of some operations. All run once before they are measured, so buffers
/// have grown and tables exist.
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
