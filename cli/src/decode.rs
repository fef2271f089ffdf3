//! Decodes text to bytes. The text is base64, or hexadecimal in one of the common notations.
//!
//! The text arrives in pieces of any size. The web page also uses this file and look.rs, so both need only `std` and do
//! no I/O.

type Result = std::result::Result<(), String>;

/// A decoder for one kind of text.
pub enum Text {
    Hex(Hex),
    Lines(Lines),
    Base64(Base64),
}

impl Text {
    /// Decodes a piece of the text.
    pub fn feed(&mut self, piece: &[u8], out: &mut Vec<u8>) -> Result {
        match self {
            Text::Hex(hex) => piece.iter().try_for_each(|&byte| hex.take(byte, out)),
            Text::Lines(lines) => piece.iter().try_for_each(|&byte| lines.take(byte, out)),
            Text::Base64(base64) => piece.iter().try_for_each(|&byte| base64.take(byte, out)),
        }
    }

    /// Call this at the end of the text. Decodes the last bytes, or returns an error if the text is incomplete.
    pub fn end(&mut self, out: &mut Vec<u8>) -> Result {
        match self {
            Text::Hex(hex) => hex.end(out),
            Text::Lines(lines) => lines.line(out),
            Text::Base64(base64) => base64.end(),
        }
    }
}

/// Returns the value of a hexadecimal digit.
fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Hexadecimal digits in tokens, such as `810302`, `81 03`, `0x81, 0x3`, `81:03` or `"\x81\x03"`. Brackets and
/// quotation marks can enclose the tokens.
///
/// Only a line end can separate the two digits of a byte. After `0x`, a single digit is a whole byte.
#[derive(Default)]
pub struct Hex {
    /// The number of bytes to skip before the first token, such as 6 for `[]byte`.
    skipped: usize,
    at: u64,
    /// The first digit of a byte whose second digit has not arrived.
    half: Option<u8>,
    /// The number of digits in the token so far.
    digits: usize,
    prefix: Prefix,
    /// True if a line end followed the last digit.
    is_new_line: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Prefix {
    #[default]
    None,
    /// The token begins with `0x`.
    Zero,
    /// The last character was a backslash. The next one must be `x` or a line end.
    Backslash,
    /// The token begins with `\x`.
    Escape,
}

impl Hex {
    pub fn new(skipped: usize) -> Hex {
        Hex { skipped, ..Hex::default() }
    }

    fn take(&mut self, byte: u8, out: &mut Vec<u8>) -> Result {
        let at = self.at;
        self.at += 1;
        if self.skipped > 0 {
            self.skipped -= 1;
            return Ok(());
        }
        let shown = || format!("'{}' at byte {at}", char::from(byte).escape_default());
        match (byte, self.prefix, self.half) {
            (b'x' | b'X', Prefix::Backslash, _) => self.prefix = Prefix::Escape,
            (b'\r' | b'\n', Prefix::Backslash, _) => self.prefix = Prefix::None,
            (_, Prefix::Backslash, _) => return Err(format!("expected \\x and two digits, found {}", shown())),
            (b'x' | b'X', Prefix::None, Some(0)) if self.digits == 1 && !self.is_new_line => {
                (self.prefix, self.half, self.digits) = (Prefix::Zero, None, 0);
            }
            (b'\\', ..) => {
                self.end(out)?;
                self.prefix = Prefix::Backslash;
            }
            (b':' | b'-', ..) if self.digits > 2 => {
                return Err(format!("expected 2 digits before {}, found {}", shown(), self.digits));
            }
            (b'\r' | b'\n', Prefix::None, Some(_)) => self.is_new_line = true,
            (b' ' | b'\t', _, Some(_)) if self.is_new_line => {}
            (byte, ..) if byte.is_ascii_whitespace() || b",:;-[]{}()\"'&".contains(&byte) => self.end(out)?,
            (byte, prefix, half) => match (digit(byte), half) {
                (None, _) => return Err(format!("{} is not a hexadecimal digit", shown())),
                (Some(_), None) if prefix == Prefix::Escape && self.digits == 2 => {
                    return Err(format!("expected \\x and two digits, found {}", shown()));
                }
                (Some(low), Some(high)) => {
                    out.push(high << 4 | low);
                    (self.half, self.digits, self.is_new_line) = (None, self.digits + 1, false);
                }
                (high, None) => (self.half, self.digits) = (high, self.digits + 1),
            },
        }
        Ok(())
    }

    /// Ends the current token.
    fn end(&mut self, out: &mut Vec<u8>) -> Result {
        if let Some(half) = self.half.take() {
            if (self.prefix, self.digits) != (Prefix::Zero, 1) {
                return Err(format!("the hexadecimal ends at byte {} in the middle of a byte", self.at));
            }
            out.push(half);
        }
        (self.digits, self.prefix, self.is_new_line) = (0, Prefix::None, false);
        Ok(())
    }
}

/// Lines that consist of an offset, bytes, and sometimes the bytes as characters. Tools such as xxd, hexdump -C and
/// Wireshark print such lines.
#[derive(Default)]
pub struct Lines {
    line: Vec<u8>,
    number: u64,
    /// The expected offset of the next line.
    next: Option<u64>,
}

/// The maximum length of a line in bytes. The tool xxd prints at most 256 bytes per line.
const LINE: usize = 4 << 10;

/// The parts of a line.
pub struct Line<'t> {
    pub offset: u64,
    /// The number of digits in the offset.
    digits: usize,
    pub has_colon: bool,
    /// The number of spaces before the bytes.
    gap: usize,
    /// The hexadecimal digits of the bytes.
    tokens: Vec<&'t str>,
    /// True if anything follows the bytes.
    pub has_characters: bool,
}

impl<'t> Line<'t> {
    /// Splits a line. Returns `None` if the line does not begin with an offset.
    pub fn split(line: &'t str) -> Option<Line<'t>> {
        let line = line.trim();
        let line = line.strip_prefix("0x").unwrap_or(line);
        let digits = line.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(line.len());
        let (offset, after) = line.split_at_checked(digits)?;
        let (has_colon, mut rest) = after.strip_prefix(':').map_or((false, after), |rest| (true, rest));
        if !(4..=16).contains(&digits) || !(rest.is_empty() || rest.starts_with(' ')) {
            return None;
        }
        let (offset, gap) = (u64::from_str_radix(offset, 16).ok()?, rest.len() - rest.trim_start().len());
        let mut line = Line { offset, digits, has_colon, gap, tokens: Vec::new(), has_characters: false };
        loop {
            let bytes = rest.trim_start();
            let gap = rest.len() - bytes.len();
            let (token, after) = bytes.split_at_checked(bytes.find(' ').unwrap_or(bytes.len()))?;
            // hexdump prints two spaces after the first eight bytes.
            let is_middle = gap == 2 && !has_colon && line.tokens.len() == 8 && is_byte(token);
            if token.is_empty() || !(gap == 1 || is_middle || line.tokens.is_empty()) {
                line.has_characters = !token.is_empty();
                return Some(line);
            }
            line.tokens.push(token);
            rest = after;
        }
    }

    /// True if the line contains bytes, and all of them are hexadecimal.
    pub fn has_bytes(&self) -> bool {
        !self.tokens.is_empty() && self.tokens.iter().all(|token| bytes_of(token).is_some())
    }

    /// True if the line looks like output of hexdump -C or Wireshark: an offset of 4 or 8 digits, at least two spaces,
    /// then bytes separated by spaces.
    pub fn is_table(&self) -> bool {
        matches!(self.digits, 4 | 8) && self.gap >= 2 && self.tokens.iter().all(|token| is_byte(token))
    }
}

/// Decodes a token of hexadecimal digits, two for each byte.
fn bytes_of(token: &str) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    token.as_bytes().chunks(2).map(pair).collect()
}

fn is_byte(token: &str) -> bool {
    token.len() == 2 && token.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Lines {
    fn take(&mut self, byte: u8, out: &mut Vec<u8>) -> Result {
        if byte == b'\n' {
            return self.line(out);
        }
        self.line.push(byte);
        if self.line.len() > LINE {
            return Err(format!("line {} is longer than {LINE} bytes", self.number + 1));
        }
        Ok(())
    }

    fn line(&mut self, out: &mut Vec<u8>) -> Result {
        let line = std::mem::take(&mut self.line);
        self.number += 1;
        let number = self.number;
        // The characters after the bytes are not always UTF-8.
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            return Ok(());
        }
        let Some(line) = Line::split(&line) else {
            return Err(format!("line {number} does not begin with an offset"));
        };
        let next = self.next.unwrap_or(line.offset);
        if line.offset != next {
            return Err(format!("line {number} has offset {:x}, expected {next:x}", line.offset));
        }
        let before = out.len();
        for token in line.tokens {
            let wrong = || format!("'{}' in line {number} is not hexadecimal", token.escape_default());
            out.extend(bytes_of(token).ok_or_else(wrong)?);
        }
        self.next = next.checked_add((out.len() - before) as u64);
        Ok(())
    }
}

/// Base64 in the standard or the URL-safe alphabet, with or without padding. Whitespace is ignored.
#[derive(Default)]
pub struct Base64 {
    at: u64,
    /// The bits that do not form a whole byte yet.
    held: u32,
    bits: u32,
    characters: usize,
    padding: usize,
}

/// Returns the six bits that a character stands for, in either alphabet.
fn sextet(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

impl Base64 {
    fn take(&mut self, byte: u8, out: &mut Vec<u8>) -> Result {
        let at = self.at;
        self.at += 1;
        match (byte, sextet(byte)) {
            (byte, _) if byte.is_ascii_whitespace() => {}
            (b'=', _) => self.padding += 1,
            (_, Some(sextet)) if self.padding == 0 => {
                (self.held, self.bits) = (self.held << 6 | u32::from(sextet), self.bits + 6);
                if self.bits >= 8 {
                    self.bits -= 8;
                    out.extend((self.held >> self.bits).to_be_bytes().last());
                    self.held &= (1 << self.bits) - 1;
                }
                self.characters = self.characters.wrapping_add(1);
            }
            _ => return Err(format!("'{}' at byte {at} is not base64", char::from(byte).escape_default())),
        }
        Ok(())
    }

    fn end(&self) -> Result {
        let is_padded = (self.characters % 4 + self.padding) % 4 == 0 && self.padding <= 2;
        if self.padding > 0 && !is_padded {
            return Err(format!(
                "the base64 ends at byte {} with the wrong padding for {} characters",
                self.at, self.characters
            ));
        }
        if self.held != 0 || self.bits == 6 {
            return Err(format!(
                "the base64 ends at byte {} in the middle of a byte, or its last bits are not 0",
                self.at
            ));
        }
        Ok(())
    }
}
