//! Functions that the subcommands share.

use std::time::Duration;

pub use gateway::told_to_end as interrupted;

/// Reads a number of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|error| format!("{error}"))?;
    let is_short = (0.0..=86_400.0).contains(&number);
    if is_short { Ok(Duration::from_secs_f64(number)) } else { Err("between 0 and 86,400".to_owned()) }
}

/// Creates the event loop of all Rust servers and clients of this package. It has one thread.
pub fn event_loop() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}
