//! Tables: what pages show of the figures in rows.
//!
//! In: figures, cases, and the words after `table` on a page. Out: Markdown tables; `None` if nothing of one was measured.

use std::collections::{BTreeMap, BTreeSet};

use crate::figures::{Figure, Figures, Way, fastest, is_batch, is_comparable, is_of};
use crate::markdown::{cell, exact, factor, inside, number, or_dash, ratio, table, with_range};
use crate::scenario::{PUBLISHED, REAL, described};
use crate::time::Time;
use crate::verdict::{Case, Class, Place, Standing, tally};

type Rows = Vec<Vec<String>>;

/// A table, if it has rows.
fn some(headings: &[impl AsRef<str>], rows: &Rows) -> Option<String> {
    (!rows.is_empty()).then(|| table(headings, rows))
}

/// A table of rows by columns; a row without a cell is left out.
fn grid<R, C>(
    corner: &str,
    rows: impl IntoIterator<Item = (String, R)>,
    columns: &[(String, C)],
    cell: impl Fn(&R, &C) -> Option<String>,
) -> Option<String> {
    let row = |(name, row): (String, R)| {
        let cells: Vec<Option<String>> = columns.iter().map(|(_, column)| cell(&row, column)).collect();
        let shown = cells.iter().any(Option::is_some);
        shown.then(|| std::iter::once(name).chain(cells.into_iter().map(or_dash)).collect())
    };
    let headings: Vec<&str> = std::iter::once(corner).chain(columns.iter().map(|(name, _)| name.as_str())).collect();
    some(&headings, &rows.into_iter().filter_map(row).collect())
}

/// A name, bold if it is one of y3.
fn own(name: &str) -> String {
    if name.starts_with("y3") { format!("**{}**", inside(name)) } else { inside(name) }
}

/// The cases of some classes, with the times that decide them.
pub fn cases<'a>(cases: impl Iterator<Item = &'a Case>) -> Option<String> {
    let place = |place: &Place| format!("{}, {}", inside(&place.name), with_range(place.time));
    let floor =
        |floor: &Place, own: Time| format!("{} ({})", cell(Some(floor.time)), factor(own.ns / floor.time.ns, 0.05));
    let ratio = |ratio: Time| format!("{:.2} ({:.2}–{:.2})", ratio.ns, ratio.low, ratio.high);
    let row = |case: &Case| {
        vec![
            described(&case.what).to_owned(),
            described(&case.regime).to_owned(),
            place(&case.own),
            place(&case.other),
            ratio(case.ratio),
            case.in_words(),
            or_dash(case.floor.as_ref().map(|place| floor(place, case.own.time))),
        ]
    };
    let headings =
        ["case", "regime", "y3's fastest, ns", "fastest of the others, ns", "ratio", "y3 is", "floor, ns (y3 / floor)"];
    some(&headings, &cases.map(row).collect())
}

/// The cases in which y3 is behind, the widest first.
pub fn losses(all: &[Case]) -> Option<String> {
    let mut lost: Vec<&Case> = all.iter().filter(|case| case.standing() == Standing::Behind).collect();
    lost.sort_by(|one, other| one.ratio.ns.total_cmp(&other.ratio.ns));
    cases(lost.into_iter())
}

/// How often y3 is first, by class and regime.
pub fn verdict(cases: &[Case]) -> Option<String> {
    let mut regimes: Vec<&str> = Vec::new();
    for case in cases {
        if !regimes.contains(&&*case.regime) {
            regimes.push(&case.regime);
        }
    }
    let counts = |class: &Class, regime: &&str| {
        let here = || cases.iter().filter(|case| case.class == *class && case.regime == *regime);
        here().next().map(|_| tally(here()))
    };
    let columns: Vec<_> = regimes.into_iter().map(|regime| (described(regime).to_owned(), regime)).collect();
    grid("first / tie / behind", Class::ALL.map(|class| (class.name().to_owned(), class)), &columns, counts)
}

/// A number of a way.
type Number = fn(&Figure) -> Option<f64>;

/// Every way of a group that hostile bytes cannot harm, the fastest first; of other codecs the fastest alone if `each` is not set.
pub fn ways(figures: &Figures, group: &str, each: bool) -> Option<String> {
    let mut ways: Vec<Way> = figures.below(group).filter(|(_, figure, _)| figure.danger.is_none()).collect();
    ways.sort_by(|one, other| one.2.ns.total_cmp(&other.2.ns));
    if !each {
        let mut seen = BTreeSet::new();
        let codec = |name: &str| name.split(' ').next().unwrap_or_default().to_owned();
        ways.retain(|(name, ..)| !is_batch(name) && (seen.insert(codec(name)) || name.starts_with("y3")));
    }
    let first = ways.iter().find(|way| way.0.starts_with("y3")).copied();
    let columns: [(&str, Number); 3] = [
        (">bytes", |figure| figure.bytes),
        (">allocations", |figure| figure.allocations),
        (">instructions", |figure| figure.instructions.map(f64::round)),
    ];
    let columns: Vec<_> = columns.into_iter().filter(|(_, of)| ways.iter().any(|way| of(way.1).is_some())).collect();
    let row = |way: &Way| {
        let beside = ratio(first.map(|first| figures.ratio(*way, first)));
        let cells = columns.iter().map(|(_, of)| exact(of(way.1)));
        [own(way.0), cell(Some(way.2)), beside].into_iter().chain(cells).collect()
    };
    let mut headings = vec!["way", ">ns", ">of y3's fastest"];
    headings.extend(columns.iter().map(|(name, _)| *name));
    some(&headings, &ways.iter().map(row).collect())
}

/// The codecs that a reader may use now.
const NOW: [(&str, &str); 10] = [
    ("serde_json", "JSON"),
    ("sonic-rs", "JSON, by SIMD"),
    ("rmp-serde", "MessagePack"),
    ("minicbor", "CBOR"),
    ("prost", "Protocol Buffers"),
    ("bilrost", "after Protocol Buffers"),
    ("capnp", "Cap'n Proto"),
    ("flatbuffers", "FlatBuffers"),
    ("rkyv", "Rust structs as in memory"),
    ("postcard", "no keys, no lengths"),
];

/// How many times as long each codec takes as y3.
pub fn instead(figures: &Figures) -> Option<String> {
    let columns = [
        (">1 of 63", format!("extract/{REAL}/C63-K32")),
        (">1 of 16", format!("extract/{REAL}/C16-K08")),
        (">1 of 3", format!("extract/{REAL}/C03-K02")),
        (">3 of 63, struct", "3 fields of 63".to_owned()),
        (">whole message", "message/decode borrowed".to_owned()),
        (">63 written", format!("encode/{REAL}/C63")),
    ];
    let best = |group: &str, codec: &str| {
        let ways = figures.below(group).filter(|way| is_of(way.0, codec) && !is_batch(way.0));
        fastest(ways.filter(is_comparable))
    };
    let beside =
        |codec: &&str, group: &String| Some(ratio(Some(figures.ratio(best(group, codec)?, best(group, "y3")?))));
    let rows = NOW.map(|(codec, what)| (format!("{codec} ({what})"), codec));
    grid("in place of y3", rows, &columns.map(|(name, group)| (name.to_owned(), group)), beside)
}

/// JSON's time divided by Y3's: published in 2020, and measured now.
pub fn published(figures: &Figures) -> Option<String> {
    let mut rows = vec![("2020, Go".to_owned(), ["2020/{}/Y3", "2020/{}/JSON"].map(str::to_owned))];
    for codec in ["y3", "y3, packet by packet", "y3-codec", "y3-codec, packet by packet"] {
        let ids = [codec, "encoding/json"].map(|codec| format!("go/{{}}/{codec}, serial"));
        rows.push((format!("Go now: {codec}"), ids));
    }
    let ids = ["y3 PathSet", "serde_json Value"].map(|way| format!("extract/one-buffer/{{}}/{way}"));
    rows.push(("Rust now".to_owned(), ids));
    let columns = PUBLISHED.map(|(scenario, ..)| (format!(">{}", described(scenario)), scenario));
    grid("JSON's time / Y3's", rows, &columns, |ids, scenario| {
        let [y3, json] = ids.each_ref().map(|id| figures.get(&id.replace("{}", scenario)));
        // One run of Go's own benches has no spread; two digits are what it repeats.
        Some(factor(json?.ns / y3?.ns, 0.1))
    })
}

/// How many items an iteration has: as the name of the group says, `2000 packets`, or as the bench says.
pub fn items(id: &str, figure: &Figure) -> f64 {
    let said = id.split([',', '/']).find_map(|part| part.trim().strip_suffix(" packets")?.parse().ok());
    said.or(figure.size).unwrap_or(1.0)
}

/// The numbers of a name, by which rows and columns are in order: `16 B, 1% hits`, `y3/4096`.
fn numbers(name: &str) -> Vec<u64> {
    name.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

/// Nanoseconds for one item by `<row>/<column>` below a prefix. Without `count` there are as many items as [`items`] says.
pub fn pivot(figures: &Figures, prefix: &str, count: Option<f64>) -> Option<String> {
    let mut cells: BTreeMap<(&str, &str), String> = BTreeMap::new();
    let (mut rows, mut columns) = (Vec::new(), Vec::new());
    for (id, figure, time) in figures.below(prefix) {
        let (row, column) = id.split_once('/').unwrap_or(("", id));
        let row = row.rsplit_once(", ").filter(|(_, count)| count.ends_with(" packets")).map_or(row, |(row, _)| row);
        rows.extend((!rows.contains(&row)).then_some(row));
        columns.extend((!columns.contains(&column)).then_some(column));
        cells.insert((row, column), cell(Some(time.map(|ns| ns / count.unwrap_or_else(|| items(id, figure))))));
    }
    rows.sort_by_key(|name| numbers(name));
    columns.sort_by_key(|name| numbers(name));
    let rows = rows.into_iter().map(|row| (described(row).to_owned(), row));
    let columns: Vec<_> = columns.into_iter().map(|column| (format!(">{}", inside(column)), column)).collect();
    grid("ns", rows, &columns, |row, column| cells.get(&(row, column)).cloned())
}

/// Nanoseconds for one of so many, or of the packets of so many bytes, below a prefix: the fastest first.
pub fn each(figures: &Figures, prefix: &str, count: &str) -> Option<String> {
    let bytes: Option<f64> = count.strip_suffix('B').and_then(|bytes| bytes.parse().ok());
    let count = |figure: &Figure| match bytes {
        Some(bytes) => Some(figure.size? / bytes),
        None => count.parse().ok(),
    };
    let one_of = |(name, figure, time): Way<'_>| {
        let count = count(figure)?;
        Some((name.to_owned(), time.map(|ns| ns / count)))
    };
    let mut ways: Vec<(String, Time)> = figures.below(prefix).filter_map(one_of).collect();
    ways.sort_by(|one, other| one.1.ns.total_cmp(&other.1.ns));
    some(&["way", ">ns"], &ways.iter().map(|(name, time)| vec![own(name), cell(Some(*time))]).collect())
}

/// Series of numbered points below a prefix: `<series>/<parameter>`.
pub fn series(figures: &Figures, prefix: &str) -> BTreeMap<String, Vec<(f64, Time)>> {
    let mut series: BTreeMap<String, Vec<(f64, Time)>> = BTreeMap::new();
    for (rest, _, time) in figures.below(prefix) {
        if let Some((name, at)) = rest.rsplit_once('/').and_then(|(name, at)| Some((name, at.parse().ok()?))) {
            series.entry(name.to_owned()).or_default().push((at, time));
        }
    }
    for points in series.values_mut() {
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
    }
    series
}

/// Nanoseconds for one more of the parameter, by the least squares.
pub fn slope(points: &[(f64, Time)]) -> Option<f64> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, Time)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1.ns));
    let (above, below) = points
        .iter()
        .fold((0.0, 0.0), |(above, below), (at, time)| (above + (at - x) * (time.ns - y), below + (at - x) * (at - x)));
    (points.len() > 1 && below > 0.0).then(|| above / below)
}

/// The first and the last point of each series below a prefix, and what one more of the parameter takes.
pub fn scaling(figures: &Figures, prefix: &str) -> Option<String> {
    let row = |(name, points): (&String, &Vec<(f64, Time)>)| {
        let end = |end: Option<&(f64, Time)>| {
            or_dash(end.map(|(at, time)| format!("{} at {}", cell(Some(*time)), number(*at))))
        };
        vec![own(name), end(points.first()), end(points.last()), exact(slope(points))]
    };
    let rows: Rows = series(figures, prefix).iter().map(row).collect();
    some(&["", ">first, ns", ">last, ns", ">ns for one more"], &rows)
}

/// What hostile bytes can do to the ways that are not safe.
pub fn dangers(figures: &Figures) -> Option<String> {
    let dangers =
        figures.ways.iter().filter_map(|(id, figure)| Some((id.rsplit_once('/')?.1, figure.danger.as_ref()?)));
    let rows: BTreeSet<(&str, &String)> = dangers.collect();
    let row = |(name, danger): &(&str, &String)| vec![inside(name), inside(danger)];
    some(&["way", "what hostile bytes can do"], &rows.iter().map(row).collect())
}

/// On what the report was measured.
pub fn conditions(figures: &Figures) -> String {
    let stamp = &figures.stamp;
    let versions: Vec<String> = stamp.peers.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let mut facts = vec![
        ("machine", stamp.machine()),
        ("system", stamp.machine.kernel.clone()),
        ("compiler", stamp.machine.rustc.clone()),
        ("y3's features", stamp.features.clone()),
        ("date, commit", format!("{}, {}", stamp.date(), stamp.commit)),
        ("versions", versions.join(", ")),
        ("Go", figures.go.clone()),
        ("command", format!("`{}`", stamp.mode.command())),
    ];
    facts.extend(stamp.flags.clone().map(|flags| ("`RUSTFLAGS`", flags)));
    facts.extend(figures.uncounted.clone().map(|why| ("instructions", format!("not counted: {why}"))));
    let minutes = |finished: u64| format!("{:.0} minutes, with the build", (finished - stamp.started) as f64 / 60.0);
    facts.extend(stamp.finished.map(|finished| ("took", minutes(finished))));
    table(&["", ""], &facts.into_iter().map(|(name, value)| [name.to_owned(), inside(&value)]).collect::<Vec<_>>())
}
