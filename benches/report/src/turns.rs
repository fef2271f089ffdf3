//! Turns: what a bench wrote whose ways alternate, pass by pass.
//!
//! In: the files of a run. Out: for each way the nanoseconds of each pass, and the machine's clock meanwhile.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde::Deserialize;

use crate::error::Result;
use crate::measured::{Folder, Time, recent};

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

/// The middle one of some numbers, or the mean of the two in the middle.
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let high = *sorted.get(half)?;
    Some(if sorted.len() % 2 == 1 { high } else { f64::midpoint(sorted[half - 1], high) })
}

/// The passes that count.
const COUNTED: usize = 3;

/// The median, the lowest and the highest of the three passes that lie closest together: of what was measured again, because the
/// machine or the way was not steady, one or two do not count.
pub fn of_passes(passes: &[f64]) -> Option<Time> {
    let mut sorted = passes.to_vec();
    sorted.sort_by(f64::total_cmp);
    let closest =
        sorted.windows(COUNTED.min(sorted.len()).max(1)).min_by(|one, other| width(one).total_cmp(&width(other)))?;
    Some(Time { ns: median(closest)?, low: *closest.first()?, high: *closest.last()? })
}

/// The highest of some numbers in order, divided by the lowest.
fn width(sorted: &[f64]) -> f64 {
    sorted.last().zip(sorted.first()).map_or(1.0, |(high, low)| high / low)
}

#[cfg(test)]
mod tests {
    use super::of_passes;

    #[test]
    fn the_three_passes_that_lie_closest_together_count() {
        let of = |passes: &[f64]| of_passes(passes).map(|time| [time.low, time.ns, time.high]);
        assert_eq!(of(&[3.0, 1.0, 2.0]), Some([1.0, 2.0, 3.0]));
        assert_eq!(of(&[30.0, 31.0, 62.0, 32.0]), Some([30.0, 31.0, 32.0]));
        assert_eq!(of(&[62.0, 30.0, 61.0, 63.0, 31.0]), Some([61.0, 62.0, 63.0]));
        assert_eq!(of(&[5.0]), Some([5.0, 5.0, 5.0]));
        assert_eq!(of(&[]), None);
    }
}
