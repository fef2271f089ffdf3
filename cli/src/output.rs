//! What a command writes: lines of text, or bytes in an encoding.

use std::io::{self, IsTerminal, Write};

use clap::{Args, ValueEnum};

use crate::encoding::Encoding;
use crate::failure::Failure;

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

/// Writes everything to standard output.
pub fn write_all(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| Failure::writing(&error))
}

/// Takes what can be written of some bytes. Groups of base64 have three, and only the last may have fewer.
pub fn piece(bytes: &mut Vec<u8>, to: Encoding, is_last: bool) -> Vec<u8> {
    let held = if to == Encoding::Base64 && !is_last { bytes.len() % 3 } else { 0 };
    let rest = bytes.split_off(bytes.len() - held);
    std::mem::replace(bytes, rest)
}
