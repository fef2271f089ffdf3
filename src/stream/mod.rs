//! From bytes that arrive in pieces to the same packets and values. It imports `read`, `wire`, `limits` and `error`, never `write`.

pub(crate) mod watcher;

/// The longest header in bytes: a tag and five of length.
pub(crate) const LONGEST: usize = 6;
