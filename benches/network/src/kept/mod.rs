//! Kept: what sweeps keep of a measurement, whatever they measure.
//!
//! ```text
//! undisturbed, turns ──► a row and how far to trust it ──► csv_file
//! ```
//!
//! Nothing here knows of a page: sweeps write rows, and `report` reads them.

pub mod csv_file;
pub mod turns;
pub mod undisturbed;

use std::process::Command;

use report::machine::said;

/// The commit of the working tree, marked if something besides the report is not committed; empty outside of a repository.
#[must_use]
pub fn commit() -> String {
    let git = |arguments: &[&str]| said(Command::new("git").current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments));
    let Some(commit) = git(&["rev-parse", "--short", "HEAD"]) else { return String::new() };
    // The report is written there.
    let changes = git(&["status", "--porcelain", "--", ":(top)", ":(top,exclude)docs/report"]);
    match changes.as_deref() {
        Some("") => commit,
        _ => commit + " with uncommitted changes",
    }
}
