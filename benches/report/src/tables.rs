//! Tables: the Markdown tables of the pages. A function returns `None` if nothing in its table was measured.

use std::collections::{BTreeMap, BTreeSet};

use crate::figures::{Figures, Way, is_comparable};
use crate::markdown::{cell, factor, inside, number, or_dash, ratio, table, with_range};
use crate::scenario::{PUBLISHED, described};
use crate::stamp::{COMMAND, Mode};
use crate::time::Time;
use crate::verdict::{Case, Place, Standing, Task};

type Rows = Vec<Vec<String>>;

/// Returns `None` if there are no rows.
fn some(headings: &[impl AsRef<str>], rows: &Rows) -> Option<String> {
    (!rows.is_empty()).then(|| table(headings, rows))
}

/// A table with a cell for each row and column. Rows whose cells are all empty are left out.
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

/// The name of a way, in bold if the way belongs to y3.
fn own(name: &str) -> String {
    if name.starts_with("y3") { format!("**{}**", inside(name)) } else { inside(name) }
}

/// The table of cases, with the times that decide the verdicts.
pub fn cases<'a>(cases: impl Iterator<Item = &'a Case>) -> Option<String> {
    let place = |place: &Place| format!("`{}` {}", inside(&place.name), with_range(place.time));
    let floor = |floor: &Place, own: Time| format!("{} ({})", cell(floor.time), factor(own.ns / floor.time.ns, 0.05));
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
    let headings = [
        "case",
        "regime",
        "y3's fastest, ns",
        "fastest other codec, ns",
        "other / y3",
        "y3 is",
        "floor, ns (y3 / floor)",
    ];
    some(&headings, &cases.map(row).collect())
}

/// The cases in which y3 is behind, the largest difference first.
pub fn losses(all: &[Case]) -> Option<String> {
    let mut lost: Vec<&Case> = all.iter().filter(|case| case.standing() == Standing::Behind).collect();
    lost.sort_by(|one, other| one.ratio.ns.total_cmp(&other.ratio.ns));
    cases(lost.into_iter())
}

/// The fastest comparable way of each codec in each task. If `each` is true, y3 has a row for each of its ways. The fastest codec is first.
pub fn by_codec<'a>(figures: &'a Figures, tasks: &[Task], each: bool) -> Vec<(&'a str, Vec<Option<Way<'a>>>)> {
    let mut rows: BTreeMap<&str, Vec<Option<Way>>> = BTreeMap::new();
    let mut first = vec![f64::MAX; tasks.len()];
    for (place, task) in tasks.iter().enumerate() {
        for way in task.ways(figures).filter(is_comparable) {
            let codec = way.0.split(' ').next().unwrap_or_default();
            let name = if each && codec == "y3" { way.0 } else { codec };
            let best = &mut rows.entry(name).or_insert_with(|| vec![None; tasks.len()])[place];
            if best.is_none_or(|best| way.2.ns < best.2.ns) {
                *best = Some(way);
                first[place] = first[place].min(way.2.ns);
            }
        }
    }
    // Sorts by the mean logarithm of the time divided by the shortest time of the task, so that all tasks have the same weight.
    let mean = |ways: &[Option<Way>]| {
        let beside = ways.iter().zip(&first).filter_map(|(way, first)| Some(((*way)?.2.ns / first).ln()));
        beside.clone().sum::<f64>() / beside.count() as f64
    };
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by(|one, other| mean(&one.1).total_cmp(&mean(&other.1)));
    rows
}

/// The table of one number (`ns`, or a name in a figure's `numbers`) of each codec's fastest way in each task. For `bytes` y3 has one row,
/// because all ways of y3 write the same bytes.
pub fn codecs(figures: &Figures, shown: &str, tasks: &[Task]) -> Option<String> {
    let rows = by_codec(figures, tasks, shown != "bytes").into_iter().map(|(name, ways)| (own(name), ways));
    grid(shown, rows, &columns(tasks), |ways, place| {
        let (_, figure, time) = ways[*place]?;
        if shown == "ns" { Some(cell(time)) } else { figure.numbers.get(shown).copied().map(number) }
    })
}

/// The codecs that readers of the report probably use, with descriptions.
const NOW: [(&str, &str); 10] = [
    ("serde_json", "JSON"),
    ("sonic-rs", "JSON, uses SIMD"),
    ("rmp-serde", "MessagePack"),
    ("minicbor", "CBOR"),
    ("prost", "Protocol Buffers"),
    ("bilrost", "similar to Protocol Buffers"),
    ("capnp", "Cap'n Proto"),
    ("flatbuffers", "FlatBuffers"),
    ("rkyv", "stores Rust structs in their memory layout"),
    ("postcard", "fields without keys and lengths"),
];

/// The time of each codec in `NOW` divided by y3's time.
pub fn instead(figures: &Figures, tasks: &[Task]) -> Option<String> {
    let rows: BTreeMap<_, _> = by_codec(figures, tasks, false).into_iter().collect();
    let codecs = NOW.iter().filter_map(|(codec, what)| Some((format!("{codec} ({what})"), rows.get(codec)?)));
    grid("codec", codecs, &columns(tasks), |ways, place| {
        Some(ratio(figures.ratio(ways[*place]?, rows.get("y3")?[*place]?)))
    })
}

/// A column for each task, with its heading and its index in `tasks`.
fn columns(tasks: &[Task]) -> Vec<(String, usize)> {
    tasks.iter().enumerate().map(|(place, task)| (format!(">{}", described(task.what)), place)).collect()
}

/// JSON's time divided by Y3's time, as published in 2020 and as measured now.
pub fn published(figures: &Figures) -> Option<String> {
    let mut rows = vec![("2020, Go".to_owned(), ["2020/{}/Y3", "2020/{}/JSON"].map(str::to_owned))];
    for codec in ["y3", "y3, packet by packet", "y3-codec", "y3-codec, packet by packet"] {
        let ids = [codec, "encoding/json"].map(|codec| format!("go/{{}}/{codec}, serial"));
        rows.push((format!("Go now: {codec}"), ids));
    }
    let ids = ["y3 PathSet", "serde_json Value"].map(|way| format!("extract/one-buffer/{{}}/{way}"));
    rows.push(("Rust now".to_owned(), ids));
    let columns = PUBLISHED.map(|(scenario, ..)| (format!(">{}", described(scenario)), scenario));
    grid("JSON's time / Y3's time", rows, &columns, |ids, scenario| {
        let [y3, json] = ids.each_ref().map(|id| figures.get(&id.replace("{}", scenario)));
        // Go's own benches run once, so the spread is not known. Only two digits are stable from run to run.
        Some(factor(json?.ns / y3?.ns, 0.1))
    })
}

/// The number of packets in an iteration, from a group name such as `64 B, 1% hits, 2000 packets`.
pub fn packets(id: &str) -> Option<f64> {
    id.split([',', '/']).find_map(|part| part.trim().strip_suffix(" packets")?.parse().ok())
}

/// The numbers in a name such as `16 B, 1% hits` or `y3/4096`. Rows and columns are sorted by these numbers.
fn numbers(name: &str) -> Vec<u64> {
    name.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

/// A table of the figures whose ids are `<prefix>/<row>/<column>`, in nanoseconds per item. An iteration has `count` items. If `count` is
/// `None`, [`packets`] gives the number of items. Rows and columns are swapped if there would be more columns than rows.
pub fn pivot(figures: &Figures, prefix: &str, count: Option<f64>) -> Option<String> {
    let mut cells: BTreeMap<[&str; 2], String> = BTreeMap::new();
    let mut sides = [Vec::new(), Vec::new()];
    for (id, _, time) in figures.below(prefix) {
        let (row, column) = id.split_once('/').unwrap_or(("", id));
        let row = row.rsplit_once(", ").filter(|(_, count)| count.ends_with(" packets")).map_or(row, |(row, _)| row);
        for (side, name) in sides.iter_mut().zip([row, column]) {
            side.extend((!side.contains(&name)).then_some(name));
        }
        let count = count.or_else(|| packets(id))?;
        cells.insert([row, column], cell(time.map(|ns| ns / count)));
    }
    let turned = sides[1].len() > sides[0].len();
    for side in &mut sides {
        side.sort_by_key(|name| numbers(name));
    }
    let [down, across] = if turned { [1, 0] } else { [0, 1] }.map(|side: usize| &sides[side]);
    let rows = down.iter().map(|row| (own(described(row)), *row));
    let columns: Vec<_> = across.iter().map(|name| (format!(">{}", inside(described(name))), *name)).collect();
    let at = |row: &&str, column: &&str| cells.get(&if turned { [*column, *row] } else { [*row, *column] }).cloned();
    grid("ns", rows, &columns, at)
}

/// What hostile bytes can cause in the ways that are not safe.
pub fn dangers(figures: &Figures) -> Option<String> {
    let dangers =
        figures.ways.iter().filter_map(|(id, figure)| Some((id.rsplit_once('/')?.1, figure.danger.as_ref()?)));
    let rows: BTreeSet<(&str, &String)> = dangers.collect();
    let row = |(name, danger): &(&str, &String)| vec![inside(name), inside(danger)];
    some(&["way", "what hostile bytes can cause"], &rows.iter().map(row).collect())
}

/// The machine, the versions and the command of the run.
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
        ("command", format!("`{COMMAND}{}`", if stamp.mode == Mode::Quick { " -- --quick" } else { "" })),
    ];
    facts.extend(stamp.flags.clone().map(|flags| ("`RUSTFLAGS`", flags)));
    facts.extend(figures.uncounted.clone().map(|why| ("instructions", format!("not counted: {why}"))));
    table(&["", ""], &facts.into_iter().map(|(name, value)| [name.to_owned(), inside(&value)]).collect::<Vec<_>>())
}
