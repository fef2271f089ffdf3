//! Scaling: how times grow with one parameter, and how close they are to the time that the machine needs for the loads
//! alone.
//!
//! In: the measurements. Out: a chart for the report, tables for `benches/WAYS.md`, and findings in words.

use std::collections::BTreeMap;

use crate::fit;
use crate::markdown::{cell, factor, inside, number, rounded, table};
use crate::measured::{Measured, Times};
use crate::page::Page;
use crate::time::Time;
use charts::{Curve, lines};

/// A parameter and a time.
type Points = Vec<(f64, Time)>;

/// The parameters: their name in the benches, in words, and a unit.
const SWEEPS: [(&str, &str, &str); 4] = [
    ("pairs", "values before the watched one", "value"),
    ("value", "bytes of the text before the watched value", "byte"),
    ("depth", "nodes around the watched value", "level"),
    ("paths", "watched paths", "path"),
];

/// The time that the machine needs for the loads alone: each length gives the position of the next.
const FLOOR: &str = "load-add chain";
const FIND: &str = "y3 find";
const JSON: &str = "serde_json typed, one field";

/// Series of numbered points.
fn curves(times: &Times, prefix: &str) -> BTreeMap<String, Points> {
    let mut curves: BTreeMap<String, Points> = BTreeMap::new();
    for (rest, time) in times.below(prefix) {
        let point = rest.rsplit_once('/').and_then(|(name, at)| Some((name, at.parse().ok()?)));
        if let Some((name, parameter)) = point {
            curves.entry(name.to_owned()).or_default().push((parameter, time));
        }
    }
    for points in curves.values_mut() {
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
    }
    curves
}

/// The tables of all parameters.
pub fn write(page: &mut Page, measured: &Measured) {
    for (axis, parameter, unit) in SWEEPS {
        let mut series = curves(&measured.peers, &format!("scaling/{axis}"));
        if axis == "pairs" {
            let floors = curves(&measured.peers, "floor").into_iter().filter(|(name, _)| name.starts_with(FLOOR));
            series.extend(floors.map(|(name, points)| (format!("floor: {name}"), points)));
        }
        let row = |(name, points): (&String, &Points)| {
            let end = |end: Option<&(f64, Time)>| {
                end.map_or_else(String::new, |(at, time)| format!("{} at {}", cell(Some(*time)), number(*at)))
            };
            let slope = slope(points).map_or_else(|| "–".to_owned(), number);
            vec![inside(name), end(points.first()), end(points.last()), slope]
        };
        let rows: Vec<Vec<String>> = series.iter().map(row).collect();
        if !rows.is_empty() {
            let slope = format!(">ns per {unit}");
            page.section(&format!("## By {parameter}"), &table(&["", ">first, ns", ">last, ns", &slope], &rows));
        }
    }
    let reads = curves(&measured.peers, "floor").remove("memory read").unwrap_or_default();
    let rates: Vec<String> = reads
        .iter()
        .map(|(size, time)| format!("{} GB/s over {} bytes", rounded(size / time.ns, time.spread()), number(*size)))
        .collect();
    if !rates.is_empty() {
        page.say(&format!(
            "\nReading memory alone: {}. A jump does not read the bytes of a value.\n",
            rates.join(", ")
        ));
    }
}

/// The chart of time against the size of the value that is jumped over, and its finding.
pub fn by_size(measured: &Measured) -> Option<(String, String)> {
    let mut series = curves(&measured.peers, "scaling/value");
    let (y3, json) = (series.remove(FIND)?, series.remove(JSON)?);
    let ((size, y3_last), (_, json_last)) = (*y3.last()?, *json.last()?);
    let (own, other) = (("y3", y3_last), ("serde_json", json_last));
    let (first, second) = if y3_last.ns <= json_last.ns { (own, other) } else { (other, own) };
    let title = format!(
        "After a text of {} bytes {} reads the next value in {} ns, {} in {}",
        number(size),
        first.0,
        cell(Some(first.1)),
        second.0,
        cell(Some(second.1))
    );
    // Less than a nanosecond is not a useful floor.
    let read = curves(&measured.peers, "floor").remove("memory read").and_then(|points| points.first().copied());
    let floor: Option<Vec<(f64, f64)>> = read
        .map(|(bytes, time)| y3.iter().map(|(at, _)| (*at, at * time.ns / bytes)).filter(|at| at.1 >= 1.0).collect());
    let mut all = vec![curve(FIND, "y3", &y3), curve(JSON, "serde_json, typed", &json)];
    let read_once = |points| Curve { name: "floor".to_owned(), label: "the bytes read once".to_owned(), points };
    all.extend(floor.map(read_once));
    let picture = lines(&title, "ns", "bytes of the text before the value", &all.iter().collect::<Vec<_>>(), true);
    Some((title, picture))
}

fn in_ns(points: &Points) -> Vec<(f64, f64)> {
    points.iter().map(|(at, time)| (*at, time.ns)).collect()
}

/// Nanoseconds for one more of the parameter.
fn slope(points: &Points) -> Option<f64> {
    fit::line(&in_ns(points)).map(|line| line.slope)
}

fn curve(name: &str, label: &str, points: &Points) -> Curve {
    Curve { name: name.to_owned(), label: label.to_owned(), points: in_ns(points) }
}

/// What a jump costs by what it jumps over.
pub fn jump_in_words(measured: &Measured) -> Option<String> {
    let points = curves(&measured.peers, "scaling/value").remove(FIND)?;
    let ((short, first), (long, last)) = (*points.first()?, *points.last()?);
    let near = if last.ns > first.ns * 1.2 {
        let times = factor(last.ns / first.ns, 0.1);
        format!("; {times} is what caches cost that do not hold a header so far away")
    } else {
        String::new()
    };
    Some(format!(
        "A jump reads one header, whatever it jumps over. The next value takes y3 {} ns after a text of {} bytes, and {} ns after one of \
         {}{near}.",
        cell(Some(last)),
        number(long),
        cell(Some(first)),
        number(short)
    ))
}

/// What each value costs that is jumped over. It was a chart once, whose lines lay on each other.
pub fn pairs_in_words(measured: &Measured) -> Option<String> {
    let jump = slope(curves(&measured.peers, "scaling/pairs").get(FIND)?)?;
    let link = slope(curves(&measured.peers, "floor").get(FLOOR)?)?;
    Some(format!(
        "Each value before the watched one costs y3 {} ns, {} times a bare chain of loads in which each says where the next is.",
        number(jump),
        number(jump / link)
    ))
}
