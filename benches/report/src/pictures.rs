//! Pictures: the charts that pages show.
//!
//! In: figures, the name of a chart and its title. Out: an SVG; `None` if nothing of it was measured.

use std::collections::BTreeMap;

use charts::{Curve, Dot, Row, dots, lines};

use crate::figures::{Figures, Way, is_batch, is_comparable};
use crate::scenario::{PUBLISHED, REAL, REGIMES, SCENARIOS, described, regimes};
use crate::tables::{items, series};
use crate::time::Time;

/// A panel: its name, and the group whose ways it shows.
type Panel = (String, String);

/// Draws the chart of that name.
pub fn chart(figures: &Figures, name: &str, title: &str) -> Option<String> {
    let of_regimes = |regimes: &[&str], group: &dyn Fn(&str) -> String| -> Vec<Panel> {
        regimes.iter().map(|regime| (described(regime).to_owned(), group(regime))).collect()
    };
    match name {
        "one-of-63" => best(
            figures,
            title,
            &of_regimes(&[REAL, "one-buffer", "rotating"], &|regime| format!("extract/{regime}/C63-K32")),
        ),
        "scenarios" => {
            let real = SCENARIOS.iter().filter(|scenario| regimes(scenario).contains(&REAL));
            let panel = |scenario: &&str| (described(scenario).to_owned(), format!("extract/{REAL}/{scenario}"));
            best(figures, title, &real.map(panel).collect::<Vec<_>>())
        }
        "encode" => best(figures, title, &of_regimes(&REGIMES, &|regime| format!("encode/{regime}/C63"))),
        "published" => Some(published(figures, title)),
        "scaling-value" => by_size(figures, title),
        "streams" => streams(figures, title),
        _ => None,
    }
}

fn dot(time: Time) -> Dot {
    Dot { value: time.ns, low: time.low, high: time.high }
}

/// The fastest comparable way of each codec, a dot for each panel.
fn best(figures: &Figures, title: &str, panels: &[Panel]) -> Option<String> {
    let codec = |way: &Way<'_>| way.0.split(' ').next().unwrap_or_default().to_owned();
    let mut codecs: BTreeMap<String, Vec<Option<Dot>>> = BTreeMap::new();
    for (place, (_, group)) in panels.iter().enumerate() {
        for way in figures.below(group).filter(|way| is_comparable(way) && !is_batch(way.0)) {
            let best = &mut codecs.entry(codec(&way)).or_insert_with(|| vec![None; panels.len()])[place];
            if best.is_none_or(|best| way.2.ns < best.value) {
                *best = Some(dot(way.2));
            }
        }
    }
    let row = |(name, dots): (String, _)| Row { own: name == "y3", name, dots };
    let mut rows: Vec<Row> = codecs.into_iter().map(row).collect();
    // By the mean of the logarithms: no panel counts more than another.
    let mean = |row: &Row| {
        let logs: Vec<f64> = row.dots.iter().flatten().map(|dot| dot.value.ln()).collect();
        logs.iter().sum::<f64>() / logs.len() as f64
    };
    rows.sort_by(|one, other| mean(one).total_cmp(&mean(other)));
    let names: Vec<&str> = panels.iter().map(|(name, _)| name.as_str()).collect();
    (!rows.is_empty()).then(|| dots(title, "ns", &names, &rows))
}

/// 2020 and now, Go and Rust.
fn published(figures: &Figures, title: &str) -> String {
    let rows = [
        ("2020, Go: Y3", "2020/{}/Y3"),
        ("2020, Go: JSON", "2020/{}/JSON"),
        ("Go: y3", "go/{}/y3, serial"),
        ("Go: y3, packet by packet", "go/{}/y3, packet by packet, serial"),
        ("Go: encoding/json", "go/{}/encoding/json, serial"),
        ("Rust: y3", "extract/one-buffer/{}/y3 PathSet"),
        ("Rust: serde_json", "extract/one-buffer/{}/serde_json Value"),
    ];
    let row = |(name, id): (&str, &str)| Row {
        name: name.to_owned(),
        own: name == "Rust: y3",
        dots: PUBLISHED.iter().map(|(scenario, ..)| figures.get(&id.replace("{}", scenario)).map(dot)).collect(),
    };
    let mut rows = Vec::from(rows.map(row));
    rows.retain(|row| row.dots.iter().any(Option::is_some));
    dots(title, "ns", &PUBLISHED.map(|(scenario, ..)| described(scenario)), &rows)
}

fn curve(name: &str, points: Vec<(f64, f64)>) -> Curve {
    Curve { name: name.to_owned(), points }
}

/// Time against the size of the value that is jumped over.
fn by_size(figures: &Figures, title: &str) -> Option<String> {
    let all = series(figures, "scaling/value");
    let in_ns = |name: &str| Some(all.get(name)?.iter().map(|(at, time)| (*at, time.ns)).collect::<Vec<_>>());
    let y3 = in_ns("y3 find")?;
    let json = in_ns("serde_json typed, one field")?;
    let mut curves = vec![curve("y3", y3.clone()), curve("serde_json, typed", json)];
    if let Some((bytes, time)) = series(figures, "floor").get("memory read").and_then(|points| points.first()) {
        // Less than a nanosecond is not a useful floor.
        let floor = y3.iter().map(|(at, _)| (*at, at * time.ns / bytes)).filter(|at| at.1 >= 1.0).collect();
        curves.push(curve("floor: the bytes read once", floor));
    }
    Some(lines(title, "ns", "bytes of the text before the value", &curves))
}

/// Packets a second by the size of their values, where the fewest are watched.
fn streams(figures: &Figures, title: &str) -> Option<String> {
    let readers = [("y3", "y3"), ("frames, decoded whole", "frames decoded whole"), ("json lines, lazy", "JSON lines")];
    let mut curves: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    let mut rate = None;
    for (id, figure, time) in figures.below("own/stream/values") {
        let Some((group, reader)) = id.split_once('/') else { continue };
        let mut parts = group.split(", ");
        let size = parts.next().and_then(|size| size.strip_suffix(" B")?.parse().ok());
        let (Some(size), Some(of)) = (size, parts.next()) else { continue };
        if rate.get_or_insert(of) == &of {
            curves.entry(reader).or_default().push((size, items(id, figure) / time.ns * 1e3));
        }
    }
    for points in curves.values_mut() {
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
    }
    let curves: Vec<Curve> =
        readers.iter().filter_map(|(reader, label)| Some(curve(label, curves.remove(reader)?))).collect();
    (!curves.is_empty()).then(|| lines(title, "million packets/s", "bytes of a value", &curves))
}
