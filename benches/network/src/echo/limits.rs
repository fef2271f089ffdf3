//! Limits: what a server of the echo allows, and what it has seen.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use report::markdown::grouped;

use crate::terminal::Rate;

/// What a server allows.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The handler waits this long before it replies.
    pub delay: Duration,
    /// The longest body in bytes.
    pub body: usize,
    /// Connections open at the same time.
    pub connections: u64,
    /// A request that is begun, or a reply that the peer does not read, gets at least this long and at most twice as long.
    pub timeout: Duration,
    /// A connection without requests is closed after this many time-outs.
    pub idle: u32,
    /// Requests of one connection that wait for the handler, in bytes, before the server stops reading from it.
    pub waiting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            delay: Duration::ZERO,
            body: 1 << 20,
            connections: 8192,
            timeout: Duration::from_secs(10),
            idle: 60,
            waiting: 8 << 20,
        }
    }
}

/// What a server has seen.
#[derive(Debug, Default)]
pub struct Counts {
    pub accepted: AtomicU64,
    pub open: AtomicU64,
    pub requests: AtomicU64,
    pub refused: AtomicU64,
    /// Batches that wait for the handler or for their peer.
    pub waiting: AtomicU64,
}

impl Counts {
    /// What is so now, in words.
    pub fn now(&self, rate: &mut Rate) -> String {
        let requests = rate.of(self.requests.load(Relaxed));
        format!("{} connections open, {} requests/s", self.open.load(Relaxed), grouped(requests))
    }

    /// One line for the end.
    pub fn summary(&self) -> String {
        let of = |count: &AtomicU64| count.load(Relaxed);
        format!(
            "{} requests on {} connections, {} refused, {} open",
            of(&self.requests),
            of(&self.accepted),
            of(&self.refused),
            of(&self.open)
        )
    }
}
