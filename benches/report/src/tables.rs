//! Tables: what pages show of the figures in rows.
//!
//! In: figures, cases, and the words after `table` on a page. Out: Markdown tables; `None` if nothing of one was measured.

use std::collections::{BTreeMap, BTreeSet};

use crate::figures::{FLOOR, Figure, Figures, Way, fastest, is_batch, is_comparable, is_of};
use crate::fill::NOTHING;
use crate::markdown::{cell, exact, factor, grouped, inside, number, ratio, table, with_range};
use crate::scenario::{PUBLISHED, REAL, described};
use crate::time::Time;
use crate::verdict::{Case, Class, Place, Standing};

type Rows = Vec<Vec<String>>;

/// A table, if it has rows.
fn some(headings: &[&str], rows: &Rows) -> Option<String> {
    (!rows.is_empty()).then(|| table(headings, rows))
}

/// A name, bold if it is one of y3.
fn own(name: &str) -> String {
    if name.starts_with("y3") { format!("**{}**", inside(name)) } else { inside(name) }
}

/// The cases of some classes, with the times that decide them.
pub fn cases<'a>(cases: impl Iterator<Item = &'a Case>) -> Option<String> {
    let place = |place: &Place| format!("{}, {}", inside(&place.name), with_range(place.time));
    let floor = |case: &Case| {
        let times =
            |floor: &Place| format!("{} ({})", cell(Some(floor.time)), factor(case.own.time.ns / floor.time.ns, 0.05));
        case.floor.as_ref().map_or_else(|| NOTHING.to_owned(), times)
    };
    let ratio = |ratio: Time| format!("{:.2} ({:.2}–{:.2})", ratio.ns, ratio.low, ratio.high);
    let row = |case: &Case| {
        vec![
            described(&case.what).to_owned(),
            described(&case.regime).to_owned(),
            place(&case.own),
            place(&case.other),
            case.ratio.map_or_else(|| NOTHING.to_owned(), ratio),
            case.in_words(),
            floor(case),
        ]
    };
    let headings =
        ["case", "regime", "y3's fastest, ns", "fastest of the others, ns", "ratio", "y3 is", "floor, ns (y3 / floor)"];
    some(&headings, &cases.map(row).collect())
}

/// The cases in which y3 is behind, the widest first.
pub fn losses(all: &[Case]) -> Option<String> {
    let mut lost: Vec<&Case> = all.iter().filter(|case| case.standing() == Standing::Behind).collect();
    lost.sort_by(|one, other| one.lead().total_cmp(&other.lead()));
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
    let counts = |class: Class, regime: &str| {
        let of = |wanted| {
            let here = cases.iter().filter(|case| case.class == class && case.regime == regime);
            here.filter(|case| case.standing() == wanted).count()
        };
        match [Standing::First, Standing::Tie, Standing::Behind].map(of) {
            [0, 0, 0] => NOTHING.to_owned(),
            [first, tie, behind] => format!("{first} / {tie} / {behind}"),
        }
    };
    let row = |class: Class| {
        let name = class.name().to_owned();
        std::iter::once(name).chain(regimes.iter().map(|regime| counts(class, regime))).collect()
    };
    let mut headings = vec!["first / tie / behind"];
    headings.extend(regimes.iter().map(|regime| described(regime)));
    some(&headings, &Class::ALL.map(row).to_vec())
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
    let row = |(codec, what): &(&str, &str)| {
        let beside = |group: &str| Some(figures.ratio(best(group, codec)?, best(group, "y3")?));
        let cells = columns.iter().map(|(_, group)| ratio(beside(group)));
        std::iter::once(format!("{codec} ({what})")).chain(cells).collect::<Vec<String>>()
    };
    let rows: Rows = NOW.iter().map(row).filter(|cells| cells.iter().skip(1).any(|cell| cell != NOTHING)).collect();
    let headings: Vec<&str> = std::iter::once("in place of y3").chain(columns.iter().map(|(name, _)| *name)).collect();
    some(&headings, &rows)
}

/// JSON's time divided by Y3's: published in 2020, and measured now.
pub fn published(figures: &Figures) -> Option<String> {
    let rust = |scenario: &str| format!("extract/one-buffer/{scenario}");
    let row = |name: &str, y3: &dyn Fn(&str) -> String, json: &dyn Fn(&str) -> String| {
        let of = |(scenario, ..): (&str, f64, f64)| {
            let times = figures.get(&json(scenario)).zip(figures.get(&y3(scenario)));
            // One run of Go's own benches has no spread; two digits are what it repeats.
            times.map_or_else(|| NOTHING.to_owned(), |(json, y3)| factor(json.ns / y3.ns, 0.1))
        };
        std::iter::once(name.to_owned()).chain(PUBLISHED.map(of)).collect::<Vec<String>>()
    };
    let go = |codec: &'static str| move |scenario: &str| format!("go/{scenario}/{codec}, serial");
    let json = go("encoding/json");
    let mut rows = vec![row("2020, Go", &|of| format!("2020/{of}/Y3"), &|of| format!("2020/{of}/JSON"))];
    for codec in ["y3", "y3, packet by packet", "y3-codec", "y3-codec, packet by packet"] {
        rows.push(row(&format!("Go now: {codec}"), &go(codec), &json));
    }
    rows.push(row("Rust now", &|of| rust(of) + "/y3 PathSet", &|of| rust(of) + "/serde_json Value"));
    rows.retain(|cells| cells.iter().skip(1).any(|cell| cell != NOTHING));
    let names = PUBLISHED.map(|(scenario, ..)| format!(">{}", described(scenario)));
    some(&std::iter::once("JSON's time / Y3's").chain(names.iter().map(String::as_str)).collect::<Vec<_>>(), &rows)
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
    let mut cells: BTreeMap<(String, String), String> = BTreeMap::new();
    let (mut rows, mut columns): (Vec<String>, Vec<String>) = Default::default();
    for (id, figure, time) in figures.below(prefix) {
        let (row, column) = id.split_once('/').unwrap_or(("", id));
        let row = row.rsplit_once(", ").filter(|(_, count)| count.ends_with(" packets")).map_or(row, |(row, _)| row);
        let each = cell(Some(time.over(count.unwrap_or_else(|| items(id, figure)))));
        for (names, name) in [(&mut rows, row), (&mut columns, column)] {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        cells.insert((row.to_owned(), column.to_owned()), each);
    }
    rows.sort_by_key(|name| numbers(name));
    columns.sort_by_key(|name| numbers(name));
    let line = |row: &String| {
        let of =
            |column: &String| cells.get(&(row.clone(), column.clone())).cloned().unwrap_or_else(|| NOTHING.to_owned());
        std::iter::once(described(row).to_owned()).chain(columns.iter().map(of)).collect()
    };
    let headings: Vec<String> = columns.iter().map(|column| format!(">{}", inside(column))).collect();
    let headings: Vec<&str> = std::iter::once("ns").chain(headings.iter().map(String::as_str)).collect();
    some(&headings, &rows.iter().map(line).collect())
}

/// Nanoseconds for one of so many, or of the packets of so many bytes, below a prefix: the fastest first.
pub fn each(figures: &Figures, prefix: &str, count: &str) -> Option<String> {
    let bytes: Option<f64> = count.strip_suffix('B').and_then(|bytes| bytes.parse().ok());
    let count = |figure: &Figure| match bytes {
        Some(bytes) => Some(figure.size? / bytes),
        None => count.parse().ok(),
    };
    let mut ways: Vec<(&str, Time)> =
        figures.below(prefix).filter_map(|(name, figure, time)| Some((name, time.over(count(figure)?)))).collect();
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
            end.map_or_else(String::new, |(at, time)| format!("{} at {}", cell(Some(*time)), number(*at)))
        };
        let slope = slope(points).map_or_else(|| NOTHING.to_owned(), number);
        vec![own(name), end(points.first()), end(points.last()), slope]
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

/// The machine's clock, by bench.
pub fn clock(figures: &Figures) -> Option<String> {
    let row = |(bench, time): (&String, &Time)| {
        vec![bench.clone(), number(time.low), number(time.ns), number(time.high), number(time.high / time.low)]
    };
    let headings = ["bench", ">lowest, ns", ">median, ns", ">highest, ns", ">highest / lowest"];
    some(&headings, &figures.steadiness.clock.iter().map(row).collect())
}

/// An exact count with commas.
pub fn count(number: Option<f64>) -> Option<String> {
    number.map(grouped)
}

/// The way of the floor in a group, for the charts that leave it out.
pub fn is_floor(name: &str) -> bool {
    is_of(name, FLOOR)
}
