//! Peers: every way of every codec to read one value, by scenario; and to write the 63 pairs.
//!
//! In: the measurements. Out: `PEERS.md`, with a chart for each scenario, and charts for other pages.

use crate::figures::FILE;
use crate::markdown::{cell, grouped, inside, number, table};
use crate::measured::{Fact, Measured, REGIMES, in_order, regimes};
use crate::page::{Page, own};
use crate::scenario::{REAL, described, explained};
use crate::time::Time;
use crate::verdict::{Case, Class, Place, Standing, each, fastest_of, regime_in_words};
use charts::{Dot, Row, dots};

pub const NAME: &str = "PEERS.md";

pub fn page(measured: &Measured, cases: &[Case]) -> Page {
    let mut page = Page::new(NAME, "One value of a message, by every codec", measured);
    page.say(&format!(
        "Each codec has its own encoding of the same data. The table has a row for each case: y3's fastest way and that of the others, \
         nanoseconds of the median pass, the lowest and the highest in brackets. *y3 without its hint* does not remember the headers of \
         the messages before; *first fields* is a struct that ends at the wanted field, and its reader cannot skip a field that it does \
         not know: both are shown and not compared. [{FILE}]({FILE}) has every way of every codec, with bytes and allocations.\n"
    ));
    let of = |class| each(cases, |case| case.class == class);
    page.section("## Verdict", &of(Class::Value));
    page.say(&text_of_16(measured).unwrap_or_default());
    page.say("\n## More\n");
    page.fold("One value of each message of a batch", &of(Class::Batch));
    for scenario in measured.facts.scenarios() {
        let regimes = regimes(scenario);
        let title = finding(cases, scenario, regimes).unwrap_or_else(|| described(scenario).to_owned());
        let panels: Vec<Panel> = regimes.iter().map(|regime| (regime_in_words(regime), *regime, scenario)).collect();
        let shown = page.shown(&format!("peers-{scenario}"), &title, best_of_each(measured, &title, &panels));
        let what = explained(scenario).unwrap_or("One value of a message.");
        let facts: Vec<&Fact> = measured.facts.of(scenario).collect();
        let text =
            format!("`{scenario}`: {what}\n{shown}\n{}", ways(measured, scenario, representative(regimes), &facts));
        page.fold(&title, &text);
    }
    page.fold("Ways that are not safe on hostile input, and have no part in a verdict", &dangers(measured));
    page.finish()
}

/// The regime that is closest to a real stream, or the only one.
fn representative<'a>(regimes: &[&'a str]) -> &'a str {
    regimes.iter().find(|regime| **regime == REAL).or(regimes.first()).copied().unwrap_or(REAL)
}

/// Why one of 16 values takes longer than one of 32, if it does.
pub fn text_of_16(measured: &Measured) -> Option<String> {
    let own = |scenario: &str| {
        let wanted = |fact: &Fact| fact.is_own() && !fact.is_batch();
        fastest_of(measured, measured.facts.of(scenario), REAL, wanted).map(|place| place.time)
    };
    let (of_16, of_32) = (own("C16-K08")?, own("C32-K16")?);
    (of_16.ns > of_32.ns).then(|| {
        format!(
            "\nOne of 16 takes y3 {} ns and one of 32 only {}: the watched value of 16 is a text, whose length differs from message to \
             message and which is tested for UTF-8; that of 32 is a number. It was so in 2020 too.\n",
            cell(Some(of_16)),
            cell(Some(of_32))
        )
    })
}

/// The name of a panel, a regime, and a scenario.
pub type Panel<'a> = (&'a str, &'a str, &'a str);

/// Who is first in a scenario, in the regime closest to a real stream: the numbers are in that panel of the picture.
fn finding(cases: &[Case], scenario: &str, regimes: &[&str]) -> Option<String> {
    let regime = representative(regimes);
    // The class that the picture shows.
    let class = if scenario.starts_with("batch") { Class::Batch } else { Class::Value };
    let case = cases.iter().find(|case| case.what == scenario && case.regime == regime && case.class == class)?;
    Some(format!("{}, {}: {}", described(scenario), regime_in_words(regime), winner(case)))
}

/// `y3 is first with 15.3 ns (hint), then capnp with 24.5 (reader)`.
pub fn winner(case: &Case) -> String {
    let said = |place: &Place, unit: &str| {
        let (codec, mode) = place.name.split_once(' ').unwrap_or((&place.name, ""));
        (codec.to_owned(), format!("{}{unit} ({mode})", cell(Some(place.time))))
    };
    let (first, second) =
        if case.standing() == Standing::Behind { (&case.other, &case.own) } else { (&case.own, &case.other) };
    let ((first, time), (second, other)) = (said(first, " ns"), said(second, ""));
    match case.standing() {
        Standing::Tie => format!("{first} with {time} and {second} with {other} tie"),
        _ => format!("{first} is first with {time}, then {second} with {other}"),
    }
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

/// The ways that a page shows, by their time: all of y3's, and the fastest safe one of each other codec. Ways that give several messages at
/// once, and first fields, have their own columns and tables.
pub fn ways(measured: &Measured, case: &str, regime: &str, facts: &[&Fact]) -> String {
    let mut rows: Vec<(&Fact, Time)> = facts
        .iter()
        .filter(|fact| fact.safe && !fact.is_positional() && !fact.mode.starts_with("batch: "))
        .filter_map(|fact| Some((*fact, measured.peers.get(&fact.id(regime))?)))
        .collect();
    rows.sort_by(|one, other| one.1.ns.total_cmp(&other.1.ns));
    let mut seen = Vec::new();
    rows.retain(|(fact, _)| {
        let first = !seen.contains(&fact.codec.as_str());
        seen.push(&fact.codec);
        first || fact.is_own()
    });
    if rows.is_empty() {
        return String::new();
    }
    let row = |(fact, time): &(&Fact, Time)| {
        let instructions = measured.instructions(case, &fact.name());
        vec![
            own(&fact.name()),
            number(fact.bytes),
            number(fact.allocations),
            instructions.map_or_else(|| "–".to_owned(), grouped),
            cell(Some(*time)),
        ]
    };
    let ns = format!(">{}, ns", regime_in_words(regime));
    let headings = ["way", ">bytes", ">allocations", ">instructions", &ns];
    table(&headings, &rows.iter().map(row).collect::<Vec<_>>())
}

/// What hostile bytes can do to the modes that are not safe.
fn dangers(measured: &Measured) -> String {
    let mut rows: Vec<[String; 2]> = Vec::new();
    for fact in measured.facts.readers.iter().filter(|fact| !fact.safe) {
        let row = [inside(&fact.name()), inside(fact.danger.as_deref().unwrap_or("not said"))];
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    if rows.is_empty() { String::new() } else { table(&["way", "what hostile bytes can do"], &rows) }
}
