//! The output of a command: lines of text, or encoded bytes.
//!
//! All output goes through one buffer. The buffer is written when it is full. It is also written before the command
//! waits for input, because another program can be waiting for the output.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::io::{self, IsTerminal, Write};

use clap::{Args, ValueEnum};
use data_encoding::BASE64;
use y3::show::hex;

use crate::failure::Failure;
use crate::label::{has_label, labelled};
use crate::paint::{self, Paint};
use crate::progress;

/// The argument for the encoding of packets in the output.
#[derive(Args, Debug)]
pub struct OutputArguments {
    /// Write the output in this encoding; auto means hexadecimal on a terminal, and otherwise raw bytes
    #[arg(long, value_enum, value_name = "ENCODING", default_value_t = Encoding::Auto)]
    to: Encoding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Encoding {
    Auto,
    Raw,
    Hex,
    Base64,
}

impl OutputArguments {
    /// Sets the encoding of all following output.
    pub fn begin(&self) {
        let to = if self.to == Encoding::Auto && io::stdout().is_terminal() { Encoding::Hex } else { self.to };
        BUFFER.with_borrow_mut(|buffer| buffer.to = to);
    }
}

impl Encoding {
    /// Encodes bytes. Encoded text ends with a line feed.
    fn encode(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        let text = match self {
            Encoding::Auto | Encoding::Raw => return bytes.into(),
            Encoding::Hex => hex(bytes).to_string(),
            Encoding::Base64 => BASE64.encode(bytes),
        };
        (text + "\n").into_bytes().into()
    }
}

/// Formats a count with its noun, such as `2 packets`.
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The buffer is written when it contains this many bytes.
const PIECE: usize = 64 << 10;

/// The bytes that have not been written yet.
struct Buffer {
    bytes: Vec<u8>,
    to: Encoding,
}

thread_local! {
    static BUFFER: RefCell<Buffer> = const { RefCell::new(Buffer { bytes: Vec::new(), to: Encoding::Raw }) };
}

impl Buffer {
    /// Writes the first `end` bytes of the buffer.
    fn write(&mut self, end: usize) -> Result<(), Failure> {
        let piece = self.bytes.get(..end).unwrap_or_default();
        if piece.is_empty() {
            return Ok(());
        }
        let written = progress::while_writing(|| {
            let mut out = io::stdout().lock();
            out.write_all(&labelled(&self.to.encode(piece))).and_then(|()| out.flush())
        });
        self.bytes.drain(..end);
        written.map_err(|error| Failure::writing(&error))
    }

    /// The number of buffered bytes that can be encoded without padding. For base64 it is a multiple of three.
    fn whole(&self) -> usize {
        self.bytes.len() - if self.to == Encoding::Base64 { self.bytes.len() % 3 } else { 0 }
    }
}

/// Adds bytes to the output buffer.
pub fn put(bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.bytes.extend_from_slice(bytes.as_ref());
        if buffer.bytes.len() < PIECE {
            return Ok(());
        }
        // Labels are added to whole lines, so only whole lines are written.
        let line = || buffer.bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        buffer.write(if has_label() { line() } else { buffer.whole() })
    })
}

/// Writes the buffered bytes. The command calls this before it reads input or prints a message.
pub fn flush() -> Result<(), Failure> {
    BUFFER.with_borrow_mut(|buffer| buffer.write(buffer.whole()))
}

/// Writes all buffered bytes at the end of the command.
pub fn finish() -> Result<(), Failure> {
    BUFFER.with_borrow_mut(|buffer| buffer.write(buffer.bytes.len()))
}

/// Output that is written in many small parts.
pub struct Output {
    pub paint: Paint,
    /// Text that was not added to the output buffer yet.
    pub text: String,
    /// The failure of an earlier write, after which nothing more is written.
    failure: Option<Failure>,
}

impl Output {
    pub fn open() -> Output {
        Output { paint: paint::of(&io::stdout()), text: String::new(), failure: None }
    }

    /// Adds the text to the output buffer. Returns an error if any write failed.
    pub fn finish(&mut self) -> Result<(), Failure> {
        let put = self.failure.take().map_or_else(|| put(&self.text), Err);
        self.text.clear();
        put
    }
}

impl fmt::Write for Output {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        if self.text.len() >= PIECE {
            self.failure = self.finish().err();
        }
        if self.failure.is_none() { Ok(()) } else { Err(fmt::Error) }
    }
}
