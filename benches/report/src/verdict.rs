//! Verdict: the fastest mode in each scenario and regime, among all modes that are safe on hostile input.
//!
//! In: facts and times. Out: y3's fastest mode, the fastest mode of the others, and in words the cases where y3 is not
//! first.

use crate::markdown::{factor, inside, number, table};
use crate::measured::{Fact, Measured, Time, regimes};

/// A mode of a codec, and its time.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub reader: &'a Fact,
    pub time: Time,
}

pub struct Verdict<'a> {
    pub scenario: &'a str,
    pub regime: &'static str,
    pub own: Place<'a>,
    /// The fastest safe mode of another codec that can skip fields.
    pub other: Place<'a>,
    /// The fastest safe mode that cannot, if it is faster than y3's.
    pub positional: Option<Place<'a>>,
    /// The modes that are faster than y3 and not safe.
    pub unsafe_ahead: Vec<Place<'a>>,
}

impl Verdict<'_> {
    /// The other's time divided by y3's: above one, y3 is first.
    pub fn lead(&self) -> f64 {
        self.other.time.ns / self.own.time.ns
    }

    pub fn is_first(&self) -> bool {
        self.lead() >= 1.0 && !self.is_level()
    }

    fn is_lost(&self) -> bool {
        self.lead() < 1.0 && !self.is_level()
    }

    /// Whether there is no difference: below a nanosecond, or the ranges of the passes overlap.
    fn is_level(&self) -> bool {
        let (own, other) = (self.own.time, self.other.time);
        (own.ns - other.ns).abs() < 1.0 || own.low <= other.high && other.low <= own.high
    }
}

pub fn regime_in_words(regime: &str) -> &str {
    match regime {
        "one-buffer" => "one buffer",
        "one-buffer-texts" => "one buffer, varied texts",
        "keys-in-order" => "keys in order",
        "rotating" => "rotating buffers",
        "in-order" => "in order",
        other => other,
    }
}

pub fn verdicts(measured: &Measured) -> Vec<Verdict<'_>> {
    let mut verdicts = Vec::new();
    for scenario in measured.facts.scenarios() {
        for regime in regimes(scenario) {
            let mut places: Vec<Place<'_>> = measured
                .facts
                .of(scenario)
                .filter_map(|reader| Some(Place { reader, time: measured.peers.get(&reader.id(regime))? }))
                .collect();
            places.sort_by(|one, other| one.time.ns.total_cmp(&other.time.ns));
            let own = places.iter().find(|place| place.reader.codec == "y3" && place.reader.safe).copied();
            let mut others = places.iter().filter(|place| place.reader.codec != "y3" && place.reader.safe).copied();
            let positional = others.clone().find(|place| place.reader.is_positional());
            let other = others.find(|place| !place.reader.is_positional());
            if let (Some(own), Some(other)) = (own, other) {
                let positional = positional.filter(|place| place.time.ns < own.time.ns);
                places.retain(|place| !place.reader.safe && place.time.ns < own.time.ns);
                verdicts.push(Verdict { scenario, regime, own, other, positional, unsafe_ahead: places });
            }
        }
    }
    verdicts
}

pub fn as_table(verdicts: &[Verdict<'_>]) -> String {
    let row = |verdict: &Verdict<'_>| {
        let Verdict { own, other, .. } = verdict;
        let first = if verdict.lead() >= 1.0 { own } else { other };
        let standing = if verdict.is_level() {
            "no difference".to_owned()
        } else if verdict.is_first() {
            format!("first, {}", factor(verdict.lead()))
        } else {
            format!("**not first**, {} behind", factor(1.0 / verdict.lead()))
        };
        vec![
            verdict.scenario.to_owned(),
            regime_in_words(verdict.regime).to_owned(),
            format!("{}, {}", inside(&first.reader.name()), number(first.time.ns)),
            format!("{}, {}", own.reader.mode, number(own.time.ns)),
            format!("{}, {}", inside(&other.reader.name()), number(other.time.ns)),
            standing,
        ]
    };
    let headings = [
        "scenario",
        "regime",
        "fastest safe mode, ns",
        "y3's fastest, ns",
        "fastest safe peer, ns",
        "y3 compared with that peer",
    ];
    table(&headings, &verdicts.iter().map(row).collect::<Vec<_>>())
}

/// The cases in which y3 is first, and those in which it is not.
pub fn in_words(verdicts: &[Verdict<'_>]) -> String {
    let lost: Vec<String> = verdicts.iter().filter(|verdict| verdict.is_lost()).map(loss_in_words).collect();
    let (all, first) = (verdicts.len(), verdicts.iter().filter(|verdict| verdict.is_first()).count());
    let level = match all - first - lost.len() {
        0 => String::new(),
        count => format!(", in {count} there is no difference"),
    };
    let words = match lost.len() {
        0 if first == all => format!("y3 is first in all {all} cases.\n"),
        0 => format!("y3 is first in {first} of {all} cases{level}.\n"),
        count => {
            format!("y3 is first in {first} of {all} cases{level}, and in {count} it is not:\n\n{}", lost.concat())
        }
    };
    let positional: String =
        verdicts.iter().filter_map(|verdict| Some((verdict, verdict.positional?))).map(ahead).collect();
    if positional.is_empty() {
        return words;
    }
    format!(
        "{words}\nAhead of y3's fastest mode, but in a class of its own, since it cannot skip a field that it does not know:\n\n{positional}"
    )
}

fn ahead((verdict, place): (&Verdict<'_>, Place<'_>)) -> String {
    format!(
        "- {}, {}: {} {} ns, where y3's fastest takes {} ns\n",
        verdict.scenario,
        regime_in_words(verdict.regime),
        inside(&place.reader.name()),
        number(place.time.ns),
        number(verdict.own.time.ns),
    )
}

fn loss_in_words(verdict: &Verdict<'_>) -> String {
    let Verdict { own, other, .. } = verdict;
    format!(
        "- {}, {}: {} takes {} ns, y3's fastest mode, {}, {} ns, {} times as long.\n",
        verdict.scenario,
        regime_in_words(verdict.regime),
        inside(&other.reader.name()),
        number(other.time.ns),
        own.reader.mode,
        number(own.time.ns),
        number(1.0 / verdict.lead()),
    )
}

/// The modes that are faster since they leave out checks.
pub fn unsafe_in_words(verdicts: &[Verdict<'_>]) -> String {
    let line = |verdict: &Verdict<'_>| {
        let ahead = verdict.unsafe_ahead.iter();
        let ahead = ahead.map(|place| format!("{} {} ns", inside(&place.reader.name()), number(place.time.ns)));
        format!(
            "- {}, {}, where y3's fastest takes {} ns: {}\n",
            verdict.scenario,
            regime_in_words(verdict.regime),
            number(verdict.own.time.ns),
            ahead.collect::<Vec<_>>().join("; ")
        )
    };
    let lines: String = verdicts.iter().filter(|verdict| !verdict.unsafe_ahead.is_empty()).map(line).collect();
    if lines.is_empty() {
        return "\nNo mode that is unsafe on hostile input is faster than y3's fastest.\n".to_owned();
    }
    format!("\nAhead of y3's fastest mode, but not safe on hostile input; the tables below say why:\n\n{lines}")
}
