//! Detects the encoding of an input from its first bytes. The result does not depend on how the input is split into
//! pieces.
//!
//! The web page also uses this file and decode.rs, so both need only `std` and do no I/O.

use super::decode::{Base64, Hex, Line, Lines, Text};

/// The maximum number of bytes examined.
pub const LOOK: usize = 4 << 10;
/// Lines with fewer characters in total, not counting whitespace, are not examined yet.
const CHARACTERS: usize = 4;
/// A text with a fault is nearly hexadecimal if it begins with this many hexadecimal bytes.
const BYTES: usize = 2;
/// The same limit for text that is also valid base64. By chance, 2 % of base64 texts begin with two hexadecimal bytes.
const BYTES_OF_BASE64: usize = 4;

/// The encoding of an input.
pub enum Written {
    Raw,
    /// Raw bytes that look like text.
    Prose,
    Text(Text),
    /// Text that looks like hexadecimal with a fault. The string describes the fault.
    Nearly(String),
}

/// Detects the encoding while the first bytes arrive.
///
/// An input is raw if it contains a byte that does not occur in text. Otherwise the lines are examined, from the first
/// line on, until they are hexadecimal or base64. If they are neither, up to [`LOOK`] bytes are examined together.
#[derive(Default)]
pub struct Look {
    /// The length of the lines that were examined without a result.
    seen: usize,
}

impl Look {
    /// Returns the encoding of the input, or `None` if more bytes are needed. `first` contains all bytes so far.
    pub fn at(&mut self, first: &[u8], is_end: bool) -> Option<Written> {
        let first = first.get(..LOOK).unwrap_or(first);
        while let Some(line) = first.get(self.seen..).and_then(|rest| rest.iter().position(|byte| *byte == b'\n')) {
            self.seen += line + 1;
            let lines = first.get(..self.seen).unwrap_or_default();
            match written(lines, false, false) {
                Written::Text(text) => return Some(Written::Text(text)),
                Written::Raw => return Some(Written::Raw),
                Written::Prose | Written::Nearly(_) => {}
            }
        }
        if first.len() == LOOK || is_end {
            return Some(written(first, true, first.len() == LOOK));
        }
        // A byte that does not occur in text decides at once.
        (!first.iter().all(|byte| is_text(*byte))).then_some(Written::Raw)
    }
}

/// Returns the encoding of the first lines of a text, or of the whole text if `is_whole` is true. If `is_cut` is true,
/// more bytes follow.
fn written(first: &[u8], is_whole: bool, is_cut: bool) -> Written {
    let characters: Vec<u8> = first.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    if !first.iter().all(|byte| is_text(*byte)) || is_whole && characters.is_empty() {
        return Written::Raw;
    }
    if !is_whole && characters.len() < CHARACTERS {
        return Written::Prose;
    }
    let (fault, before) = match offset(first) {
        Offset::Sure => return Written::Text(Text::Lines(Lines::default())),
        Offset::Perhaps(fault) => (fault, BYTES_OF_BASE64),
        Offset::None => match tokens(first, 0, is_cut) {
            Ok(()) => return Written::Text(Text::Hex(Hex::new(0))),
            Err(fault) => fault,
        },
    };
    if let Some(skipped) = literal(first).filter(|&skipped| tokens(first, skipped, is_cut).is_ok()) {
        return Written::Text(Text::Hex(Hex::new(skipped)));
    }
    let (is_mostly, is_base64) = (is_mostly_hexadecimal(&characters), is_base64(first, is_cut));
    match is_base64 {
        // Padding is better evidence of base64 than digits are of hexadecimal.
        true if characters.ends_with(b"=") || !is_mostly && before < BYTES_OF_BASE64 => {
            Written::Text(Text::Base64(Base64::default()))
        }
        _ if is_mostly || before >= BYTES => Written::Nearly(fault),
        _ => Written::Prose,
    }
}

fn is_text(byte: u8) -> bool {
    byte.is_ascii_graphic() || byte.is_ascii_whitespace()
}

/// Describes how the first line begins.
enum Offset {
    None,
    /// It is unclear if the first digits are an offset or bytes. The string is the error message.
    Perhaps(String),
    Sure,
}

fn offset(first: &[u8]) -> Offset {
    let text = String::from_utf8_lossy(first);
    let line = text.lines().find(|line| !line.trim().is_empty()).and_then(Line::split);
    let Some(line) = line.filter(Line::has_bytes) else { return Offset::None };
    match (line.has_colon, line.is_table()) {
        (true, _) => Offset::Sure,
        (_, false) => Offset::None,
        // The first line of a table has offset 0, and only a table has characters after the bytes.
        (_, true) if line.offset == 0 || line.has_characters => Offset::Sure,
        _ => Offset::Perhaps(format!("'{:04x}' can be the offset of a line or the first bytes", line.offset)),
    }
}

/// Checks that the text consists of hexadecimal tokens. If `is_cut` is true, the last token can be incomplete. The
/// error has the fault and the number of decoded bytes before the fault.
fn tokens(first: &[u8], skipped: usize, is_cut: bool) -> Result<(), (String, usize)> {
    let (mut hex, mut bytes) = (Text::Hex(Hex::new(skipped)), Vec::new());
    let read = hex.feed(first, &mut bytes).and_then(|()| if is_cut { Ok(()) } else { hex.end(&mut bytes) });
    read.map_err(|fault| (fault, bytes.len()))
}

/// Returns the offset of the bytes in a literal of a program, such as `[]byte{0x81}`, `vec![0x81]`, `b"\x81"` or `let
/// a: [u8; 1] = [0x81];`.
fn literal(first: &[u8]) -> Option<usize> {
    let opened = (0..first.len()).find(|&at| {
        let after = first.get(at + 1..).unwrap_or_default().trim_ascii_start();
        first.get(at).is_some_and(|byte| b"[{(\"".contains(byte))
            && [&b"0x"[..], b"0X", b"\\x"].iter().any(|byte| after.starts_with(byte))
    })?;
    let before = first.get(..opened).unwrap_or_default().trim_ascii_end();
    let ends = [&b"="[..], b"&", b"!", b"(", b"byte", b"uint8", b"b"];
    (before.is_empty() || ends.iter().any(|end| before.ends_with(end))).then_some(opened)
}

/// True if the text is base64 and no line contains a space or a tab. If `is_cut` is true, more bytes follow.
fn is_base64(first: &[u8], is_cut: bool) -> bool {
    let (mut base64, mut bytes) = (Text::Base64(Base64::default()), Vec::new());
    first
        .split(|byte| *byte == b'\n')
        .all(|line| !line.trim_ascii().contains(&b' ') && !line.trim_ascii().contains(&b'\t'))
        && base64.feed(first, &mut bytes).is_ok()
        && (is_cut || base64.end(&mut bytes).is_ok())
}

/// True if all letters and digits are hexadecimal, or if nearly all are and the letters a to f do not mix upper and
/// lower case. Base64 rarely looks like this. The letter `x` is not counted, since it can be part of `0x`.
fn is_mostly_hexadecimal(characters: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| characters.iter().filter(|byte| is(byte)).count();
    let (digits, words) =
        (count(u8::is_ascii_hexdigit), count(|byte| byte.is_ascii_alphanumeric() && !b"xX".contains(byte)));
    let is_one_case =
        count(|byte| (b'a'..=b'f').contains(byte)) == 0 || count(|byte| (b'A'..=b'F').contains(byte)) == 0;
    digits >= CHARACTERS && (words == digits || is_one_case && words - digits <= (words / 8).max(1))
}
