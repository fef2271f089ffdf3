//! Log: lines on standard error, in colours on a terminal alone, and not one for each of a thousand.

use std::io::IsTerminal as _;
use std::num::NonZeroU32;

use governor::{DefaultDirectRateLimiter, Quota};

/// Writes the log to standard error.
pub fn start(level: tracing::Level) {
    let colours = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(colours).with_max_level(level).init();
}

/// Limits log lines that a peer can cause as often as it likes: some at once, then one a second.
pub fn lines(at_once: u32) -> DefaultDirectRateLimiter {
    let at_once = NonZeroU32::new(at_once).unwrap_or(NonZeroU32::MIN);
    DefaultDirectRateLimiter::direct(Quota::per_second(NonZeroU32::MIN).allow_burst(at_once))
}
