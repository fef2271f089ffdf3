//! Output: bytes and text, up to the longest JavaScript string.

use std::fmt::{self, Write};

/// The maximum length of an answer in bytes: JavaScript engines have no longer strings.
const MOST: usize = (1 << 29) - 64;

/// Appends bytes, if there is space for them.
pub fn push(output: &mut Vec<u8>, bytes: &[u8]) -> fmt::Result {
    if bytes.len() > MOST.saturating_sub(output.len()) || output.try_reserve(bytes.len()).is_err() {
        return Err(fmt::Error);
    }
    output.extend_from_slice(bytes);
    Ok(())
}

/// Text at the end of an output.
pub struct Text<'o> {
    output: &'o mut Vec<u8>,
    /// The first error, for writers that do not return errors.
    pub result: fmt::Result,
}

impl<'o> Text<'o> {
    pub fn new(output: &'o mut Vec<u8>) -> Self {
        Text { output, result: Ok(()) }
    }

    /// Begins an item of an array.
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
