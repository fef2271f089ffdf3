//! Echo: how the page begins, and the echo's section of it.
//!
//! In: the rows of the sweep. Out: three sentences and a table of five rows; charts, all rows, where y3 is behind.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use charts::Curve;
use report::markdown::{self, grouped};
use report::page::Page;

use super::findings::{NOISE, folded, picture, times};
use crate::echo::rows::{Entry, core_us, ms, table};

/// How it is measured.
const METHOD: &str = include_str!("echo.md");

/// The place of the first table: the most callers of the smaller bodies.
const CALLERS: usize = 1000;
const BODY: usize = 1024;
/// The rows of the first table: a row's name and what a reader calls it. The first is the baseline, the last but two what factors
/// are also taken of.
const FIRST: [(&str, &str); 5] = [
    ("json-mux", "newline-JSON on Y3's transport (the baseline)"),
    ("y3-mux", "**Y3**"),
    ("kitex-mux", "Kitex, in Go"),
    ("tonic", "gRPC, in Rust (tonic)"),
    ("grpc", "gRPC, in Go"),
];

fn find<'a>(rows: &'a [Entry], name: &str, body: usize, callers: usize) -> Option<&'a Entry> {
    rows.iter().find(|row| row.is_of(name, body, callers, 0.0))
}

/// How the page begins; nothing without rows at the place.
pub fn first(page: &mut Page, entries: &[Entry]) {
    let of = |name: &str| find(entries, name, BODY, CALLERS);
    if let (Some(y3), Some(json)) = (of("y3-mux"), of("json-mux")) {
        page.say(&format!("\n{}", sentences(y3, json, of("kitex-mux"))));
    }
    let (json, kitex) = (of("json-mux"), of("kitex-mux"));
    let beside =
        |row: &Entry, other: Option<&Entry>| other.map_or_else(String::new, |other| times(row.tps / other.tps));
    let cells = |(name, said): &(&str, &str)| {
        let row = of(name)?;
        Some([
            (*said).to_owned(),
            grouped(row.tps),
            beside(row, json),
            beside(row, kitex),
            row.server_us().map_or_else(String::new, core_us),
            ms(row.p99_us),
            row.limit().to_owned(),
        ])
    };
    let rows: Vec<[String; 7]> = FIRST.iter().filter_map(cells).collect();
    let head = ["", ">requests/s", ">of JSON", ">of Kitex", ">server's core, µs each", ">TP99, ms", "what limits it"];
    if !rows.is_empty() {
        page.say(&markdown::columns(&head, &rows));
    }
    let spread = FIRST
        .iter()
        .filter_map(|(name, _)| of(name)?.spread)
        .fold(None, |most: Option<f64>, spread| Some(most.map_or(spread, |most| most.max(spread))));
    if let Some(spread) = spread {
        page.say(&format!(
            "\nThey were measured in turns, each row several times; its turns were at most {spread:.0}% apart."
        ));
    }
}

/// Three sentences: what was measured, what the transport does, what the codec adds and what limits it. Their numbers are those of
/// the table below them.
fn sentences(y3: &Entry, json: &Entry, kitex: Option<&Entry>) -> String {
    let (tps, codec) = (grouped(y3.tps), times(y3.tps / json.tps));
    let place = format!("{} bytes for {} callers", grouped(BODY as f64), grouped(CALLERS as f64));
    let of_kitex = |row: &Entry| Some(times(row.tps / kitex?.tps));
    let all = of_kitex(y3).map_or_else(String::new, |all| format!(", {all} of Kitex"));
    let mut text = format!(
        "With Y3 an echo of {place} over one connection, a core each for server and client, answers\n{tps} requests a second{all}.\n"
    );
    text += &match of_kitex(json) {
        Some(transport) => format!(
            "Of that, {transport} is the transport, which reads and writes for many callers at once: newline-JSON, the baseline, has it too."
        ),
        None => "The baseline is newline-JSON on the same transport, which reads and writes for many callers at once."
            .to_owned(),
    };
    let us = |row: &Entry| row.server_us().map(core_us);
    let core = us(y3).zip(us(json)).map_or_else(String::new, |(y3, json)| {
        format!(" ({y3} µs of the server's core for a request instead of {json})")
    });
    let limit = match y3.limit() {
        "each waits for the other" => "neither core is full, so each waits for the other".to_owned(),
        full => format!("what limits it then is {full}"),
    };
    let _ = write!(text, "\nThe codec adds {codec} to JSON{core}; {limit}.");
    text
}

/// The section; nothing without rows.
pub fn section(page: &mut Page, entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    let now: Vec<&Entry> = entries.iter().filter(|entry| entry.delay_ms == 0.0).collect();
    page.say("\n## Echo");
    page.say(&format!("\n{}", kernel(&now)));
    let bodies: BTreeSet<usize> = now.iter().map(|entry| entry.body).collect();
    for &body in &bodies {
        let rows: Vec<&Entry> = now.iter().copied().filter(|entry| entry.body == body).collect();
        picture(
            page,
            &format!("network-tps-{body}"),
            &title(&rows, body),
            ["1,000/s", "callers"],
            &curves(&rows, |row| row.tps / 1e3),
            true,
        );
    }
    for body in bodies {
        let rows: Vec<&Entry> = now.iter().copied().filter(|entry| entry.body == body).collect();
        folded(page, &format!("All rows of {} bytes", grouped(body as f64)), |page| page.say(&table(&rows)));
    }
    let delayed: Vec<&Entry> = entries.iter().filter(|entry| entry.delay_ms > 0.0).collect();
    if let [first, ..] = delayed[..] {
        folded(page, &format!("A handler that waits {} ms", first.delay_ms), |page| page.say(&table(&delayed)));
    }
    folded(page, "Where y3 is behind another with as many connections", |page| page.say(&lost(&now)));
    folded(page, "How it is measured", |page| page.say(METHOD));
}

/// What most of a server's time is.
fn kernel(rows: &[&Entry]) -> String {
    let range = |name: &str| {
        let shares = rows.iter().filter(|row| row.name == name).filter_map(|row| row.kernel());
        let (least, most) =
            shares.fold((f64::MAX, 0.0_f64), |(least, most), share| (least.min(share), most.max(share)));
        (least <= most).then(|| format!("{least:.0} to {most:.0}%"))
    };
    match range("y3-mux").zip(range("y3-pooled")) {
        Some((mux, pooled)) => format!(
            "Of the server's time with Y3, {mux} is the kernel's with one connection and {pooled} with a connection for each caller:\n\
             it copies bodies and sends segments. What a codec could still save is in the rest."
        ),
        None => String::new(),
    }
}

/// What the picture of a size shows at its most callers.
fn title(rows: &[&Entry], body: usize) -> String {
    let most = rows.iter().map(|row| row.callers).max().unwrap_or(0);
    let tps = |name: &str| rows.iter().find(|row| row.name == name && row.callers == most).map(|row| row.tps);
    let what = format!("Requests a second of {} bytes", grouped(body as f64));
    let beside = |name: &str| Some(times(tps("y3-mux")? / tps(name)?));
    let found: Vec<String> = [("json-mux", "JSON"), ("kitex-mux", "Kitex")]
        .into_iter()
        .filter_map(|(name, said)| Some(format!("{} of {said}", beside(name)?)))
        .collect();
    match found.is_empty() {
        true => what,
        false => {
            format!("{what}: y3 on one connection answers {} at {} callers", found.join(" and "), grouped(most as f64))
        }
    }
}

type Value = fn(&Entry) -> f64;

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

/// Where rows of y3 are behind rows of a peer with as many connections: a line for each pair and measure.
fn lost(rows: &[&Entry]) -> String {
    let pairs = [
        ("y3-mux", &["json-mux", "tonic", "grpc", "kitex-mux"][..]),
        ("y3-pooled", &["json-pooled", "kitex-pooled"]),
        ("y3-quic", &["y3-mux", "json-mux", "tonic", "grpc", "kitex-mux"]),
    ];
    // Less is better in each.
    let values: [(&str, Value); 4] = [
        ("requests a second", |row| 1.0 / row.tps),
        ("TP99", |row| row.p99_us),
        ("TP999", |row| row.p999_us),
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

    fn entry(name: &str, callers: usize, tps: f64, p999_us: f64) -> Entry {
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
            p999_us,
            max_us: 1e6,
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
                "- y3-mux behind tonic in requests a second: 2 of 3 places, ×1.50 to ×3.00, worst 200 × 5,120 B",
                "- y3-mux behind tonic in TP999: 1 of 3 places, ×1.50 at 200 × 5,120 B",
            ]
        );
        assert!(lost(&[&rows[4], &rows[5]]).starts_with("None"));
    }
}
