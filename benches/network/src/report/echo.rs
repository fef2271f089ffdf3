//! Page: the echo's section of docs/report/NETWORK.md.
//!
//! In: the rows of all sweeps. Out: goals, rows that lose, tables, charts.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use charts::Curve;
use report::markdown::{self, grouped};
use report::page::Page;

use super::rows::{Entry, table};
use crate::report::findings::{NOISE, picture, verdict};
use crate::report::undisturbed::is_disturbed;

/// What the page says besides figures: how it is measured, and where the time goes.
const METHOD: &str = include_str!("method.md");

/// The section; nothing without rows.
pub fn section(page: &mut Page, entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    let now: Vec<&Entry> = entries.iter().filter(|entry| entry.delay_ms == 0.0).collect();
    page.say("\n## Echo");
    page.section("### Goals", &markdown::columns(&["goal", ">callers", ">body", ">found", ">"], &goals(&now)));
    page.section("### Rows that lose", &lost(&now));
    page.say(&format!("\n{METHOD}"));
    let bodies: BTreeSet<usize> = now.iter().map(|entry| entry.body).collect();
    for body in bodies {
        let rows: Vec<&Entry> = now.iter().copied().filter(|entry| entry.body == body).collect();
        page.say(&format!("\n### {} bytes", grouped(body as f64)));
        for (name, unit, title, value) in charted(&rows) {
            picture(page, &format!("network-{name}-{body}"), &title, [unit, "callers"], &curves(&rows, value), true);
        }
        page.say(&format!("\nTimes in milliseconds, memory at its peak.\n{}", table(&rows)));
    }
    let delayed: Vec<&Entry> = entries.iter().filter(|entry| entry.delay_ms > 0.0).collect();
    if let [first, ..] = delayed[..] {
        page.section(&format!("### A handler that waits {} ms", first.delay_ms), &table(&delayed));
    }
}

type Value = fn(&Entry) -> f64;
type Charted = (&'static str, &'static str, String, Value);

/// The charts of one size of bodies: a file's name, a unit, a finding, a number.
fn charted(rows: &[&Entry]) -> [Charted; 2] {
    let of = |name: &str, callers, value: Value| {
        rows.iter().find(|row| row.name == name && row.callers == callers).map(|row| value(row))
    };
    let factor = |value: Value| {
        let factor = of("y3-mux", 1000, value)? / of("kitex-mux", 1000, value)?;
        Some(if factor < 1.0 { 1.0 / factor } else { factor })
    };
    let finding = |what: &str, factor: Option<f64>| match factor {
        Some(factor) => {
            format!("{what}: at 1,000 callers y3 and Kitex on one connection differ by a factor of {factor:.1}")
        }
        None => what.to_owned(),
    };
    let (tps, p99): (Value, Value) = (|row| row.tps / 1e3, |row| row.p99_us / 1e3);
    [
        ("tps", "1,000/s", finding("Requests a second", factor(tps)), tps),
        ("tp99", "ms", finding("TP99", factor(p99)), p99),
    ]
}

fn curves(rows: &[&Entry], value: Value) -> Vec<Curve> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&row.name.as_str()) {
            names.push(&row.name);
        }
    }
    let curve = |name: &str| {
        let mut points: Vec<(f64, f64)> =
            rows.iter().filter(|row| row.name == name).map(|row| (row.callers as f64, value(row))).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        Curve { name: name.to_owned(), label: name.to_owned(), points }
    };
    names.into_iter().map(curve).collect()
}

/// A goal: ours against theirs, in a number, at least or at most that factor; at a number of callers, or at each.
struct Goal {
    ours: &'static str,
    theirs: &'static str,
    what: &'static str,
    value: Value,
    callers: Option<usize>,
    least: Option<f64>,
    most: Option<f64>,
}

fn goals(rows: &[&Entry]) -> Vec<[String; 5]> {
    let tps: Value = |row| row.tps;
    let least = |ours, theirs, callers, factor| Goal {
        ours,
        theirs,
        what: "TPS",
        value: tps,
        callers,
        least: Some(factor),
        most: None,
    };
    let most = |ours, theirs, what, value, factor| Goal {
        ours,
        theirs,
        what,
        value,
        callers: None,
        least: None,
        most: Some(factor),
    };
    let all = [
        least("y3-mux", "kitex-mux", Some(100), 6.0),
        least("y3-mux", "kitex-mux", Some(1000), 15.0),
        most("y3-mux", "kitex-mux", "TP999", |row| row.p999_us, 0.2),
        least("y3-pooled", "kitex-pooled", None, 1.8),
        most("y3-pooled", "kitex-pooled", "TP99", |row| row.p99_us, 0.5),
        least("y3-mux", "grpc", None, 12.0),
        least("y3-mux", "tonic", None, 5.0),
    ];
    let bodies: BTreeSet<usize> = rows.iter().map(|row| row.body).collect();
    bodies.iter().flat_map(|body| all.iter().filter_map(|goal| goal.row(rows, *body))).collect()
}

impl Goal {
    /// The row of the table: the worst place of this goal, and whether it is reached there.
    fn row(&self, rows: &[&Entry], body: usize) -> Option<[String; 5]> {
        let found = |ours: &&Entry| {
            let theirs = rows.iter().find(|row| row.is_of(self.theirs, body, ours.callers, 0.0))?;
            let disturbed = is_disturbed(ours.stolen) || is_disturbed(theirs.stolen);
            Some((ours.callers, (self.value)(ours) / (self.value)(theirs), disturbed))
        };
        let ours = rows.iter().filter(|row| row.name == self.ours && row.body == body);
        let there = ours.filter(|row| self.callers.is_none_or(|callers| row.callers == callers));
        type Found = (usize, f64, bool);
        let order = |one: &Found, other: &Found| one.1.total_cmp(&other.1);
        let (callers, factor, disturbed) = match self.least {
            Some(_) => there.filter_map(found).min_by(order)?,
            None => there.filter_map(found).max_by(order)?,
        };
        let (sign, goal, reached) = match (self.least, self.most) {
            (Some(least), _) => ("at least", least, factor >= least),
            (_, most) => ("at most", most.unwrap_or(1.0), factor <= most.unwrap_or(1.0)),
        };
        let verdict = verdict(reached, factor / goal, disturbed);
        let at = if self.callers.is_some() { callers.to_string() } else { format!("worst at {callers}") };
        let name = format!("{} {sign} ×{goal} of {}, {}", self.ours, self.theirs, self.what);
        Some([name, at, body.to_string(), format!("×{factor:.2}"), verdict])
    }
}

/// Where rows of y3 are behind rows of a peer with as many connections: a line for each pair and measure.
fn lost(rows: &[&Entry]) -> String {
    let pairs = [
        ("y3-mux", &["json-mux", "tonic", "grpc", "kitex-mux"][..]),
        ("y3-pooled", &["json-pooled", "kitex-pooled"]),
        ("y3-quic", &["y3-mux", "json-mux", "tonic", "grpc", "kitex-mux"]),
    ];
    // Less is better in each.
    let values: [(&str, Value); 6] = [
        ("TPS", |row| 1.0 / row.tps),
        ("mean", |row| row.mean_us),
        ("TP99", |row| row.p99_us),
        ("TP999", |row| row.p999_us),
        ("max", |row| row.max_us),
        ("server memory", |row| row.server_rss_kib.map_or(f64::NAN, |kib| kib as f64)),
    ];
    let mut out = String::new();
    for (ours, peers) in pairs {
        for peer in peers {
            let both: Vec<(&Entry, &Entry)> = rows
                .iter()
                .filter(|row| row.name == ours)
                .filter_map(|row| {
                    Some((*row, *rows.iter().find(|other| other.is_of(peer, row.body, row.callers, 0.0))?))
                })
                .collect();
            for (what, value) in values {
                let factor = |(ours, theirs): &(&Entry, &Entry)| (value(ours) / value(theirs), ours.callers, ours.body);
                let mut behind: Vec<_> = both.iter().map(factor).filter(|found| found.0 >= 1.0 + NOISE).collect();
                behind.sort_by(|one, other| one.0.total_cmp(&other.0));
                let (Some(least), Some((most, callers, body))) = (behind.first(), behind.last()) else { continue };
                let range = match behind.len() {
                    1 => format!("×{most:.2} at"),
                    _ => format!("×{:.2} to ×{most:.2}, worst", least.0),
                };
                let _ = writeln!(
                    out,
                    "- {ours} behind {peer} in {what}: {} of {} places, {range} {callers} × {} B",
                    behind.len(),
                    both.len(),
                    grouped(*body as f64),
                );
            }
        }
    }
    if out.is_empty() {
        return "None among rows with as many connections.\n".to_owned();
    }
    format!(
        "×2 is half the requests a second, or twice the time or memory. Places are numbers of callers × bytes of a body; those\n\
         less than {:.0}% behind are left out, since runs differ by as much.\n\n{out}",
        100.0 * NOISE
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::echo::load::Row;

    fn entry(name: &str, callers: usize, tps: f64, max_us: f64) -> Entry {
        let row = Row {
            name: name.to_owned(),
            callers,
            body: 5120,
            seconds: 1.0,
            requests: 1,
            errors: 0,
            tps,
            mean_us: 10.0,
            p99_us: 10.0,
            p999_us: 10.0,
            max_us,
            cpu_user_s: 0.0,
            cpu_system_s: 0.0,
            rss_kib: 0,
        };
        Entry::new(row, 0.0, 1.0, None)
    }

    #[test]
    fn rows_behind_a_peer_are_one_line_for_each_measure_with_the_range_and_the_worst_place() {
        let rows = [
            entry("y3-mux", 100, 1000.0, 10.0),
            entry("tonic", 100, 1500.0, 20.0),
            entry("y3-mux", 200, 1000.0, 30.0),
            entry("tonic", 200, 3000.0, 20.0),
            // As good as equal, and alone.
            entry("y3-mux", 400, 1000.0, 20.0),
            entry("tonic", 400, 1040.0, 20.0),
            entry("y3-mux", 800, 1.0, 1e6),
        ];
        let text = lost(&rows.iter().collect::<Vec<_>>());
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('-')).collect();
        assert_eq!(
            lines,
            [
                "- y3-mux behind tonic in TPS: 2 of 3 places, ×1.50 to ×3.00, worst 200 × 5,120 B",
                "- y3-mux behind tonic in max: 1 of 3 places, ×1.50 at 200 × 5,120 B",
            ]
        );
        assert!(lost(&[&rows[4], &rows[5]]).starts_with("None"));
    }
}
