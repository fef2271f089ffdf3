//! The report: runs the benches, checks what they left, and writes it up with charts.
//!
//! In: the repository. Out: `REPORT.md`, SVG charts beside it, and the figures in the README. No number is typed by hand but the
//! published ones, in `published.rs`.
#![forbid(unsafe_code)]

pub mod fit;
pub mod markdown;
pub mod measured;
pub mod progress;
pub mod published;
pub mod readme;
pub mod redone;
pub mod run;
pub mod scaling;
pub mod sections;
pub mod stamp;
pub mod verdict;

/// What goes wrong here is said to a person, in a sentence that names the thing.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
