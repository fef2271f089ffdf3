//! Clock: how much the speed of the machine changed during the run, and which groups must be measured again because of this.
//!
//! The clock is a fixed loop that is measured again and again during the run.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::time::{median, of_passes};

/// The measurements of a group in nanoseconds, for each way and for the clock. `clock` was measured between the turns of the ways.
#[derive(Debug, Default, Deserialize)]
pub struct Turns {
    pub clock: Vec<f64>,
    pub ways: BTreeMap<String, Vec<f64>>,
}

/// Passes have drifted if the longest is more than this many times as long as the shortest.
const STEADY: f64 = 1.1;

/// A way is near the top if it takes at most this many times as long as y3's fastest way. Only such a way can decide a verdict.
const NEAR: f64 = 2.0;

/// True if the two times differ by at most a tenth.
pub fn is_steady(one: f64, other: f64) -> bool {
    one.max(other) <= one.min(other) * STEADY
}

/// The groups that must be measured again, because the counted passes of the clock or of a way near the top have drifted.
pub fn drifted(groups: &BTreeMap<String, Turns>) -> Vec<String> {
    let steady = |passes: &[f64]| of_passes(passes).is_none_or(|time| is_steady(time.low, time.high));
    let has_drifted = |group: &Turns| {
        let own = group.ways.iter().filter(|(name, _)| name.starts_with("y3")).filter_map(|(_, passes)| median(passes));
        let near = own.fold(f64::MAX, f64::min) * NEAR;
        let mut ways = group.ways.values().filter(|passes| median(passes).is_some_and(|ns| ns <= near));
        !steady(&group.clock) || ways.any(|passes| !steady(passes))
    };
    groups.iter().filter(|(_, group)| has_drifted(group)).map(|(name, _)| name.clone()).collect()
}

/// The numbers for a page that show how much the speed of the machine changed during a run.
///
/// - `low` and `high`: the shortest and the longest time of the clock.
/// - `groups`: the number of groups that were measured in turns.
/// - `again`: the number of groups that were measured again.
/// - `unsteady`: the number of groups that had drifted even then.
/// - `passes`: the number of passes of the other benches that were measured again.
///
/// `clocks` are the times of the clock before and after the other benches.
pub fn steadiness(
    benches: &BTreeMap<&str, BTreeMap<String, Turns>>,
    clocks: &[f64],
    passes: usize,
) -> BTreeMap<String, f64> {
    let groups = || benches.values().flat_map(BTreeMap::values);
    let all = || clocks.iter().chain(groups().flat_map(|group| &group.clock)).copied();
    // The clock is measured once in each pass of a group. A group that was measured again has more passes than the other groups.
    let again = |bench: &BTreeMap<String, Turns>| {
        let passes = || bench.values().map(|group| group.clock.len());
        passes().filter(|count| Some(*count) > passes().min()).count()
    };
    let count = |of: &dyn Fn(&BTreeMap<String, Turns>) -> usize| benches.values().map(of).sum::<usize>() as f64;
    let numbers = [
        ("low", all().reduce(f64::min).unwrap_or_default()),
        ("high", all().reduce(f64::max).unwrap_or_default()),
        ("groups", count(&BTreeMap::len)),
        ("again", count(&again)),
        ("unsteady", count(&|bench| drifted(bench).len())),
        ("passes", passes as f64),
    ];
    numbers.map(|(name, number)| (name.to_owned(), number)).into()
}
