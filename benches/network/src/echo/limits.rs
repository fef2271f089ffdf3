//! Limits and counts of a server.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The limits of a Y3 server.
#[derive(Clone, Debug, clap::Args)]
pub struct Limits {
    /// The maximum length of a body in bytes.
    #[arg(long = "max-body", default_value_t = Limits::DEFAULT.body)]
    pub body: usize,
    /// The maximum number of open connections.
    #[arg(long = "max-connections", default_value_t = Limits::DEFAULT.connections)]
    pub connections: u64,
    /// How long an incomplete request or an unread reply is allowed to wait. The server may wait up to twice as long.
    #[arg(long, default_value = "10s", value_parser = humantime::parse_duration)]
    pub timeout: Duration,
    /// A connection without requests is closed after this many time-outs.
    #[arg(long, default_value_t = Limits::DEFAULT.idle)]
    pub idle: u32,
}

impl Limits {
    pub const DEFAULT: Limits = Limits { body: 1 << 20, connections: 8192, timeout: Duration::from_secs(10), idle: 60 };
}

/// The counts of a server.
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
