//! Tables: writes the counts as Markdown tables, and compares counts with the tables in the repository.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::process::Command;

use crate::growth::Case;

/// The text to print: `Ok` if the check passed, `Err` if it failed.
pub type Report = Result<String, String>;

/// The files of the tables.
pub const PATHS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/paths.md");
pub const GROWTH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/growth.md");

/// The tolerance of the check: 3 %, plus 3 instructions for short paths.
const TOLERANCE: u64 = 3;
/// The largest exponent that counts as linear.
const LINEAR: f64 = 1.1;

/// The compiler and the copying functions of the C library, which change the counts.
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

/// The differences from the table of an earlier run. `Err` if a count grew, or if the table has other paths.
pub fn compare(then: &str, names: &[String], counts: &[u64]) -> Report {
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
        let percent = (now as f64 / then as f64 - 1.0) * 100.0;
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

/// The slope of the least-squares line through points.
fn slope(points: &[(f64, f64)]) -> f64 {
    let sum = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    let (count, x, y) = (points.len() as f64, sum(|point| point.0), sum(|point| point.1));
    (count * sum(|point| point.0 * point.1) - x * y) / (count * sum(|point| point.0 * point.0) - x * x)
}

/// The table of growth, and the rows that grow faster or allocate more than allowed.
pub fn growth(cases: &[Case], counts: &[u64]) -> (String, Report) {
    let mut table = format!(
        "# Growth\n\nCounted with: {}\n\n\
         | input | reader | bytes | instructions | a byte | exponent | last step | allocated at once | at the most |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|\n",
        machine()
    );
    let mut report = String::new();
    // For each input and reader, the cases of all sizes. The largest size is the last.
    let mut series: Vec<Vec<(&Case, u64)>> = Vec::new();
    for (case, &count) in cases.iter().zip(counts) {
        let Case { family, reader, bytes, peak, memory } = case;
        if *peak > memory.fixed + memory.per_byte * bytes {
            let _ =
                writeln!(report, "allocates: {family}, {reader}, {bytes} bytes: {peak} at once, {memory} are allowed");
        }
        match series.iter_mut().find(|known| (known[0].0.family, known[0].0.reader) == (family, reader)) {
            Some(known) => known.push((case, count)),
            None => series.push(vec![(case, count)]),
        }
    }
    for sizes in series {
        let points: Vec<(f64, f64)> =
            sizes.iter().map(|(case, count)| ((case.bytes as f64).ln(), (*count as f64).ln())).collect();
        let (Case { family, reader, bytes, peak, memory }, count) = sizes[sizes.len() - 1];
        // Between the two largest sizes, fixed costs have the least weight.
        let (exponent, last) = (slope(&points), slope(&points[points.len() - 2..]));
        // `exponent > LINEAR` would accept NaN, which is the result of a failed fit.
        if !(exponent <= LINEAR && last <= LINEAR) {
            let _ = writeln!(report, "grows: {family}, {reader}: exponent {exponent:.2}, in the last step {last:.2}");
        }
        let each = count as f64 / *bytes as f64;
        let _ = writeln!(
            table,
            "| {family} | {reader} | {bytes} | {count} | {each:.1} | {exponent:.2} | {last:.2} | {peak} | {memory} |"
        );
    }
    let fine = format!("{} cases within their limits\n", cases.len());
    (table, if report.is_empty() { Ok(fine) } else { Err(report) })
}
