//! Findings: what all sections of the page share: commits of rows, verdicts on goals, pictures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use charts::Curve;
use report::machine::said;
use report::page::Page;

/// The folder of the page, its charts and the rows.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report")
}

/// The commit of the working tree, marked if something besides the report is not committed; empty outside of a repository.
#[must_use]
pub fn commit() -> String {
    let git = |arguments: &[&str]| said(Command::new("git").current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments));
    let Some(commit) = git(&["rev-parse", "--short", "HEAD"]) else { return String::new() };
    // The sweeps write docs/report themselves.
    let changes = git(&["status", "--porcelain", "--", ":(top)", ":(top,exclude)docs/report"]);
    match changes.as_deref() {
        Some("") => commit,
        _ => commit + " with uncommitted changes",
    }
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

/// What became of a goal: `share` is what was found over what was asked for; `disturbed` if hypervisor time is in it.
#[must_use]
pub fn verdict(reached: bool, share: f64, disturbed: bool) -> String {
    let mut text = if reached { "reached".to_owned() } else { format!("**missed**, {share:.2} of the goal") };
    if (share - 1.0).abs() < NOISE {
        text += ", within noise";
    }
    if disturbed {
        text += ", from a disturbed row";
    }
    text
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
    fn a_verdict_says_what_may_be_noise_and_what_the_hypervisor_disturbed() {
        assert_eq!(verdict(true, 2.0, false), "reached");
        assert_eq!(verdict(false, 0.6, false), "**missed**, 0.60 of the goal");
        assert_eq!(verdict(false, 0.99, false), "**missed**, 0.99 of the goal, within noise");
        assert_eq!(verdict(true, 1.02, true), "reached, within noise, from a disturbed row");
    }
}
