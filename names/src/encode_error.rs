//! Encode error: what is wrong with JSON, where, and the names that lead there.
//!
//! In: a message, and names from the inside out. Out: an error that is safe to print.

use std::fmt;

use y3::show::escape;

/// What is wrong with JSON that should become packets. Its `Display` is safe to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// The names that lead there, the innermost first.
    path: Vec<String>,
    message: String,
    offset: usize,
}

impl EncodeError {
    pub(crate) fn new(message: impl Into<String>, offset: usize) -> Self {
        Self { path: Vec::new(), message: message.into(), offset }
    }

    /// The error with one more name that leads to it.
    pub(crate) fn within(mut self, name: &str) -> Self {
        self.path.push(name.to_owned());
        self
    }

    /// The error at this place, if it has none.
    pub(crate) fn or_at(self, offset: usize) -> Self {
        if self.offset == 0 { Self { offset, ..self } } else { self }
    }

    /// Where the value stands in the text, in bytes.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, name) in self.path.iter().rev().enumerate() {
            write!(f, "{}{}", if place == 0 { "" } else { "." }, escape(name))?;
        }
        write!(f, "{}{}", if self.path.is_empty() { "" } else { ": " }, self.message)
    }
}

impl std::error::Error for EncodeError {}

impl From<y3::Error> for EncodeError {
    fn from(error: y3::Error) -> Self {
        fault(error.kind().to_string())
    }
}

pub(crate) type Result<T> = core::result::Result<T, EncodeError>;

/// An error whose place is that of its packet, which [`EncodeError::or_at`] adds.
pub(crate) fn fault(message: impl Into<String>) -> EncodeError {
    EncodeError::new(message, 0)
}
