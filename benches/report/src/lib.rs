//! The report: runs the benches, checks their results, and fills hand-written pages with the figures.
//!
//! ```text
//! run ──► folder of the run ──► measured (checks) ──► figures.json ──► filled pages/*.md ──► docs/report
//! ```
#![forbid(unsafe_code)]

pub mod clock;
pub mod compare;
pub mod figures;
pub mod fill;
pub mod machine;
pub mod markdown;
pub mod measured;
pub mod pages;
pub mod pictures;
pub mod run;
pub mod scenario;
pub mod stamp;
pub mod tables;
pub mod time;
pub mod verdict;

/// A result with an error message for people. The message names what is missing or wrong.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
