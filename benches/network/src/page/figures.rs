//! Fills numbers, tables and charts into the template of the page. Names in double braces stand for figures.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use charts::Curve;
use gateway::hub::ROUND;
use report::fill::{self, Page};
use report::markdown::{self, grouped, number, or_dash};

use crate::measure::hosts::Between;
use crate::measure::idle::Idle;
use crate::measure::kept;
use crate::measure::row::{Row, ms, percent, table};
use crate::measure::setups::Section;
use crate::workers::Rate;

/// The file names of the rows, in the folder of the page.
pub const ROWS: &str = "network.csv";
pub const IDLE: &str = "network-idle.csv";
pub const WORKERS: &str = "network-workers.csv";
/// The template of the page, written by people.
pub const TEXT: &str = include_str!("NETWORK.md");
/// Differences below this share are ignored, because repeated runs can differ by this share.
const NOISE: f64 = 0.05;

/// The rows of the first table, with 1,024 bytes and 1,000 callers. Each has its name in the CSV and its name on the page.
const FIRST: [(&str, &str); 8] = [
    ("json-mux", "newline-JSON on Y3's transport"),
    ("y3-mux", "**Y3**"),
    ("kitex-mux", "Kitex, in Go"),
    ("tonic", "gRPC, in Rust (tonic)"),
    ("grpc", "gRPC, in Go"),
    ("json-pooled", "newline-JSON, a connection for each caller"),
    ("y3-pooled", "**Y3**, a connection for each caller"),
    ("kitex-pooled", "Kitex, a connection for each caller"),
];

/// A row of y3, and a row of another program with as many connections.
const PAIRS: [(&str, &str); 6] = [
    ("y3-mux", "json-mux"),
    ("y3-mux", "tonic"),
    ("y3-mux", "grpc"),
    ("y3-mux", "kitex-mux"),
    ("y3-pooled", "json-pooled"),
    ("y3-pooled", "kitex-pooled"),
];

/// The rows of all sweeps.
#[derive(Debug, Default)]
pub struct Figures {
    machine: String,
    /// `rows` are measured over the loopback, and `across` between two namespaces.
    rows: Vec<Row>,
    across: Vec<Row>,
    idle: Vec<Idle>,
    rates: Vec<Rate>,
}

/// Returns a number from a row.
type Value = fn(&Row) -> f64;

/// Formats a ratio with two or three digits, since more digits would differ between runs on a shared machine.
fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("×{ratio:.2}") } else { format!("×{ratio:.1}") }
}

/// A row, by its name and the numbers in its figure's name.
fn find<'a>(rows: &'a [Row], name: &str, body: &str, callers: &str) -> Option<&'a Row> {
    let (body, callers) = (body.parse().ok()?, callers.parse().ok()?);
    rows.iter().find(|row| row.is_of(name, body, callers))
}

impl Figures {
    /// Reads the CSVs of a folder. A missing file is allowed.
    pub fn read(folder: &Path, machine: String) -> anyhow::Result<Figures> {
        let of = |between| {
            anyhow::Ok(kept::read(&folder.join(ROWS))?.into_iter().filter(move |row: &Row| row.between == between))
        };
        Ok(Figures {
            machine,
            rows: of(Between::Loopback)?.collect(),
            across: of(Between::Namespaces)?.collect(),
            idle: kept::read(&folder.join(IDLE))?,
            rates: kept::read(&folder.join(WORKERS))?,
        })
    }

    /// Inserts figures into a text. Returns the text and its charts.
    #[must_use]
    pub fn filled(&self, text: &str) -> Page {
        fill::filled(text, &|name| self.figure(name), &|name, title| self.chart(name, title))
    }

    /// Returns a number or a table by its name, or `None` if it was not measured.
    #[must_use]
    pub fn figure(&self, name: &str) -> Option<String> {
        let words: Vec<&str> = name.split(' ').collect();
        match words[..] {
            ["machine"] => Some(self.machine.clone()),
            ["commits"] => Some(self.commits()),
            ["first"] => Some(self.first()),
            ["behind"] => Some(self.behind()),
            ["spread"] => {
                let spreads = FIRST.iter().filter_map(|(name, _)| self.at(name, "1024", "1000")?.spread);
                spreads.max_by(f64::total_cmp).map(percent)
            }
            ["tps", name, body, callers] => Some(grouped(self.at(name, body, callers)?.tps)),
            ["core", name, body, callers] => self.at(name, body, callers)?.server_us().map(number),
            ["times", one, other, body, callers] => {
                Some(times(self.at(one, body, callers)?.tps / self.at(other, body, callers)?.tps))
            }
            // Some systems allow no namespaces.
            ["across", one, other, body, callers] => {
                let tps = |name| Some(find(&self.across, name, body, callers)?.tps);
                Some(times(tps(one)? / tps(other)?))
            }
            ["backend", "waiting"] => Some((ROUND >> 10).to_string()),
            ["idle", what, which] => self.idle(what, which),
            ["idle", what] => self.idle(what, "most"),
            ["workers", what, work_ms] => self.workers(what, work_ms.parse().ok()?),
            ["rows", "proxies", callers] => {
                let callers: usize = callers.parse().ok()?;
                let rows = self.rows.iter().filter(|row| row.section() == Section::Proxy && row.callers == callers);
                Some(table(&rows.collect::<Vec<_>>()))
            }
            _ => None,
        }
        .map(|figure| figure.trim_matches('\n').to_owned())
    }

    /// Returns a row of the loopback.
    fn at(&self, name: &str, body: &str, callers: &str) -> Option<&Row> {
        find(&self.rows, name, body, callers)
    }

    /// The commits of all rows.
    fn commits(&self) -> String {
        let rows = self.rows.iter().chain(&self.across).map(|row| &row.commit);
        let all = rows.chain(self.idle.iter().map(|row| &row.commit)).chain(self.rates.iter().map(|row| &row.commit));
        let names: BTreeSet<&str> = all.map(|name| if name.is_empty() { "unknown" } else { name }).collect();
        format!("commit {}", names.into_iter().collect::<Vec<_>>().join(", "))
    }

    fn first(&self) -> String {
        let of = |name: &str| self.at(name, "1024", "1000");
        let cells = |(name, said): &(&str, &str)| {
            let row = of(name)?;
            let connections = if name.ends_with("pooled") { "pooled" } else { "mux" };
            let beside = |peer| or_dash(of(&format!("{peer}-{connections}")).map(|peer| times(row.tps / peer.tps)));
            let across = find(&self.across, name, "1024", "1000");
            Some([
                (*said).to_owned(),
                grouped(row.tps),
                beside("json"),
                beside("kitex"),
                or_dash(across.map(|across| grouped(across.tps))),
                or_dash(row.server_us().map(number)),
                or_dash(row.server_kernel.map(percent)),
                ms(row.p99_us),
                row.limit().to_owned(),
            ])
        };
        let rows: Vec<[String; 9]> = FIRST.iter().filter_map(cells).collect();
        let head = ["", ">requests/s", ">of JSON", ">of Kitex", ">across", ">µs each", ">kernel", ">TP99, ms", "limit"];
        markdown::table(&head, &rows)
    }

    /// Returns a table of places where y3 is slower or uses more memory than a peer with the same number of connections.
    fn behind(&self) -> String {
        // In each of these measures, less is better.
        let values: [(&str, Value); 4] = [
            ("requests a second", |row| 1.0 / row.tps),
            ("TP99", |row| row.p99_us),
            ("TP999", |row| row.p999_us),
            ("server memory", |row| row.server_kib.map_or(f64::NAN, |kib| kib as f64)),
        ];
        let mut rows = Vec::new();
        let range =
            |least, most| if least < most { format!("{} to {}", times(least), times(most)) } else { times(most) };
        for (ours, peer) in PAIRS {
            let peer_of = |row: &Row| self.rows.iter().find(|other| other.is_of(peer, row.body, row.callers));
            let of_ours = self.rows.iter().filter(|row| row.name == ours);
            let both: Vec<(&Row, &Row)> = of_ours.filter_map(|row| Some((row, peer_of(row)?))).collect();
            for (what, value) in values {
                let factors = both.iter().map(|(ours, theirs)| (value(ours) / value(theirs), *ours));
                let mut behind: Vec<(f64, &Row)> = factors.filter(|(factor, _)| *factor >= 1.0 + NOISE).collect();
                behind.sort_by(|one, other| one.0.total_cmp(&other.0));
                let (Some((least, _)), Some((most, worst))) = (behind.first(), behind.last()) else { continue };
                rows.push([
                    ours.to_owned(),
                    peer.to_owned(),
                    what.to_owned(),
                    format!("{} of {}", behind.len(), both.len()),
                    range(*least, *most),
                    format!("{} callers, {} B", grouped(worst.callers as f64), grouped(worst.body as f64)),
                ]);
            }
        }
        let head = ["row of y3", "row of another", "measure", ">places behind", ">factor", "worst place"];
        if rows.is_empty() { "None.".to_owned() } else { markdown::table(&head, &rows) }
    }

    /// Returns a figure about idle connections. `which` selects the row with the most or the least connections.
    fn idle(&self, what: &str, which: &str) -> Option<String> {
        let of = |is_busy: bool| {
            let mut rows = self.idle.iter().filter(move |row| (row.rate > 0) == is_busy);
            if which == "least" { rows.next() } else { rows.next_back() }
        };
        let (quiet, busy) = (of(false)?, of(true)?);
        let bytes = quiet.resident_kib as f64 * 1024.0;
        Some(match what {
            "connections" => grouped(quiet.connections as f64),
            "bytes" => grouped(quiet.bytes_each),
            "alone" => format!("{:.1}", (bytes - quiet.bytes_each * quiet.connections as f64) / f64::from(1 << 20)),
            "cpu" => format!("{:.1}%", quiet.proxy_cpu),
            "busy" => format!("{:.1}%", busy.proxy_cpu),
            "rate" => grouped(busy.rate as f64),
            "each" => format!("{:.0}", (busy.proxy_cpu - quiet.proxy_cpu).max(0.0) * 1e4 / busy.rate as f64),
            _ => return None,
        })
    }

    /// Returns a figure about workers. `times` compares the row with the most workers with the row of one worker.
    fn workers(&self, what: &str, work_ms: f64) -> Option<String> {
        let rows = || self.rates.iter().filter(|row| row.work_ms == work_ms);
        let (one, most) = (rows().find(|row| row.workers == 1)?, rows().max_by_key(|row| row.workers)?);
        Some(match what {
            "most" => most.workers.to_string(),
            "times" => times(most.rate / one.rate),
            "rate" => grouped(one.rate),
            "flight" => one.in_flight.to_string(),
            "broker" => format!("{:.2}", most.broker_cores),
            "cores" => format!("{:.2}", most.workers_cores),
            _ => return None,
        })
    }

    /// Returns the chart for the body size in `name`, or `None` if no line has two points.
    fn chart(&self, name: &str, title: &str) -> Option<String> {
        let body: usize = name.strip_prefix("network-tps-")?.parse().ok()?;
        let mut points: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.section() == Section::Echo && row.body == body) {
            points.entry(&row.name).or_default().push((row.callers as f64, row.tps / 1e3));
        }
        points.retain(|_, points| points.len() > 1);
        let curve = |(name, points): (&str, _)| Curve { name: name.to_owned(), points };
        let curves: Vec<Curve> = points.into_iter().map(curve).collect();
        (!curves.is_empty()).then(|| charts::lines(title, "1,000/s", "callers", &curves))
    }
}
