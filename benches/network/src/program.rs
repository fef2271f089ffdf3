//! Program: what the subcommands share: arguments, the event loop, signals.

pub use gateway::told_to_end as interrupted;

/// Reads a number of seconds.
///
/// # Errors
/// Not a number, or more than a day.
pub fn seconds(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if (0.0..=86_400.0).contains(&number) { Ok(number) } else { Err("between 0 and 86,400".to_owned()) }
}

/// The event loop that all Rust servers and clients here run on: one thread.
///
/// # Errors
/// The system has no means for it.
pub fn event_loop() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}
