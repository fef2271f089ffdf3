//! Verdict: compares y3's fastest way with the fastest way of the other codecs, in each case.
//!
//! Verdicts leave out ways that are not comparable, see [`is_comparable`].

use serde::{Deserialize, Serialize};

use crate::figures::{FLOOR, Figures, Way, fastest, is_batch, is_comparable, is_of};
use crate::markdown::factor;
use crate::scenario::{REAL, REGIMES, SCENARIOS, STRUCTS, regimes};
use crate::time::Time;

/// The classes of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    /// Read one value of a message, by a way that finds the field at any position.
    Value,
    /// Read one value of each message in a batch.
    Batch,
    /// Read or write whole structs. In verdicts of earlier runs, writing 63 values has its own class, `Write`.
    #[serde(alias = "Write")]
    Struct,
    /// Change a message.
    Edit,
}

impl Class {
    pub const ALL: [Class; 4] = [Class::Value, Class::Batch, Class::Struct, Class::Edit];

    pub fn name(self) -> &'static str {
        match self {
            Class::Value => "one value of a message",
            Class::Batch => "one value of each message in a batch",
            Class::Struct => "whole structs",
            Class::Edit => "a message changed",
        }
    }
}

/// A task that all ways of a group do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub class: Class,
    pub what: &'static str,
    pub regime: &'static str,
    pub group: String,
}

impl Task {
    /// True if pages show this task without naming its regime: its group names no regime except [`REAL`].
    pub fn is_usual(&self) -> bool {
        REGIMES.iter().all(|(regime, _)| *regime == REAL || !self.group.contains(&format!("/{regime}/")))
    }

    /// The ways of the group that do this task.
    pub fn ways<'a>(&self, figures: &'a Figures) -> impl Iterator<Item = Way<'a>> + use<'a> {
        let wanted = match self.class {
            // All ways of the group `batch-1000` read a batch.
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

/// The name and the time of a way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    pub name: String,
    pub time: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    First,
    /// The two times differ by less than a nanosecond or by at most a twentieth, or neither side is faster in all passes.
    Tie,
    Behind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    pub class: Class,
    pub what: String,
    pub regime: String,
    pub own: Place,
    /// The fastest way of the other codecs.
    pub other: Place,
    /// The other codec's time divided by y3's time, computed in each pass. If the ratio is above one, y3 is faster.
    pub ratio: Time,
    /// A hand-written loop for this case. Pages show the loop, but it does not influence the verdict.
    #[serde(default)]
    pub floor: Option<Place>,
}

/// A case is a tie if its ratio is between [`LEAST`] and [`CLOSE`]. Two runs on one machine differ by as much, because a program has other
/// addresses in memory in each run.
pub const CLOSE: f64 = 1.05;
pub const LEAST: f64 = 0.95;

impl Case {
    /// Returns `None` if y3 has no comparable way, or if no other codec has one.
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

    /// The verdict. It is computed from the rounded ratios that a page shows, so that readers of the page can check it.
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

    /// The verdict as text, such as `first, ×1.5`.
    pub fn in_words(&self) -> String {
        match self.standing() {
            Standing::First => format!("**first**, {}", factor(self.ratio.ns, self.ratio.spread())),
            Standing::Tie => "tie".to_owned(),
            Standing::Behind => format!("behind, {}", factor(1.0 / self.ratio.ns, self.ratio.spread())),
        }
    }

    /// True if both are the same case, for example in two runs.
    pub fn is(&self, other: &Case) -> bool {
        (self.class, &self.what, &self.regime) == (other.class, &other.what, &other.regime)
    }
}

/// The numbers of cases in which y3 is first, ties and is behind, such as `3 / 2 / 1`.
pub fn tally<'a>(cases: impl Iterator<Item = &'a Case>) -> String {
    let mut counts = [0; 3];
    cases.for_each(|case| counts[case.standing() as usize] += 1);
    counts.map(|count| count.to_string()).join(" / ")
}

/// All cases of a run, in the order of the tasks.
pub fn cases(figures: &Figures) -> Vec<Case> {
    tasks().iter().filter_map(|task| Case::new(task, figures)).collect()
}
