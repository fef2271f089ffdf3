//! Redone: what was published in 2020 beside what is measured now, in Go and in Rust.
//!
//! In: the measurements. Out: a section of the report with a chart.

use crate::markdown::{cell, number, percent, ratio, rounded, table};
use crate::measured::{Fact, Measured, in_order};
use crate::page::Page;
use crate::peers::dot;
use crate::published::{CPU_RATIO, FIGURES, Figure};
use crate::scenario::{PUBLISHED, described};
use crate::time::Time;
use crate::verdict::regime_in_words;
use charts::{Dot, Row, dots};

/// The codec with which the Go modules are compared.
const JSON: &str = "encoding/json";

fn exactly(ns: f64) -> Dot {
    Dot { value: ns, low: ns, high: ns }
}

/// The regime of 2020.
const REGIME: &str = "one-buffer";
/// What the report of 2020 did, in Rust.
const OWN: &str = "y3 PathSet";
const VALUE: &str = "serde_json Value";

fn rust(measured: &Measured, scenario: &str, reader: &str) -> Option<Time> {
    measured.figure(scenario, REGIME, reader).map(|figure| figure.time)
}

/// JSON's time divided by y3's, in Rust.
fn growth(measured: &Measured, scenario: &str) -> Option<String> {
    let (y3, json) = (rust(measured, scenario, OWN)?, rust(measured, scenario, VALUE)?);
    Some(rounded(json.ns / y3.ns, json.spread() + y3.spread()))
}

pub fn write(page: &mut Page, measured: &Measured) {
    page.say("\n## 2020 and now, Go and Rust\n");
    page.say(
        "The evaluation report of 2020 reads the middle one of 63, 32, 16 and 3 values, in Go 1.14 on six cores of 2.6 GHz, and decodes \
         JSON whole. It reads the same message each time, the regime *one buffer*. Here that is done again: by the published Go modules, \
         and in Rust by `PathSet::watch` and a whole `serde_json::Value`. Machines differ, so compare ratios.\n",
    );
    let title = title(measured);
    let rows = rows(measured);
    let names = PUBLISHED.map(described);
    page.picture("published", &title, dots(&title, "ns", &names, &rows));
    if let Some(why) = &measured.go.why_not {
        page.say(&format!("Go was not measured: {why}.\n"));
    }
    page.say(&ratios(measured));
    page.say(&whole_in_go(measured).unwrap_or_default());
    page.say(&format!(
        "In one loop over both decoders, y3 takes {} of the processor's time and JSON {}, a ratio of {}; published was {}.\n",
        percent(measured.cpu.y3.share),
        percent(measured.cpu.json.share),
        rounded(measured.cpu.ratio, 0.02),
        number(CPU_RATIO),
    ));
    page.say(&memory(measured));
}

/// The numbers are those of the first panel.
fn title(measured: &Measured) -> String {
    let scenario = PUBLISHED[0];
    let then = FIGURES.iter().find(|figure| figure.scenario == scenario);
    let then = then.map_or_else(String::new, |figure| {
        // As the picture shows them.
        let [y3, json] = [figure.serial_ns, figure.serial_ns * figure.growth].map(|ns| rounded(ns, 0.0));
        format!(": Y3 is first in Go in 2020, {y3} ns beside JSON's {json}")
    });
    let now = rust(measured, scenario, OWN).zip(rust(measured, scenario, VALUE));
    let now = now.map_or_else(String::new, |(y3, json)| {
        format!(", and in Rust now, {} ns beside serde_json's {}", cell(Some(y3)), cell(Some(json)))
    });
    format!("{}, {}{then}{now}", described(scenario), regime_in_words(REGIME))
}

/// Why the Go module is hardly faster than JSON if it is used as its documentation shows.
fn whole_in_go(measured: &Measured) -> Option<String> {
    let of = |codec| measured.go.find(PUBLISHED[0], codec, "serial");
    let (whole, step, json) = (of("y3")?, of("y3, packet by packet")?, of(JSON)?);
    let then = FIGURES.iter().find(|figure| figure.scenario == PUBLISHED[0])?;
    Some(format!(
        "*Go now: y3* is the call that the module's documentation shows. It decodes all packets of the node into maps before one is asked \
         for, in {} allocations where encoding/json has {}, and so takes {} ns. *Packet by packet* looks at tags and lengths until it meets \
         the key, in {} allocations and {} ns. The report of 2020 did the latter: its {} ns are no whole node decoded.\n",
        number(whole.allocations),
        number(json.allocations),
        rounded(whole.ns, 0.1),
        number(step.allocations),
        rounded(step.ns, 0.1),
        number(then.serial_ns),
    ))
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
    rows.push(row("Rust: y3", &|scenario| rust(measured, scenario, OWN).map(dot)));
    rows.push(row("Rust: serde_json", &|scenario| rust(measured, scenario, VALUE).map(dot)));
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
        "Threads do not wait for each other: one on each of {} cores reads {} as many values as one alone.\n",
        measured.stamp.cores,
        ratio(Some(one), Some(all)),
    ))
}
