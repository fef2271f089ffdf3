//! Markdown: numbers and tables as the report shows them.
//!
//! In: numbers and cells. Out: text for a page of GitHub Markdown.

pub use charts::number::{factor, number, rounded};

use crate::measured::Time;

pub fn percent(part: f64) -> String {
    let percent = part * 100.0;
    if percent < 10.0 { format!("{percent:.1}%") } else { format!("{percent:.0}%") }
}

/// What stands for a number that was not measured.
const NOTHING: &str = "–";

/// The digits of a time that its spread allows, or a dash if there is none.
pub fn cell(time: Option<Time>) -> String {
    time.map_or_else(|| NOTHING.to_owned(), |time| rounded(time.ns, time.spread()))
}

/// An exact number, or a dash if there is none.
pub fn exact(number: Option<f64>) -> String {
    number.map_or_else(|| NOTHING.to_owned(), self::number)
}

/// How many times as long one takes as another, or a dash if there is none.
pub fn ratio(time: Option<Time>, other: Option<Time>) -> String {
    let shown = |(time, other): (Time, Time)| factor(time.ns / other.ns, time.spread() + other.spread());
    time.zip(other).map_or_else(|| NOTHING.to_owned(), shown)
}

/// Escapes text for a cell of a table.
pub fn inside(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// A table; columns whose heading begins with `>` are aligned to the right.
pub fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let names: Vec<&str> = headings.iter().map(|heading| heading.trim_start_matches('>')).collect();
    let sides: Vec<&str> =
        headings.iter().map(|heading| if heading.starts_with('>') { "--:" } else { "---" }).collect();
    let rows = rows.iter().map(|row| row.join(" | "));
    let lines = [names.join(" | "), sides.join(" | ")].into_iter().chain(rows);
    std::iter::once("\n".to_owned()).chain(lines.map(|line| format!("| {line} |\n"))).collect()
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn shows_percents_with_two_digits() {
        assert_eq!([percent(0.0123), percent(0.5)], ["1.2%", "50%"]);
    }
}
