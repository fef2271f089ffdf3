//! Limits: what a server of the echo allows, and what it has seen.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// What a server allows.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The longest body in bytes.
    pub body: usize,
    /// Connections open at the same time.
    pub connections: u64,
    /// A request that is begun, or a reply that the peer does not read, gets at least this long and at most twice as long.
    pub timeout: Duration,
    /// A connection without requests is closed after this many time-outs.
    pub idle: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { body: 1 << 20, connections: 8192, timeout: Duration::from_secs(10), idle: 60 }
    }
}

/// What a server has seen.
#[derive(Debug, Default)]
pub struct Counts {
    pub accepted: AtomicU64,
    pub open: AtomicU64,
    pub requests: AtomicU64,
    pub refused: AtomicU64,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [requests, accepted, refused, open] =
            [&self.requests, &self.accepted, &self.refused, &self.open].map(|count| count.load(Relaxed));
        write!(f, "{requests} requests on {accepted} connections, {refused} refused, {open} open")
    }
}
