//! Markdown: formats numbers and tables for pages in GitHub Markdown.

pub use charts::number::{factor, number, rounded};

use crate::fill::NOTHING;
use crate::time::Time;

/// Replaces an empty cell with a dash.
pub fn or_dash(cell: Option<String>) -> String {
    cell.unwrap_or_else(|| NOTHING.to_owned())
}

/// Formats a time with two or three digits, depending on its spread.
pub fn cell(time: Time) -> String {
    rounded(time.ns, time.spread())
}

/// Formats a time as `78 (72–82)`: the median, and the lowest and the highest pass. All have the decimal places of [`cell`].
pub fn with_range(time: Time) -> String {
    let median = cell(time);
    let digits = median.split_once('.').map_or(0, |(_, digits)| digits.len());
    let end = |ns: f64| if digits == 0 { grouped(ns) } else { format!("{ns:.digits$}") };
    format!("{median} ({}–{})", end(time.low), end(time.high))
}

/// Formats a ratio as `×1.4`.
pub fn ratio(ratio: Time) -> String {
    factor(ratio.ns, ratio.spread())
}

/// Escapes text for a cell of a table.
pub fn inside(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// A table whose columns are also aligned in the Markdown text. Columns whose heading begins with `>` are aligned to the right.
pub fn table<C: AsRef<str>>(headings: &[impl AsRef<str>], rows: &[impl AsRef<[C]>]) -> String {
    let names: Vec<&str> = headings.iter().map(|heading| heading.as_ref().trim_start_matches('>')).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.as_ref().get(column)).map(AsRef::as_ref);
        cells.chain([names[column], "---"]).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let right = headings.iter().map(|heading| heading.as_ref().starts_with('>'));
    let columns: Vec<(usize, bool)> = (0..names.len()).map(width).zip(right).collect();
    let line = |cells: &[&str]| {
        let cells = cells
            .iter()
            .zip(&columns)
            .map(|(cell, &(width, right))| if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") });
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let rules =
        columns.iter().map(|&(width, right)| "-".repeat(width - usize::from(right)) + if right { ":" } else { "" });
    let rules: Vec<String> = rules.collect();
    let head = line(&names) + &line(&rules.iter().map(String::as_str).collect::<Vec<_>>());
    rows.iter().fold(format!("\n{head}"), |text, row| {
        text + &line(&row.as_ref().iter().map(AsRef::as_ref).collect::<Vec<_>>())
    })
}

/// Formats a rounded number with commas.
pub fn grouped(number: f64) -> String {
    charts::number::grouped(&format!("{number:.0}"))
}
