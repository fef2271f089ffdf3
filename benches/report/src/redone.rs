//! Redone: what was published in 2020 beside what is measured now, in Go and in Rust.
//!
//! In: the measurements. Out: a section of the report with a chart.

use crate::markdown::{cell, number, percent, ratio, rounded, table};
use crate::measured::{Fact, Measured, Time, in_order};
use crate::page::Page;
use crate::peers::dot;
use crate::published::{CPU_RATIO, FIGURES, Figure};
use crate::scenario::{PUBLISHED, described};
use charts::{Dot, Row, dots};

/// The codec with which the Go modules are compared.
const JSON: &str = "encoding/json";

fn exactly(ns: f64) -> Dot {
    Dot { value: ns, low: ns, high: ns }
}

/// Rust's times on one thread.
fn rust(measured: &Measured, scenario: &str, way: &str) -> Option<Time> {
    measured.own.get(&format!("parallel/one-buffer/{scenario}/{way}, one thread"))
}

/// JSON's time divided by y3's, in Rust.
fn growth(measured: &Measured, scenario: &str) -> Option<String> {
    let (y3, json) = (rust(measured, scenario, "y3 watch")?, rust(measured, scenario, "serde_json Value")?);
    Some(rounded(json.ns / y3.ns, json.spread() + y3.spread()))
}

pub fn write(page: &mut Page, measured: &Measured) {
    page.say("\n## 2020 and now, Go and Rust\n");
    page.say(
        "The evaluation report of 2020 reads the middle one of 63, 32, 16 and 3 values, in Go 1.14 on six cores of 2.6 GHz, and decodes \
         JSON whole. Here the same values are read again: by the published Go modules, and in Rust by `PathSet::watch` and a whole \
         `serde_json::Value`. Machines differ, so compare ratios.\n",
    );
    let title = title(measured);
    let rows = rows(measured);
    let names = PUBLISHED.map(described);
    page.picture("published", &title, dots(&title, "ns", &names, &rows));
    if let Some(why) = &measured.go.why_not {
        page.say(&format!("Go was not measured: {why}.\n"));
    }
    page.say(&ratios(measured));
    page.say(&format!(
        "In one loop over both decoders, y3 takes {} of the processor's time and JSON {}, a ratio of {}; published was {}.\n",
        percent(measured.cpu.y3.share),
        percent(measured.cpu.json.share),
        rounded(measured.cpu.ratio, 0.02),
        number(CPU_RATIO),
    ));
    page.say(&memory(measured));
}

fn title(measured: &Measured) -> String {
    let now = growth(measured, PUBLISHED[0]);
    let then = FIGURES.first().map_or(0.0, |figure| figure.growth);
    match now {
        Some(now) => format!(
            "One of 63 values: Y3 was {} times as fast as JSON in 2020, in Go; now it is {now} times, in Rust",
            number(then)
        ),
        None => format!("One of 63 values: Y3 was {} times as fast as JSON in 2020, in Go", number(then)),
    }
}

fn rows(measured: &Measured) -> Vec<Row> {
    let row = |name: &str, dot: &dyn Fn(&str) -> Option<Dot>| Row {
        name: name.to_owned(),
        own: name == "Rust: y3",
        dots: PUBLISHED.iter().map(|scenario| dot(scenario)).collect(),
    };
    let published = |scenario: &str, ns: fn(&Figure) -> f64| {
        FIGURES.iter().find(|figure| figure.scenario == scenario).map(|figure| exactly(ns(figure)))
    };
    let mut rows = vec![
        row("2020, Go: Y3", &|scenario| published(scenario, |figure| figure.serial_ns)),
        row("2020, Go: JSON", &|scenario| published(scenario, |figure| figure.serial_ns * figure.growth)),
    ];
    for codec in in_order(measured.go.figures.iter().map(|figure| figure.codec.as_str())) {
        let of = |scenario: &str| measured.go.find(scenario, codec, "serial").map(|figure| exactly(figure.ns));
        rows.push(row(&format!("Go: {codec}"), &of));
    }
    rows.push(row("Rust: y3", &|scenario| rust(measured, scenario, "y3 watch").map(dot)));
    rows.push(row("Rust: serde_json", &|scenario| rust(measured, scenario, "serde_json Value").map(dot)));
    rows.retain(|row| row.dots.iter().any(Option::is_some));
    rows
}

/// JSON's time divided by Y3's, published and measured.
fn ratios(measured: &Measured) -> String {
    let mut rows = vec![
        std::iter::once("2020, Go".to_owned())
            .chain(PUBLISHED.map(|scenario| {
                FIGURES
                    .iter()
                    .find(|figure| figure.scenario == scenario)
                    .map_or_else(String::new, |figure| number(figure.growth))
            }))
            .collect::<Vec<String>>(),
    ];
    let codecs = in_order(measured.go.figures.iter().map(|figure| figure.codec.as_str()));
    for codec in codecs.into_iter().filter(|codec| *codec != JSON) {
        let of = |scenario: &str| {
            let ns = |codec| measured.go.find(scenario, codec, "serial").map(|figure| figure.ns);
            // One run of Go's own benches has no spread; two digits are what it repeats.
            ns(JSON).zip(ns(codec)).map_or_else(|| "–".to_owned(), |(json, y3)| rounded(json / y3, 0.1))
        };
        rows.push(std::iter::once(format!("Go now: {codec}")).chain(PUBLISHED.map(of)).collect());
    }
    if PUBLISHED.iter().any(|scenario| growth(measured, scenario).is_some()) {
        let of = |scenario| growth(measured, scenario).unwrap_or_else(|| "–".to_owned());
        rows.push(std::iter::once("Rust now".to_owned()).chain(PUBLISHED.map(of)).collect());
    }
    let names: Vec<String> = PUBLISHED.iter().map(|scenario| format!(">{}", described(scenario))).collect();
    let headings: Vec<&str> = std::iter::once("JSON's time / Y3's").chain(names.iter().map(String::as_str)).collect();
    table(&headings, &rows)
}

/// Memory of the largest scenario.
fn memory(measured: &Measured) -> String {
    let scenario = PUBLISHED[0];
    let of = |codec: &str, mode: &str| {
        let fact: Option<&Fact> =
            measured.facts.of(scenario).find(|reader| reader.codec == codec && reader.mode == mode);
        fact.map(|fact| (fact.allocations, fact.allocated))
    };
    let go = |codec| measured.go.find(scenario, codec, "serial").map(|figure| (figure.allocations, figure.bytes));
    let all = [
        ("y3", of("y3", "PathSet")),
        ("serde_json's `Value`", of("serde_json", "Value")),
        ("the Go module y3", go("y3")),
        ("Go's encoding/json", go(JSON)),
    ];
    let said: Vec<String> = all
        .iter()
        .filter_map(|(name, cost)| {
            let (count, bytes) = (*cost)?;
            Some(format!("{name} {} ({} bytes)", number(count), number(bytes)))
        })
        .collect();
    if said.is_empty() {
        return String::new();
    }
    format!("Allocations to read one of 63 values: {}.\n", said.join(", "))
}

/// The gain of all cores, in words.
pub fn gain_in_words(measured: &Measured) -> Option<String> {
    let scenario = PUBLISHED[0];
    let of = |way: &str, threads: &str| measured.own.get(&format!("parallel/rotating/{scenario}/{way}, {threads}"));
    let (one, all) = (of("y3 watch", "one thread")?, of("y3 watch", "all cores")?);
    Some(format!(
        "With a thread on each of {} cores a value takes {} ns, with one thread {}: a gain of {}.\n",
        measured.stamp.cores,
        cell(Some(all)),
        cell(Some(one)),
        ratio(Some(one), Some(all)),
    ))
}
