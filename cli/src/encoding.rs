//! Hexadecimal and base64 as a stream of bytes.
//!
//! In: text in any pieces, with spaces and line ends anywhere. Out: the bytes it stands for, as they arrive.

use std::fmt::Write as _;
use std::io::{self, Read};

use clap::ValueEnum;
use data_encoding::{BASE64, BASE64_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE};

/// How bytes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// The bytes themselves
    Raw,
    /// Hexadecimal digits, with or without spaces
    Hex,
    /// Base64 of either alphabet, with or without padding
    Base64,
}

impl Encoding {
    /// The encoding that these first bytes of an input suggest.
    ///
    /// Packets are taken for text only if each of these bytes, headers included, happens to be a character of that text.
    pub fn of(first: &[u8]) -> Encoding {
        let all = |is: fn(&u8) -> bool| first.iter().all(|byte| byte.is_ascii_whitespace() || is(byte));
        if first.iter().all(u8::is_ascii_whitespace) {
            Encoding::Raw
        } else if all(u8::is_ascii_hexdigit) {
            Encoding::Hex
        } else if all(|byte| is_base64(*byte)) {
            Encoding::Base64
        } else {
            Encoding::Raw
        }
    }

    /// These bytes in this encoding; a line of text ends with a line feed.
    pub fn encode(self, bytes: &[u8]) -> Vec<u8> {
        let mut text = match self {
            Encoding::Raw => return bytes.to_vec(),
            Encoding::Hex => HEXLOWER.encode(bytes),
            Encoding::Base64 => BASE64.encode(bytes),
        };
        text.push('\n');
        text.into_bytes()
    }
}

/// Bytes in hexadecimal, without spaces.
pub fn push_hex(bytes: &[u8], text: &mut String) {
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte)
}

/// The bytes that a text stands for.
pub struct Decoder<R> {
    source: R,
    encoding: Encoding,
    /// Characters that make no whole group yet.
    held: Vec<u8>,
    /// Bytes that were not asked for yet, from `given` on.
    bytes: Vec<u8>,
    given: usize,
    /// How much of the text was read.
    offset: u64,
    is_padded: bool,
}

impl<R: Read> Decoder<R> {
    pub fn new(source: R, encoding: Encoding) -> Self {
        Decoder { source, encoding, held: Vec::new(), bytes: Vec::new(), given: 0, offset: 0, is_padded: false }
    }

    /// Adds the characters of a piece to those held.
    fn hold(&mut self, piece: &[u8]) -> io::Result<()> {
        for &byte in piece {
            let at = self.offset;
            self.offset += 1;
            let is_hex = self.encoding == Encoding::Hex;
            match byte {
                byte if byte.is_ascii_whitespace() => {}
                b'=' if !is_hex => self.is_padded = true,
                b'-' if !is_hex && !self.is_padded => self.held.push(b'+'),
                b'_' if !is_hex && !self.is_padded => self.held.push(b'/'),
                byte if is_hex && byte.is_ascii_hexdigit() => self.held.push(byte),
                byte if !is_hex && is_base64(byte) && !self.is_padded => self.held.push(byte),
                byte => {
                    let name = if is_hex { "a hexadecimal digit" } else { "base64" };
                    let shown = char::from(byte).escape_default();
                    return Err(invalid(format!("'{shown}' at byte {at} is not {name}")));
                }
            }
        }
        Ok(())
    }

    /// Decodes the whole groups that are held, all of them at the end of the text.
    fn decode(&mut self, is_end: bool) -> io::Result<()> {
        let (encoding, group, what) = match self.encoding {
            Encoding::Base64 => (BASE64_NOPAD, 4, "base64"),
            _ => (HEXLOWER_PERMISSIVE, 2, "hexadecimal"),
        };
        let whole = if is_end { self.held.len() } else { self.held.len() - self.held.len() % group };
        let groups: Vec<u8> = self.held.drain(..whole).collect();
        self.bytes = encoding.decode(&groups).map_err(|_| {
            invalid(format!("the {what} ends at byte {} in the middle of a byte, or has bits left over", self.offset))
        })?;
        self.given = 0;
        Ok(())
    }
}

fn invalid(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.encoding == Encoding::Raw {
            return self.source.read(buffer);
        }
        while self.given == self.bytes.len() && !buffer.is_empty() {
            let mut piece = [0; 8 << 10];
            let read = self.source.read(&mut piece)?;
            self.hold(piece.get(..read).unwrap_or_default())?;
            self.decode(read == 0)?;
            if read == 0 && self.bytes.is_empty() {
                return Ok(0);
            }
        }
        let rest = self.bytes.get(self.given..).unwrap_or_default();
        let read = io::copy(&mut rest.take(buffer.len() as u64), &mut io::Cursor::new(&mut *buffer))?;
        let read = usize::try_from(read).unwrap_or(0);
        self.given += read;
        Ok(read)
    }
}
