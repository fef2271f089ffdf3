//! Page: the proxy's section of docs/report/NETWORK.md.
//!
//! In: the rows of the sweep and of the idle connections, beside the page. Out: Markdown, and a chart.

use charts::Curve;
use report::markdown::{self, grouped};
use report::page::Page;

use super::table::{self, Idle, Measured};
use crate::report::findings::{picture, verdict};
use crate::report::undisturbed::is_disturbed;

/// How it is measured, and what is promised.
const METHOD: &str = include_str!("method.md");

/// The section; nothing without rows.
pub fn section(page: &mut Page, rows: &[Measured], idle: &[Idle]) {
    if rows.is_empty() && idle.is_empty() {
        return;
    }
    page.section("## Proxy", &markdown::columns(&["goal", ">found", ">"], &goals(rows, idle)));
    page.say(&format!("\n{METHOD}"));
    page.say(&table::table(rows));
    if !idle.is_empty() {
        page.say("\n### Mostly idle connections");
        for (name, unit, title, value) in charted(idle) {
            let curves = [(false, "all idle"), (true, "with requests")].map(|(busy, label)| {
                let rows = idle.iter().filter(|row| (row.rate > 0) == busy);
                let points = rows.map(|row| (row.connections as f64, value(row))).collect();
                Curve { name: label.to_owned(), label: label.to_owned(), points }
            });
            picture(page, &format!("network-idle-{name}"), &title, [unit, "connections"], &curves, false);
        }
        page.say(&table::idle_table(idle));
    }
}

type Charted = (&'static str, &'static str, String, fn(&Idle) -> f64);

/// The charts of idle connections: a file's name, a unit, a finding, a number.
fn charted(idle: &[Idle]) -> [Charted; 2] {
    let most = idle.iter().rfind(|row| row.rate > 0);
    let title = |what: &str, found: Option<String>| found.map_or(what.to_owned(), |found| format!("{what}: {found}"));
    let each =
        most.map(|row| format!("{:.1} KiB for each of {}", row.bytes_each / 1024.0, grouped(row.connections as f64)));
    let cpu = most.map(|row| {
        let (connections, rate) = (grouped(row.connections as f64), grouped(row.rate as f64));
        format!("{:.1}% for {connections} with {rate} requests/s", row.proxy_cpu)
    });
    [
        ("memory", "MiB", title("Memory of mostly idle connections", each), |row| row.resident_kib as f64 / 1024.0),
        ("cpu", "% of a core", title("Processor time of mostly idle connections", cpu), |row| row.proxy_cpu),
    ]
}

/// At least, or at most.
type Order = fn(&f64, &f64) -> bool;

fn goals(rows: &[Measured], idle: &[Idle]) -> Vec<[String; 3]> {
    let find = |name: &str, connections| rows.iter().find(|row| row.is_of(name, connections));
    let (at_least, at_most): (Order, Order) = (f64::ge, f64::le);
    let qps: fn(&Measured) -> f64 = |row| row.qps;
    let p99: fn(&Measured) -> f64 = |row| row.p99_us;
    let mut all = Vec::new();
    for (connections, times) in [(100, 4.0), (500, 5.0)] {
        let ratios = [
            (format!("QPS at least ×{times} of nginx"), "y3-redact", "nginx", qps, at_least, times),
            ("TP99 at most ×0.2 of nginx".to_owned(), "y3-redact", "nginx", p99, at_most, 0.2),
            ("redaction keeps ×0.9 of QPS".to_owned(), "y3-redact", "y3-route", qps, at_least, 0.9),
            ("chained at least ×0.45 of direct".to_owned(), "y3-chained", "y3-redact", qps, at_least, 0.45),
        ];
        for (name, ours, theirs, value, order, goal) in ratios {
            let Some((ours, theirs)) = find(ours, connections).zip(find(theirs, connections)) else { continue };
            let found = value(ours) / value(theirs);
            let disturbed = is_disturbed(ours.stolen) || is_disturbed(theirs.stolen);
            let verdict = verdict(order(&found, &goal), found / goal, disturbed);
            all.push([format!("{name}, {connections} connections"), format!("×{found:.2}"), verdict]);
        }
    }
    if let Some((row, kib)) = find("y3-redact", 500).and_then(|row| Some((row, row.proxy_kib?))) {
        let mib = kib as f64 / 1024.0;
        let verdict = verdict(mib <= 20.0, mib / 20.0, is_disturbed(row.stolen));
        all.push(["memory below 20 MiB, 500 connections".to_owned(), format!("{mib:.1} MiB"), verdict]);
    }
    for row in idle.iter().filter(|row| row.connections == 10_000) {
        let disturbed = is_disturbed(row.stolen);
        if row.rate == 0 {
            let kib = row.bytes_each / 1024.0;
            let name = "at most 8 KiB for each of 10,000 idle connections".to_owned();
            all.push([name, format!("{kib:.1} KiB"), verdict(kib <= 8.0, kib / 8.0, disturbed)]);
        }
        let cpu = row.proxy_cpu;
        let name = format!("CPU below 2% of a core for 10,000 connections, {} requests/s", grouped(row.rate as f64));
        all.push([name, format!("{cpu:.1}%"), verdict(cpu <= 2.0, cpu / 2.0, disturbed)]);
    }
    all
}
