//! Clock: how much the machine changed its pace during the run, and what is measured again because of that.
//!
//! In: a loop that is measured again and again during the run, and the passes of a group. Out: what has drifted, and the figures that
//! the first page shows of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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

/// The machine's pace during a run. A page names these numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Steadiness {
    /// The lowest and the highest of the clock.
    pub low: f64,
    pub high: f64,
    /// The groups that were measured in turns, those measured again, and those that were not steady even then.
    pub groups: usize,
    pub again: usize,
    pub unsteady: usize,
    /// Passes of the other benches that were measured again.
    pub passes: usize,
}

impl Steadiness {
    /// `clocks` were measured beside the other benches, `passes` of which were measured again.
    pub fn new<'a>(
        benches: impl Iterator<Item = &'a BTreeMap<String, Turns>>,
        clocks: &[f64],
        passes: usize,
    ) -> Steadiness {
        let mut all = clocks.to_vec();
        let mut steadiness = Steadiness { passes, ..Steadiness::default() };
        for groups in benches {
            all.extend(groups.values().flat_map(|group| &group.clock));
            let passes = groups.values().map(|group| group.clock.len());
            let least = passes.clone().min();
            steadiness.groups += groups.len();
            steadiness.again += passes.filter(|passes| Some(*passes) > least).count();
            steadiness.unsteady += drifted(groups).len();
        }
        let end = |of: fn(f64, f64) -> f64| all.iter().copied().reduce(of).unwrap_or_default();
        Steadiness { low: end(f64::min), high: end(f64::max), ..steadiness }
    }
}
