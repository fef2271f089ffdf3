//! The median of repeated measurements, and CSV files.

use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a CSV file. A missing file has no rows.
pub fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let read = || csv::Reader::from_path(path)?.deserialize().collect::<Result<_, _>>();
    read().with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a CSV file. The file is replaced as a whole.
pub fn write<T: Serialize>(path: &Path, rows: impl IntoIterator<Item = T>) -> anyhow::Result<()> {
    let mut out = csv::Writer::from_writer(Vec::new());
    for row in rows {
        out.serialize(row)?;
    }
    std::fs::write(path, out.into_inner()?).with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the commit of the working tree. It is marked if files other than the report have uncommitted changes. It is
/// empty outside a repository.
#[must_use]
pub fn commit() -> String {
    let but_the_report = [":(top)", ":(top,exclude)docs/report"];
    report::stamp::commit(Path::new(env!("CARGO_MANIFEST_DIR")), &but_the_report).unwrap_or_default()
}

/// Returns the row with the median number (the lower one of two), the number of rows, and the range of the numbers in
/// percent of the median. A single row has no range.
///
/// # Panics
/// Panics if there are no rows.
pub fn middle<T: Clone>(rows: &[T], value: impl Fn(&T) -> f64) -> (T, usize, Option<f64>) {
    let mut sorted: Vec<&T> = rows.iter().collect();
    sorted.sort_by(|one, other| value(one).total_cmp(&value(other)));
    let row = sorted[(sorted.len() - 1) / 2];
    let range = value(sorted[sorted.len() - 1]) - value(sorted[0]);
    let spread = (sorted.len() > 1).then(|| 100.0 * range / value(row));
    (row.clone(), sorted.len(), spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_in_the_middle_stays_with_the_range_of_all() {
        assert_eq!(middle(&[100.0], |row| *row), (100.0, 1, None));
        assert_eq!(middle(&[90.0, 120.0, 100.0], |row| *row), (100.0, 3, Some(30.0)));
        assert_eq!(middle(&[120.0, 100.0], |row| *row), (100.0, 2, Some(20.0)));
    }
}
