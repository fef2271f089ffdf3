//! Splits an input into JSON values. Memory use is bounded by the maximum length of a value.

use crate::failure::Failure;
use crate::input::Input;

/// An input that is split into JSON values, usually one per line. The values are not validated.
pub struct Objects<'i> {
    input: &'i mut Input,
    buffer: Vec<u8>,
    /// Bytes that were read but not returned yet are in `buffer` at `start..filled`.
    start: usize,
    filled: usize,
    /// The line number of the next byte, and the number of bytes before this byte in the line.
    line: usize,
    column: usize,
    /// The maximum length of a value in bytes.
    limit: usize,
}

/// A value and its position.
pub struct Object {
    pub text: String,
    pub line: usize,
    column: usize,
}

impl Object {
    /// Converts an offset in the value to a position in the input.
    pub fn place(&self, offset: usize) -> String {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        match before.rsplit_once('\n') {
            Some((lines, before)) => {
                format!("line {}, column {}", self.line + lines.matches('\n').count() + 1, before.len() + 1)
            }
            None => format!("line {}, column {}", self.line, self.column + before.len() + 1),
        }
    }
}

/// The number of bytes to read at a time.
const PIECE: usize = 64 << 10;

impl<'i> Objects<'i> {
    pub fn new(input: &'i mut Input, limit: usize) -> Self {
        Objects { input, buffer: vec![0; PIECE], start: 0, filled: 0, line: 1, column: 0, limit }
    }

    /// Reads the next value. An object or an array ends at its closing bracket. Any other value ends at whitespace.
    pub fn next(&mut self) -> Result<Option<Object>, Failure> {
        let (mut value, mut line, mut column) = (Vec::new(), self.line, self.column);
        let (mut brackets, mut is_text, mut is_escaped) = (0_usize, false, false);
        loop {
            if self.rest().is_empty() && self.fill()? == 0 {
                break;
            }
            let Some(&byte) = self.rest().first() else { break };
            if brackets == 0 && !is_text && byte.is_ascii_whitespace() {
                self.take(byte);
                if value.is_empty() {
                    (line, column) = (self.line, self.column);
                    continue;
                }
                break;
            }
            value.push(byte);
            if value.len() > self.limit {
                let message = format!("line {line}: the object has more than {} bytes", self.limit);
                return Err(self.input.origin.fault(message));
            }
            self.take(byte);
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_text => is_escaped = true,
                b'"' => is_text = !is_text,
                b'{' | b'[' if !is_text => brackets += 1,
                b'}' | b']' if !is_text && brackets <= 1 => break,
                b'}' | b']' if !is_text => brackets -= 1,
                _ => {}
            }
        }
        match String::from_utf8(value) {
            Ok(text) if text.is_empty() => Ok(None),
            Ok(text) => Ok(Some(Object { text, line, column })),
            Err(_) => Err(self.input.origin.fault(format!("line {line}: not UTF-8"))),
        }
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.start..self.filled).unwrap_or_default()
    }

    fn fill(&mut self) -> Result<usize, Failure> {
        self.filled = self.input.read(&mut self.buffer)?;
        self.start = 0;
        Ok(self.filled)
    }

    /// Moves past this byte, and updates the line and the column.
    fn take(&mut self, byte: u8) {
        (self.line, self.column) = if byte == b'\n' { (self.line + 1, 0) } else { (self.line, self.column + 1) };
        self.start += 1;
    }
}
