//! Clock: how much the machine changed its pace during the run, and what is measured again because of that.
//!
//! In: a loop that is measured again and again during the run, and the passes of a group. Out: what has drifted, and the figures that
//! the first page shows of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::time::{Time, median, of_passes};

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

/// The machine's clock before and after a pass of a bench of criterion's, in nanoseconds.
#[derive(Debug)]
pub struct Clock {
    pub bench: String,
    pub pass: usize,
    pub before: f64,
    pub after: f64,
}

impl Clock {
    pub fn is_steady(&self) -> bool {
        is_steady(self.before.min(self.after), self.before.max(self.after))
    }
}

fn is_steady(low: f64, high: f64) -> bool {
    high <= low * STEADY
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

/// The machine's pace during a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Steadiness {
    /// The clock by bench.
    pub clock: BTreeMap<String, Time>,
    /// The groups that were measured in turns, those measured again, and those that were not steady even then.
    pub groups: usize,
    pub again: usize,
    pub unsteady: usize,
    /// Passes of the other benches that were measured again.
    pub passes_again: usize,
}

impl Steadiness {
    pub fn new(benches: &BTreeMap<&str, BTreeMap<String, Turns>>, clocks: &[Clock]) -> Steadiness {
        let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let mut steadiness = Steadiness::default();
        for (name, groups) in benches {
            let clock = all.entry(format!("{name} of peers")).or_default();
            clock.extend(groups.values().flat_map(|group| &group.clock));
            steadiness.groups += groups.len();
            let passes = groups.values().map(|group| group.clock.len());
            let least = passes.clone().min();
            steadiness.again += passes.filter(|passes| Some(*passes) > least).count();
            steadiness.unsteady += drifted(groups).len();
        }
        let mut seen = Vec::new();
        for Clock { bench, pass, before, after } in clocks {
            all.entry(bench.clone()).or_default().extend([before, after]);
            steadiness.passes_again += usize::from(seen.contains(&(bench, pass)));
            seen.push((bench, pass));
        }
        let range = |ns: Vec<f64>| {
            let (low, high) = ns.iter().fold((f64::MAX, 0.0_f64), |(low, high), ns| (low.min(*ns), high.max(*ns)));
            Some(Time { ns: median(&ns)?, low, high })
        };
        steadiness.clock = all.into_iter().filter_map(|(bench, ns)| Some((bench, range(ns)?))).collect();
        steadiness
    }
}
