//! A reader of JSON that keeps the digits of numbers: it goes on from value to value, and builds nothing.
//!
//! In: text. Out: one token after the other, or what was expected, at which byte.

use std::borrow::Cow;

use crate::encode::{EncodeError, Result};

#[cfg(test)]
mod tests;

/// The most objects and arrays, one inside another: an object around the packets that are shown at most, see `show::DEPTH`. Many readers of
/// JSON enter no more.
const DEPTH: usize = crate::show::DEPTH + 1;

pub(crate) struct Reader<'t> {
    text: &'t str,
    pub(crate) at: usize,
    depth: usize,
}

/// What a value begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Null,
    Bool,
    Number,
    Text,
    List,
    Object,
}

impl Start {
    /// The kind of JSON, for messages.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Start::Null => "null",
            Start::Bool => "true or false",
            Start::Number => "a number",
            Start::Text => "text",
            Start::List => "an array",
            Start::Object => "an object",
        }
    }
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Reader { text, at: 0, depth: 0 }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(EncodeError::new(message, self.at))
    }

    fn blank(&mut self) {
        self.at = self.text.len() - self.rest().trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    /// Whether nothing is left but spaces.
    pub(crate) fn is_end(&mut self) -> bool {
        self.blank();
        self.rest().is_empty()
    }

    fn takes(&mut self, sign: char) -> bool {
        self.blank();
        let is_there = self.rest().starts_with(sign);
        self.at += usize::from(is_there);
        is_there
    }

    /// What stands next.
    pub(crate) fn start(&mut self) -> Result<Start> {
        self.blank();
        match self.rest().chars().next() {
            Some('n') => Ok(Start::Null),
            Some('t' | 'f') => Ok(Start::Bool),
            Some('-' | '0'..='9') => Ok(Start::Number),
            Some('"') => Ok(Start::Text),
            Some('[') => Ok(Start::List),
            Some('{') => Ok(Start::Object),
            Some(_) => self.fail("expected JSON"),
            None => self.fail("the JSON ends where a value was expected"),
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let is_there = self.rest().starts_with(word);
        self.at += if is_there { word.len() } else { 0 };
        is_there
    }

    pub(crate) fn null(&mut self) -> Result<()> {
        if self.word("null") { Ok(()) } else { self.fail("expected `null`") }
    }

    pub(crate) fn bool(&mut self) -> Result<bool> {
        match (self.word("true"), self.word("false")) {
            (false, false) => self.fail("expected `true` or `false`"),
            (is_true, _) => Ok(is_true),
        }
    }

    /// The digits of a number.
    pub(crate) fn number(&mut self) -> Result<&'t str> {
        let rest = self.rest();
        let digits = |text: &'t str| {
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            text.split_at_checked(end).filter(|(digits, _)| !digits.is_empty())
        };
        let fraction = |text: &'t str| match text.strip_prefix('.') {
            Some(text) => digits(text).map(|(_, rest)| rest),
            None => Some(text),
        };
        let exponent = |text: &'t str| match text.strip_prefix(['e', 'E']) {
            Some(text) => digits(text.strip_prefix(['+', '-']).unwrap_or(text)).map(|(_, rest)| rest),
            None => Some(text),
        };
        let whole = digits(rest.strip_prefix('-').unwrap_or(rest));
        let whole = whole.filter(|(digits, _)| digits.len() == 1 || !digits.starts_with('0'));
        match whole.and_then(|(_, rest)| exponent(fraction(rest)?)) {
            Some(after) => {
                let number = rest.get(..rest.len() - after.len()).unwrap_or_default();
                self.at += number.len();
                Ok(number)
            }
            None => self.fail("expected a number"),
        }
    }

    pub(crate) fn text(&mut self) -> Result<Cow<'t, str>> {
        if !self.takes('"') {
            return self.fail("expected text in quotation marks");
        }
        let mut text = Cow::Borrowed("");
        loop {
            let rest = self.rest();
            let end = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len());
            let piece = rest.get(..end).unwrap_or_default();
            if text.is_empty() {
                text = piece.into();
            } else {
                text.to_mut().push_str(piece);
            }
            self.at += end;
            match rest.as_bytes().get(end) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    let character = self.escaped()?;
                    text.to_mut().push(character);
                }
                Some(_) => return self.fail("a control character in text is written as \\u and four digits"),
                None => return self.fail("the JSON ends inside text"),
            }
        }
    }

    /// The character after a backslash.
    fn escaped(&mut self) -> Result<char> {
        let unit = |reader: &mut Self| {
            let digits = reader.rest().get(2..6).filter(|_| reader.rest().starts_with("\\u"));
            let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
            digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()).inspect(|_| reader.at += 6)
        };
        let start = self.at;
        let character = match self.rest().as_bytes().get(1) {
            Some(b'u') => {
                let units = [unit(self), None];
                let first = units.into_iter().flatten();
                match char::decode_utf16(first).next() {
                    Some(Ok(character)) => Some(character),
                    // Half of a pair.
                    Some(Err(high)) => unit(self).and_then(|low| {
                        char::decode_utf16([high.unpaired_surrogate(), low]).next().and_then(std::result::Result::ok)
                    }),
                    None => None,
                }
            }
            Some(escape) => {
                self.at += 2;
                b"\"\\/bfnrt".iter().zip("\"\\/\u{8}\u{c}\n\r\t".chars()).find(|(e, _)| *e == escape).map(|(_, c)| c)
            }
            None => None,
        };
        if character.is_none() {
            self.at = start;
        }
        character.map_or_else(|| self.fail("expected \\\" \\\\ \\/ \\b \\f \\n \\r \\t, or \\u and four digits"), Ok)
    }

    /// Calls with the reader before each item of an array, and its place.
    pub(crate) fn items(&mut self, mut item: impl FnMut(&mut Self, usize) -> Result<()>) -> Result<usize> {
        self.inside(['[', ']'], |reader, place| item(reader, place))
    }

    /// Calls with the reader before the value of each member of an object, and its name.
    pub(crate) fn members(&mut self, mut member: impl FnMut(&mut Self, &str, usize) -> Result<()>) -> Result<()> {
        self.inside(['{', '}'], |reader, _| {
            reader.blank();
            let at = reader.at;
            let name = reader.text()?;
            if !reader.takes(':') {
                return reader.fail("expected `:`");
            }
            member(reader, &name, at)
        })
        .map(|_| ())
    }

    fn inside(
        &mut self,
        [open, close]: [char; 2],
        mut next: impl FnMut(&mut Self, usize) -> Result<()>,
    ) -> Result<usize> {
        if self.depth == DEPTH {
            return self.fail(format!("more than {DEPTH} objects and arrays, one inside another"));
        }
        self.depth += 1;
        self.takes(open);
        let mut count = 0;
        let mut is_end = self.takes(close);
        while !is_end {
            next(self, count)?;
            count += 1;
            is_end = self.takes(close);
            if !is_end && !self.takes(',') {
                return match self.rest() {
                    "" => self.fail(format!("the JSON ends where `,` or `{close}` was expected")),
                    _ => self.fail(format!("expected `,` or `{close}`")),
                };
            }
        }
        self.depth -= 1;
        Ok(count)
    }
}
