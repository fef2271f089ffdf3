//! Measures programs and writes rows.
//!
//! ```text
//! setups ──► programs ──► sweep ──► row ──► CSV, table        servers and proxies, by number of callers and body size
//!                    └──► idle  ──► row                       thousands of connections with few requests
//! hosts                                                       the loopback, or two namespaces
//! kept                                                        the median of repeated rows; CSVs
//! ```

pub mod hosts;
pub mod idle;
pub mod kept;
pub mod programs;
pub mod row;
pub mod setups;
pub mod sweep;

use indicatif::{ProgressBar, ProgressStyle};

/// Creates a progress bar. It is hidden if there is no terminal.
#[must_use]
pub fn bar(rows: usize) -> ProgressBar {
    let bar = ProgressBar::new(rows as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_bar} {msg} {eta}") {
        bar.set_style(style);
    }
    bar
}
