//! Verdict: in each case y3's fastest way beside the fastest of the others, by class and regime.
//!
//! In: facts and times. Out: cases with their standing. Modes that are not safe on hostile input have no part in it.

use serde::{Deserialize, Serialize};

use crate::markdown::{cell, factor, inside, table};
use crate::measured::{Fact, Measured, REGIMES, Time, in_order, regimes};
use crate::scenario::described;

/// What is compared with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    /// One value of a message, by any way that finds a field wherever it is.
    Value,
    /// The same, without y3's hint, which remembers the messages before.
    WithoutHint,
    /// The same beside structs that end at the wanted field: such a reader cannot skip a field that it does not know.
    FirstFields,
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
    pub const ALL: [Class; 7] =
        [Class::Value, Class::WithoutHint, Class::FirstFields, Class::Batch, Class::Write, Class::Struct, Class::Edit];

    pub fn name(self) -> &'static str {
        match self {
            Class::Value => "one value of a message",
            Class::WithoutHint => "the same, y3 without its hint",
            Class::FirstFields => "the same, beside *first fields*",
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    First,
    /// The difference is below a nanosecond, or the ranges of the passes overlap.
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
}

impl Case {
    /// The other's time divided by y3's: above one, y3 is faster.
    pub fn lead(&self) -> f64 {
        self.other.time.ns / self.own.time.ns
    }

    pub fn spread(&self) -> f64 {
        self.own.time.spread() + self.other.time.spread()
    }

    pub fn standing(&self) -> Standing {
        let (own, other) = (self.own.time, self.other.time);
        if (own.ns - other.ns).abs() < 1.0 || own.low <= other.high && other.low <= own.high {
            Standing::Tie
        } else if own.ns < other.ns {
            Standing::First
        } else {
            Standing::Behind
        }
    }

    /// `first, ×1.5`.
    pub fn in_words(&self) -> String {
        match self.standing() {
            Standing::First => format!("**first**, {}", factor(self.lead(), self.spread())),
            Standing::Tie => "tie".to_owned(),
            Standing::Behind => format!("behind, {}", factor(1.0 / self.lead(), self.spread())),
        }
    }

    /// The case as one name.
    pub fn title(&self) -> String {
        format!("{}, {}", described(&self.what), regime_in_words(&self.regime))
    }

    pub fn is(&self, other: &Case) -> bool {
        (self.class, &self.what, &self.regime) == (other.class, &other.what, &other.regime)
    }
}

pub fn regime_in_words(regime: &str) -> &str {
    match regime {
        "one-buffer" => "one buffer",
        "one-buffer-texts" => "one buffer, longer texts",
        "keys-in-order" => "keys in order",
        "rotating" => "keys shuffled",
        "in-order" => "one after the other",
        "random" => "in random order",
        other => other,
    }
}

/// The fastest of some ways.
pub fn fastest(places: impl Iterator<Item = Place>) -> Option<Place> {
    places.min_by(|one, other| one.time.ns.total_cmp(&other.time.ns))
}

/// The fastest of some readers or writers in a regime.
pub fn fastest_of<'a>(
    measured: &Measured,
    facts: impl Iterator<Item = &'a Fact>,
    regime: &str,
    wanted: impl Fn(&Fact) -> bool,
) -> Option<Place> {
    let place = |fact: &Fact| Some(Place { name: fact.name(), time: measured.peers.get(&fact.id(regime))? });
    fastest(facts.filter(|fact| fact.safe && wanted(fact)).filter_map(place))
}

pub fn cases(measured: &Measured) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |class, what: &str, regime: &str, own: Option<Place>, other: Option<Place>| {
        if let (Some(own), Some(other)) = (own, other) {
            cases.push(Case { class, what: what.to_owned(), regime: regime.to_owned(), own, other });
        }
    };
    for scenario in measured.facts.scenarios() {
        for regime in regimes(scenario) {
            let best =
                |wanted: &dyn Fn(&Fact) -> bool| fastest_of(measured, measured.facts.of(scenario), regime, wanted);
            let any = |fact: &Fact| !fact.is_own() && !fact.is_positional();
            let batch = best(&|fact| fact.is_own() && fact.is_batch());
            add(Class::Batch, scenario, regime, batch, best(&|fact| any(fact) && fact.is_batch()));
            let own = best(&|fact| fact.is_own() && !fact.is_batch());
            let other = best(&|fact| any(fact) && !fact.is_batch());
            add(Class::Value, scenario, regime, own.clone(), other.clone());
            let without = best(&|fact| fact.is_own() && !fact.is_batch() && fact.mode != "hint");
            if measured.facts.of(scenario).any(|fact| fact.is_own() && fact.mode == "hint") {
                add(Class::WithoutHint, scenario, regime, without, other);
            }
            let first = best(&|fact| fact.is_positional() && !fact.is_batch());
            add(Class::FirstFields, scenario, regime, own, first);
        }
    }
    for regime in REGIMES {
        let best = |own: bool| fastest_of(measured, measured.facts.writers.iter(), regime, |fact| fact.is_own() == own);
        add(Class::Write, "63 pairs", regime, best(true), best(false));
    }
    let groups = in_order(measured.facts.structs.iter().map(|case| case.group.as_str()));
    for group in groups {
        let regime = if group.starts_with("dns") { "random" } else { "one-buffer" };
        let (own, other) = split(measured, group);
        add(Class::Struct, group, regime, own, other);
    }
    for regime in REGIMES {
        for task in ["project-3-of-63", "remove-3-of-63", "patch"] {
            let (own, other) = split(measured, &format!("edit/{regime}/{task}"));
            add(Class::Edit, task, regime, own, other);
        }
    }
    cases
}

/// The fastest way of y3 and that of the others in a group of the peers' benches.
fn split(measured: &Measured, group: &str) -> (Option<Place>, Option<Place>) {
    let of = |own: bool| {
        let places = measured.peers.below(group).filter(|(name, _)| name.starts_with("y3") == own);
        fastest(places.map(|(name, time)| Place { name: name.to_owned(), time }))
    };
    (of(true), of(false))
}

/// The verdict by class and regime: how often y3 is first.
pub fn as_table(cases: &[Case]) -> String {
    let regimes = in_order(cases.iter().map(|case| case.regime.as_str()));
    let mut headings = vec!["y3 beside the fastest safe codec"];
    headings.extend(regimes.iter().map(|regime| regime_in_words(regime)));
    let counts = |class: Class, regime: &str| {
        let count = |wanted| {
            cases
                .iter()
                .filter(|case| case.class == class && case.regime == regime && case.standing() == wanted)
                .count()
        };
        let parts =
            [(count(Standing::First), "**first**"), (count(Standing::Tie), "tie"), (count(Standing::Behind), "behind")];
        let all: usize = parts.iter().map(|(count, _)| count).sum();
        let said: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| if all == 1 { (*what).to_owned() } else { format!("{what} {count}") })
            .collect();
        if said.is_empty() { "–".to_owned() } else { said.join(", ") }
    };
    let rows = Class::ALL.into_iter().filter(|class| cases.iter().any(|case| case.class == *class)).map(|class| {
        std::iter::once(class.name().to_owned()).chain(regimes.iter().map(|regime| counts(class, regime))).collect()
    });
    table(&headings, &rows.collect::<Vec<Vec<String>>>())
}

/// `y3 is first in 20 of 33 cases, in 5 there is no difference, and in 8 it is behind.`
pub fn in_words(cases: &[Case]) -> String {
    let count = |wanted| cases.iter().filter(|case| case.standing() == wanted).count();
    let (first, tie, behind) = (count(Standing::First), count(Standing::Tie), count(Standing::Behind));
    if first == cases.len() {
        return format!("y3 is first in all {first} cases");
    }
    let rest = [(tie, "there is no difference"), (behind, "it is behind")];
    let rest = rest.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("in {count} {what}"));
    format!("y3 is first in {first} of {} cases; {}", cases.len(), rest.collect::<Vec<_>>().join(", "))
}

/// Each case of some classes on a row.
pub fn each(cases: &[Case], classes: &[Class], wanted: impl Fn(&Case) -> bool) -> String {
    let row = |case: &Case| {
        vec![
            described(&case.what).to_owned(),
            regime_in_words(&case.regime).to_owned(),
            format!("{}, {}", inside(&case.own.name), cell(Some(case.own.time))),
            format!("{}, {}", inside(&case.other.name), cell(Some(case.other.time))),
            case.in_words(),
        ]
    };
    let rows: Vec<Vec<String>> =
        cases.iter().filter(|case| classes.contains(&case.class) && wanted(case)).map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    table(&["case", "regime", "y3's fastest, ns", "fastest of the others, ns", "y3 is"], &rows)
}
