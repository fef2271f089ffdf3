//! Paths with `**` in `watch` and `edit`. `**` stands for zero or more keys.
//!
//! An edit needs paths without `**`, so `y3 edit` first searches each top-level packet for the paths that match. In: a path as
//! text, and the bytes of a packet. Out: a pattern, and the matching paths in the packet.

use std::collections::BTreeSet;

use y3::show::escape;
use y3::{Error, ErrorKind, Path, Pattern, Patterns};

/// Whether a path contains `**`.
pub fn is_in(path: &str) -> bool {
    path.contains("**")
}

pub fn parse(path: &str) -> Result<Pattern, String> {
    let why = |error: Error| {
        let together = "`:` and `**` cannot stand in paths that are given together";
        if path.contains(':') { together.into() } else { error.to_string() }
    };
    path.parse().map_err(|error| format!("'{}' is not a path: {}", escape(path), why(error)))
}

/// Which of the matching packets [`paths`] returns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    All,
    First,
    FirstNode,
}

/// Returns the paths of the packets in `bytes` that match a path with `**`.
///
/// # Errors
/// Returns the errors of the search, and `DepthLimit` for a matching packet that is nested too deep for a [`Path`].
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
