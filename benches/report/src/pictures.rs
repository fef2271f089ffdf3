//! Pictures: draws the charts of the pages.

use std::collections::BTreeMap;

use charts::{Curve, Dot, Row, dots, lines};

use crate::figures::{Figures, Way};
use crate::scenario::{REAL, described};
use crate::tables::{by_codec, packets};
use crate::verdict::{Class, Task, tasks};

/// Draws the chart with this name as SVG. Returns `None` if nothing in the chart was measured.
pub fn chart(figures: &Figures, name: &str, title: &str) -> Option<String> {
    let of_one_value = |wanted: &dyn Fn(&Task) -> bool| -> Vec<Task> {
        tasks().into_iter().filter(|task| task.class == Class::Value && wanted(task)).collect()
    };
    match name {
        "one-of-63" => {
            let mut regimes = of_one_value(&|task| task.what == "C63-K32" && task.regime != "one-buffer-texts");
            // Sorted by name, so `keys-in-order` is first.
            regimes.sort_by_key(|task| task.regime);
            codecs(figures, title, &regimes, |task| task.regime)
        }
        "scenarios" => codecs(figures, title, &of_one_value(&|task| task.regime == REAL), |task| task.what),
        "scaling-value" => by_size(figures, title),
        "streams" => streams(figures, title),
        _ => None,
    }
}

/// A chart with a panel for each task, and a dot for the fastest comparable way of each codec.
fn codecs(figures: &Figures, title: &str, tasks: &[Task], name: fn(&Task) -> &str) -> Option<String> {
    let dot = |(_, _, time): Way| Dot { value: time.ns, spread: time.spread() };
    let row = |(name, ways): (&str, Vec<Option<Way>>)| Row {
        own: name == "y3",
        name: name.to_owned(),
        dots: ways.into_iter().map(|way| way.map(dot)).collect(),
    };
    let rows: Vec<Row> = by_codec(figures, tasks, false).into_iter().map(row).collect();
    let names: Vec<&str> = tasks.iter().map(|task| described(name(task))).collect();
    (!rows.is_empty()).then(|| dots(title, "ns", &names, &rows))
}

fn curve(name: &str, points: Vec<(f64, f64)>) -> Curve {
    Curve { name: name.to_owned(), points }
}

/// A chart of the time by the size of the skipped value.
fn by_size(figures: &Figures, title: &str) -> Option<String> {
    let points = |series: &str| {
        let points = figures.below(series).filter_map(|(at, _, time)| Some((at.parse::<u32>().ok()?, time.ns)));
        points.collect::<BTreeMap<_, _>>().into_iter().map(|(at, ns)| (f64::from(at), ns)).collect::<Vec<_>>()
    };
    let y3 = points("scaling/value/y3 find");
    let mut curves = vec![curve("y3", y3.clone())];
    curves.push(curve("serde_json, typed", points("scaling/value/serde_json typed, one field")));
    if let Some((bytes, ns)) = points("floor/memory read").first() {
        // A floor of less than a nanosecond is not useful.
        let floor = y3.iter().map(|(at, _)| (*at, at * ns / bytes)).filter(|at| at.1 >= 1.0).collect();
        curves.push(curve("floor: a loop that reads all bytes", floor));
    }
    curves.retain(|curve| !curve.points.is_empty());
    (!curves.is_empty()).then(|| lines(title, "ns", "bytes of the text before the value", &curves))
}

/// A chart of packets per second by the size of their values, if one value in a hundred is watched.
fn streams(figures: &Figures, title: &str) -> Option<String> {
    let mut curves: BTreeMap<&str, BTreeMap<u32, f64>> = BTreeMap::new();
    for (id, _, time) in figures.below("own/stream/values") {
        // An id is `64 B, 1% hits, 47663 packets/y3`, for example.
        let size = id.split_once(" B, 1% hits, ").and_then(|(size, _)| size.parse().ok());
        if let (Some(size), Some(packets), Some((_, reader))) = (size, packets(id), id.split_once('/')) {
            curves.entry(reader).or_default().insert(size, packets / time.ns * 1e3);
        }
    }
    let points = |points: BTreeMap<u32, f64>| points.into_iter().map(|(size, rate)| (f64::from(size), rate)).collect();
    // y3 comes first, because the first line has no dashes.
    let curves: Vec<Curve> = curves.into_iter().rev().map(|(reader, of)| curve(reader, points(of))).collect();
    (!curves.is_empty()).then(|| lines(title, "million packets/s", "bytes of a value", &curves))
}
