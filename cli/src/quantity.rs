//! Sizes and durations in the notation of command lines.

use std::time::Duration;

/// The units of sizes in bytes.
const SIZES: [(&str, u64); 7] = [
    ("", 1),
    ("k", 1000),
    ("m", 1000 * 1000),
    ("g", 1000 * 1000 * 1000),
    ("ki", 1 << 10),
    ("mi", 1 << 20),
    ("gi", 1 << 30),
];
/// The units of durations in milliseconds.
const TIMES: [(&str, u64); 4] = [("ms", 1), ("s", 1000), ("", 1000), ("m", 60 * 1000)];

/// Parses a number of bytes, such as `4096`, `10k`, `1.5MB` or `10MiB`. Units without an `i` are
/// powers of 1000.
pub fn size(text: &str) -> Result<usize, String> {
    let (number, unit) = split(text);
    let unit = unit.to_ascii_lowercase();
    let bytes = multiplied(number, unit.strip_suffix('b').unwrap_or(&unit), &SIZES);
    bytes
        .and_then(|bytes| bytes.try_into().ok())
        .ok_or_else(|| "expected a number of bytes, such as 4096, 10k or 10MiB".into())
}

/// Parses a duration, such as `10s`, `500ms` or `2m`. A number without a unit is in seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let time = multiplied(number, unit, &TIMES).filter(|time| *time > 0);
    time.map(Duration::from_millis).ok_or_else(|| "expected a time above 0, such as 10s, 500ms or 2m".into())
}

/// Splits a text into its number and its unit.
fn split(text: &str) -> (&str, &str) {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    (number, unit.trim_start())
}

/// Multiplies a decimal number by its unit. Returns `None` if the product is not an integer.
fn multiplied(number: &str, unit: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let tens = 10_u64.checked_pow(part.len().try_into().ok()?)?;
    let digits: u64 = [whole, part].concat().parse().ok()?;
    let product = digits.checked_mul(*factor)?;
    (!whole.is_empty() && product % tens == 0).then(|| product / tens)
}
