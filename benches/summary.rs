//! Summary: the ratios of what the other benches have measured, as tables.
//!
//! In: the medians that criterion leaves under `target/criterion`. Out: Markdown; `-` where a measurement is missing.
//! It measures nothing itself. `cargo bench` runs it last; alone: `cargo bench --bench summary`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use serde_json::Value;

const SCENARIOS: [&str; 4] = ["C63-K32", "C32-K16", "C16-K08", "C03-K02"];
const SHAPES: [&str; 4] = ["nested-8x8x8", "values-63x100", "values-63x1024", "miss-C63"];
const BATCHES: [&str; 3] = ["frames", "first-hit", "every-hit"];
const REGIMES: [&str; 2] = ["one-buffer", "rotating"];

/// A row: its name, the bench on top, and the one below the line; without that one, nanoseconds.
type Row = (&'static str, &'static str, Option<&'static str>);

const EXTRACT: [Row; 9] = [
    ("hand, ns", "hand", None),
    ("y3 watch, ns", "y3 watch", None),
    ("y3 watch / hand", "y3 watch", Some("hand")),
    ("y3 nom / hand", "y3 nom", Some("hand")),
    ("y3 keys / hand", "y3 keys", Some("hand")),
    ("y3 find / hand", "y3 find", Some("hand")),
    ("serde_json Value / y3 watch", "serde_json Value", Some("y3 watch")),
    ("serde_json typed / y3 watch, decoded", "serde_json typed", Some("y3 watch to")),
    ("serde_json RawValue / y3 watch", "serde_json RawValue", Some("y3 watch")),
];

const BATCH: [Row; 8] = [
    ("hand, ns per 1000 packets", "hand", None),
    ("y3 packets / hand", "y3 packets", Some("hand")),
    ("y3 keys / hand", "y3 keys", Some("hand")),
    ("y3 nom / hand", "y3 nom", Some("hand")),
    ("y3 watch / hand", "y3 watch", Some("hand")),
    ("serde_json Value / y3 packets", "serde_json Value", Some("y3 packets")),
    ("serde_json typed / y3 packets", "serde_json typed", Some("y3 packets")),
    ("serde_json Value / y3 keys", "serde_json Value", Some("y3 keys")),
];

const PARALLEL: [Row; 3] = [
    ("y3 watch, all cores, ns", "y3 watch, all cores", None),
    ("y3 watch, gain", "y3 watch, one thread", Some("y3 watch, all cores")),
    ("serde_json Value, gain", "serde_json Value, one thread", Some("serde_json Value, all cores")),
];

const ENCODE: [Row; 4] = [
    ("y3 Vec, ns", "y3 Vec", None),
    ("y3 SliceSink, ns", "y3 SliceSink", None),
    ("serde_json to_writer / y3 Vec", "serde_json to_writer", Some("y3 Vec")),
    ("serde_json to_writer / y3 SliceSink", "serde_json to_writer", Some("y3 SliceSink")),
];

fn main() {
    // `cargo bench -- --test` checks that the benches run; there is nothing to sum up then.
    if env::args().any(|argument| argument == "--test" || argument == "--list") {
        return;
    }
    let results = Results(criterion_home());
    println!("{}", machine());
    for regime in REGIMES {
        results.table(&format!("extract/{regime}"), &SCENARIOS, &EXTRACT, true);
        results.table(&format!("shapes/{regime}"), &SHAPES, &EXTRACT, false);
        results.table(&format!("batch/{regime}"), &BATCHES, &BATCH, false);
        results.table(&format!("parallel/{regime}"), &SCENARIOS, &PARALLEL, true);
    }
    results.table("encode/one-buffer", &["struct", "slice"], &ENCODE, false);
    results.table("encode/rotating", &["slice"], &ENCODE, false);
}

struct Results(PathBuf);

impl Results {
    /// A bench's median in nanoseconds.
    fn median(&self, group: &str, bench: &str) -> Option<f64> {
        let estimates = self.0.join(group.replace('/', "_")).join(bench).join("new/estimates.json");
        let estimates: Value = serde_json::from_slice(&fs::read(estimates).ok()?).ok()?;
        estimates["median"]["point_estimate"].as_f64()
    }

    fn cell(&self, group: &str, (_, top, below): Row) -> Option<f64> {
        let top = self.median(group, top)?;
        below.map_or(Some(top), |below| Some(top / self.median(group, below)?))
    }

    /// Prints one column for each group; a row for each ratio.
    fn table(&self, title: &str, columns: &[&str], rows: &[Row], averaged: bool) {
        let average = if averaged { " average |" } else { "" };
        println!("\n| {title} | {} |{average}", columns.join(" | "));
        println!("|---|{}", "--:|".repeat(columns.len() + usize::from(averaged)));
        for row in rows {
            let cells = columns.iter().map(|column| self.cell(&format!("{title}/{column}"), *row));
            let mut cells: Vec<Option<f64>> = cells.collect();
            if averaged {
                let count = f64::from(u8::try_from(cells.len()).expect("a few columns"));
                cells.push(cells.iter().copied().sum::<Option<f64>>().map(|sum| sum / count));
            }
            println!("| {} | {} |", row.0, cells.into_iter().map(shown).collect::<Vec<_>>().join(" | "));
        }
    }
}

/// Three digits that count, or more before the point.
fn shown(number: Option<f64>) -> String {
    match number {
        None => "-".into(),
        Some(number) if number < 10.0 => format!("{number:.2}"),
        Some(number) if number < 100.0 => format!("{number:.1}"),
        Some(number) => format!("{number:.0}"),
    }
}

/// Where criterion leaves its results: the same places in the same order as it looks for them.
fn criterion_home() -> PathBuf {
    let target = || {
        let mut cargo = Command::new(env::var_os("CARGO")?);
        let output = cargo.args(["metadata", "--no-deps", "--format-version", "1"]).output().ok()?;
        let metadata: Value = serde_json::from_slice(&output.stdout).ok()?;
        metadata["target_directory"].as_str().map(PathBuf::from)
    };
    let home = env::var_os("CRITERION_HOME").map(PathBuf::from);
    let named = || env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    home.unwrap_or_else(|| named().or_else(target).unwrap_or_else(|| "target".into()).join("criterion"))
}

/// What the figures were taken on, as far as the machine says.
fn machine() -> String {
    let info = fs::read_to_string(Path::new("/proc/cpuinfo")).unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    format!("{}, cores: {cores}, {}", name.map_or("unknown machine", |name| name.1), rustc.unwrap_or_default())
}
