//! Ways: y3's own ways to read and write beside a loop written by hand, threads, and how times grow.
//!
//! In: the measurements. Out: `benches/WAYS.md`.

use crate::markdown::{cell, ratio, rounded, table};
use crate::measured::{Measured, in_order};
use crate::page::{Page, own};
use crate::scaling;
use crate::scenario::{PUBLISHED, described};
use crate::time::Time;

pub use crate::page::WAYS as NAME;

/// A row of a table of the crate's own benches: a name and two benches, whose ratio is shown; with one bench, its
/// nanoseconds.
type Ratio = (&'static str, &'static str, Option<&'static str>);

const READ: [Ratio; 8] = [
    ("a loop written by hand, ns", "hand", None),
    ("`PathSet` with a hint / by hand", "y3 hint", Some("hand")),
    ("`Packet::find` / by hand", "y3 find", Some("hand")),
    ("`KeySet::watch` / by hand", "y3 keys", Some("hand")),
    ("nom parser / by hand", "y3 nom", Some("hand")),
    ("`PathSet::watch` / by hand", "y3 watch", Some("hand")),
    ("serde_json `Value` / `PathSet::watch`", "serde_json Value", Some("y3 watch")),
    ("serde_json typed, others ignored / the same, decoded", "serde_json typed", Some("y3 watch to")),
];

const BATCHES: [Ratio; 6] = [
    ("a loop written by hand, ns for 1,000 packets", "hand", None),
    ("`packets` / by hand", "y3 packets", Some("hand")),
    ("`KeySet::watch` / by hand", "y3 keys", Some("hand")),
    ("nom parser / by hand", "y3 nom", Some("hand")),
    ("`PathSet::watch` / by hand", "y3 watch", Some("hand")),
    ("serde_json `Value` / `packets`", "serde_json Value", Some("y3 packets")),
];

const WRITE: [Ratio; 3] = [
    ("into a `Vec`, ns", "y3 Vec", None),
    ("into a slice, ns", "y3 SliceSink", None),
    ("serde_json `to_writer` / into a `Vec`", "serde_json to_writer", Some("y3 Vec")),
];

pub fn page(measured: &Measured) -> Page {
    let mut page = Page::new(NAME, "y3's own ways, and how they grow", measured);
    page.say(
        "The crate's own benches: each reader beside a loop written by hand for this one purpose, in safe Rust and with the same checks. \
         Cells are *one buffer / keys shuffled*.\n",
    );
    page.section("## One value", &ways(measured, "extract", &PUBLISHED, &READ));
    let shapes = ["nested-8x8x8", "values-63x100", "values-63x1024", "miss-C63"];
    page.section("### Other shapes", &ways(measured, "shapes", &shapes, &READ));
    let back_to_back = ways(measured, "batch", &["frames", "first-hit", "every-hit"], &BATCHES);
    page.section("## Packets back to back", &under("A thousand packets of 16 values: not entered; the 8th value of each, then the next packet; every such value.", back_to_back));
    page.section("## Batches of 256 packets", &batches(measured));
    page.section("## Many paths, and paths that enter embedded packets", &reach(measured));
    let write = ways(measured, "encode", &["struct", "slice"], &WRITE);
    page.section(
        "## 63 values written",
        &under("From a struct of typed fields; in a loop over keys and values.", write),
    );
    page.section("## One thread, and all cores", &gains(measured));
    scaling::write(&mut page, measured);
    page.finish()
}

/// A table with a sentence above it, if there is one.
fn under(text: &str, table: String) -> String {
    if table.is_empty() { table } else { format!("{text}\n{table}") }
}

/// A table with a column for each scenario; without the rows and the columns that were not measured.
fn ways(measured: &Measured, bench: &str, scenarios: &[&str], rows: &[Ratio]) -> String {
    let value = |regime: &str, scenario: &str, (_, top, below): &Ratio| {
        let time = |name: &str| measured.own.get(&format!("{bench}/{regime}/{scenario}/{name}"));
        match below {
            None => time(top).map(|time| cell(Some(time))),
            Some(below) => Some(ratio(Some(time(top)?), Some(time(below)?))),
        }
    };
    let both = |scenario: &str, row: &Ratio| {
        let of = ["one-buffer", "rotating"].map(|regime| value(regime, scenario, row));
        of.iter().any(Option::is_some).then(|| of.map(|value| value.unwrap_or_else(|| "–".to_owned())).join(" / "))
    };
    let scenarios: Vec<&str> =
        scenarios.iter().copied().filter(|scenario| rows.iter().any(|row| both(scenario, row).is_some())).collect();
    let line = |row: &Ratio| {
        let cells: Vec<Option<String>> = scenarios.iter().map(|scenario| both(scenario, row)).collect();
        let measured = cells.iter().any(Option::is_some);
        let cells = cells.into_iter().map(|cell| cell.unwrap_or_else(|| "–".to_owned()));
        measured.then(|| std::iter::once(row.0.to_owned()).chain(cells).collect())
    };
    let lines: Vec<Vec<String>> = rows.iter().filter_map(line).collect();
    if lines.is_empty() {
        return String::new();
    }
    let columns: Vec<String> = scenarios.iter().map(|scenario| format!(">{}", described(scenario))).collect();
    table(&std::iter::once("").chain(columns.iter().map(String::as_str)).collect::<Vec<_>>(), &lines)
}

/// `batches/<regime>/<scenario>/<way>`, for so many packets as the bench says.
fn batches(measured: &Measured) -> String {
    let all: Vec<&str> = measured.own.below("batches/one-buffer").map(|(name, _)| name).collect();
    let scenarios = in_order(all.iter().filter_map(|name| Some(name.split_once('/')?.0)));
    let ways = in_order(all.iter().filter_map(|name| Some(name.split_once('/')?.1)));
    if ways.is_empty() {
        return String::new();
    }
    let line = |way: &&str| {
        let of = |scenario: &&str| {
            let each = ["one-buffer", "rotating"].map(|regime| {
                let id = format!("batches/{regime}/{scenario}/{way}");
                let time = measured.own.get(&id).zip(measured.own.size(&id));
                time.map_or_else(|| "–".to_owned(), |(time, packets)| rounded(time.ns / packets, time.spread()))
            });
            each.join(" / ")
        };
        std::iter::once((*way).to_owned()).chain(scenarios.iter().map(of)).collect()
    };
    let columns: Vec<String> = scenarios.iter().map(|scenario| format!(">{}, ns", described(scenario))).collect();
    let headings: Vec<&str> = std::iter::once("for one packet").chain(columns.iter().map(String::as_str)).collect();
    let rows: Vec<Vec<String>> = ways.iter().map(line).collect();
    format!(
        "`batch::first_each` reads several packets in turns, so that their loads overlap.\n{}",
        table(&headings, &rows)
    )
}

/// Over a recorded session of 2,003 frames.
fn reach(measured: &Measured) -> String {
    let line = |group: &'static str, prefix: &'static str| {
        let mut ways: Vec<(&str, Time)> = measured.own.below(prefix).collect();
        ways.sort_by(|one, other| one.1.ns.total_cmp(&other.1.ns));
        ways.into_iter().filter_map(move |(name, time)| {
            let bytes = measured.own.size(&format!("{prefix}/{name}"))?;
            Some(vec![
                group.to_owned(),
                own(name),
                rounded(bytes / time.ns, time.spread()),
                cell(Some(Time { ns: time.ns / 1e3, low: time.low / 1e3, high: time.high / 1e3 })),
            ])
        })
    };
    let rows: Vec<Vec<String>> =
        line("a set watched", "reach/sets").chain(line("a reading embedded in each frame", "reach/embedded")).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("A recorded session of 2,003 frames.\n{}", table(&["", "way", ">GB/s", ">µs"], &rows))
}

/// The gains of the threads: `parallel/<regime>/<scenario>/<codec>, <threads>`.
fn gains(measured: &Measured) -> String {
    let mut rows = Vec::new();
    for scenario in PUBLISHED {
        for (regime, shown) in [("one-buffer", "one buffer"), ("rotating", "keys shuffled")] {
            for codec in ["y3 watch", "serde_json Value"] {
                let of = |threads: &str| measured.own.get(&format!("parallel/{regime}/{scenario}/{codec}, {threads}"));
                if let (Some(one), Some(all)) = (of("one thread"), of("all cores")) {
                    rows.push(vec![
                        described(scenario).to_owned(),
                        shown.to_owned(),
                        own(codec),
                        cell(Some(one)),
                        cell(Some(all)),
                        ratio(Some(one), Some(all)),
                    ]);
                }
            }
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "Nanoseconds per value over all threads: two threads that do not wait for each other halve them.\n{}",
        table(&["", "regime", "way", ">one thread, ns", ">all cores, ns", ">gain"], &rows)
    )
}
