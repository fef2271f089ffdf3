//! CSV file: rows that sweeps keep.
//!
//! In: a path, rows. Out: the same rows; each sweep has a type of its own for them.

use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a CSV; a file that does not exist has no rows.
///
/// # Errors
/// A line that is not of such a CSV.
pub fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let read = || csv::Reader::from_path(path)?.deserialize().collect::<Result<_, _>>();
    read().with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a CSV; the file is replaced as a whole.
///
/// # Errors
/// The file cannot be written.
pub fn write<T: Serialize>(path: &Path, rows: impl IntoIterator<Item = T>) -> anyhow::Result<()> {
    let mut out = csv::Writer::from_writer(Vec::new());
    for row in rows {
        out.serialize(row)?;
    }
    std::fs::write(path, out.into_inner()?).with_context(|| format!("cannot write {}", path.display()))
}
