//! Number: formats numbers for charts and tables.

/// Formats a number with three significant digits. Whole numbers and numbers above 999 are shown in full, without decimals.
pub fn number(number: f64) -> String {
    let is_whole = (number - number.round()).abs() < 1e-9 || number.abs() >= 999.5 || number.is_nan();
    if is_whole { grouped(&format!("{number:.0}")) } else { rounded(number, 0.0) }
}

/// Separates digits with commas into groups of three.
pub fn grouped(text: &str) -> String {
    let text = if text == "-0" { "0" } else { text };
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    fraction.map_or(grouped.clone(), |fraction| format!("{grouped}.{fraction}"))
}

/// Formats a measured number with two or three digits. The last shown digit is the first digit that differs between measurements.
/// `spread` is a fraction of the number.
pub fn rounded(number: f64, spread: f64) -> String {
    if number == 0.0 || !number.is_finite() || !spread.is_finite() {
        return self::number(number);
    }
    let place = (number.abs() * spread.max(f64::MIN_POSITIVE)).log10().floor();
    let first = number.abs().log10().floor();
    // The power of ten of the last digit shown.
    let last = place.clamp(first - 2.0, first - 1.0);
    let unit = 10_f64.powf(last);
    let digits = (0..6_usize).find(|digits| last >= -(*digits as f64)).unwrap_or(6);
    grouped(&format!("{:.*}", digits, (number / unit).round() * unit))
}

/// Formats a factor, such as `×3`.
pub fn factor(number: f64, spread: f64) -> String {
    format!("×{}", rounded(number, spread))
}

#[cfg(test)]
mod tests {
    use super::{number, rounded};

    #[test]
    fn shows_three_significant_digits() {
        let shown = [-0.0, 0.031, 1.0, 1.234, 12.34, 123.4, 1234.4, 1_234_567.0, -1234.0].map(number);
        assert_eq!(shown, ["0", "0.0310", "1", "1.23", "12.3", "123", "1,234", "1,234,567", "-1,234"]);
    }

    #[test]
    fn shows_no_digit_that_the_spread_hides() {
        assert_eq!([0.0, 0.004, 0.03, 0.3].map(|spread| rounded(35.64, spread)), ["35.6", "35.6", "36", "36"]);
        assert_eq!([0.001, 0.05, 0.5].map(|spread| rounded(4204.0, spread)), ["4,200", "4,200", "4,200"]);
        assert_eq!([0.001, 0.05].map(|spread| rounded(0.8071, spread)), ["0.807", "0.81"]);
        assert_eq!([0.05, f64::NAN].map(|spread| rounded(1.0, spread)), ["1.00", "1"]);
    }
}
