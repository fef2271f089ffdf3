//! The JSON values of an input, one at a time: memory for the largest of them, up to a limit.

use std::io::{self, Read};

use serde::Deserialize as _;
use serde_json::Deserializer;
use y3_names::Json;

use crate::failure::Failure;
use crate::input::Input;

/// Reads JSON values, usually a line each.
pub struct Objects<'i> {
    input: &'i mut Input,
    buffer: Vec<u8>,
    /// The bytes that were read and not taken, `start..filled`.
    start: usize,
    filled: usize,
    /// The line of the next byte, and the bytes before it in this line.
    line: usize,
    column: usize,
    /// The most bytes of a value, and how many the value that is being read may still take.
    limit: usize,
    left: usize,
    /// Why no more could be read.
    failure: Option<Failure>,
}

/// The bytes that are read at a time.
const PIECE: usize = 64 << 10;

impl<'i> Objects<'i> {
    pub fn new(input: &'i mut Input, limit: usize) -> Self {
        let buffer = vec![0; PIECE];
        Objects { input, buffer, start: 0, filled: 0, line: 1, column: 0, limit, left: 0, failure: None }
    }

    /// Whether the next value has to be read first.
    pub fn is_drained(&self) -> bool {
        self.rest().iter().all(u8::is_ascii_whitespace)
    }

    /// The next value and the line in which it begins.
    pub fn next(&mut self) -> Result<Option<(usize, Json)>, Failure> {
        loop {
            if self.rest().is_empty() && self.fill()? == 0 {
                return Ok(None);
            }
            match self.rest().iter().position(|byte| !byte.is_ascii_whitespace()) {
                Some(blank) => {
                    self.take(blank);
                    break;
                }
                None => self.take(self.filled - self.start),
            }
        }
        let (line, column) = (self.line, self.column);
        self.left = self.limit;
        let json = Json::deserialize(&mut Deserializer::from_reader(&mut *self));
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        json.map(|json| Some((line, json))).map_err(|error| {
            if error.is_io() {
                return self.input.origin.fault(format!("line {line}: {error}"));
            }
            let text = error.to_string();
            let place = format!(" at line {} column {}", error.line(), error.column());
            let column = error.column() + if error.line() == 1 { column } else { 0 };
            let message = text.strip_suffix(&place).unwrap_or(&text);
            // The name of a member may be in the message.
            let message = y3::show::escape(message);
            self.input.origin.fault(format!("line {}, column {column}: {message}", line + error.line() - 1))
        })
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.start..self.filled).unwrap_or_default()
    }

    fn fill(&mut self) -> Result<usize, Failure> {
        self.filled = self.input.read(&mut self.buffer)?;
        self.start = 0;
        Ok(self.filled)
    }

    /// Goes on after so many bytes.
    fn take(&mut self, count: usize) {
        for byte in self.buffer.get(self.start..self.start + count).unwrap_or_default() {
            (self.line, self.column) = if *byte == b'\n' { (self.line + 1, 0) } else { (self.line, self.column + 1) };
        }
        self.start += count;
    }
}

/// The bytes of a value, up to the limit.
impl Read for Objects<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other(format!("an object of more than {} bytes", self.limit)));
        }
        if self.rest().is_empty() {
            if let Err(failure) = self.fill() {
                self.failure = Some(failure);
                return Err(io::Error::other("the input cannot be read"));
            }
        }
        let most = to.len().min(self.left);
        let read = self.rest().read(to.get_mut(..most).unwrap_or_default())?;
        self.left -= read;
        self.take(read);
        Ok(read)
    }
}
