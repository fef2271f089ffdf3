//! Findings: what all sections of the page share: commits of rows, factors, folded parts, pictures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use charts::Curve;
use report::page::Page;

/// The folder of the page, its charts and the rows.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report")
}

/// The commits of rows in words, the one with the most rows first.
#[must_use]
pub fn commits<'a>(rows: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for commit in rows {
        *counts.entry(if commit.is_empty() { "unknown" } else { commit }).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, rows)| std::cmp::Reverse(rows));
    match &counts[..] {
        [] => "No rows".to_owned(),
        [(commit, _)] => format!("Measured at commit {commit}"),
        all => {
            let each: Vec<String> = all.iter().map(|(commit, rows)| format!("{commit} ({rows} rows)")).collect();
            format!("Measured at commits {}", each.join(", "))
        }
    }
}

/// A difference below this share comes from one run to the next on the machine of the report, so it says nothing.
pub const NOISE: f64 = 0.05;

/// How many times as much, with the digits that a run on a shared machine can tell.
#[must_use]
pub fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("×{ratio:.2}") } else { format!("×{ratio:.1}") }
}

/// A part of the page that a reader opens.
pub fn folded(page: &mut Page, summary: &str, inside: impl FnOnce(&mut Page)) {
    page.say(&format!("\n<details><summary>{summary}</summary>\n"));
    inside(page);
    page.say("\n</details>\n");
}

/// Draws lines on the page. Curves of one point are left out; without any other, or with zeros alone, there is no picture.
pub fn picture(page: &mut Page, name: &str, title: &str, axes: [&str; 2], curves: &[Curve], logarithmic: bool) {
    let curves: Vec<&Curve> = curves.iter().filter(|curve| curve.points.len() > 1).collect();
    if curves.iter().any(|curve| curve.points.iter().any(|(_, value)| *value > 0.0)) {
        let [unit, parameter] = axes;
        page.picture(name, title, charts::lines(title, unit, parameter, &curves, logarithmic));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_several_commits_are_told_apart() {
        assert_eq!(commits(["a1", "a1"].into_iter()), "Measured at commit a1");
        assert_eq!(
            commits(["a1", "b2", "b2", ""].into_iter()),
            "Measured at commits b2 (2 rows), a1 (1 rows), unknown (1 rows)"
        );
    }

    #[test]
    fn a_factor_has_three_digits() {
        assert_eq!([times(0.154), times(9.5), times(22.46)], ["×0.15", "×9.50", "×22.5"]);
    }
}
