//! What a command writes: lines of text, or bytes in an encoding.
//!
//! Everything goes through one buffer. It is flushed where somebody may wait: at the end of what one read of the input gave.

use std::fmt;
use std::io::{self, IsTerminal, Write};

use clap::{Args, ValueEnum};

use crate::encoding::Encoding;
use crate::failure::Failure;
use crate::label::{has_label, labelled};
use crate::paint::{self, Paint};

/// How a command writes packets.
#[derive(Args, Debug)]
pub struct OutputArguments {
    /// How packets are written; auto is raw bytes, and hexadecimal on a terminal
    #[arg(long, value_enum, value_name = "ENCODING", default_value_t = To::Auto)]
    to: To,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum To {
    Auto,
    Raw,
    Hex,
    Base64,
}

impl OutputArguments {
    pub fn encoding(&self) -> Encoding {
        match self.to {
            To::Auto if io::stdout().is_terminal() => Encoding::Hex,
            To::Auto | To::Raw => Encoding::Raw,
            To::Hex => Encoding::Hex,
            To::Base64 => Encoding::Base64,
        }
    }
}

/// A number of things, in words.
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Standard output, written in large pieces.
pub struct Output {
    /// What is not written yet.
    text: String,
    pub paint: Paint,
    /// Why no more can be written; text that is written then is dropped.
    failure: Option<Failure>,
}

/// The bytes that are written at a time.
const PIECE: usize = 64 << 10;

impl Output {
    pub fn open() -> Output {
        Output { text: String::with_capacity(2 * PIECE), paint: paint::of(&io::stdout()), failure: None }
    }

    /// Writes what is held, and says whether all could be written.
    pub fn finish(mut self) -> Result<(), Failure> {
        if self.failure.is_none() {
            self.write(self.text.len());
        }
        self.failure.map_or(Ok(()), Err)
    }

    /// Writes the first bytes of what is held.
    fn write(&mut self, len: usize) {
        self.failure = write_all(self.text.get(..len).unwrap_or_default().as_bytes()).err();
        self.text.drain(..len);
    }
}

impl fmt::Write for Output {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.failure.is_none() {
            self.text.push_str(text);
        }
        if self.text.len() >= PIECE {
            // Names stand before whole lines.
            self.write(if has_label() { self.text.rfind('\n').map_or(0, |end| end + 1) } else { self.text.len() });
        }
        if self.failure.is_none() { Ok(()) } else { Err(fmt::Error) }
    }
}

/// Writes everything to standard output, at once.
pub fn write_all(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(&labelled(bytes)).and_then(|()| out.flush()).map_err(|error| Failure::writing(&error))
}

/// Writes as many bytes as the output takes, and keeps the rest. Groups of base64 have three, and only the last may have fewer.
pub fn write_piece(bytes: &mut Vec<u8>, to: Encoding, is_last: bool) -> Result<(), Failure> {
    let held = if to == Encoding::Base64 && !is_last { bytes.len() % 3 } else { 0 };
    let piece = bytes.get(..bytes.len() - held).unwrap_or_default();
    let written = if piece.is_empty() { Ok(()) } else { write_all(&to.encode(piece)) };
    bytes.drain(..bytes.len() - held);
    written
}
