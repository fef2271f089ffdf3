//! Verdict: in each case y3's fastest way beside the fastest of the others, by class and regime.
//!
//! In: figures. Out: cases with their standing. Ways that hostile bytes can harm have no part in it, nor those that leave the test of a
//! text out.

use serde::{Deserialize, Serialize};

use crate::figures::{FLOOR, Figures, Way, fastest, is_batch, is_comparable, is_of};
use crate::markdown::factor;
use crate::scenario::{REGIMES, SCENARIOS, regimes};
use crate::time::Time;

/// What is compared with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    /// One value of a message, by any way that finds a field wherever it is.
    Value,
    /// One value of each message of a batch.
    Batch,
    /// A message written.
    Write,
    /// Whole structs written and read.
    Struct,
    /// A message changed.
    Edit,
}

impl Class {
    pub const ALL: [Class; 5] = [Class::Value, Class::Batch, Class::Write, Class::Struct, Class::Edit];

    pub fn name(self) -> &'static str {
        match self {
            Class::Value => "one value of a message",
            Class::Batch => "one value of each message of a batch",
            Class::Write => "63 values written",
            Class::Struct => "whole structs",
            Class::Edit => "a message changed",
        }
    }
}

/// A way of a codec, and its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    pub name: String,
    pub time: Time,
}

impl Place {
    fn new((name, _, time): Way) -> Place {
        Place { name: name.to_owned(), time }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    First,
    /// Less than a nanosecond or less than a twentieth apart, or a pass has the other order.
    Tie,
    Behind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    pub class: Class,
    pub what: String,
    pub regime: String,
    pub own: Place,
    /// The fastest of the others.
    pub other: Place,
    /// The other's time divided by y3's: the median, the lowest and the highest of the passes, in each of which both were measured side
    /// by side. Above one, y3 is faster.
    pub ratio: Time,
    /// A loop written by hand for this case. Shown, not compared.
    #[serde(default)]
    pub floor: Option<Place>,
}

/// Less than this is a tie: two runs of one machine differ by as much, since a program lies elsewhere in memory in each.
const CLOSE: f64 = 1.05;
const LEAST: f64 = 0.95;

impl Case {
    /// By the digits of the ratio that a row shows, so that a reader comes to the same from the row.
    pub fn standing(&self) -> Standing {
        let Time { ns: lead, low, high } = self.ratio.map(|ratio| (ratio * 100.0).round() / 100.0);
        let is_close = (self.own.time.ns - self.other.time.ns).abs() < 1.0;
        if is_close || (LEAST..=CLOSE).contains(&lead) || (low..=high).contains(&1.0) {
            Standing::Tie
        } else if lead > 1.0 {
            Standing::First
        } else {
            Standing::Behind
        }
    }

    /// `first, ×1.5`.
    pub fn in_words(&self) -> String {
        match self.standing() {
            Standing::First => format!("**first**, {}", factor(self.ratio.ns, self.ratio.spread())),
            Standing::Tie => "tie".to_owned(),
            Standing::Behind => format!("behind, {}", factor(1.0 / self.ratio.ns, self.ratio.spread())),
        }
    }

    /// Whether both are the same case, of two runs.
    pub fn is(&self, other: &Case) -> bool {
        (self.class, &self.what, &self.regime) == (other.class, &other.what, &other.regime)
    }
}

/// In how many cases y3 is first, level and behind: `3 / 2 / 1`.
pub fn tally<'a>(cases: impl Iterator<Item = &'a Case>) -> String {
    let mut counts = [0; 3];
    cases.for_each(|case| counts[case.standing() as usize] += 1);
    counts.map(|count| count.to_string()).join(" / ")
}

/// All cases of a run, in the order of the pages.
pub fn cases(figures: &Figures) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |class, what: &str, regime: &str, group: &str, wanted: &dyn Fn(&Way) -> bool| {
        let best = |of: &dyn Fn(&Way) -> bool| fastest(figures.below(group).filter(|way| wanted(way) && of(way)));
        let own = best(&|way| way.0.starts_with("y3") && is_comparable(way));
        let other = best(&|way| !way.0.starts_with("y3") && is_comparable(way));
        if let (Some(own), Some(other)) = (own, other) {
            cases.push(Case {
                class,
                what: what.to_owned(),
                regime: regime.to_owned(),
                own: Place::new(own),
                other: Place::new(other),
                ratio: figures.ratio(other, own),
                floor: best(&|way| is_of(way.0, FLOOR)).map(Place::new),
            });
        }
    };
    for scenario in SCENARIOS {
        for regime in regimes(scenario) {
            let group = format!("extract/{regime}/{scenario}");
            // All ways of this one read a batch.
            let whole = scenario.starts_with("batch");
            add(Class::Batch, scenario, regime, &group, &|way| whole || is_batch(way.0));
            add(Class::Value, scenario, regime, &group, &|way| !whole && !is_batch(way.0));
        }
    }
    for regime in REGIMES {
        add(Class::Write, "63 pairs", regime, &format!("encode/{regime}/C63"), &|_| true);
    }
    for group in STRUCTS {
        let regime = if group.starts_with("dns") { "random" } else { "one-buffer" };
        add(Class::Struct, group, regime, group, &|_| true);
    }
    for regime in REGIMES {
        for task in ["keep-3-of-63", "remove-3-of-63", "patch"] {
            add(Class::Edit, task, regime, &format!("edit/{regime}/{task}"), &|_| true);
        }
    }
    cases
}

/// The groups of whole structs.
pub const STRUCTS: [&str; 7] = [
    "message/encode",
    "message/encode into a slice",
    "message/decode borrowed",
    "message/decode owned",
    "3 fields of 63",
    "dns/read an entry",
    "dns/look up and read",
];
