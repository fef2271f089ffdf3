//! Turns: what a bench wrote whose ways alternate, pass by pass.
//!
//! In: the files of a run. Out: for each way the nanoseconds of each pass, and the machine's clock meanwhile.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde::Deserialize;

use crate::error::Result;
use crate::folder::{Folder, recent};

/// The groups of a bench.
#[derive(Debug, Default)]
pub struct InTurns {
    pub groups: BTreeMap<String, Group>,
}

/// The passes of a group.
#[derive(Debug, Default)]
pub struct Group {
    /// The nanoseconds of each pass by way.
    pub ways: BTreeMap<String, Vec<f64>>,
    /// The machine's clock in each pass.
    pub clock: Vec<f64>,
}

/// What a bench writes of a pass.
#[derive(Deserialize)]
struct Pass {
    groups: BTreeMap<String, Turns>,
}

#[derive(Deserialize)]
struct Turns {
    clock: Vec<f64>,
    ways: BTreeMap<String, Vec<f64>>,
}

impl InTurns {
    /// All passes that there are; a later one may have some of the groups only.
    pub fn read(folder: &Folder, bench: &str, since: SystemTime) -> Result<InTurns> {
        let mut all = InTurns::default();
        for file in (1..).map(|pass| folder.turns(bench, pass)).take_while(|file| file.exists()) {
            let pass: Pass = serde_json::from_slice(&recent(&file, since)?)
                .map_err(|error| format!("{}: {error}", file.display()))?;
            for (name, turns) in pass.groups {
                let group = all.groups.entry(name).or_default();
                group.clock.extend(of_turns(&turns.clock));
                for (way, turns) in turns.ways {
                    group.ways.entry(way).or_default().extend(of_turns(&turns));
                }
            }
        }
        Ok(all)
    }
}

/// The lower quartile of the turns of a pass: what disturbs a turn can only make it longer. Between two quick runs on a machine with
/// more programs than cores, nine in ten figures differ by less than 5.5% (medians of turns: 16%); between two others 8% (9.5%).
pub fn of_turns(turns: &[f64]) -> Option<f64> {
    let mut sorted = turns.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 4).copied()
}
