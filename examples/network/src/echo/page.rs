//! Page
use super::rows::Entry;
use std::path::{Path, PathBuf};
pub fn write(folder: &Path, _: &[Entry]) -> anyhow::Result<PathBuf> {
    Ok(folder.join("NETWORK.md"))
}
