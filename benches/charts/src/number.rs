//! Numbers as charts and tables show them.

/// Three significant digits, or more before the point, in groups of three; whole numbers in full.
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

/// A factor, such as `×3`.
pub fn factor(number: f64) -> String {
    format!("×{}", self::number(number))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn shows_three_significant_digits() {
        let shown = [-0.0001, 0.031, 1.0, 1.234, 12.34, 123.4, 1234.0, 1_234_567.0, -1234.0].map(number);
        assert_eq!(shown, ["0", "0.0310", "1", "1.23", "12.3", "123", "1,234", "1,234,567", "-1,234"]);
    }
}
