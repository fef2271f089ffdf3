//! Place: shows the position of an error in a text.

use std::fmt::Write as _;
use std::ops::Range;

use y3::show::escape;

/// At most this many characters are shown before the byte range, in the range, and after the range.
const NEAR: usize = 80;

/// Formats the line number and column of a byte range, and the line with carets under the range. The result is safe to
/// print.
///
/// # Examples
/// ```
/// assert_eq!(y3_names::in_text("01 a u32\n02 b u33", 14..17), "2:6\n  |\n2 | 02 b u33\n  |      ^^^");
/// ```
#[must_use]
pub fn in_text(text: &str, place: Range<usize>) -> String {
    let (before, rest) = text.split_at_checked(place.start).unwrap_or((text, ""));
    let (number, start) = (before.matches('\n').count() + 1, before.rfind('\n').map_or(0, |end| end + 1));
    let before: Vec<char> = before.get(start..).unwrap_or_default().chars().collect();
    let rest = rest.lines().next().unwrap_or_default();
    let (at, after) = rest.split_at_checked(place.len().min(rest.len())).unwrap_or((rest, ""));
    let near = visible(before.iter().skip(before.len().saturating_sub(NEAR)).copied());
    let [at, after] = [at, after].map(|text| visible(text.chars().take(NEAR)));
    let (number, column) = (number.to_string(), before.len() + 1);
    let margin = " ".repeat(number.len());
    let (blank, carets) = (" ".repeat(near.chars().count()), "^".repeat(at.chars().count().max(1)));
    format!("{number}:{column}\n{margin} |\n{number} | {near}{at}{after}\n{margin} | {blank}{carets}")
}

/// Escapes characters that are unsafe to print. Quotation marks and backslashes are not escaped.
pub fn visible(characters: impl Iterator<Item = char>) -> String {
    let mut text = String::new();
    for character in characters {
        match character {
            '"' | '\\' => text.push(character),
            _ => drop(write!(text, "{}", escape(character.encode_utf8(&mut [0; 4])))),
        }
    }
    text
}
