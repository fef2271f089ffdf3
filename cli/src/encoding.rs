//! How bytes are written as text: hexadecimal and base64.

use std::borrow::Cow;

use clap::ValueEnum;
use data_encoding::BASE64;
use y3::show::hex;

/// How bytes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// The bytes themselves
    Raw,
    /// Hexadecimal digits
    Hex,
    /// Base64 of either alphabet, with or without padding
    Base64,
}

impl Encoding {
    /// These bytes in this encoding; a line of text ends with a line feed.
    pub fn encode(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        let mut text = match self {
            Encoding::Raw => return bytes.into(),
            Encoding::Hex => hex(bytes).to_string(),
            Encoding::Base64 => BASE64.encode(bytes),
        };
        text.push('\n');
        text.into_bytes().into()
    }
}
