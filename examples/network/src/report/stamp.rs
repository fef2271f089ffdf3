//! Stamp: which state of the repository a row was measured with.

use std::collections::BTreeMap;
use std::process::Command;

/// What a command prints, run in the folder of the package.
pub(super) fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The commit of the working tree, marked if something besides the report is not committed; empty outside of a repository.
#[must_use]
pub fn commit() -> String {
    let Some(commit) = said("git", &["rev-parse", "--short", "HEAD"]) else { return String::new() };
    // The sweeps write docs/report themselves.
    let changes = said("git", &["status", "--porcelain", "--", ":(top)", ":(top,exclude)docs/report"]);
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
        [] => "no rows".to_owned(),
        [(commit, _)] => format!("measured at commit {commit}"),
        all => {
            let each: Vec<String> = all.iter().map(|(commit, rows)| format!("{commit} ({rows} rows)")).collect();
            format!("measured at commits {}", each.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_several_commits_are_told_apart() {
        assert_eq!(commits(["a1", "a1"].into_iter()), "measured at commit a1");
        assert_eq!(
            commits(["a1", "b2", "b2", ""].into_iter()),
            "measured at commits b2 (2 rows), a1 (1 rows), unknown (1 rows)"
        );
    }
}
