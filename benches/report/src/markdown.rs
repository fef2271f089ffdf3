//! Markdown: numbers and tables as the report shows them.
//!
//! In: numbers and cells. Out: text for a page of GitHub Markdown.

/// Three digits that count, or more before the point, in groups of three; whole numbers as such.
pub fn number(number: f64) -> String {
    let digits = match number.abs() {
        size if !(0.000_5..99.95).contains(&size) => 0,
        size if (size - size.round()).abs() < 1e-9 => 0,
        size if size < 0.0995 => 4,
        size if size < 0.9995 => 3,
        size if size < 9.995 => 2,
        _ => 1,
    };
    let text = format!("{number:.digits$}");
    let text = if text == "-0" { "0".to_owned() } else { text };
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    fraction.map_or(grouped.clone(), |fraction| format!("{grouped}.{fraction}"))
}

/// How many times.
pub fn factor(number: f64) -> String {
    format!("×{}", self::number(number))
}

pub fn percent(part: f64) -> String {
    let percent = part * 100.0;
    if percent < 10.0 { format!("{percent:.1}%") } else { format!("{percent:.0}%") }
}

/// A number that may not be there.
pub fn cell(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), self::number)
}

/// What stands in a table's cell must not end it.
pub fn inside(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// A table; a heading that begins with `>` has its column set to the right.
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
    use super::{number, percent};

    #[test]
    fn numbers_have_three_digits_that_count() {
        let shown = [-0.0001, 0.031, 1.0, 1.234, 12.34, 123.4, 1234.0, 1_234_567.0, -1234.0].map(number);
        assert_eq!(shown, ["0", "0.0310", "1", "1.23", "12.3", "123", "1,234", "1,234,567", "-1,234"]);
    }

    #[test]
    fn percents_have_two() {
        assert_eq!([percent(0.0123), percent(0.5)], ["1.2%", "50%"]);
    }
}
