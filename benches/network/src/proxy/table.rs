//! Table: rows of the proxy's sweep, as CSV and as a table.
//!
//! In: what a client measured and what each process used. Out: text.

use serde::{Deserialize, Serialize};

use crate::echo::load::Row;
use crate::kept::{commit, turns, undisturbed};
use crate::process::Usage;
use report::markdown::{self, grouped};

/// One measurement. Memory in KiB at its peak, processor time in percent of a core.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    pub name: String,
    pub connections: usize,
    pub seconds: f64,
    pub requests: u64,
    pub errors: u64,
    pub qps: f64,
    pub mean_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub client_cpu: f64,
    pub client_kib: u64,
    pub proxy_cpu: Option<f64>,
    pub proxy_kib: Option<u64>,
    pub second_cpu: Option<f64>,
    pub second_kib: Option<u64>,
    pub backend_cpu: f64,
    pub backend_kib: u64,
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

/// What processes used while a client ran: backend, proxy, second proxy.
pub type Used = [Option<Usage>; 3];

impl Measured {
    /// A client's row with what the processes used in `wall` seconds, measured once. Stolen time is not known.
    pub fn new(name: &str, row: &Row, used: &Used, wall: f64) -> Measured {
        let cpu = |usage: &Usage| 100.0 * (usage.user + usage.system) / wall;
        let [backend, proxy, second] = used;
        Measured {
            name: name.to_owned(),
            connections: row.callers,
            seconds: row.seconds,
            requests: row.requests,
            errors: row.errors,
            qps: row.tps,
            mean_us: row.mean_us,
            p99_us: row.p99_us,
            p999_us: row.p999_us,
            client_cpu: 100.0 * (row.cpu_user_s + row.cpu_system_s) / row.seconds,
            client_kib: row.rss_kib,
            proxy_cpu: proxy.as_ref().map(cpu),
            proxy_kib: proxy.map(|usage| usage.rss),
            second_cpu: second.as_ref().map(cpu),
            second_kib: second.map(|usage| usage.rss),
            backend_cpu: backend.as_ref().map_or(0.0, cpu),
            backend_kib: backend.map_or(0, |usage| usage.rss),
            stolen: None,
            turns: 1,
            spread: None,
            commit: commit(),
        }
    }

    pub fn is_of(&self, name: &str, connections: usize) -> bool {
        self.name == name && self.connections == connections
    }
}

/// A table of rows.
pub fn table(rows: &[Measured]) -> String {
    let head = [
        "",
        ">connections",
        ">requests/s",
        ">range",
        ">TP99",
        ">TP999, ms",
        ">load's CPU",
        ">proxy's",
        ">second's",
        ">backend's",
        ">proxy's MiB",
        ">stolen",
    ];
    let ms = |us: f64| format!("{:.2}", us / 1e3);
    let percent = |cpu: Option<f64>| cpu.map_or_else(String::new, |cpu| format!("{cpu:.0}%"));
    let cells = |row: &Measured| {
        [
            row.name.clone(),
            row.connections.to_string(),
            grouped(row.qps),
            turns::cell(row.spread),
            ms(row.p99_us),
            ms(row.p999_us),
            percent(Some(row.client_cpu)),
            percent(row.proxy_cpu),
            percent(row.second_cpu),
            percent(Some(row.backend_cpu)),
            row.proxy_kib.map_or_else(String::new, |kib| format!("{:.1}", kib as f64 / 1024.0)),
            undisturbed::cell(row.stolen),
        ]
    };
    markdown::columns(&head, &rows.iter().map(cells).collect::<Vec<_>>())
}

/// A number of connections, mostly idle.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Idle {
    pub connections: usize,
    /// Requests a second among them; 0 while all are idle.
    pub rate: u64,
    pub errors: u64,
    pub p99_us: f64,
    pub resident_kib: u64,
    pub proxy_cpu: f64,
    /// Resident memory above that without connections, for each of them.
    pub bytes_each: f64,
    /// Of all cores' time while it was measured, in percent; missing where the system does not tell.
    #[serde(default)]
    pub stolen: Option<f64>,
    /// What was measured.
    #[serde(default)]
    pub commit: String,
}

/// A table of rows.
pub fn idle_table(rows: &[Idle]) -> String {
    let head = ["connections", ">requests/s", ">errors", ">TP99, ms", ">MiB", ">bytes each", ">CPU", ">stolen"];
    let cells = |row: &Idle| {
        [
            grouped(row.connections as f64),
            grouped(row.rate as f64),
            row.errors.to_string(),
            format!("{:.2}", row.p99_us / 1e3),
            format!("{:.1}", row.resident_kib as f64 / 1024.0),
            grouped(row.bytes_each),
            format!("{:.1}%", row.proxy_cpu),
            undisturbed::cell(row.stolen),
        ]
    };
    markdown::columns(&head, &rows.iter().map(cells).collect::<Vec<_>>())
}
