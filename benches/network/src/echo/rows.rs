//! Rows: what runs measured, as CSV, as a table, and beside an earlier run.
//!
//! In: rows of clients with what their servers used. Out: text.

use std::path::Path;

use report::markdown::{self, grouped};
use serde::{Deserialize, Serialize};

use super::load::Row;
use crate::kept::{commit, csv_file, turns, undisturbed};
use crate::process::Usage;

/// A row of the table, and a line of the CSV. Numbers of a server on another machine are missing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    pub name: String,
    pub body: usize,
    pub callers: usize,
    pub delay_ms: f64,
    pub seconds: f64,
    pub requests: u64,
    pub errors: u64,
    pub tps: f64,
    pub mean_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub max_us: f64,
    /// Of the client while it measured.
    pub client_user_s: f64,
    pub client_system_s: f64,
    pub client_rss_kib: u64,
    /// How long the server was watched: from the client's start to its end.
    pub server_wall_s: f64,
    pub server_user_s: Option<f64>,
    pub server_system_s: Option<f64>,
    pub server_rss_kib: Option<u64>,
    /// Of all cores' time while it was measured, in percent; missing where the system does not tell.
    #[serde(default)]
    pub stolen: Option<f64>,
    /// How often it was measured, of which this is the row in the middle.
    #[serde(default)]
    pub turns: usize,
    /// The range of their requests a second, in percent of this row's.
    #[serde(default)]
    pub spread: Option<f64>,
    /// What was measured.
    #[serde(default)]
    pub commit: String,
}

impl Entry {
    /// A client's row with what its server used meanwhile, measured once. Stolen time is not known.
    pub fn new(row: Row, delay_ms: f64, server_wall_s: f64, server: Option<Usage>) -> Self {
        Entry {
            name: row.name,
            body: row.body,
            callers: row.callers,
            delay_ms,
            seconds: row.seconds,
            requests: row.requests,
            errors: row.errors,
            tps: row.tps,
            mean_us: row.mean_us,
            p99_us: row.p99_us,
            p999_us: row.p999_us,
            max_us: row.max_us,
            server_wall_s,
            client_user_s: row.cpu_user_s,
            client_system_s: row.cpu_system_s,
            client_rss_kib: row.rss_kib,
            server_user_s: server.map(|server| server.user),
            server_system_s: server.map(|server| server.system),
            server_rss_kib: server.map(|server| server.rss),
            stolen: None,
            turns: 1,
            spread: None,
            commit: commit(),
        }
    }

    /// Whether both are measurements of the same thing.
    pub fn is_of(&self, name: &str, body: usize, callers: usize, delay_ms: f64) -> bool {
        self.name == name && self.body == body && self.callers == callers && (self.delay_ms - delay_ms).abs() < 1e-6
    }

    fn twin<'a>(&self, others: &'a [Entry]) -> Option<&'a Entry> {
        others.iter().find(|other| other.is_of(&self.name, self.body, self.callers, self.delay_ms))
    }

    /// Microseconds of the server's core for a request.
    pub fn server_us(&self) -> Option<f64> {
        Some(1e4 * self.server_cpu()? / self.tps)
    }

    /// The kernel's share of the server's time, in percent.
    pub fn kernel(&self) -> Option<f64> {
        let system = self.server_system_s?;
        let all = self.server_user_s? + system;
        (all > 0.0).then(|| 100.0 * system / all)
    }

    /// What a faster server would wait for.
    pub fn limit(&self) -> &'static str {
        let full = |cpu: f64| cpu >= FULL;
        match (full(self.client_cpu()), self.server_cpu().is_some_and(full)) {
            (true, true) => "both cores",
            (true, false) => "the client's core",
            (false, true) => "the server's core",
            (false, false) => "each waits for the other",
        }
    }

    /// Cores that the client kept busy, in percent.
    pub fn client_cpu(&self) -> f64 {
        100.0 * (self.client_user_s + self.client_system_s) / self.seconds
    }

    /// Cores that the server kept busy, in percent.
    pub fn server_cpu(&self) -> Option<f64> {
        Some(100.0 * (self.server_user_s? + self.server_system_s?) / self.server_wall_s)
    }
}

/// Writes a CSV, sorted.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, entries: &[Entry]) -> anyhow::Result<()> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|one, other| {
        let key = |entry: &Entry| (entry.body, entry.name.clone(), entry.callers);
        key(one).cmp(&key(other)).then(one.delay_ms.total_cmp(&other.delay_ms))
    });
    csv_file::write(path, sorted)
}

/// Puts a new measurement in the place of an older one of the same thing.
pub fn put(entries: &mut Vec<Entry>, new: Entry) {
    entries.retain(|entry| !entry.is_of(&new.name, new.body, new.callers, new.delay_ms));
    entries.push(new);
}

/// A core this busy, in percent, is full: starts and ends of processes are in the time too.
const FULL: f64 = 95.0;

const HEAD: [&str; 12] = [
    "",
    ">callers",
    ">requests/s",
    ">range",
    ">TP99",
    ">TP999, ms",
    ">client CPU",
    ">server CPU",
    ">µs each",
    ">kernel",
    ">MiB",
    ">stolen",
];

/// Milliseconds, wherever they are said.
pub fn ms(us: f64) -> String {
    format!("{:.2}", us / 1e3)
}

/// Microseconds of a core, wherever they are said.
pub fn core_us(us: f64) -> String {
    if us < 10.0 { format!("{us:.2}") } else { format!("{us:.1}") }
}

/// The cells of one row, times in milliseconds.
fn cells(entry: &Entry) -> [String; 12] {
    let percent = |cpu: f64| format!("{cpu:.0}%");
    let mib = |kib: u64| format!("{:.1}", kib as f64 / 1024.0);
    [
        entry.name.clone(),
        entry.callers.to_string(),
        grouped(entry.tps),
        turns::cell(entry.spread),
        ms(entry.p99_us),
        ms(entry.p999_us),
        percent(entry.client_cpu()),
        entry.server_cpu().map_or_else(String::new, percent),
        entry.server_us().map_or_else(String::new, core_us),
        entry.kernel().map_or_else(String::new, percent),
        entry.server_rss_kib.map_or_else(String::new, mib),
        undisturbed::cell(entry.stolen),
    ]
}

/// A Markdown table, aligned for a terminal.
pub fn table(entries: &[&Entry]) -> String {
    markdown::columns(&HEAD, &entries.iter().map(|entry| cells(entry)).collect::<Vec<_>>())
}

/// Rows that an earlier run has too, with what changed.
pub fn diff(now: &[Entry], before: &[Entry]) -> String {
    let row = |entry: &Entry| {
        let old = entry.twin(before)?;
        let change = |new: f64, old: f64| format!("{:+.1}%", 100.0 * (new / old - 1.0));
        Some([
            entry.name.clone(),
            entry.body.to_string(),
            entry.callers.to_string(),
            grouped(old.tps),
            grouped(entry.tps),
            change(entry.tps, old.tps),
            change(entry.p99_us, old.p99_us),
            change(entry.p999_us, old.p999_us),
        ])
    };
    let rows: Vec<[String; 8]> = now.iter().filter_map(row).collect();
    let head = ["", ">body", ">callers", ">TPS before", ">TPS now", ">TPS", ">TP99", ">TP999"];
    markdown::columns(&head, &rows)
}
