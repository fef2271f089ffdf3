//! The report: runs the benches, checks their results, and writes them with charts.
//!
//! In: the repository. Out: pages of Markdown, SVG charts beside them, and the figures in the README. All numbers are measured,
//! except for the published ones in `published.rs`.
#![forbid(unsafe_code)]

pub mod compare;
pub mod drift;
pub mod editing;
pub mod error;
pub mod figures;
pub mod fit;
pub mod folder;
pub mod machine;
pub mod markdown;
pub mod measured;
pub mod page;
pub mod peers;
pub mod progress;
pub mod published;
pub mod readme;
pub mod redone;
pub mod run;
pub mod scaling;
pub mod scenario;
pub mod stamp;
pub mod story;
pub mod streams;
pub mod structs;
pub mod time;
pub mod turns;
pub mod verdict;
pub mod ways;

pub use error::Result;
