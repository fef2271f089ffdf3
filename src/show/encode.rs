//! Encode: turns text in the notation of docs/spec/text.md into bytes.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::literal::literal;
use super::row::Inside;
use super::text::brackets;
use crate::error::{Error, ErrorKind};
use crate::limits::MAX_DEPTH;
use crate::wire::key::Key;
use crate::wire::length;
use crate::wire::tag::Tag;
use crate::write::sink::Sink;

/// Encodes packets from their text form into a sink, and returns the number of bytes written.
///
/// The text form is the notation of [`text`](super::text()), which docs/spec/text.md defines. The text can also contain
/// typed literals: `i32(-1)`, `pu64(300)`, `f32(45.12)_4`, `bool(true)`. A literal is written in canonical form, or
/// padded to the width after `_`. A comment begins with `#` and ends at the end of the line. Packets can be separated
/// by white space and commas.
///
/// Hexadecimal bytes after `?` are written unchanged, so a text can describe faulty input. All other output is
/// well-formed.
///
/// Cost: O(n). Closing a packet of 64 bytes or more shifts its bytes, as in [`Encoder`](crate::Encoder). Allocates:
/// only what a growing sink needs. Uses 3 KiB of stack.
///
/// # Errors
/// - If the text is wrong: one of the kinds from [`ExpectedPacket`](ErrorKind::ExpectedPacket) to
///   [`Unopened`](ErrorKind::Unopened) in the list of [`ErrorKind`].
/// - [`DepthLimit`](ErrorKind::DepthLimit): a packet is nested too deeply. The offset is that of its key.
/// - [`BufferTooSmall`](ErrorKind::BufferTooSmall), [`SizeLimit`](ErrorKind::SizeLimit): the sink is full, or a packet
///   is too long. The offset is the position up to which the text was read.
///
/// Offsets count bytes of the text. After an error, the sink is as it was before the call.
///
/// # Examples
/// ```
/// use y3::{SliceSink, show::encode_text};
///
/// let mut buffer = [0; 16];
/// let mut sink = SliceSink::new(&mut buffer);
/// encode_text(r#"01{ 11=f32(0.25)  13="abc" }  # a reading"#, &mut sink)?;
/// assert_eq!(sink.written(), [0x81, 0x09, 0x11, 0x02, 0x3e, 0x80, 0x13, 0x03, 0x61, 0x62, 0x63]);
/// # Ok::<(), y3::Error>(())
/// ```
pub fn encode_text<S: Sink>(text: &str, sink: &mut S) -> Result<usize, Error> {
    let start = sink.position();
    let mut encoder = TextEncoder { text, at: 0, position: start, sink, open: [Open::NONE; MAX_DEPTH], depth: 0 };
    let done = encoder.run();
    let end = if done.is_ok() { encoder.position } else { start };
    encoder.sink.finish(end);
    done.map(|()| end - start)
}

/// Encodes packets from their text form into a new vector. [`encode_text`] explains the text form.
///
/// # Errors
/// Returns the errors of [`encode_text`].
///
/// # Examples
/// ```
/// assert_eq!(y3::show::parse_text("01=i32(-1), 02[00=ff]")?, [0x01, 0x01, 0xff, 0xc2, 0x03, 0x00, 0x01, 0xff]);
/// # Ok::<(), y3::Error>(())
/// ```
#[cfg(feature = "alloc")]
pub fn parse_text(text: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    encode_text(text, &mut bytes).map(|_| bytes)
}

struct TextEncoder<'t, 's, S> {
    text: &'t str,
    /// The position of the next unread byte of the text.
    at: usize,
    sink: &'s mut S,
    position: usize,
    open: [Open; MAX_DEPTH],
    depth: usize,
}

/// A packet whose end has not been read yet.
#[derive(Clone, Copy)]
struct Open {
    /// The position of the length field in the sink. One byte is reserved until the length is known.
    length: usize,
    /// The requested width of the length field in bytes, or 0 for the shortest width.
    width: usize,
    inside: Inside,
    /// The position of the packet in the text.
    text: usize,
    /// The position of the `_` after the packet's key in the text.
    text_width: usize,
}

impl Open {
    const NONE: Open = Open { length: 0, width: 0, inside: Inside::Value, text: 0, text_width: 0 };
}

impl<'t, S: Sink> TextEncoder<'t, '_, S> {
    fn run(&mut self) -> Result<(), Error> {
        loop {
            self.blank();
            let start = self.at;
            match self.rest().as_bytes() {
                [] => return self.around().map_or(Ok(()), |open| Err(Error::in_text(ErrorKind::Unclosed, open.text))),
                [b'}' | b']' | b'>', ..] => self.leave()?,
                [b'?', ..] => {
                    self.at += 1;
                    let digits = self.word();
                    if digits.is_empty() {
                        return Err(Error::in_text(ErrorKind::InvalidHex, start + 1));
                    }
                    self.hex(digits, start + 1)?;
                }
                _ => self.packet()?,
            }
        }
    }

    /// Returns the innermost open packet.
    fn around(&self) -> Option<Open> {
        self.open.get(..self.depth)?.last().copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Consumes `token` if the text continues with it.
    fn eat(&mut self, token: &str) -> bool {
        let is_next = self.rest().starts_with(token);
        self.at += if is_next { token.len() } else { 0 };
        is_next
    }

    /// Skips white space, commas and comments.
    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let next = rest.trim_start_matches([' ', '\t', '\r', '\n', ',']);
            self.at += rest.len() - next.len();
            if !next.starts_with('#') {
                return;
            }
            self.at += next.find('\n').unwrap_or(next.len());
        }
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let len = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        self.at += len;
        rest.get(..len).unwrap_or_default()
    }

    /// Reads the `_` and the number after it, if they are there. Returns the number and the position of the `_`.
    fn width(&mut self) -> Result<(Option<usize>, usize), Error> {
        let start = self.at;
        if !self.eat("_") {
            return Ok((None, start));
        }
        let digits = self.word();
        let is_short = matches!(digits.as_bytes(), [b'1'..=b'9'] | [b'1', b'0'..=b'9']);
        match digits.parse().ok().filter(|_| is_short) {
            Some(width) => Ok((Some(width), start)),
            None => Err(Error::in_text(ErrorKind::InvalidWidth, start)),
        }
    }

    fn packet(&mut self) -> Result<(), Error> {
        let start = self.at;
        let is_flagged = self.eat("!");
        let key = self.at;
        // The parser of keys accepts one or two digits, with or without `0x`.
        let Ok(key) = self.word().parse::<Key>() else {
            let kind = match self.around().map(|open| open.inside) {
                Some(Inside::Slice) => ErrorKind::ExpectedItem,
                _ => ErrorKind::ExpectedPacket,
            };
            return Err(Error::in_text(kind, key));
        };
        let (width, text_width) = self.width()?;
        if width.is_some_and(|width| width > length::MAX_SIZE) {
            return Err(Error::in_text(ErrorKind::InvalidWidth, text_width));
        }
        let content = self.at;
        let primitive = if is_flagged { Tag::flagged(key) } else { Tag::primitive(key) };
        // Embedded packets come before values in this list, because both begin with `=`.
        let kinds = [Inside::Embedded, Inside::Value, Inside::Node, Inside::Slice];
        let Some(inside) = kinds.into_iter().find(|inside| self.eat(brackets(*inside).0)) else {
            return Err(Error::in_text(ErrorKind::ExpectedContent, content));
        };
        let tag = match inside {
            Inside::Embedded | Inside::Value => primitive,
            _ if is_flagged => return Err(Error::in_text(ErrorKind::ExpectedContent, content)),
            Inside::Node => Tag::node(key),
            Inside::Slice => Tag::slice(key),
        };
        if inside != Inside::Value && self.depth >= MAX_DEPTH {
            return Err(Error::in_text(ErrorKind::DepthLimit, start));
        }
        self.store(&[tag.get(), 0])?;
        let open = Open { length: self.position - 1, width: width.unwrap_or(0), inside, text: start, text_width };
        if inside == Inside::Value {
            self.value()?;
            return self.close(open);
        }
        if let Some(next) = self.open.get_mut(self.depth) {
            *next = open;
            self.depth += 1;
        }
        Ok(())
    }

    fn leave(&mut self) -> Result<(), Error> {
        let start = self.at;
        match self.around() {
            Some(open) if self.eat(brackets(open.inside).1) => {
                self.depth -= 1;
                self.close(open)
            }
            _ => Err(Error::in_text(ErrorKind::Unopened, start)),
        }
    }

    /// Writes the length of a packet whose value ends at the current position.
    fn close(&mut self, open: Open) -> Result<(), Error> {
        let len = self.position.saturating_sub(open.length + 1);
        let shortest = length::encode(len).ok_or(self.output(ErrorKind::SizeLimit))?.len();
        let size = if open.width == 0 { shortest } else { open.width };
        if size < shortest {
            return Err(Error::in_text(ErrorKind::InvalidWidth, open.text_width));
        }
        let mut field = [0; length::MAX_SIZE];
        length::fill(len, field.iter_mut().take(size));
        let end = self.position.checked_add(size - 1).ok_or(self.output(ErrorKind::SizeLimit))?;
        let done = self.sink.replace_first(open.length..self.position, field.get(..size).unwrap_or_default());
        done.map_err(|kind| self.output(kind))?;
        self.position = end;
        Ok(())
    }

    /// Reads a value, which can be empty.
    fn value(&mut self) -> Result<(), Error> {
        if self.rest().starts_with('"') {
            return self.quoted();
        }
        let start = self.at;
        let word = self.word();
        if !self.eat("(") {
            return self.hex(word, start);
        }
        let (inside, rest) = (self.at, self.rest());
        let end = rest.find([')', '\n']).filter(|&end| rest.as_bytes().get(end) == Some(&b')'));
        let end = end.ok_or(Error::in_text(ErrorKind::InvalidLiteral, inside))?;
        self.at += end + 1;
        let (width, at) = self.width()?;
        match literal(word, rest.get(..end).unwrap_or_default(), width) {
            Ok(value) => self.store(value.to_bytes().get(..value.len()).unwrap_or_default()),
            Err(kind) => Err(Error::in_text(
                kind,
                match kind {
                    ErrorKind::UnknownType => start,
                    ErrorKind::InvalidWidth => at,
                    _ => inside,
                },
            )),
        }
    }

    fn hex(&mut self, digits: &str, start: usize) -> Result<(), Error> {
        for pair in digits.as_bytes().chunks(2) {
            let pair = core::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2);
            let byte = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok());
            self.store(&[byte.ok_or(Error::in_text(ErrorKind::InvalidHex, start))?])?;
        }
        Ok(())
    }

    fn quoted(&mut self) -> Result<(), Error> {
        let start = self.at;
        self.at += 1;
        loop {
            let rest = self.rest();
            let plain = rest.find(|c: char| c == '"' || c == '\\' || c.is_ascii_control()).unwrap_or(rest.len());
            self.store(rest.get(..plain).unwrap_or_default().as_bytes())?;
            self.at += plain;
            let wrong = Error::in_text(ErrorKind::InvalidEscape, self.at);
            let character = match self.rest().as_bytes() {
                [] => return Err(Error::in_text(ErrorKind::UnclosedText, start)),
                [b'"', ..] => {
                    self.at += 1;
                    return Ok(());
                }
                [b'\\', b'n', ..] => '\n',
                [b'\\', b'r', ..] => '\r',
                [b'\\', b't', ..] => '\t',
                [b'\\', b'"', ..] => '"',
                [b'\\', b'\\', ..] => '\\',
                [b'\\', b'u', b'{', ..] => {
                    self.at += 3;
                    let digits = self.word();
                    let number = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() <= 6);
                    match number.and_then(char::from_u32) {
                        // The line after this `match` skips the last two characters of the escape.
                        Some(character) if self.rest().starts_with('}') => {
                            self.at -= 1;
                            character
                        }
                        _ => return Err(wrong),
                    }
                }
                _ => return Err(wrong),
            };
            self.at += 2;
            self.store(character.encode_utf8(&mut [0; 4]).as_bytes())?;
        }
    }

    fn store(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let end = self.position.checked_add(bytes.len()).ok_or(self.output(ErrorKind::SizeLimit))?;
        self.sink.store(self.position, bytes).map_err(|kind| self.output(kind))?;
        self.position = end;
        Ok(())
    }

    fn output(&self, kind: ErrorKind) -> Error {
        Error::in_text(kind, self.at)
    }
}
