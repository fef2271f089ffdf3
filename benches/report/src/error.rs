//! Error: what a person is told when no report can be written.

/// Errors are sentences for a person that name the missing or wrong thing.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
