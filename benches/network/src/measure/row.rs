//! The result of a measurement, as CSV and as a table.

use std::path::Path;

use report::markdown::{self, grouped, number, or_dash};
use serde::{Deserialize, Serialize};

use super::hosts::Between;
use super::kept::{self, commit};
use super::setups::{self, Section};
use crate::process::Usage;

/// A line of the CSV. Clients, also those in Go, print the same row without the fields of servers. Processor time is in
/// percent of a core, and memory is the peak in KiB. For a server on another machine, both are missing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Row {
    pub name: String,
    pub between: Between,
    pub body: usize,
    /// The number of callers. Behind a proxy, each caller has a connection.
    pub callers: usize,
    pub seconds: f64,
    pub requests: u64,
    pub errors: u64,
    pub tps: f64,
    pub mean_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub client_cpu: f64,
    pub client_kib: u64,
    /// The processor time of the server or of the proxy's backend, and the kernel's share of it in percent.
    pub server_cpu: Option<f64>,
    pub server_kernel: Option<f64>,
    pub server_kib: Option<u64>,
    pub proxy_cpu: Option<f64>,
    pub proxy_kib: Option<u64>,
    pub second_cpu: Option<f64>,
    pub second_kib: Option<u64>,
    /// The number of measurements, of which this row is the median.
    pub turns: usize,
    /// The range of their requests a second, in percent of this row's.
    pub spread: Option<f64>,
    /// The commit that was measured.
    pub commit: String,
}

impl Row {
    /// Adds the resources that the servers used in `wall` seconds to a client's row. The backend is the first server.
    #[must_use]
    pub fn beside(self, name: &str, between: Between, used: &[Option<Usage>], wall: f64) -> Row {
        let used = |at: usize| used.get(at).copied().flatten();
        let cpu = |at| used(at).map(|usage| usage.percent(wall));
        let kib = |at| used(at).map(|usage| usage.rss);
        let kernel =
            |usage: Usage| Some(100.0 * usage.system / (usage.user + usage.system)).filter(|share| share.is_finite());
        Row {
            name: name.to_owned(),
            between,
            server_cpu: cpu(0),
            server_kernel: used(0).and_then(kernel),
            server_kib: kib(0),
            proxy_cpu: cpu(1),
            proxy_kib: kib(1),
            second_cpu: cpu(2),
            second_kib: kib(2),
            turns: 1,
            commit: commit(),
            ..self
        }
    }

    /// True if this is a row of this name, body size and number of callers, over any network.
    #[must_use]
    pub fn is_of(&self, name: &str, body: usize, callers: usize) -> bool {
        self.name == name && self.body == body && self.callers == callers
    }

    #[must_use]
    pub fn section(&self) -> Section {
        setups::named(&self.name).map_or(Section::Echo, |setup| setup.section)
    }

    /// The server's processor time for a request, in microseconds.
    #[must_use]
    pub fn server_us(&self) -> Option<f64> {
        Some(1e4 * self.server_cpu? / self.tps)
    }

    /// The core that was fully busy. A core counts as full from 95%, because the measured time includes the start and end
    /// of processes.
    #[must_use]
    pub fn limit(&self) -> &'static str {
        let full = |cpu: f64| cpu >= 95.0;
        match (full(self.client_cpu), self.server_cpu.is_some_and(full)) {
            (true, true) => "both cores",
            (true, false) => "the client's core",
            (false, true) => "the server's core",
            (false, false) => "each waits for the other",
        }
    }
}

/// Writes a CSV file, sorted by section and size, then in the order of the table in `setups`.
pub fn write(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    let at = |row: &Row| setups::SETUPS.iter().position(|setup| setup.name == row.name);
    sorted.sort_by_key(|row| (row.section() == Section::Proxy, row.between, row.body, at(row), row.callers));
    kept::write(path, sorted)
}

/// Adds a new row, and removes an older row of the same measurement.
pub fn put(rows: &mut Vec<Row>, new: Row) {
    rows.retain(|row| row.between != new.between || !row.is_of(&new.name, new.body, new.callers));
    rows.push(new);
}

/// Formats milliseconds.
#[must_use]
pub fn ms(us: f64) -> String {
    format!("{:.2}", us / 1e3)
}

/// Formats mebibytes.
#[must_use]
pub fn mib(kib: u64) -> String {
    format!("{:.1}", kib as f64 / 1024.0)
}

#[must_use]
pub fn percent(share: f64) -> String {
    format!("{share:.0}%")
}

/// A column: its heading, and a function that formats its cells.
type Column = (&'static str, fn(&Row) -> String);

const COMMON: [Column; 6] = [
    ("", |row| row.name.clone()),
    (">callers", |row| row.callers.to_string()),
    (">requests/s", |row| grouped(row.tps)),
    (">range", |row| or_dash(row.spread.map(percent))),
    (">TP99", |row| ms(row.p99_us)),
    (">TP999, ms", |row| ms(row.p999_us)),
];
const ECHO: [Column; 5] = [
    (">client CPU", |row| percent(row.client_cpu)),
    (">server CPU", |row| or_dash(row.server_cpu.map(percent))),
    (">µs each", |row| or_dash(row.server_us().map(number))),
    (">kernel", |row| or_dash(row.server_kernel.map(percent))),
    (">MiB", |row| or_dash(row.server_kib.map(mib))),
];
const PROXY: [Column; 5] = [
    (">load's CPU", |row| percent(row.client_cpu)),
    (">proxy's", |row| or_dash(row.proxy_cpu.map(percent))),
    (">second's", |row| or_dash(row.second_cpu.map(percent))),
    (">backend's", |row| or_dash(row.server_cpu.map(percent))),
    (">proxy's MiB", |row| or_dash(row.proxy_kib.map(mib))),
];

/// Formats rows as a Markdown table, aligned for a terminal.
#[must_use]
pub fn table(rows: &[&Row]) -> String {
    let more = if rows.iter().any(|row| row.section() == Section::Proxy) { PROXY } else { ECHO };
    let all: Vec<Column> = COMMON.into_iter().chain(more).collect();
    let heads: Vec<&str> = all.iter().map(|(head, _)| *head).collect();
    let cells = |row: &&Row| all.iter().map(|(_, cell)| cell(row)).collect::<Vec<String>>();
    markdown::table(&heads, &rows.iter().map(cells).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_stand_in_their_order_with_percent_of_a_core_and_the_kernels_share() {
        let client = Row { tps: 1000.0, client_cpu: 97.0, ..Row::default() };
        let usage = |user, system, rss| Some(Usage { user, system, rss });
        let row =
            client.clone().beside("y3-redact", Between::Loopback, &[usage(0.2, 0.8, 7), usage(1.5, 0.4, 8), None], 2.0);
        assert_eq!((row.server_cpu, row.server_kernel, row.server_kib), (Some(50.0), Some(80.0), Some(7)));
        assert_eq!((row.proxy_cpu.map(f64::round), row.proxy_kib, row.second_cpu), (Some(95.0), Some(8), None));
        assert_eq!((row.name.as_str(), row.section(), row.server_us()), ("y3-redact", Section::Proxy, Some(500.0)));
        // A process without processor time has no kernel share.
        assert_eq!(client.beside("y3-mux", Between::Loopback, &[usage(0.0, 0.0, 7)], 2.0).server_kernel, None);
    }

    #[test]
    fn what_limits_a_row_is_a_core_that_is_full() {
        let limit = |client_cpu, server| Row { client_cpu, server_cpu: Some(server), ..Row::default() }.limit();
        assert_eq!(limit(95.0, 94.9), "the client's core");
        assert_eq!(limit(94.9, 95.0), "the server's core");
        assert_eq!([limit(99.0, 99.0), limit(50.0, 50.0)], ["both cores", "each waits for the other"]);
        assert_eq!(Row { client_cpu: 10.0, ..Row::default() }.limit(), "each waits for the other");
    }
}
