//! Page: the proxy's section of docs/report/NETWORK.md.
//!
//! In: the rows of the sweep and of the idle connections, beside the page. Out: Markdown, and a chart.

use std::fmt::Write as _;
use std::path::Path;

use charts::Curve;

use super::table::{self, Idle, Measured};
use crate::echo::rows::{aligned, grouped};
use crate::report::page::picture;

/// How it is measured, and what is promised.
const METHOD: &str = include_str!("method.md");

/// The section, with its charts in a folder; empty without rows.
///
/// # Errors
/// A chart that cannot be written.
pub fn section(folder: &Path, rows: &[Measured], idle: &[Idle]) -> anyhow::Result<String> {
    let mut page = String::new();
    if rows.is_empty() && idle.is_empty() {
        return Ok(page);
    }
    let head = ["goal", "found", ""].map(str::to_owned);
    let _ = writeln!(page, "## Proxy\n\n{}\n{METHOD}", aligned(&head, &goals(rows, idle)));
    let _ = writeln!(page, "{}", table::table(rows));
    if !idle.is_empty() {
        let _ = writeln!(page, "### Mostly idle connections\n");
        for (name, unit, title, value) in charted(idle) {
            let curves = [(false, "all idle"), (true, "with requests")].map(|(busy, label)| {
                let rows = idle.iter().filter(|row| (row.rate > 0) == busy);
                let points = rows.map(|row| (row.connections as f64, value(row))).collect();
                Curve { name: label.to_owned(), label: label.to_owned(), points }
            });
            let file = format!("network-idle-{name}.svg");
            page += &picture(folder, &file, &title, [unit, "connections"], &curves, false)?;
        }
        let _ = writeln!(page, "{}", table::idle_table(idle));
    }
    Ok(page)
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

fn goals(rows: &[Measured], idle: &[Idle]) -> Vec<[String; 3]> {
    let find = |name: &str, connections| rows.iter().find(|row| row.is_of(name, connections));
    let ratio = |ours: &str, theirs: &str, connections, value: fn(&Measured) -> f64| {
        Some(value(find(ours, connections)?) / value(find(theirs, connections)?))
    };
    let qps: fn(&Measured) -> f64 = |row| row.qps;
    let p99: fn(&Measured) -> f64 = |row| row.p99_us;
    let at_least = |goal: f64, found: f64| verdict(found >= goal, found / goal);
    let at_most = |goal: f64, found: f64| verdict(found <= goal, found / goal);
    let mut all = Vec::new();
    let mut put = |name: String, found: Option<(String, String)>| {
        if let Some((found, verdict)) = found {
            all.push([name, found, verdict]);
        }
    };
    for (connections, goal) in [(100, 4.0), (500, 5.0)] {
        let found =
            ratio("y3-redact", "nginx", connections, qps).map(|found| (format!("×{found:.2}"), at_least(goal, found)));
        put(format!("QPS at least ×{goal} of nginx, {connections} connections"), found);
        let found =
            ratio("y3-redact", "nginx", connections, p99).map(|found| (format!("×{found:.2}"), at_most(0.2, found)));
        put(format!("TP99 at most ×0.2 of nginx, {connections} connections"), found);
        let found = ratio("y3-redact", "y3-route", connections, qps)
            .map(|found| (format!("×{found:.2}"), at_least(0.9, found)));
        put(format!("redaction keeps ×0.9 of QPS, {connections} connections"), found);
        let found = ratio("y3-chained", "y3-redact", connections, qps)
            .map(|found| (format!("×{found:.2}"), at_least(0.45, found)));
        put(format!("chained at least ×0.45 of direct, {connections} connections"), found);
    }
    let memory = find("y3-redact", 500).and_then(|row| row.proxy_kib).map(|kib| kib as f64 / 1024.0);
    put(
        "memory below 20 MiB, 500 connections".to_owned(),
        memory.map(|mib| (format!("{mib:.1} MiB"), at_most(20.0, mib))),
    );
    for row in idle.iter().filter(|row| row.connections == 10_000) {
        let kib = row.bytes_each / 1024.0;
        if row.rate == 0 {
            put(
                "at most 8 KiB for each of 10,000 idle connections".to_owned(),
                Some((format!("{kib:.1} KiB"), at_most(8.0, kib))),
            );
        }
        let name = format!("CPU below 2% of a core for 10,000 connections, {} requests/s", grouped(row.rate as f64));
        put(name, Some((format!("{:.1}%", row.proxy_cpu), at_most(2.0, row.proxy_cpu))));
    }
    all
}

fn verdict(reached: bool, share: f64) -> String {
    if reached { "reached".to_owned() } else { format!("**missed**, {share:.2} of the goal") }
}
