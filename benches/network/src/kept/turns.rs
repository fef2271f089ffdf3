//! Turns: a row measured several times, in turns with the rows beside it, so that a drift of the machine meets all of them.
//!
//! In: the rows of all turns so far. Out: the one in the middle, and how far apart they were.

/// The row whose number is in the middle (of two, the lower one), how many there were, and the largest number's distance from the
/// smallest in percent of it; no distance for one row.
///
/// # Panics
/// Without a row.
pub fn middle<T: Clone>(rows: &[T], value: impl Fn(&T) -> f64) -> (T, usize, Option<f64>) {
    let mut sorted: Vec<&T> = rows.iter().collect();
    sorted.sort_by(|one, other| value(one).total_cmp(&value(other)));
    let row = sorted[(sorted.len() - 1) / 2];
    let range = value(sorted[sorted.len() - 1]) - value(sorted[0]);
    let spread = (sorted.len() > 1).then(|| 100.0 * range / value(row));
    (row.clone(), sorted.len(), spread)
}

/// A spread in the words of a table.
#[must_use]
pub fn cell(spread: Option<f64>) -> String {
    spread.map_or_else(String::new, |spread| format!("{spread:.0}%"))
}

#[cfg(test)]
mod tests {
    use super::middle;

    #[test]
    fn the_row_in_the_middle_stays_with_the_range_of_all() {
        assert_eq!(middle(&[100.0], |row| *row), (100.0, 1, None));
        assert_eq!(middle(&[90.0, 120.0, 100.0], |row| *row), (100.0, 3, Some(30.0)));
        assert_eq!(middle(&[120.0, 100.0], |row| *row), (100.0, 2, Some(20.0)));
    }
}
