//! Tables: the counts as Markdown that is checked in.
//!
//! In: counts, and the tables of an earlier run. Out: new tables, or the counts that are worse than before or than allowed.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::process::Command;

use crate::growth::{Case, Memory};

/// The files of the tables.
pub const PATHS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/paths.md");
pub const GROWTH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/growth.md");

/// How much more a path may take than the table says: 3 %, and 3 instructions for short paths.
const TOLERANCE: u64 = 3;
/// The largest exponent that still counts as linear.
const LINEAR: f64 = 1.1;

/// What counts depend on besides the code: the compiler, and the copying functions that the C library picks.
pub fn machine() -> String {
    let version = Command::new("rustc").arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let compiler = version.unwrap_or_else(|error| format!("unknown compiler, {error}"));
    #[cfg(target_arch = "x86_64")]
    let vectors = if std::arch::is_x86_feature_detected!("avx2") { " with AVX2" } else { "" };
    #[cfg(not(target_arch = "x86_64"))]
    let vectors = "";
    format!("{compiler}, {}{vectors}", std::env::consts::ARCH)
}

/// The table of paths.
pub fn paths(names: &[String], counts: &[u64]) -> String {
    let mut table =
        format!("# Instructions a call\n\nCounted with: {}\n\n| path | instructions |\n|---|--:|\n", machine());
    for (name, count) in names.iter().zip(counts) {
        let _ = writeln!(table, "| {name} | {count} |");
    }
    table
}

/// The differences from a table of an earlier run. `Err` if a count grew, or if the table has other paths.
pub fn compare(then: &str, names: &[String], counts: &[u64]) -> Result<String, String> {
    let earlier: HashMap<&str, u64> = then.lines().filter_map(row).collect();
    let (mut report, mut grew, mut differs) = (String::new(), false, false);
    for (name, &now) in names.iter().zip(counts) {
        let Some(&then) = earlier.get(name.as_str()) else {
            differs = true;
            let _ = writeln!(report, "new: {name} takes {now}, and is not in the table");
            continue;
        };
        let most = |count: u64| count + count * TOLERANCE / 100 + 3;
        let word = if now > most(then) {
            grew = true;
            "grew"
        } else if then > most(now) {
            "shrank"
        } else {
            continue;
        };
        let percent = (number(now) / number(then) - 1.0) * 100.0;
        let _ = writeln!(report, "{word}: {name} took {then} instructions, now {now} ({percent:+.1} %)");
    }
    for name in earlier.keys().filter(|name| !names.iter().any(|known| known == *name)) {
        differs = true;
        let _ = writeln!(report, "gone: {name} is in the table, but not counted any more");
    }
    let _ = writeln!(report, "{} paths compared with paths.md", names.len());
    let counted_with = then.lines().find_map(|line| line.strip_prefix("Counted with: ")).unwrap_or_default();
    if counted_with != machine() {
        grew = false;
        let _ = writeln!(report, "growth is not judged: the table is of {counted_with}, this is {}", machine());
    }
    if grew || differs { Err(report) } else { Ok(report) }
}

fn row(line: &str) -> Option<(&str, u64)> {
    let (name, count) = line.strip_prefix("| ")?.strip_suffix(" |")?.rsplit_once(" | ")?;
    Some((name, count.parse().ok()?))
}

/// One family with one reader at all sizes.
struct Series<'a> {
    cases: &'a [Case],
    /// The instructions at the largest size.
    count: u64,
    /// The exponent of growth: the slope of the least-squares line through all points, both scales logarithmic.
    exponent: f64,
    /// The exponent between the two largest sizes, where fixed costs weigh least.
    last: f64,
}

fn series<'a>(cases: &'a [Case], counts: &'a [u64]) -> impl Iterator<Item = Series<'a>> {
    let mut counts = counts.iter().copied();
    cases.chunk_by(|one, other| (one.family, one.reader) == (other.family, other.reader)).map(move |cases| {
        let counts: Vec<u64> = counts.by_ref().take(cases.len()).collect();
        let point = |(case, count): (&Case, &u64)| (number(case.bytes as u64).ln(), number(*count).ln());
        let points: Vec<(f64, f64)> = cases.iter().zip(&counts).map(point).collect();
        let mean =
            |values: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(values).sum::<f64>() / number(points.len() as u64);
        let (x, y) = (mean(&|point| point.0), mean(&|point| point.1));
        let exponent = mean(&|point| (point.0 - x) * (point.1 - y)) / mean(&|point| (point.0 - x).powi(2));
        let [.., one, other] = points.as_slice() else { panic!("{} has one size", cases[0].family) };
        Series { cases, count: counts[counts.len() - 1], exponent, last: (other.1 - one.1) / (other.0 - one.0) }
    })
}

/// The table of growth.
pub fn growth(cases: &[Case], counts: &[u64]) -> String {
    let mut table = format!(
        "# Growth\n\nCounted with: {}\n\n\
         | input | reader | bytes | instructions | a byte | exponent | last step | allocated at once | at the most |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|\n",
        machine()
    );
    for Series { cases, count, exponent, last } in series(cases, counts) {
        let Case { family, reader, bytes, peak, memory } = &cases[cases.len() - 1];
        let each = number(count) / number(*bytes as u64);
        let memory = limit(*memory);
        let _ = writeln!(
            table,
            "| {family} | {reader} | {bytes} | {count} | {each:.1} | {exponent:.2} | {last:.2} | {peak} | {memory} |"
        );
    }
    table
}

fn limit(Memory { fixed, per_byte }: Memory) -> String {
    match (fixed, per_byte) {
        (fixed, 0) => format!("{fixed}"),
        (fixed, per_byte) => format!("{fixed} + {per_byte} a byte"),
    }
}

/// Checks that nothing grows faster or allocates more than allowed.
pub fn judge(cases: &[Case], counts: &[u64]) -> Result<String, String> {
    let mut report = String::new();
    for Series { cases, exponent, last, .. } in series(cases, counts) {
        let Case { family, reader, .. } = &cases[0];
        // Not `exponent > LINEAR`: a value that cannot be fitted (NaN) must fail.
        if !(exponent <= LINEAR && last <= LINEAR) {
            let _ = writeln!(report, "grows: {family}, {reader}: exponent {exponent:.2}, in the last step {last:.2}");
        }
        for Case { bytes, peak, memory, .. } in cases {
            if *peak > memory.fixed + memory.per_byte * bytes {
                let limit = limit(*memory);
                let _ = writeln!(
                    report,
                    "allocates: {family}, {reader}, {bytes} bytes: {peak} at once, {limit} are allowed"
                );
            }
        }
    }
    if report.is_empty() { Ok(format!("{} cases within their limits\n", cases.len())) } else { Err(report) }
}

/// Counts here are far below 2^53.
#[allow(clippy::cast_precision_loss, reason = "counts here are far below 2^53")]
const fn number(count: u64) -> f64 {
    count as f64
}
