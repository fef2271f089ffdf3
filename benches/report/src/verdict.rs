//! Verdict: in each case y3's fastest way beside the fastest of the others, by class and regime.
//!
//! In: facts and times. Out: cases with their standing. Modes that are not safe on hostile input have no part in it, nor those that leave
//! the test of a text out.

use serde::{Deserialize, Serialize};

use crate::markdown::{factor, grouped, inside, table, with_range};
use crate::measured::{Fact, Measured, REGIMES, WRITTEN, in_order, regimes};
use crate::scenario::described;
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
    /// by side.
    #[serde(default)]
    pub ratio: Option<Time>,
    /// The instructions of both for a message, where they are counted. Shown, not compared.
    #[serde(default)]
    pub instructions: Option<[f64; 2]>,
    /// y3's fastest way without its hint, which remembers the messages before. Shown, not compared.
    #[serde(default)]
    pub without_hint: Option<Place>,
    /// The fastest struct that ends at the wanted field: its reader cannot skip a field that it does not know. Shown, not compared.
    #[serde(default)]
    pub first_fields: Option<Place>,
}

impl Case {
    /// The other's time divided by y3's: above one, y3 is faster.
    pub fn lead(&self) -> f64 {
        self.ratio.map_or(self.other.time.ns / self.own.time.ns, |ratio| ratio.ns)
    }

    pub fn spread(&self) -> f64 {
        self.ratio.map_or(self.own.time.spread() + self.other.time.spread(), Time::spread)
    }

    /// By the digits that a row shows, so that a reader comes to the same from the row.
    pub fn standing(&self) -> Standing {
        let (own, other) = (shown(self.own.time), shown(self.other.time));
        let (lead, both_orders) = match self.ratio.map(in_hundredths) {
            Some(ratio) => (ratio.ns, ratio.low <= 1.0 && ratio.high >= 1.0),
            None => (other.ns / own.ns, own.low <= other.high && other.low <= own.high),
        };
        if (own.ns - other.ns).abs() < 1.0 || (LEAST..=CLOSE).contains(&lead) || both_orders {
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

/// A time with the digits that [`with_range`] prints.
fn shown(time: Time) -> Time {
    let text = with_range(time);
    let mut numbers = text.split(['(', '–', ')']).filter_map(|part| part.trim().replace(',', "").parse().ok());
    let mut next = |ns: f64| numbers.next().unwrap_or(ns);
    Time { ns: next(time.ns), low: next(time.low), high: next(time.high) }
}

/// Less than this is a tie: two runs of one machine differ by as much, since a program lies elsewhere in memory in each.
const CLOSE: f64 = 1.05;
const LEAST: f64 = 0.95;

/// The rule of [`Case::standing`], for a page.
pub const RULE: &str = "It is a tie if the medians are less than a nanosecond apart, if the ratio is between 0.95 and 1.05, or if its range, \
                        from the lowest to the highest pass, has 1 in it; otherwise y3 is first above 1 and behind below.";

/// A ratio with the digits that [`ratio_with_range`] prints.
fn in_hundredths(ratio: Time) -> Time {
    let digits = |ratio: f64| (ratio * 100.0).round() / 100.0;
    Time { ns: digits(ratio.ns), low: digits(ratio.low), high: digits(ratio.high) }
}

/// `1.50 (1.45–1.56)`.
fn ratio_with_range(ratio: Time) -> String {
    format!("{:.2} ({:.2}–{:.2})", ratio.ns, ratio.low, ratio.high)
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
    let mut add =
        |class, what: &str, regime: &str, own: Option<Place>, other: Option<Place>, beside: [Option<Place>; 2]| {
            if let (Some(own), Some(other)) = (own, other) {
                let id = |place: &Place| measured.id(what, regime, &place.name);
                let ratio = id(&other).zip(id(&own)).and_then(|(other, own)| measured.peers.ratio(&other, &own));
                let count = |place: &Place| measured.figure(what, regime, &place.name)?.instructions;
                let instructions = count(&own).zip(count(&other)).map(|(own, other)| [own, other]);
                let (what, regime, [without_hint, first_fields]) = (what.to_owned(), regime.to_owned(), beside);
                cases.push(Case { class, what, regime, own, other, ratio, instructions, without_hint, first_fields });
            }
        };
    for scenario in measured.facts.scenarios() {
        for regime in regimes(scenario) {
            let best =
                |wanted: &dyn Fn(&Fact) -> bool| fastest_of(measured, measured.facts.of(scenario), regime, wanted);
            let any = |fact: &Fact| !fact.is_own() && !fact.is_positional();
            let batch = best(&|fact| fact.is_own() && fact.is_batch());
            add(Class::Batch, scenario, regime, batch, best(&|fact| any(fact) && fact.is_batch()), [None, None]);
            let own = best(&|fact| fact.is_own() && !fact.is_batch());
            let other = best(&|fact| any(fact) && !fact.is_batch());
            let without = best(&|fact| fact.is_own() && !fact.is_batch() && fact.mode != "hint");
            let first = best(&|fact| fact.is_positional() && !fact.is_batch());
            add(Class::Value, scenario, regime, own, other, [without, first]);
        }
    }
    for regime in REGIMES {
        let best = |own: bool| fastest_of(measured, measured.facts.writers.iter(), regime, |fact| fact.is_own() == own);
        add(Class::Write, WRITTEN, regime, best(true), best(false), [None, None]);
    }
    let groups = in_order(measured.facts.structs.iter().map(|case| case.group.as_str()));
    for group in groups {
        let regime = if group.starts_with("dns") { "random" } else { "one-buffer" };
        let (own, other) = split(measured, group);
        add(Class::Struct, group, regime, own, other, [None, None]);
    }
    for regime in REGIMES {
        for task in ["keep-3-of-63", "remove-3-of-63", "patch"] {
            let (own, other) = split(measured, &format!("edit/{regime}/{task}"));
            add(Class::Edit, task, regime, own, other, [None, None]);
        }
    }
    cases
}

/// The fastest way of y3 and that of the others in a group of the peers' benches.
fn split(measured: &Measured, group: &str) -> (Option<Place>, Option<Place>) {
    let of = |own: bool| {
        // What leaves the test of a text out is not compared with what tests it.
        let compared = |name: &str| name.starts_with("y3") == own && !name.contains("untested");
        let places = measured.peers.below(group).filter(|(name, _)| compared(name));
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

/// What is shown beside a case.
type Beside = fn(&Case) -> Option<&Place>;

/// Each case of a class on a row, with the times that decide it.
pub fn each(cases: &[Case], wanted: impl Fn(&Case) -> bool) -> String {
    let cases: Vec<&Case> = cases.iter().filter(|case| wanted(case)).collect();
    if cases.is_empty() {
        return String::new();
    }
    let place = |place: &Place| format!("{}, {}", inside(&place.name), with_range(place.time));
    let mut headings = vec!["case", "regime", "y3's fastest, ns", "fastest of the others, ns", "ratio", "y3 is"];
    let beside: [(&str, Beside); 2] = [
        ("y3 without its hint, ns", |case| case.without_hint.as_ref()),
        ("*first fields*, ns", |case| case.first_fields.as_ref()),
    ];
    let beside = beside.map(|(heading, of)| (heading, of, cases.iter().any(|case| of(case).is_some())));
    headings.extend(beside.iter().filter(|column| column.2).map(|column| column.0));
    let counted = cases.iter().any(|case| case.instructions.is_some());
    headings.extend(counted.then_some("instructions, y3 / other"));
    let row = |case: &&Case| {
        let mut cells = vec![
            described(&case.what).to_owned(),
            regime_in_words(&case.regime).to_owned(),
            place(&case.own),
            place(&case.other),
            case.ratio.map_or_else(|| "–".to_owned(), ratio_with_range),
            case.in_words(),
        ];
        let more = beside.iter().filter(|column| column.2);
        cells.extend(more.map(|(_, of, _)| of(case).map_or_else(|| "–".to_owned(), place)));
        let count = |[own, other]: [f64; 2]| format!("{} / {}", grouped(own), grouped(other));
        cells.extend(counted.then(|| case.instructions.map_or_else(|| "–".to_owned(), count)));
        cells
    };
    table(&headings, &cases.iter().map(row).collect::<Vec<Vec<String>>>())
}
