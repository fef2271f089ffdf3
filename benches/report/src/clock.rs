//! Clock: how much the machine changed its pace during the run, and what is measured again because of that.
//!
//! In: a loop that is measured again and again during the run, and the passes of a group. Out: what has drifted, and the figures that
//! the first page shows of it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::time::{median, of_passes};

/// The turns of the passes of a group, and the machine's clock meanwhile: nanoseconds of each pass.
#[derive(Debug, Default, Deserialize)]
pub struct Turns {
    pub clock: Vec<f64>,
    pub ways: BTreeMap<String, Vec<f64>>,
}

/// The passes of a group are further apart than this if they have drifted.
const STEADY: f64 = 1.1;

/// A way is near the top if it takes at most so many times as long as y3's fastest one: near enough to decide a verdict.
const NEAR: f64 = 2.0;

/// Whether the passes of something are close enough together.
pub fn is_steady(one: f64, other: f64) -> bool {
    one.max(other) <= one.min(other) * STEADY
}

/// The groups that have to be measured again: in the passes that count the clock is not steady, or a way near the top is not.
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

/// The machine's pace during a run, in numbers that a page names. `low` and `high` are the ends of the clock. `groups` were measured in
/// turns, `again` of them once more, and `unsteady` of them were not steady even then. `passes` of the other benches were measured again,
/// with `clocks` beside them.
pub fn steadiness(
    benches: &BTreeMap<&str, BTreeMap<String, Turns>>,
    clocks: &[f64],
    passes: usize,
) -> BTreeMap<String, f64> {
    let groups = || benches.values().flat_map(BTreeMap::values);
    let all = || clocks.iter().chain(groups().flat_map(|group| &group.clock)).copied();
    // Each pass of a group has a clock. A bench measures some groups more often than the others.
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
