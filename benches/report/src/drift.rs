//! Drift: how much the machine changed its pace during the run, and what was measured again because of that.
//!
//! In: the machine's clock, a loop of its own that was measured again and again during the run. Out: which groups are to be measured
//! again; a sentence and a table for the first page.

use serde::{Deserialize, Serialize};

use crate::markdown::{number, table};
use crate::time::{Time, median, of_passes};
use crate::turns::{Group, InTurns};

/// What drifts by more than this is measured again.
const STEADY: f64 = 1.1;

/// The clock beside the benches that are not measured in turns.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Pace {
    pub clocks: Vec<Clock>,
}

/// The machine's clock before and after a pass of a bench, in nanoseconds.
#[derive(Debug, Serialize, Deserialize)]
pub struct Clock {
    pub bench: String,
    pub pass: usize,
    pub before: f64,
    pub after: f64,
}

impl Clock {
    pub fn is_steady(&self) -> bool {
        is_steady(&[self.before, self.after])
    }
}

fn is_steady(numbers: &[f64]) -> bool {
    let (low, high) = numbers.iter().fold((f64::MAX, 0.0_f64), |(low, high), ns| (low.min(*ns), high.max(*ns)));
    high <= low * STEADY
}

/// A way is near the top if it takes at most so many times as long as y3's fastest one: near enough to decide a verdict.
const NEAR: f64 = 2.0;

/// The groups that have to be measured again: in the passes that count the clock is not steady, or a way near the top is not.
pub fn drifted(bench: &InTurns) -> Vec<String> {
    let steady = |passes: &[f64]| of_passes(passes).is_none_or(|time| is_steady(&[time.low, time.high]));
    let has_drifted = |group: &Group| {
        let own = group.ways.iter().filter(|(name, _)| name.starts_with("y3")).filter_map(|(_, passes)| median(passes));
        let near = own.fold(f64::MAX, f64::min) * NEAR;
        let mut ways = group.ways.values().filter(|passes| median(passes).is_some_and(|ns| ns <= near));
        !steady(&group.clock) || ways.any(|passes| !steady(passes))
    };
    bench.groups.iter().filter(|(_, group)| has_drifted(group)).map(|(name, _)| name.clone()).collect()
}

/// The machine's pace during a run.
#[derive(Debug, Default)]
pub struct Drift {
    /// The clock, by bench: the median, the lowest and the highest.
    pub clock: Vec<(String, Time)>,
    /// How many groups there are, how many of them were measured a fourth time and a fifth time, and how many had not become steady
    /// then.
    pub groups: usize,
    pub again: [usize; 2],
    pub unsteady: usize,
    /// Passes of the other benches that were measured again.
    pub passes_again: usize,
}

impl Drift {
    pub fn new(benches: &[(String, InTurns)], pace: &Pace) -> Drift {
        let mut clocks: Vec<(String, Vec<f64>)> = Vec::new();
        let mut add = |name: &str, ns: &[f64]| match clocks.iter_mut().find(|clock| clock.0 == name) {
            Some((_, all)) => all.extend(ns),
            None => clocks.push((name.to_owned(), ns.to_vec())),
        };
        let mut drift = Drift::default();
        for (name, bench) in benches {
            for group in bench.groups.values() {
                add(&format!("{name} of peers"), &group.clock);
                for (place, passes) in [4, 5].into_iter().enumerate() {
                    drift.again[place] += usize::from(group.clock.len() >= passes);
                }
            }
            drift.groups += bench.groups.len();
            drift.unsteady += drifted(bench).len();
        }
        let mut before: Option<(&str, usize)> = None;
        for clock in &pace.clocks {
            add(&clock.bench, &[clock.before, clock.after]);
            let this = (clock.bench.as_str(), clock.pass);
            drift.passes_again += usize::from(before == Some(this));
            before = Some(this);
        }
        drift.clock = clocks.into_iter().filter_map(|(name, ns)| Some((name, whole(&ns)?))).collect();
        drift
    }

    /// Over all benches.
    pub fn whole(&self) -> Option<Time> {
        let (low, high) = self
            .clock
            .iter()
            .fold((f64::MAX, 0.0_f64), |(low, high), (_, time)| (low.min(time.low), high.max(time.high)));
        Some(Time { ns: median(&self.clock.iter().map(|(_, time)| time.ns).collect::<Vec<f64>>())?, low, high })
    }
}

fn whole(ns: &[f64]) -> Option<Time> {
    let (low, high) = ns.iter().fold((f64::MAX, 0.0_f64), |(low, high), ns| (low.min(*ns), high.max(*ns)));
    Some(Time { ns: median(ns)?, low, high })
}

/// What the first page says of the pace of the machine: some sentences, and a table by bench. `uncounted` is why there are no
/// instructions, if there are none.
pub fn in_words(drift: &Drift, uncounted: Option<&str>) -> String {
    let Some(all) = drift.whole() else { return String::new() };
    let row = |(bench, time): &(String, Time)| {
        vec![bench.clone(), number(time.low), number(time.ns), number(time.high), number(time.high / time.low)]
    };
    let rows: Vec<Vec<String>> = drift.clock.iter().map(row).collect();
    let again = match drift.again {
        [0, _] => "none had to be measured again".to_owned(),
        [fourth, 0] => format!("{fourth} were measured a fourth time"),
        [fourth, fifth] => format!("{fourth} were measured a fourth time, {fifth} of them a fifth time"),
    };
    let unsteady = match drift.unsteady {
        0 => "all are within a tenth then".to_owned(),
        1 => "one is still further apart than that".to_owned(),
        some => format!("{some} are still further apart than that"),
    };
    let passes = match drift.passes_again {
        0 => String::new(),
        1 => " One pass of the other benches was measured again for the same reason.".to_owned(),
        some => format!(" {some} passes of the other benches were measured again for the same reason."),
    };
    let instructions = match uncounted {
        None => "Instructions are those of callgrind for one of 64 messages, keys in order; on a shared machine they are the truth.".to_owned(),
        Some(why) => format!("Instructions were not counted: {why}."),
    };
    format!(
        "The machine's clock is a fixed loop of y3's that is measured again and again during the run: it \
         took {} ns, at the lowest {} and at the highest {}. The ways of a group take turns of a few milliseconds, so that a ratio comes from \
         measurements side by side. A group is measured again, at most twice, if the passes of its clock or of a way near the top are \
         more than a tenth apart; the three passes that lie closest together count. Of {} groups: {again}; {unsteady}.{passes} {instructions}\n{}",
        number(all.ns),
        number(all.low),
        number(all.high),
        drift.groups,
        table(&["bench", ">lowest, ns", ">median, ns", ">highest, ns", ">highest / lowest"], &rows)
    )
}
