//! Verdict: in each case y3's fastest way beside the fastest of the others, by class and regime.
//!
//! In: figures. Out: cases with their standing. Ways that hostile bytes can harm have no part in it, nor those that leave the test of a
//! text out.

use serde::{Deserialize, Serialize};

use crate::figures::{FLOOR, Figures, Way, fastest, is_batch, is_comparable, is_of};
use crate::markdown::factor;
use crate::scenario::{REAL, REGIMES, SCENARIOS, STRUCTS, regimes};
use crate::time::Time;

/// What is compared with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    /// One value of a message, by any way that finds a field wherever it is.
    Value,
    /// One value of each message of a batch.
    Batch,
    /// Whole structs written and read. Verdicts of earlier runs have a class of their own for 63 values written.
    #[serde(alias = "Write")]
    Struct,
    /// A message changed.
    Edit,
}

impl Class {
    pub const ALL: [Class; 4] = [Class::Value, Class::Batch, Class::Struct, Class::Edit];

    pub fn name(self) -> &'static str {
        match self {
            Class::Value => "one value of a message",
            Class::Batch => "one value of each message of a batch",
            Class::Struct => "whole structs",
            Class::Edit => "a message changed",
        }
    }
}

/// What the ways of a group do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub class: Class,
    pub what: &'static str,
    pub regime: &'static str,
    pub group: String,
}

impl Task {
    /// Whether the figures of a page without a regime are of this task: its group names no other.
    pub fn is_usual(&self) -> bool {
        REGIMES.iter().all(|(regime, _)| *regime == REAL || !self.group.contains(&format!("/{regime}/")))
    }

    /// The ways of the group that do this task.
    pub fn ways<'a>(&self, figures: &'a Figures) -> impl Iterator<Item = Way<'a>> + use<'a> {
        let wanted = match self.class {
            // All ways of this one read a batch.
            Class::Batch if self.what.starts_with("batch") => None,
            class => Some(class == Class::Batch),
        };
        figures.below(&self.group).filter(move |way| wanted.is_none_or(|wanted| wanted == is_batch(way.0)))
    }
}

/// All tasks, in the order of the pages.
pub fn tasks() -> Vec<Task> {
    let mut tasks = Vec::new();
    let mut add = |class, what, regime, group| tasks.push(Task { class, what, regime, group });
    for (what, _) in SCENARIOS {
        for regime in regimes(what) {
            let group = format!("extract/{regime}/{what}");
            add(Class::Batch, what, regime, group.clone());
            if !what.starts_with("batch") {
                add(Class::Value, what, regime, group);
            }
        }
    }
    for (regime, _) in REGIMES {
        add(Class::Struct, "63 pairs", regime, format!("encode/{regime}/C63"));
        for what in ["keep-3-of-63", "remove-3-of-63", "patch"] {
            add(Class::Edit, what, regime, format!("edit/{regime}/{what}"));
        }
    }
    for (group, _) in STRUCTS {
        let regime = if group.starts_with("dns") { "random" } else { "one-buffer" };
        add(Class::Struct, group, regime, group.to_owned());
    }
    tasks
}

/// A way of a codec, and its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    pub name: String,
    pub time: Time,
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
pub const CLOSE: f64 = 1.05;
pub const LEAST: f64 = 0.95;

impl Case {
    /// `None` if y3 or all others have no comparable way.
    fn new(task: &Task, figures: &Figures) -> Option<Case> {
        let best = |of: &dyn Fn(&Way) -> bool| fastest(task.ways(figures).filter(of));
        let own = best(&|way| way.0.starts_with("y3") && is_comparable(way))?;
        let other = best(&|way| !way.0.starts_with("y3") && is_comparable(way))?;
        let place = |(name, _, time): Way| Place { name: name.to_owned(), time };
        Some(Case {
            class: task.class,
            what: task.what.to_owned(),
            regime: task.regime.to_owned(),
            own: place(own),
            other: place(other),
            ratio: figures.ratio(other, own),
            floor: best(&|way| is_of(way.0, FLOOR)).map(place),
        })
    }

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

/// All cases of a run, in the order of the tasks.
pub fn cases(figures: &Figures) -> Vec<Case> {
    tasks().iter().filter_map(|task| Case::new(task, figures)).collect()
}
