//! The report: runs the benches, checks their results, and fills the pages that people wrote.
//!
//! ```text
//! run ──► folder of a run ──► measured (checks) ──► figures.json ──► pages/*.md, filled in ──► docs/report
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

/// Errors are sentences for a person. They name the missing or wrong thing.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
