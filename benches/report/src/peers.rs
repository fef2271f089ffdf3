//! Peers: every way of every codec to read one value, by scenario; and to write the 63 pairs.
//!
//! In: the measurements. Out: `PEERS.md`, with a chart for each scenario, and charts for other pages.

use crate::markdown::{cell, inside, number, percent, table};
use crate::measured::{Fact, Measured, REGIMES, Time, in_order, regimes};
use crate::page::{Page, last, own};
use crate::scenario::{described, explained};
use crate::verdict::{Case, Class, Place, each, fastest_of, regime_in_words};
use charts::{Dot, Row, dots};

pub const NAME: &str = "PEERS.md";

pub fn page(measured: &Measured, cases: &[Case]) -> Page {
    let mut page = Page::new(NAME, "One value of a message, by every codec", measured);
    page.say(
        "Each codec has its own encoding of the same data. *Recommended* is the way that its documentation recommends for one field; \
         *expert* is a faster way that needs more care or more code. *First fields* are structs that end at the wanted field: such a \
         reader cannot skip a field that it does not know. Modes that are *not safe on hostile input* are in tables of their own. \
         Charts show the best safe mode of each codec, without first fields. Times are nanoseconds, tables are sorted by their last \
         column of times.\n",
    );
    page.say(&spread_in_words(measured.passes));
    for class in [Class::Value, Class::Batch] {
        page.section(&format!("## Verdict: {}", class.name()), &each(cases, |case| case.class == class));
    }
    for scenario in measured.facts.scenarios() {
        page.say(&format!("\n## {}\n", described(scenario)));
        page.say(&format!("`{scenario}`: {}\n", explained(scenario).unwrap_or("one value of a message.")));
        let regimes = regimes(scenario);
        let facts: Vec<&Fact> = measured.facts.of(scenario).collect();
        let title = finding(cases, scenario, regimes).unwrap_or_else(|| described(scenario).to_owned());
        let panels: Vec<Panel> = regimes.iter().map(|regime| (regime_in_words(regime), *regime, scenario)).collect();
        page.picture(&format!("peers-{scenario}"), &title, best_of_each(measured, &title, &panels));
        modes(&mut page, measured, regimes, &facts);
    }
    page.finish()
}

/// The name of a panel, a regime, and a scenario.
pub type Panel<'a> = (&'a str, &'a str, &'a str);

/// Who is first in a scenario, in the regime closest to a real stream.
fn finding(cases: &[Case], scenario: &str, regimes: &[&str]) -> Option<String> {
    let regime = if regimes.contains(&"keys-in-order") { "keys-in-order" } else { *regimes.first()? };
    // The class that the picture shows.
    let class = if scenario.starts_with("batch") { Class::Batch } else { Class::Value };
    let case = cases.iter().find(|case| case.what == scenario && case.regime == regime && case.class == class)?;
    let said = |place: &Place, verb: &str| {
        let (codec, mode) = place.name.split_once(' ').unwrap_or((&place.name, ""));
        format!("{codec}{verb} {} ns ({mode})", cell(Some(place.time)))
    };
    let (own, other) = (said(&case.own, " takes"), said(&case.other, ""));
    Some(format!("{}, {}: {own}, {other}", described(scenario), regime_in_words(regime)))
}

/// A chart with the fastest safe mode of each codec that can skip fields, a dot for each panel.
pub fn best_of_each(measured: &Measured, title: &str, panels: &[Panel]) -> String {
    let codecs = in_order(measured.facts.readers.iter().map(|reader| reader.codec.as_str()));
    let row = |codec: &&str| {
        let dot = |(_, regime, scenario): &Panel| {
            let wanted = |fact: &Fact| {
                fact.codec == *codec && !fact.is_positional() && fact.is_batch() == scenario.starts_with("batch")
            };
            Some(self::dot(fastest_of(measured, measured.facts.of(scenario), regime, wanted)?.time))
        };
        Row { name: (*codec).to_owned(), own: *codec == "y3", dots: panels.iter().map(dot).collect() }
    };
    chart(title, panels, codecs.iter().map(row).collect())
}

/// The same for those who write.
pub fn best_writers(measured: &Measured, title: &str) -> String {
    let codecs = in_order(measured.facts.writers.iter().map(|writer| writer.codec.as_str()));
    let panels = REGIMES.map(|regime| (regime_in_words(regime), regime, ""));
    let row = |codec: &&str| {
        let dot = |(_, regime, _): &Panel| {
            Some(self::dot(
                fastest_of(measured, measured.facts.writers.iter(), regime, |fact| fact.codec == *codec)?.time,
            ))
        };
        Row { name: (*codec).to_owned(), own: *codec == "y3", dots: panels.iter().map(dot).collect() }
    };
    chart(title, &panels, codecs.iter().map(row).collect())
}

pub fn dot(time: Time) -> Dot {
    Dot { value: time.ns, low: time.low, high: time.high }
}

fn chart(title: &str, panels: &[Panel], mut rows: Vec<Row>) -> String {
    rows.retain(|row| row.dots.iter().any(Option::is_some));
    // By the mean of the logarithms: no panel counts more than another.
    let mean = |row: &Row| {
        let logs: Vec<f64> = row.dots.iter().flatten().map(|dot| dot.value.ln()).collect();
        logs.iter().sum::<f64>() / logs.len() as f64
    };
    rows.sort_by(|one, other| mean(one).total_cmp(&mean(other)));
    let names: Vec<&str> = panels.iter().map(|(name, _, _)| *name).collect();
    dots(title, "ns", &names, &rows)
}

type Kind = fn(&Fact) -> bool;

/// Whether a mode reads several messages at a time, and not only the scenario does.
fn of_several(fact: &Fact) -> bool {
    fact.mode.starts_with("batch: ")
}

/// The tables of modes, those of one kind together.
pub fn modes(page: &mut Page, measured: &Measured, regimes: &[&str], facts: &[&Fact]) {
    let kinds: [(&str, Kind); 5] = [
        ("Recommended", |fact| fact.safe && !fact.is_positional() && !of_several(fact) && fact.way == "recommended"),
        ("Expert", |fact| fact.safe && !fact.is_positional() && !of_several(fact) && fact.way != "recommended"),
        ("Several messages at a time", |fact| fact.safe && !fact.is_positional() && of_several(fact)),
        ("First fields", |fact| fact.safe && fact.is_positional()),
        ("Not safe on hostile input", |fact| !fact.safe),
    ];
    for (kind, wanted) in kinds {
        let mut rows: Vec<(&Fact, Vec<Option<Time>>)> = facts
            .iter()
            .filter(|fact| wanted(fact))
            .map(|fact| (*fact, regimes.iter().map(|regime| measured.peers.get(&fact.id(regime))).collect()))
            .collect();
        if rows.is_empty() {
            continue;
        }
        rows.sort_by(|one, other| last(&one.1).total_cmp(&last(&other.1)));
        let unsafe_ones = rows.iter().any(|(fact, _)| !fact.safe);
        let times: Vec<String> = regimes.iter().map(|regime| format!(">{}, ns", regime_in_words(regime))).collect();
        let mut headings = vec![kind, ">bytes", ">allocations"];
        headings.extend(times.iter().map(String::as_str));
        headings.push(">spread");
        if unsafe_ones {
            headings.push("what hostile bytes can do");
        }
        let row = |(fact, times): &(&Fact, Vec<Option<Time>>)| {
            let mut cells = vec![own(&fact.name()), number(fact.bytes), number(fact.allocations)];
            cells.extend(times.iter().map(|time| cell(*time)));
            let widest = times.iter().flatten().map(|time| time.spread()).max_by(f64::total_cmp);
            cells.push(widest.map_or_else(String::new, percent));
            if unsafe_ones {
                cells.push(inside(fact.danger.as_deref().unwrap_or("not said")));
            }
            cells
        };
        page.say(&table(&headings, &rows.iter().map(row).collect::<Vec<_>>()));
    }
}

pub fn spread_in_words(passes: usize) -> String {
    if passes == 1 {
        return "There is one pass; the spread is the width of its median's confidence interval, the widest of a row's. Numbers have the \
                digits that it allows.\n"
            .to_owned();
    }
    format!(
        "Times are medians over {passes} passes, minutes apart; the spread is how far the passes' medians lie apart, the widest of a row's. \
         Numbers have the digits that it allows.\n"
    )
}
