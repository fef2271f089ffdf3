//! Encode error: an error in JSON, with its byte offset and the path of names to the value.

use std::fmt;

use y3::show::escape;

/// An error in JSON that cannot be encoded as packets. Its `Display` output is safe to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// The names on the path to the value, innermost first.
    path: Vec<String>,
    message: String,
    offset: usize,
}

impl EncodeError {
    pub(crate) fn new(message: impl Into<String>, offset: usize) -> Self {
        Self { path: Vec::new(), message: message.into(), offset }
    }

    /// Adds an enclosing name to the path.
    pub(crate) fn within(mut self, name: &str) -> Self {
        self.path.push(name.to_owned());
        self
    }

    /// Sets the offset if the error has none yet.
    pub(crate) fn or_at(self, offset: usize) -> Self {
        if self.offset == 0 { Self { offset, ..self } } else { self }
    }

    /// The byte offset of the error in the JSON text.
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

/// Creates an error without an offset. [`EncodeError::or_at`] adds the offset of the value.
pub(crate) fn fault(message: impl Into<String>) -> EncodeError {
    EncodeError::new(message, 0)
}
