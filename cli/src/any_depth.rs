//! Paths with `**` for `y3 watch` and `y3 edit`. `**` matches zero or more keys.
//!
//! The library's edits accept no paths with `**`. So `y3 edit` first finds the matching paths in each top-level packet.

use std::collections::BTreeSet;

use y3::show::escape;
use y3::{Error, ErrorKind, Path, Pattern, Patterns};

pub fn is_in(path: &str) -> bool {
    path.contains("**")
}

pub fn parse(path: &str) -> Result<Pattern, String> {
    let why = |error: Error| {
        let together = "`:` and `**` cannot be used in the same command";
        if path.contains(':') { together.into() } else { error.to_string() }
    };
    path.parse().map_err(|error| format!("'{}' is not a path: {}", escape(path), why(error)))
}

/// The packets whose paths [`paths`] returns: all that match, only the first, or only the first node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    All,
    First,
    FirstNode,
}

/// Searches `bytes` for packets that match `path`, and returns the paths of these packets.
///
/// # Errors
/// Returns the first error of the search. Returns `DepthLimit` if a matching packet is nested too deeply for a
/// [`Path`].
pub fn paths(path: &str, bytes: &[u8], which: Which) -> Result<Vec<String>, Error> {
    let mut paths = BTreeSet::new();
    for hit in Patterns([path.parse()?]).watch(bytes) {
        let hit = hit?;
        if which != Which::FirstNode || hit.packet().is_node() {
            paths.insert(hit.path().ok_or(Error::new(ErrorKind::DepthLimit, hit.offset()))?);
            if which != Which::All {
                break;
            }
        }
    }
    Ok(paths.iter().map(Path::to_string).collect())
}
