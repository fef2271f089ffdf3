//! Output: a buffer of bytes or text, up to the maximum length of a JavaScript string.

use std::fmt::{self, Write};

/// The maximum length of a result in bytes. JavaScript engines do not support longer strings.
const MOST: usize = (1 << 29) - 64;

/// Appends bytes. Returns an error if the output would exceed the maximum length.
pub fn push(output: &mut Vec<u8>, bytes: &[u8]) -> fmt::Result {
    if bytes.len() > MOST.saturating_sub(output.len()) || output.try_reserve(bytes.len()).is_err() {
        return Err(fmt::Error);
    }
    output.extend_from_slice(bytes);
    Ok(())
}

/// Appends text to an output.
pub struct Text<'o> {
    output: &'o mut Vec<u8>,
    /// The first error. It is stored here because some callers ignore errors.
    pub result: fmt::Result,
}

impl<'o> Text<'o> {
    pub fn new(output: &'o mut Vec<u8>) -> Self {
        Text { output, result: Ok(()) }
    }

    /// Begins an item of a JSON array.
    pub fn item(&mut self) -> fmt::Result {
        if self.output.ends_with(b"[") { Ok(()) } else { self.write_str(",") }
    }
}

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let pushed = push(self.output, text.as_bytes());
        self.result = self.result.and(pushed);
        pushed
    }
}
