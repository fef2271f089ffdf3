//! Rows: what `workers rate` measured, as CSV and as a table.

use report::markdown::{self, grouped};
use serde::{Deserialize, Serialize};

/// One measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rate {
    pub workers: u32,
    pub packets: u64,
    pub ballast: usize,
    pub in_flight: u32,
    pub work_ms: f64,
    /// Packets a second.
    pub rate: f64,
    /// Seconds of a core for each second.
    pub broker_cores: f64,
    pub workers_cores: f64,
    /// What was measured.
    #[serde(default)]
    pub commit: String,
}

/// Packets without acknowledgement at one moment of a measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Waiting {
    pub work_ms: f64,
    pub workers: u32,
    /// Since the workers were started.
    pub seconds: f64,
    pub packets: u64,
}

/// A table of rows, against the one with one worker.
pub fn table(rows: &[&Rate]) -> String {
    let one = rows.iter().find(|row| row.workers == 1).map(|row| row.rate);
    let cells = |row: &&Rate| {
        [
            row.workers.to_string(),
            grouped(row.packets as f64),
            grouped(row.rate),
            one.map_or_else(String::new, |one| format!("×{:.2}", row.rate / one)),
            format!("{:.2}", row.broker_cores),
            format!("{:.2}", row.workers_cores),
        ]
    };
    let head = ["workers", ">packets", ">packets/s", ">against one", ">broker's cores", ">workers' cores"];
    markdown::columns(&head, &rows.iter().map(cells).collect::<Vec<_>>())
}
