//! Scaling: how times grow with one parameter, and how close they are to the time that the machine needs for the loads
//! alone.
//!
//! In: the measurements. Out: a section of the report with charts, and the cost of a jump in words.

use std::collections::BTreeMap;

use crate::fit;
use crate::markdown::{cell, inside, number, table};
use crate::measured::{Measured, Times};
use crate::sections::Report;
use charts::{Curve, is_wide, lines};

/// The parameter of a sweep: its name in the benches and on an axis, its unit, and the hardware floors to draw.
struct Sweep {
    axis: &'static str,
    parameter: &'static str,
    unit: &'static str,
    floors: &'static [&'static str],
}

const PAIRS: Sweep = Sweep {
    axis: "pairs",
    parameter: "pairs before the watched one",
    unit: "pair",
    floors: &["load-add chain", "load-add chain, alone"],
};

const SWEEPS: [Sweep; 5] = [
    PAIRS,
    Sweep {
        axis: "value",
        parameter: "bytes of the text before the watched value",
        unit: "byte",
        floors: &["memory read"],
    },
    Sweep { axis: "depth", parameter: "nodes around the watched value", unit: "level", floors: &[] },
    Sweep { axis: "paths", parameter: "watched paths", unit: "path", floors: &[] },
    Sweep { axis: THREADS, parameter: "threads", unit: "", floors: &[] },
];

/// More threads make it faster, so this sweep has a gain and no slope.
const THREADS: &str = "threads";

/// A parameter and nanoseconds.
type Points = Vec<(f64, f64)>;

/// Series of numbered points.
fn curves(times: &Times, prefix: &str) -> BTreeMap<String, Points> {
    let mut curves: BTreeMap<String, Points> = BTreeMap::new();
    for (rest, time) in times.below(prefix) {
        let point = rest.rsplit_once('/').and_then(|(name, at)| Some((name, at.parse().ok()?)));
        if let Some((name, parameter)) = point {
            curves.entry(name.to_owned()).or_default().push((parameter, time.ns));
        }
    }
    for points in curves.values_mut() {
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
    }
    curves
}

/// The time that the machine needs for the loads alone.
struct Floor {
    name: String,
    points: Points,
    slope: f64,
}

/// The floors of a sweep that ends at `last`. A floor that was measured at one or two sizes only is a rate.
fn floors(times: &Times, sweep: &Sweep, parameters: &[f64]) -> Vec<Floor> {
    let all = curves(times, "floor");
    let last = parameters.iter().copied().fold(0.0, f64::max);
    let floor = |name: &&str| {
        let points = all.get(*name)?;
        let name = format!("floor: {name}");
        if points.len() > 2 {
            let points: Points = points.iter().copied().filter(|(at, _)| *at <= last).collect();
            return Some(Floor { name, slope: fit::line(&points)?.slope, points });
        }
        let slope = points.first().map(|(size, ns)| ns / size)?;
        // Less than a nanosecond is not a useful floor.
        let points = parameters.iter().map(|at| (*at, at * slope)).filter(|(_, ns)| *ns >= 1.0).collect();
        Some(Floor { name, points, slope })
    };
    sweep.floors.iter().filter_map(floor).collect()
}

/// The floor measured like a series: `alone`, where each call waits for the one before, or not.
fn floor_of<'a>(floors: &'a [Floor], name: &str) -> Option<&'a Floor> {
    let alone = |name: &str| name.ends_with(", alone");
    floors.iter().find(|floor| alone(&floor.name) == alone(name))
}

pub fn write(report: &mut Report, measured: &Measured) {
    report.say("\n## Scaling\n");
    report.say(
        "Time against one parameter, and the slope of the straight line through the points (least squares of relative \
         errors). Floors are the times that this machine needs in the same run for the loads alone. `load-add chain`: each length gives the position \
         of the next, and nothing else is done. As with the readers, the processor works on a few calls at once, except for `alone`, \
         where each call waits for the one before. `memory read`: the sum of the bytes.\n",
    );
    for sweep in SWEEPS {
        let series = curves(&measured.peers, &format!("scaling/{}", sweep.axis));
        if !series.is_empty() {
            report.say(&format!("\n### By {}\n", sweep.parameter));
            axis(report, measured, &sweep, series);
        }
    }
    let reads = curves(&measured.peers, "floor").remove("memory read").unwrap_or_default();
    let rates: Vec<String> = reads
        .iter()
        .map(|(size, ns)| format!("{} ns per byte for {} bytes", number(ns / size), number(*size)))
        .collect();
    if !rates.is_empty() {
        report.say(&format!(
            "\nReading memory takes {}; a jump does not read the bytes of the value.\n",
            rates.join(", ")
        ));
    }
}

fn axis(report: &mut Report, measured: &Measured, sweep: &Sweep, series: BTreeMap<String, Points>) {
    let Sweep { axis, parameter, unit, .. } = sweep;
    let mut parameters: Vec<f64> = series.values().flatten().map(|point| point.0).collect();
    parameters.sort_by(f64::total_cmp);
    parameters.dedup();
    let floors = floors(&measured.peers, sweep, &parameters);
    let (own, others): (Vec<_>, Vec<_>) = series.into_iter().partition(|(name, _)| name.starts_with("y3"));
    let mut drawn = Vec::new();
    let mut rows = Vec::new();
    // The floors come next to y3's own series.
    let of_floors = floors.iter().map(|floor| (floor.name.clone(), floor.points.clone()));
    let beside = own.len() + floors.len();
    for (name, points) in own.into_iter().chain(of_floors).chain(others) {
        let ends = [points.first(), points.last()];
        let mut cells = vec![inside(&name)];
        cells.extend(
            ends.map(|end| end.map_or_else(String::new, |(at, ns)| format!("{} at {}", number(*ns), number(*at)))),
        );
        let mut label = name.clone();
        if *axis == THREADS {
            cells.push(cell(ends[0].zip(ends[1]).map(|(first, last)| first.1 / last.1)));
        } else {
            let slope = fit::line(&points).map(|line| line.slope);
            cells.push(cell(slope));
            if let Some(slope) = slope {
                label = format!("{name}: {} ns per {unit}", number(slope));
            }
            if !floors.is_empty() {
                let floor = floor_of(&floors, &name);
                cells.push(cell(slope.zip(floor).map(|(slope, floor)| slope / floor.slope)));
            }
        }
        rows.push(cells);
        drawn.push(Curve { name, label, points });
    }
    let all: Vec<&Curve> = drawn.iter().collect();
    let wide = |of: fn(&(f64, f64)) -> f64| is_wide(all.iter().flat_map(|curve| curve.points.iter().map(of)));
    let title = format!("Nanoseconds against {parameter}");
    report.picture(&format!("scaling-{axis}"), &title, lines(&title, "ns", parameter, &all, wide(|point| point.1)));
    if !floors.is_empty() && beside < all.len() && wide(|point| point.1) && !wide(|point| point.0) {
        // A straight line looks straight on linear axes only.
        let title = format!("{title}: y3 and the floor");
        report.picture(&format!("scaling-{axis}-y3"), &title, lines(&title, "ns", parameter, &all[..beside], false));
    }
    let slope = format!(">ns per {unit}");
    let headings: &[&str] = match *axis {
        THREADS => &["", ">first, ns", ">last, ns", ">gain"],
        _ if floors.is_empty() => &["", ">first, ns", ">last, ns", &slope],
        _ => &["", ">first, ns", ">last, ns", &slope, ">slope / floor's slope"],
    };
    report.say(&table(headings, &rows));
}

/// The time of a jump compared with the hardware's floor, in words.
pub fn floor_in_words(measured: &Measured) -> Option<String> {
    let series = curves(&measured.peers, "scaling/pairs");
    let parameters: Vec<f64> = series.values().flatten().map(|point| point.0).collect();
    let floors = floors(&measured.peers, &PAIRS, &parameters);
    let of = |name: &str| {
        let slope = fit::line(series.get(name)?)?.slope;
        Some((number(slope), number(slope / floor_of(&floors, name)?.slope)))
    };
    let (ns, times) = of("y3 find")?;
    let mut text = format!(
        "Each pair that `find` jumps over costs {ns} ns, {times} times the floor: the chain of loads that every reader of \
         lengths needs"
    );
    if let Some((ns, times)) = of("y3 find, alone") {
        text +=
            &["; where each extraction waits for the one before, ", &ns, " ns, ", &times, " times the same"].concat();
    }
    Some(text + ".\n")
}

/// What a jump over a short and over a long text costs, beside a codec that reads the text.
pub fn jump_in_words(measured: &Measured) -> Option<String> {
    let series = curves(&measured.peers, "scaling/value");
    let ends = |name: &str| {
        let points = series.get(name)?;
        Some((*points.first()?, *points.last()?))
    };
    let ((short, first), (long, last)) = ends("y3 find")?;
    let ((_, json_first), (_, json_last)) = ends("serde_json typed, one field")?;
    Some(format!(
        "A jump costs the same whatever it jumps over: `find` reads the value behind a text of {} byte in {} ns and behind a text of {}\n\
         bytes in {} ns, where serde_json with a typed struct needs {} ns and {} ns.",
        number(short),
        number(first),
        number(long),
        number(last),
        number(json_first),
        number(json_last),
    ))
}
